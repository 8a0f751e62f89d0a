"""Arrow arrays of lists to raw values: one cell per element.

row       0: [7, null]   1: null   2: []
position  0 0                      2
kind      INT OTHER                EMPTY

Elements that are lists or records themselves are OTHER, as null ones are.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.coding.arrow_scalars import Scalars, is_scalar, scalars, valid_positions
from watchword.coding.parts import TextPool
from watchword.coding.values import EMPTY, OTHER

_OFFSETS: Final = {pa.lib.Type_LIST, pa.lib.Type_LARGE_LIST}
_VIEWS: Final = {pa.lib.Type_LIST_VIEW, pa.lib.Type_LARGE_LIST_VIEW}

LISTS: Final = _OFFSETS | _VIEWS | {pa.lib.Type_FIXED_SIZE_LIST}


def _extents(array: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Where every list begins in `array.values`, and its length."""
    if array.type.id in _OFFSETS:
        offsets = array.offsets.to_numpy()
        return offsets[:-1], np.diff(offsets)
    if array.type.id in _VIEWS:
        return array.offsets.to_numpy(), array.sizes.to_numpy()
    size = array.type.list_size
    return (np.arange(len(array)) + array.offset) * size, np.full(len(array), size)


def elements(array: Any, pool: TextPool) -> Scalars:
    """The elements of the lists that are not null; `position` is their list."""
    rows = valid_positions(array)
    if len(rows) == 0:
        return Scalars(rows, 0, rows, 0)
    starts, lengths = (extent[rows].astype(np.int64) for extent in _extents(array))
    first = int(starts.min())
    size = int((starts + lengths).max()) - first
    values = array.values.slice(first, size)
    inner = scalars(values, pool) if is_scalar(values.type) else scalars(pa.nulls(size), pool)
    # One element more than there are stands for the empty list.
    kind = np.full(size + 1, OTHER, np.uint8)
    bits = np.zeros(size + 1, np.int64)
    length = np.zeros(size + 1, np.int32)
    kind[inner.position], bits[inner.position], length[inner.position] = inner.kind, inner.bits, inner.length
    kind[size] = EMPTY
    counts = np.maximum(lengths, 1)
    begins = np.cumsum(counts) - counts
    element = np.repeat(starts - first - begins, counts) + np.arange(int(counts.sum()))
    element[begins[lengths == 0]] = size
    return Scalars(np.repeat(rows, counts), kind[element], bits[element], length[element])
