"""Arrow arrays of single values to raw values, whole columns at a time, from Arrow's own buffers.

array     3 | null | 7          (any offset, any validity bitmap)
Scalars   position 0 2, kind INT, bits 3 7, length 0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from watchword.coding.parts import TextPool
from watchword.coding.raw import RAW
from watchword.coding.values import BOOL, FLOAT, FLOAT_PLUS, I32, I64, INT, TEXT, TIME, TIME_PLUS, U8
from watchword.errors import EventError

_INT64: Final = np.iinfo(np.int64)
_LONGEST: Final = np.iinfo(np.int32).max


@dataclass(slots=True)
class Scalars:
    """The values of an array that are not null. Fields that all of them share are one number."""

    position: I64
    kind: int | U8
    bits: npt.NDArray[Any]
    length: int | I32

    def at(self, chosen: npt.NDArray[Any]) -> Scalars:
        """Those that `chosen` names, by number or by mask."""
        kind = self.kind if isinstance(self.kind, int) else self.kind[chosen]
        length = self.length if isinstance(self.length, int) else self.length[chosen]
        return Scalars(self.position[chosen], kind, self.bits[chosen], length)


def valid_positions(array: Any) -> I64:
    if array.null_count == 0:
        return np.arange(len(array))
    if array.null_count == len(array):
        return np.zeros(0, np.int64)
    first = array.offset >> 3
    skipped = array.offset & 7
    bitmap = np.frombuffer(array.buffers()[0], np.uint8)[first : (array.offset + len(array) + 7) >> 3]
    bits = np.unpackbits(bitmap, bitorder="little")[skipped : skipped + len(array)]
    return np.flatnonzero(bits.view(np.bool_))


def _fixed(array: Any, dtype: type | str, position: I64) -> npt.NDArray[Any]:
    """The values at these positions of an array whose values lie side by side."""
    data = np.frombuffer(array.buffers()[1], dtype)[array.offset : array.offset + len(array)]
    return data if len(position) == len(data) else data[position]


def _integers(dtype: type) -> _Reader:
    return lambda array, position, _: Scalars(position, INT, _fixed(array, dtype, position), 0)


def _uint64(array: Any, position: I64, _: TextPool) -> Scalars:
    values = _fixed(array, np.uint64, position)
    bits = values.view(np.int64)
    large = bits < 0
    if not large.any():
        return Scalars(position, INT, bits, 0)
    # From 2**63 on float64s lie 2048 apart: without its low 11 bits a value is the one below it.
    low = np.uint64(2047)
    below = (values & ~low).astype(np.float64).view(np.int64)
    kind = np.where(large, np.where(values & low, FLOAT_PLUS, FLOAT), INT).astype(np.uint8)
    return Scalars(position, kind, np.where(large, below, bits), 0)


def _floats(dtype: type) -> _Reader:
    def read(array: Any, position: I64, _: TextPool) -> Scalars:
        values = _fixed(array, dtype, position).astype(np.float64, copy=False)
        return Scalars(position, FLOAT, (values + 0.0).view(np.int64), 0)  # + 0.0 turns -0.0 into 0.0

    return read


def _booleans(array: Any, position: I64, _: TextPool) -> Scalars:
    bits = position + array.offset
    data = np.frombuffer(array.buffers()[1], np.uint8)
    return Scalars(position, BOOL, (data[bits >> 3] >> (bits & 7)) & 1, 0)


def _decimals(array: Any, position: I64, _: TextPool) -> Scalars:
    raw = [RAW[type(value)](value) for value in array.to_pylist() if value is not None]
    kind, bits = zip(*raw, strict=True)
    return Scalars(position, np.array(kind, np.uint8), np.array(bits, np.int64), 0)


def _ticks(dtype: type, micros: int) -> _Reader:
    """Times counted in units of so many microseconds."""
    # No constant lies as far out as the times that are clipped here, so they compare the same.
    lowest, highest = -(_INT64.max // micros), _INT64.max // micros

    def read(array: Any, position: I64, _: TextPool) -> Scalars:
        values = _fixed(array, dtype, position).astype(np.int64)
        return Scalars(position, TIME, np.clip(values, lowest, highest) * micros if micros > 1 else values, 0)

    return read


_TIMESTAMPS: Final = {"s": 1_000_000, "ms": 1_000, "us": 1}


def _timestamps(array: Any, position: I64, pool: TextPool) -> Scalars:
    micros = _TIMESTAMPS.get(array.type.unit)
    if micros is not None:
        return _ticks(np.int64, micros)(array, position, pool)
    values, nanos = np.divmod(_fixed(array, np.int64, position), 1000)
    return Scalars(position, np.where(nanos, TIME_PLUS, TIME).astype(np.uint8), values, 0)


def _texts(dtype: type) -> _Reader:
    def read(array: Any, position: I64, pool: TextPool) -> Scalars:
        try:
            array.validate(full=True)
        except pa.ArrowInvalid as error:
            raise EventError(f"damaged text, {error}: write it again as UTF-8") from None
        _, offsets, data = array.buffers()
        starts: Any = np.frombuffer(offsets, dtype)[array.offset : array.offset + len(array) + 1]
        first, last = int(starts[0]), int(starts[-1])
        length = np.diff(starts)
        if int(length.max()) > _LONGEST:
            raise EventError(f"a text of more than {_LONGEST} bytes: shorten it")
        text = np.frombuffer(data, np.uint8)[first:last] if last > first else np.zeros(0, np.uint8)
        start = starts[position].astype(np.int64) + (pool.add(text) - first)
        return Scalars(position, TEXT, start, length[position].astype(np.int32))

    return read


def _text_views(array: Any, _: I64, pool: TextPool) -> Scalars:
    return scalars(array.cast(pa.large_string()), pool)


def _dictionary(array: Any, position: I64, pool: TextPool) -> Scalars:
    values = scalars(array.dictionary, pool)
    place = np.full(len(array.dictionary), -1, np.int64)  # of a dictionary entry among those that are not null
    place[values.position] = np.arange(len(values.position))
    entry = place[scalars(array.indices, pool).bits]
    present = entry >= 0
    chosen = values.at(entry[present])
    chosen.position = position[present]
    return chosen


def _run_ends(array: Any, _: I64, pool: TextPool) -> Scalars:
    return scalars(pc.run_end_decode(array), pool)


_Reader = Callable[[Any, I64, TextPool], Scalars]

_READERS: Final[dict[int, _Reader]] = {
    pa.lib.Type_BOOL: _booleans,
    pa.lib.Type_INT8: _integers(np.int8),
    pa.lib.Type_INT16: _integers(np.int16),
    pa.lib.Type_INT32: _integers(np.int32),
    pa.lib.Type_INT64: _integers(np.int64),
    pa.lib.Type_UINT8: _integers(np.uint8),
    pa.lib.Type_UINT16: _integers(np.uint16),
    pa.lib.Type_UINT32: _integers(np.uint32),
    pa.lib.Type_UINT64: _uint64,
    pa.lib.Type_HALF_FLOAT: _floats(np.float16),
    pa.lib.Type_FLOAT: _floats(np.float32),
    pa.lib.Type_DOUBLE: _floats(np.float64),
    pa.lib.Type_DECIMAL128: _decimals,
    pa.lib.Type_DECIMAL256: _decimals,
    pa.lib.Type_DATE32: _ticks(np.int32, 86_400_000_000),
    pa.lib.Type_DATE64: _ticks(np.int64, 1_000),
    pa.lib.Type_TIMESTAMP: _timestamps,
    pa.lib.Type_STRING: _texts(np.int32),
    pa.lib.Type_LARGE_STRING: _texts(np.int64),
    pa.lib.Type_STRING_VIEW: _text_views,
    pa.lib.Type_DICTIONARY: _dictionary,
    pa.lib.Type_RUN_END_ENCODED: _run_ends,
}
for _name in ("Type_DECIMAL32", "Type_DECIMAL64"):  # newer than the oldest Arrow that is supported
    if hasattr(pa.lib, _name):
        _READERS[getattr(pa.lib, _name)] = _decimals


def is_scalar(type: Any) -> bool:
    """Can arrays of this type be read here?"""
    if isinstance(type, pa.BaseExtensionType):
        return is_scalar(type.storage_type)
    if type.id in (pa.lib.Type_DICTIONARY, pa.lib.Type_RUN_END_ENCODED):
        return is_scalar(type.value_type)
    return type.id in _READERS or type.id == pa.lib.Type_NA


def is_text(type: Any) -> bool:
    """Are values of this type texts?"""
    if isinstance(type, pa.BaseExtensionType):
        return is_text(type.storage_type)
    if type.id == pa.lib.Type_DICTIONARY:
        return is_text(type.value_type)
    return type.id in (pa.lib.Type_STRING, pa.lib.Type_LARGE_STRING, pa.lib.Type_STRING_VIEW)


def scalars(array: Any, pool: TextPool) -> Scalars:
    """The values of an array of a type that `is_scalar`, their texts added to the pool."""
    if isinstance(array, pa.ExtensionArray):
        return scalars(array.storage, pool)
    position = valid_positions(array)
    if len(position) == 0:
        return Scalars(position, 0, position, 0)
    return _READERS[array.type.id](array, position, pool)
