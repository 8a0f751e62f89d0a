"""pandas data frames to cells: by way of Arrow, or as dicts where a column holds what Arrow has no one type for.

A missing value of pandas (NaN, NaT, None) is a missing attribute. Columns of Arrow's types mean what they do in Arrow.
"""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
import pyarrow as pa

from watchword.coding.arrow_rows import add_column
from watchword.coding.attributes import Attributes
from watchword.coding.cells import Cells
from watchword.coding.from_arrow import from_arrow
from watchword.coding.from_dicts import from_dicts

_ARROW_READS: Final = {"string", "categorical", "empty", "bytes", "boolean", "date", "decimal", "integer", "floating"}


def from_pandas(frame: pd.DataFrame, attributes: Attributes) -> Cells:
    """The cells of a data frame: a row is an event, a column an attribute. The index is none."""
    names, columns, mixed = [], [], False
    for i, label in enumerate(frame.columns):
        column = frame.iloc[:, i]
        is_arrow = isinstance(column.dtype, pd.ArrowDtype)
        is_mixed = not is_arrow and column.dtype.kind == "O" and _inferred(column) not in _ARROW_READS
        if is_mixed or is_arrow or attributes.number(str(label)) is not None:
            names.append(str(label))
            columns.append(column)
            mixed = mixed or is_mixed
    arrays = None if mixed else _arrays(columns)
    if arrays:
        return from_arrow(pa.table(arrays, names), attributes)
    events: list[dict[str, Any]] = [{} for _ in range(len(frame))]
    for name, column in zip(names, columns, strict=True):
        if isinstance(column.dtype, pd.ArrowDtype):
            add_column(events, name, pa.array(column), attributes)
        else:
            for event, value in zip(events, _values(column), strict=True):
                event.pop(name, None)  # the later of two columns also comes later
                event[name] = value
    return from_dicts(events, attributes)


def _inferred(column: Any) -> str:
    return pd.api.types.infer_dtype(column, skipna=True)


def _arrays(columns: list[Any]) -> list[Any] | None:
    """The columns in Arrow's form, or None where one holds what Arrow cannot, such as integers beyond 64 bits."""
    try:
        return [pa.array(column, from_pandas=True) for column in columns]
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        return None


def _values(column: Any) -> list[Any]:
    return [None if missing else value for value, missing in zip(column.tolist(), column.isna(), strict=True)]
