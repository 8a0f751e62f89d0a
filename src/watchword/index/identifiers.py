"""Subscription ids of a segment: an Arrow column in row order, and where each id is.

hashes  sorted       the hash of each id
rows    beside them  the row that has it
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.coding.hashing import hash_bytes, mix
from watchword.coding.values import I32, I64, U8
from watchword.errors import SubscriptionIdError
from watchword.kernel import kernel
from watchword.limits import INTEGER_MAX, INTEGER_MIN

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
Identifier = str | int


def checked_id(identifier: object) -> Identifier:
    """An id as a plain string or integer; an error if it cannot be one."""
    if isinstance(identifier, np.generic):
        identifier = identifier.item()
    if type(identifier) is int:
        if not INTEGER_MIN <= identifier <= INTEGER_MAX:
            raise SubscriptionIdError(f"the id {identifier} does not fit in 64 bits: use a string")
        return identifier
    if type(identifier) is str:
        if not identifier.isascii() and any("\ud800" <= sign <= "\udfff" for sign in identifier):
            raise SubscriptionIdError(f"the id {identifier!r} holds half a surrogate pair, which is no text")
        return identifier
    if identifier is None:
        raise SubscriptionIdError("the id is missing")
    raise SubscriptionIdError(f"an id must be a string or an integer, not {type(identifier).__name__}")


def id_array(ids: object) -> pa.Array:
    """Ids as one int64 or large_string array; an error if they are anything else."""
    try:
        array = ids if isinstance(ids, (pa.Array, pa.ChunkedArray)) else pa.array(ids)
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if pa.types.is_integer(array.type):
            return array.cast(pa.int64())
        if pa.types.is_null(array.type) or _is_text(array.type):
            return array.cast(pa.large_string())
    except (pa.ArrowException, UnicodeEncodeError) as error:
        raise SubscriptionIdError(
            f"ids must be all strings or all 64-bit integers: convert them, for example to strings ({error})"
        ) from None
    raise SubscriptionIdError(f"ids must be strings or integers, not {array.type}: convert the column first")


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


@dataclass(slots=True)
class Identifiers:
    array: pa.Array  # int64 or large_string, without nulls
    hashes: U64
    rows: I32

    @classmethod
    def of(cls, array: pa.Array) -> Identifiers:
        hashes = hash_ids(array)
        rows = np.argsort(hashes, kind="stable").astype(np.int32)
        return cls(array, hashes[rows], rows)

    def find(self, wanted: pa.Array) -> I64:
        """The row of each wanted id, or -1. Of equal ids the first row."""
        if wanted.type != self.array.type:
            return np.full(len(wanted), -1, np.int64)
        hashes = hash_ids(wanted)
        place = np.searchsorted(self.hashes, hashes)
        if pa.types.is_int64(self.array.type):
            return _find_integers(self.hashes, self.rows, integers(self.array), hashes, place, integers(wanted))
        return _find_texts(self.hashes, self.rows, *text_buffers(self.array), hashes, place, *text_buffers(wanted))

    def listed(self, rows: U32) -> list[Identifier]:
        """The ids of rows as Python has them; integers the quick way, for there may be thousands per event."""
        if pa.types.is_int64(self.array.type):
            # the mode only skips a check: all rows are there
            return integers(self.array).take(rows, mode="clip").tolist()  # type: ignore[no-any-return]
        return self.array.take(pa.array(rows)).to_pylist()  # type: ignore[no-any-return]


def integers(array: pa.Array) -> I64:
    return (
        np.frombuffer(array.buffers()[1], np.int64, len(array), array.offset * 8)
        if len(array)
        else np.empty(0, np.int64)
    )


def text_buffers(array: pa.Array) -> tuple[I64, U8]:
    """Offsets and bytes of a large_string array."""
    if len(array) == 0:
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    _, offsets, data = array.buffers()
    starts = np.frombuffer(offsets, np.int64, len(array) + 1, array.offset * 8)
    return starts, np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)


def hash_ids(array: pa.Array) -> U64:
    if pa.types.is_int64(array.type):
        return _hash_integers(integers(array))
    return _hash_texts(*text_buffers(array))


@kernel
def _hash_integers(values: I64) -> U64:
    out = np.empty(len(values), np.uint64)
    for i in range(len(values)):
        out[i] = mix(np.uint64(values[i]))
    return out


@kernel
def _hash_texts(starts: I64, text: U8) -> U64:
    out = np.empty(len(starts) - 1, np.uint64)
    for i in range(len(out)):
        out[i] = hash_bytes(text, starts[i], starts[i + 1] - starts[i])
    return out


@kernel
def _find_integers(hashes: U64, rows: I32, values: I64, wanted_hashes: U64, place: I64, wanted: I64) -> I64:
    out = np.full(len(wanted), -1, np.int64)
    for i in range(len(wanted)):
        at = place[i]
        while at < len(hashes) and hashes[at] == wanted_hashes[i]:
            if values[rows[at]] == wanted[i]:
                out[i] = rows[at]
                break
            at += 1
    return out


@kernel
def _find_texts(
    hashes: U64,
    rows: I32,
    starts: I64,
    text: U8,
    wanted_hashes: U64,
    place: I64,
    wanted_starts: I64,
    wanted_text: U8,
) -> I64:
    out = np.full(len(wanted_hashes), -1, np.int64)
    for i in range(len(wanted_hashes)):
        at = place[i]
        length = wanted_starts[i + 1] - wanted_starts[i]
        while at < len(hashes) and hashes[at] == wanted_hashes[i]:
            first = starts[rows[at]]
            if starts[rows[at] + 1] - first == length:
                same = True
                for k in range(length):
                    if text[first + k] != wanted_text[wanted_starts[i] + k]:
                        same = False
                        break
                if same:
                    out[i] = rows[at]
                    break
            at += 1
    return out
