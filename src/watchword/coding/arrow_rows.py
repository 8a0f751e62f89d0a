"""Arrow columns to events as dicts, value by value: for tables whose columns cannot be read one by one.

a: struct  {"b": 1}        a.b: 1
m: map     [("b", 2)]      b: 2
a.b: int   3               a.b: 3, and no longer 1: the last column counts
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from watchword.coding.arrow_scalars import is_text
from watchword.coding.attributes import Attributes


def rows(table: Any, attributes: Attributes) -> Iterator[dict[str, Any]]:
    """The events of a table or record batch, with the values that some subscription uses under dotted names."""
    for batch in table.to_batches() if isinstance(table, pa.Table) else [table]:
        events: list[dict[str, Any]] = [{} for _ in range(batch.num_rows)]
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            add_column(events, name, column, attributes)
        yield from events


def add_column(events: list[dict[str, Any]], name: str, column: Any, attributes: Attributes) -> None:
    """Write the values of a column, an array or chunked array, into the events."""
    start = 0
    for array in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        _add([_Place(event, "", name) for event in events[start : start + len(array)]], array, attributes)
        start += len(array)


class _Place(NamedTuple):
    """Where a value goes."""

    event: dict[str, Any]
    record: str  # what stands in front of the keys if the value is a map
    name: str

    def below(self, field: str) -> _Place:
        return _Place(self.event, f"{self.name}.", f"{self.name}.{field}")

    def at_key(self, key: str) -> _Place:
        name = self.record + key
        return _Place(self.event, f"{name}.", name)


def _add(places: Sequence[_Place | None], array: Any, attributes: Attributes) -> None:
    """Write the values of an array to their places; None: below a null."""
    if isinstance(array, pa.ExtensionArray):
        _add(places, array.storage, attributes)
    elif array.type.id == pa.lib.Type_STRUCT:
        valid = array.is_valid().to_pylist()
        present = [place if is_valid else None for place, is_valid in zip(places, valid, strict=True)]
        for field, child in zip(array.type, array.flatten(), strict=True):
            _add([place and place.below(field.name) for place in present], child, attributes)
    elif array.type.id == pa.lib.Type_MAP:
        _add_map(places, array, attributes)
    else:
        for place, value in zip(places, array.to_pylist(), strict=True):
            if place and attributes.number(place.name) is not None:
                place.event.pop(place.name, None)  # the later one also comes later
                place.event[place.name] = value


def _add_map(places: Sequence[_Place | None], array: Any, attributes: Attributes) -> None:
    if len(array) == 0 or not is_text(array.type.key_type):
        return
    offsets = array.offsets.to_pylist()
    valid = array.is_valid().to_pylist()
    first, size = offsets[0], offsets[-1] - offsets[0]
    keys = array.keys.slice(first, size).to_pylist()
    entries: list[_Place | None] = []
    for place, is_valid, begin, end in zip(places, valid, offsets[:-1], offsets[1:], strict=True):
        entries += [place.at_key(key) if place and is_valid else None for key in keys[begin - first : end - first]]
    _add(entries, array.items.slice(first, size), attributes)
