"""Insertion (OpIndex Algorithm 1) and deletion: single entries in the lists of a pivot attribute.

    run   | 3 5 5 8 | . .          insert 6:  | 3 5 5 6 8 | .
    run   | 3 5 5 8 | 7 ...        insert 6:  moved to the end with room for as many again, its old place is free

A unit takes a slot of its pivot's row, and each of its predicates goes where it stands by order in its segment.
Cost: a binary search and a shift within one segment per predicate; moving a run is paid for by those that filled it.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from watchword.coding.values import I64
from watchword.kernel import lean
from watchword.structures.opindex.lists import (
    ENTRIES,
    FREE,
    FREE_SLOT,
    ROW_SLOTS,
    ROWS,
    SLOTS,
    WORD,
    Lists,
    bit_of,
    cell_of,
    tail_of,
)
from watchword.structures.opindex.match import first_not_below
from watchword.structures.opindex.predicates import EQUAL, LISTS, Domain
from watchword.structures.opindex.units import Units

Item = TypeVar("Item", bound=np.generic)


def insert(lists: Lists, units: Units) -> Lists:
    """The lists with the units; their arrays grow as they must."""
    wanted = np.zeros(3, np.int64)
    done = _insert(lists, units, 0, wanted)
    while done < len(units.subject):
        lists = _grown(lists, wanted)
        done = _insert(lists, units, done, wanted)
    return lists


def _grown(lists: Lists, wanted: I64) -> Lists:
    """With room for so many rows, slots and entries beside those that are used; at least half as many again."""
    used = lists.used
    room = used + np.maximum(wanted, used // 2)
    room[SLOTS] += -room[SLOTS] % WORD
    lists = trimmed(lists)
    cells = (room[ROWS] - used[ROWS]) * lists.b * LISTS
    rows, slots, entries = (room - used).tolist()
    return lists._replace(
        next_row=_longer(lists.next_row, rows),
        slot_starts=_longer(lists.slot_starts, rows),
        slot_count=_longer(lists.slot_count, rows),
        slot_room=_longer(lists.slot_room, rows),
        free_slot=_longer(lists.free_slot, rows),
        need=_longer(lists.need, slots),
        subject=_longer(lists.subject, slots),
        signature=_longer(lists.signature, cells),
        runs=_longer(lists.runs, 2 * cells),
        key=_longer(lists.key, entries),
        tail=_longer(lists.tail, entries),
    )


def _longer(array: npt.NDArray[Item], items: int) -> npt.NDArray[Item]:
    return np.concatenate([array, np.zeros(items, array.dtype)])


def trimmed(lists: Lists) -> Lists:
    """Without the room behind what is used."""
    rows, slots, entries = lists.used.tolist()
    cells = rows * lists.b * LISTS
    return lists._replace(
        next_row=lists.next_row[:rows],
        slot_starts=lists.slot_starts[:rows],
        slot_count=lists.slot_count[:rows],
        slot_room=lists.slot_room[:rows],
        free_slot=lists.free_slot[:rows],
        need=lists.need[:slots],
        subject=lists.subject[:slots],
        signature=lists.signature[:cells],
        runs=lists.runs[: 2 * cells],
        key=lists.key[:entries],
        tail=lists.tail[:entries],
    )


@lean
def _insert(lists: Lists, units: Units, first: int, wanted: I64) -> int:
    """Insert units from `first` on; the one for which there may not be room, with what it may want, or their number."""
    for u in range(first, len(units.subject)):
        _most_wanted(lists, units, u, wanted)
        if (
            lists.used[ROWS] + wanted[ROWS] > len(lists.next_row)
            or lists.used[SLOTS] + wanted[SLOTS] > len(lists.need)
            or lists.used[ENTRIES] + wanted[ENTRIES] > len(lists.key)
        ):
            return u
        for k in range(units.pivot_starts[u], units.pivot_starts[u + 1]):
            row = _row_with_room(lists, units.pivot[k])
            if row < 0:
                row = _add_row(lists, units.pivot[k])
            slot = _take_slot(lists, row)
            lists.need[lists.slot_starts[row] + slot] = units.need[u]
            lists.subject[lists.slot_starts[row] + slot] = units.subject[u]
            for p in range(units.starts[u], units.starts[u + 1]):
                operator, dimension, key = units.operator[p], units.dimension[p], units.key[p]
                cell = cell_of(row, dimension, operator, lists.b)
                lists.signature[cell] |= bit_of(operator, dimension, key, lists.w)
                _insert_entry(lists, cell, key, tail_of(lists.tail, slot, units.clause[p]))
    return len(units.subject)


@lean
def _most_wanted(lists: Lists, units: Units, u: int, wanted: I64) -> None:
    """No more rows, slots and entries than these are needed to insert the unit, and room for its moved run or row."""
    wanted[:] = 0
    predicates = units.starts[u + 1] - units.starts[u]
    for k in range(units.pivot_starts[u], units.pivot_starts[u + 1]):
        row = _row_with_room(lists, units.pivot[k])
        wanted[ROWS] += 1
        wanted[SLOTS] += WORD if row < 0 else 2 * lists.slot_room[row]
        for p in range(units.starts[u], units.starts[u + 1]):
            size = np.int64(0)
            if row >= 0:
                cell = cell_of(row, units.dimension[p], units.operator[p], lists.b)
                size = np.int64(lists.runs[2 * cell + 1] - lists.runs[2 * cell])
            wanted[ENTRIES] += 2 * (size + predicates)


@lean
def _row_with_room(lists: Lists, dimension: int) -> int:
    """A row of this pivot attribute that is not full, -1: none."""
    row = lists.first_row[dimension]
    while row >= 0 and lists.free_slot[row] < 0 and lists.slot_count[row] == ROW_SLOTS:
        row = lists.next_row[row]
    return row


@lean
def _add_row(lists: Lists, dimension: int) -> int:
    """A row without slots, before the others of this pivot attribute."""
    row = lists.used[ROWS]
    lists.used[ROWS] = row + 1
    lists.next_row[row], lists.first_row[dimension] = lists.first_row[dimension], row
    lists.slot_starts[row], lists.slot_count[row], lists.slot_room[row] = lists.used[SLOTS], 0, 0
    lists.free_slot[row] = -1
    for cell in range(row * lists.b * LISTS, (row + 1) * lists.b * LISTS):
        lists.signature[cell] = 0
        lists.runs[2 * cell], lists.runs[2 * cell + 1] = 0, 0
    return row


@lean
def _take_slot(lists: Lists, row: int) -> int:
    slot = np.int64(lists.free_slot[row])
    if slot >= 0:
        lists.free_slot[row] = lists.subject[lists.slot_starts[row] + slot] - FREE_SLOT - 1
        return slot
    if lists.slot_count[row] == lists.slot_room[row]:
        _move_row(lists, row)
    slot = np.int64(lists.slot_count[row])
    lists.slot_count[row] += 1
    return slot


@lean
def _move_row(lists: Lists, row: int) -> None:
    """Twice the room, at the end."""
    old, new, count = lists.slot_starts[row], lists.used[SLOTS], lists.slot_count[row]
    room = min(max(WORD, 2 * np.int64(lists.slot_room[row])), ROW_SLOTS)
    for slot in range(count):
        lists.need[new + slot], lists.subject[new + slot] = lists.need[old + slot], lists.subject[old + slot]
    for slot in range(count, room):
        lists.need[new + slot] = lists.need.dtype.type(0) - lists.need.dtype.type(1)
        lists.subject[new + slot] = FREE_SLOT
    lists.slot_starts[row], lists.slot_room[row] = new, room
    lists.used[SLOTS] = new + room


@lean
def _insert_entry(lists: Lists, cell: int, key: int, tail: int) -> None:
    begin, end = np.int64(lists.runs[2 * cell]), np.int64(lists.runs[2 * cell + 1])
    if end == lists.used[ENTRIES] or lists.key[end] != FREE:
        begin, end = _move_run(lists, cell, begin, end)
    at = first_not_below(lists.key, begin, end, key + 1)
    for i in range(end, at, -1):
        lists.key[i], lists.tail[i] = lists.key[i - 1], lists.tail[i - 1]
    lists.key[at], lists.tail[at] = key, tail
    lists.runs[2 * cell + 1] = end + 1


@lean
def _move_run(lists: Lists, cell: int, begin: int, end: int) -> tuple[int, int]:
    """To the end, with room for as many again and at least one; where the run now begins and ends."""
    size, new = end - begin, lists.used[ENTRIES]
    for i in range(size):
        lists.key[new + i], lists.tail[new + i] = lists.key[begin + i], lists.tail[begin + i]
        lists.key[begin + i] = FREE
    for i in range(new + size, new + 2 * size + 2):
        lists.key[i] = FREE
    lists.used[ENTRIES] = new + 2 * size + 2
    lists.runs[2 * cell], lists.runs[2 * cell + 1] = new, new + size
    return new, new + size


@lean
def delete(lists: Lists, units: Units, domain: Domain) -> None:
    """Take the units out of the lists. Their slots and entries are free for others."""
    for u in range(len(units.subject)):
        for k in range(units.pivot_starts[u], units.pivot_starts[u + 1]):
            row, slot = _find_slot(lists, units.pivot[k], units.subject[u])
            at = lists.slot_starts[row] + slot
            lists.need[at] = lists.need.dtype.type(0) - lists.need.dtype.type(1)
            lists.subject[at] = FREE_SLOT + 1 + lists.free_slot[row]
            lists.free_slot[row] = slot
            for p in range(units.starts[u], units.starts[u + 1]):
                operator, dimension, key = units.operator[p], units.dimension[p], units.key[p]
                cell = cell_of(row, dimension, operator, lists.b)
                _delete_entry(lists, cell, key, tail_of(lists.tail, slot, units.clause[p]))
                _sign(lists, cell, operator, domain, bit_of(operator, dimension, key, lists.w))


@lean
def _find_slot(lists: Lists, dimension: int, subject: int) -> tuple[int, int]:
    row = lists.first_row[dimension]
    while row >= 0:
        for slot in range(lists.slot_count[row]):
            if lists.subject[lists.slot_starts[row] + slot] == subject:
                return row, slot
        row = lists.next_row[row]
    return -1, -1


@lean
def _delete_entry(lists: Lists, cell: int, key: int, tail: int) -> None:
    begin, end = np.int64(lists.runs[2 * cell]), np.int64(lists.runs[2 * cell + 1])
    at = first_not_below(lists.key, begin, end, key)
    while lists.tail[at] != tail:
        at += 1
    for i in range(at, end - 1):
        lists.key[i], lists.tail[i] = lists.key[i + 1], lists.tail[i + 1]
    lists.key[end - 1] = FREE
    lists.runs[2 * cell + 1] = end - 1


@lean
def _sign(lists: Lists, cell: int, operator: int, domain: Domain, bit: np.uint64) -> None:
    """Clear the bit of the segment's signature if none of its entries selects it any more."""
    dimension = 0
    for i in range(lists.runs[2 * cell], lists.runs[2 * cell + 1]):
        if operator != EQUAL:
            dimension = np.searchsorted(domain.base, lists.key[i], side="right") - 1
        if bit_of(operator, dimension, lists.key[i], lists.w) & bit != 0:
            return
    lists.signature[cell] &= ~bit
