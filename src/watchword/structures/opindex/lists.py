"""The lists of all pivot attributes, their segments and signatures, and the counter arrays (OpIndex sections 4.1-4.3).

    dimension --first_row--> row: the subscriptions of one pivot attribute, at most 65,536
    row --> cells (row * b + attribute % b) * LISTS + list: one segment of one of the row's lists
    cell --> signature: w bits
         --> entries runs[2 * cell] .. runs[2 * cell + 1] of key, tail, sorted by key
    row --> slots slot_starts[row] ..: need (what each subscription's counter or bitmap starts with), subject

    key    attribute and operand in one number (`Domain.base`)
    tail   slot in the row; with bitmaps slot << 6 | bit

The segments of an attribute in the three lists stand side by side, for an event asks them together. A pivot attribute
with more subscriptions than a row holds gets further rows (`next_row`): so counters stay in the cache, and 16 bits
say which one. What is given up when a run or a row grows is marked as free, and the run before it may take it.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.ranges import positions, starts_of
from watchword.coding.values import I32, I64
from watchword.errors import LimitError
from watchword.kernel import lean
from watchword.structures.opindex.predicates import EQUAL, LISTS
from watchword.structures.opindex.units import U64, Units

ROW_SLOTS: Final = 1 << 16
WORD: Final = 8  # a row has room for a multiple of so many slots: counters are copied by words
CLAUSE_BITS: Final = 6
FREE: Final = -1  # the key of an entry that is free
FREE_SLOT: Final = -(1 << 31)  # and above, up to ROW_SLOTS: the subject of a slot that is free, and the next such one
MOST_BYTES: Final = 3 << 30

ROWS: Final = 0
SLOTS: Final = 1
ENTRIES: Final = 2


class Lists(NamedTuple):
    b: int
    w: int
    first_row: I32
    next_row: I32
    slot_starts: I64
    slot_count: I32  # row -> slots that have been used
    slot_room: I32
    free_slot: I32  # row -> one of its slots that was given up, -1: none
    need: npt.NDArray[Any]  # bytes for counters, 64 bits for bitmaps
    subject: I32
    signature: U64
    runs: I32
    key: I32
    tail: npt.NDArray[Any]  # 16 bits for counters, 32 for bitmaps
    used: I64  # rows, slots, entries


def build_lists(units: Units, dimensions: int, b: int, w: int, need_type: type) -> Lists:
    unit, row, slot, first_row, next_row, counts = _rows(units, dimensions)
    rows = len(counts)
    _check_size(rows * b * LISTS * 16, "the segments of all pivot attributes", "a smaller b")
    room = -(-counts // WORD) * WORD
    slot_starts = starts_of(room)
    full = np.iinfo(need_type).max
    need, subject = np.full(slot_starts[-1], full, need_type), np.full(slot_starts[-1], FREE_SLOT, np.int32)
    need[slot_starts[row] + slot] = units.need[unit]
    subject[slot_starts[row] + slot] = units.subject[unit]
    sizes = units.starts[unit + 1] - units.starts[unit]
    predicate = positions(units.starts[unit], starts_of(sizes))
    _check_size(len(predicate) * 16, "the predicate lists", "several calls of subscribe_many")
    tail_type = np.uint16 if need_type is np.uint8 else np.uint32
    tail, key = np.empty(len(predicate), tail_type), units.key[predicate]
    cell, signature = np.empty(len(predicate), np.int64), np.zeros(rows * b * LISTS, np.uint64)
    _locate(units, predicate, np.repeat(row, sizes), np.repeat(slot, sizes), b, w, cell, tail, signature)
    runs = np.zeros((rows * b * LISTS, 2), np.int32)
    starts = starts_of(np.bincount(cell, minlength=len(runs)))
    runs[:, 0], runs[:, 1] = starts[:-1], starts[1:]
    order = np.argsort(cell << 32 | key, kind="stable")
    return Lists(
        b=b,
        w=w,
        first_row=first_row,
        next_row=next_row,
        slot_starts=slot_starts[:-1],
        slot_count=counts.astype(np.int32),
        slot_room=room.astype(np.int32),
        free_slot=np.full(rows, -1, np.int32),
        need=need,
        subject=subject,
        signature=signature,
        runs=runs.reshape(-1),
        key=key[order],
        tail=tail[order],
        used=np.array([rows, slot_starts[-1], len(key)]),
    )


def _rows(units: Units, dimensions: int) -> tuple[I64, I64, I64, I32, I32, I64]:
    """Units by their pivot attributes: unit, row and slot of each, and the rows."""
    total = int(units.pivot_starts[-1])
    pivot = units.pivot[:total]
    order = np.argsort(pivot, kind="stable")
    unit = np.repeat(np.arange(len(units.subject)), np.diff(units.pivot_starts))[order]
    sizes = np.bincount(pivot, minlength=dimensions)
    rows = -(-sizes // ROW_SLOTS)
    row_starts = starts_of(rows)
    place = np.arange(total) - np.repeat(starts_of(sizes)[:-1], sizes)
    row = row_starts[pivot[order]] + place // ROW_SLOTS
    first_row = np.where(rows > 0, row_starts[:-1], -1).astype(np.int32)
    next_row = np.arange(1, row_starts[-1] + 1, dtype=np.int32)
    next_row[row_starts[1:][rows > 0] - 1] = -1
    return unit, row, place % ROW_SLOTS, first_row, next_row, np.bincount(row, minlength=row_starts[-1])


def _check_size(size: int, what: str, remedy: str) -> None:
    if size > MOST_BYTES:
        raise LimitError(f"{what} would take {size / 2**30:.1f} GiB, and {MOST_BYTES >> 30} are allowed: try {remedy}")


@lean
def signature_bit(number: int, w: int) -> np.uint64:
    """The bit of a w-bit signature that this number selects."""
    mixed = (np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    return np.uint64(1) << ((mixed * np.uint64(w)) >> np.uint64(32))


@lean
def bit_of(operator: int, dimension: int, key: int, w: int) -> np.uint64:
    """An equality is hashed by attribute and operand, the others by attribute alone."""
    return signature_bit(key if operator == EQUAL else dimension, w)


@lean
def tail_of(tails: Any, slot: int, clause: int) -> int:
    """What an entry says of its subscription."""
    return slot if tails.itemsize == 2 else (slot << CLAUSE_BITS) | clause


@lean
def cell_of(row: int, dimension: int, operator: int, b: int) -> int:
    return (row * b + dimension % b) * LISTS + operator


@lean
def _locate(
    units: Units, predicate: I64, row: I64, slot: I64, b: int, w: int, cell: I64, tail: Any, signature: U64
) -> None:
    for i in range(len(predicate)):
        p = predicate[i]
        operator, dimension = units.operator[p], units.dimension[p]
        cell[i] = cell_of(row[i], dimension, operator, b)
        tail[i] = tail_of(tail, slot[i], units.clause[p])
        signature[cell[i]] |= bit_of(operator, dimension, units.key[p], w)
