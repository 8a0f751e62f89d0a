"""The one door for events of every form: `read_events` makes them `Cells`.

list of dicts ------------------> from_dicts
pandas.DataFrame -> from_pandas > from_arrow <- pyarrow.Table, RecordBatch
a column of JSON text ----------> from_json
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from watchword.coding.attributes import Attributes
from watchword.coding.cells import Cells
from watchword.coding.from_arrow import from_arrow
from watchword.coding.from_dicts import from_dicts
from watchword.coding.from_json import from_json
from watchword.errors import EventError


def read_events(events: Any, attributes: Attributes, *, json: str | None = None) -> Cells:
    """Read a batch of events: an iterable of mappings, an Arrow table or record batch, a pandas data frame.

    With `json`, that column or key holds every event as JSON text and the others are not attributes. An Arrow array
    of texts is JSON without saying so. Attributes that are not in `attributes` are left out.
    """
    if isinstance(events, (list, tuple)) and json is None:
        return from_dicts(events, attributes)
    if isinstance(events, (pa.Array, pa.ChunkedArray)):
        return from_json(events, attributes)
    if isinstance(events, (pa.Table, pa.RecordBatch)):
        return from_arrow(events, attributes) if json is None else from_json(_column(events, json), attributes)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(events, pandas.DataFrame):
        from watchword.coding.from_pandas import from_pandas  # here, because pandas need not be installed

        if json is None:
            return from_pandas(events, attributes)
        if json not in events.columns:
            raise _no_column(json, events.columns)
        return from_json(_texts(events[json]), attributes)
    if isinstance(events, Mapping) or not isinstance(events, Iterable) or isinstance(events, (str, bytes)):
        raise EventError(
            f"events must be a list of mappings, an Arrow table or a pandas data frame, not {type(events).__name__}: "
            "put a single event into a list"
        )
    if json is None:
        return from_dicts(events, attributes)
    return from_json(_texts([event.get(json) if isinstance(event, Mapping) else None for event in events]), attributes)


def _column(table: Any, name: str) -> Any:
    found = table.schema.get_all_field_indices(name)
    if len(found) != 1:
        raise _no_column(name, table.schema.names)
    return table.column(found[0])


def _no_column(name: str, names: Iterable[Any]) -> EventError:
    known = ", ".join(repr(known) for known in names)
    return EventError(f"there must be one column {name!r} with the events as JSON; the columns are {known[:300]}")


def _texts(values: Any) -> Any:
    try:
        return pa.array(values, pa.large_string(), from_pandas=True)
    except (pa.ArrowException, UnicodeEncodeError) as error:
        raise EventError(f"events as JSON must be text: {error}") from None
