"""pandas data frames to cells: by way of Arrow, or as dicts where a column holds what Arrow has no one type for.

A missing value of pandas (NaN, NaT, None) is a missing attribute.
"""

from __future__ import annotations

from typing import Any, Final

import pandas as pd
import pyarrow as pa

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
        is_mixed = column.dtype.kind == "O" and pd.api.types.infer_dtype(column, skipna=True) not in _ARROW_READS
        if is_mixed or attributes.number(str(label)) is not None:
            names.append(str(label))
            columns.append(column)
            mixed = mixed or is_mixed
    arrays = None if mixed else _arrays(columns)
    if arrays:
        return from_arrow(pa.table(arrays, names), attributes)
    if not columns:
        return from_dicts([{}] * len(frame), attributes)
    rows = zip(*map(_values, columns), strict=True)
    return from_dicts((dict(zip(names, row, strict=True)) for row in rows), attributes)


def _arrays(columns: list[Any]) -> list[Any] | None:
    """The columns in Arrow's form, or None where one holds what Arrow cannot, such as integers beyond 64 bits."""
    try:
        return [pa.array(column, from_pandas=True) for column in columns]
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        return None


def _values(column: Any) -> list[Any]:
    return [None if missing else value for value, missing in zip(column.tolist(), column.isna(), strict=True)]
