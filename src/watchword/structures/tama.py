"""Tama: counting over cells of several levels, with as many values in each as the level is coarse (H-Tree, V-A).

    attribute -> level 0  |               0               |      each cell lists the conjunctions with a range that
                 level 1  |       0       |       1       |      needs it; cell i of a level has in it the cells 2i
                 level 2  |   0   |   1   |   2   |   3   |      and 2i + 1 of the next
                               [-- range --]                     here: cell 1 and cell 2 of level 2

An event looks into one cell per level of each of its attributes, the one of its value, and counts what is listed
there. A range is cut into the fewest cells that cover it, so a value in it meets exactly one of them. Where a
dimension has more codes than the finest level has cells, a range is covered with whole cells: it counts for values
just outside of it too. The paper leaves it at that: such conjunctions are verified here.

Invariant: of each condition of a conjunction, one of the cells of a satisfying code lists the conjunction once; where
other codes may meet it too, the conjunction has VERIFY. Cost: an event counts all conditions that it satisfies; a
condition has up to 2 entries of 4 bytes a level, about 9 where it is a tenth of the domain and there are 13 levels.
`discretization_level` is the paper's finest level: 2 ** level cells. An insertion adds to its lists; a deletion reads
them whole, which the paper calls costly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from watchword.coding.codebook import Codebook
from watchword.coding.coded import Conditions
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.errors import LimitError
from watchword.kernel import lean
from watchword.structures.conjunctions import VERIFY, Conjunctions
from watchword.structures.conjunctive import (
    Conjunctive,
    ConjunctiveParts,
    Scratch,
    State,
    Stored,
    Subjects,
    accept,
    enter,
    leave,
    stored_from,
)
from watchword.structures.counters import FEW, Counters, start_again, with_more
from watchword.structures.growing_lists import Lists, drop_rows, going_of, new_lists, trimmed, with_room
from watchword.structures.structure import BUCKETS, PREDICATES, U32, Input, Parameters, nbytes

MOST_ENTRIES: Final = 1 << 29  # 2 GiB
MOST_LEVELS: Final = 20

_TOTAL: Final = 0  # what `_visit` is to do with entries: nothing,
_GROUP: Final = 1  # count them by list
_FILL: Final = 2  # write them


class Levels(NamedTuple):
    """Cells are numbered as in a heap: 1 is that of level 0, and in cell i are 2i and 2i + 1."""

    base: I64  # dimension -> where the lists of its cells begin
    depth: I32  # its finest level
    codes: I64


class TamaParts(NamedTuple):
    stored: ConjunctiveParts
    levels: Levels
    lists: Lists
    needed: Counters


@dataclass
class Tama(Conjunctive):
    Parts: ClassVar[type[TamaParts]] = TamaParts
    defaults: ClassVar[Parameters] = {"discretization_level": 13}

    levels: Levels
    lists: Lists
    needed: Counters

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> Tama:
        levels, lists = make_levels(given.book, parameters["discretization_level"])
        structure = cls(stored, len(given.book.codes), levels, new_lists(lists, 1, 0), np.zeros(0, np.uint8))
        structure._insert(0, stored.count)
        return structure

    @classmethod
    def restore(cls, parts: TamaParts) -> Tama:
        return cls(stored_from(parts.stored), parts.stored.dimensions, parts.levels, parts.lists, parts.needed)

    def parts(self) -> TamaParts:
        return TamaParts(self.stored_parts(), self.levels, trimmed(self.lists, len(self.lists.start)), self.needed)

    def describe(self) -> dict[str, Any]:
        parts, described = self.parts(), super().describe()
        described["bytes"] |= {"lists": nbytes(parts.lists), "counters": nbytes(parts.needed)}
        sizes = parts.lists.size
        return {
            "name": "tama",
            **described,
            "levels": int(parts.levels.depth.max(initial=0)) + 1,
            "cells": len(sizes),
            "lists": int((sizes > 0).sum()),
            "longest list": int(sizes.max(initial=0)),
            "entries": int(sizes.sum()),
            "entries per condition": round(float(sizes.sum() / max(1, self.stored.conditions)), 2),
            "approximate": int((parts.stored.conjunctions.flags & VERIFY != 0).sum()),
        }

    def _entries_by_list(self, numbers: I64) -> tuple[I64, I32]:
        """The lists that these conjunctions are in, rising; and list -> how many entries they have there."""
        counts = np.zeros(len(self.lists.start), np.int32)
        total = self._visit(numbers, counts, np.empty(0, np.int64), _TOTAL)
        if self.lists.used + total > MOST_ENTRIES:
            raise LimitError(
                f"tama needs {self.lists.used + total:,} entries in its lists, and keeps at most {MOST_ENTRIES:,}: "
                f"choose a smaller discretization_level, or load the subscriptions in several calls of subscribe_many"
            )
        touched = np.empty(min(total, len(counts)), np.int64)
        touched = touched[: self._visit(numbers, counts, touched, _GROUP)]
        touched.sort()
        return touched, counts

    def _visit(self, numbers: I64, counts: I32, touched: I64, task: int) -> int:
        held = (self.stored.conjunctions, self.stored.expressions.coded.conditions)
        return _visit(self.levels, self.lists, *held, numbers, counts, touched, task)

    def _insert(self, first: int, last: int) -> None:
        numbers = np.arange(first, last)
        touched, counts = self._entries_by_list(numbers)
        self.lists = with_room(self.lists, touched, counts[touched])
        self._visit(numbers, counts, touched, _FILL)
        self.needed = with_more(self.needed, self.stored.conjunctions, first, last)

    def _delete(self, conjunctions: I64) -> None:
        touched, _ = self._entries_by_list(conjunctions)
        drop_rows(self.lists, touched, going_of(conjunctions, self.stored.count))

    def _own_scratch(self) -> Counters:
        return self.needed.copy()

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        index = (self.levels, self.lists, self.needed, self.stored.subjects())
        return _match(*index, events, first, starts, out, scratch.state, scratch.own)


def make_levels(book: Codebook, discretization_level: int) -> tuple[Levels, int]:
    """Levels up to the one on which each code has a cell of its own, but none finer than asked for; and the lists."""
    if not 0 <= discretization_level <= MOST_LEVELS:
        raise LimitError(f"tama needs a discretization_level of 0 to {MOST_LEVELS}, not {discretization_level}")
    depth = np.minimum(discretization_level, np.ceil(np.log2(book.codes))).astype(np.int32)
    lists = np.int64(2) << depth.astype(np.int64)
    return Levels(np.cumsum(lists) - lists, depth, book.codes), int(lists.sum())


@lean
def finest_cell(levels: Levels, d: int, code: int) -> int:
    """The code's cell on the finest level, by its number in the heap."""
    cells = np.int64(1) << levels.depth[d]
    return cells + (code if levels.codes[d] <= cells else code * cells // levels.codes[d])


@lean
def is_exact(levels: Levels, d: int, low: int, high: int) -> bool:
    """Have the cells of these codes no other codes?"""
    if low > 0 and finest_cell(levels, d, low - 1) == finest_cell(levels, d, low):
        return False
    return high + 1 == levels.codes[d] or finest_cell(levels, d, high + 1) != finest_cell(levels, d, high)


@lean
def _visit(
    levels: Levels,
    lists: Lists,
    conjunctions: Conjunctions,
    conditions: Conditions,
    numbers: I64,
    counts: I32,
    touched: I64,
    task: int,
) -> int:
    """Do something with all entries of these conjunctions; how many there were, or how many lists to _GROUP."""
    used = 0
    for c in numbers:
        for i in range(conjunctions.starts[c], conjunctions.starts[c + 1]):
            d, number = conjunctions.dimension[i], conjunctions.set_of[i]
            low, high = conjunctions.low[i], conjunctions.high[i]
            first, last = 0, 1
            if number >= 0:
                first, last = conditions.set_starts[number], conditions.set_starts[number + 1]
            for interval in range(first, last):
                if number >= 0:
                    low, high = conditions.set_low[interval], conditions.set_high[interval]
                if task == _FILL and not is_exact(levels, d, low, high):
                    conjunctions.flags[c] |= VERIFY
                used = _visit_cells(levels, lists, c, d, low, high, counts, touched, used, task)
    return used


@lean
def _visit_cells(
    levels: Levels, lists: Lists, c: int, d: int, low: int, high: int, counts: I32, touched: I64, used: int, task: int
) -> int:
    """The fewest cells that cover the codes: from the finest level up, those that have no brother among them."""
    begin, end = finest_cell(levels, d, low), finest_cell(levels, d, high) + 1
    while begin < end:
        if begin & 1:
            used += _visit_cell(lists, levels.base[d] + begin, c, counts, touched, used, task)
            begin += 1
        if end & 1:
            end -= 1
            used += _visit_cell(lists, levels.base[d] + end, c, counts, touched, used, task)
        begin >>= 1
        end >>= 1
    return used


@lean
def _visit_cell(lists: Lists, cell: int, c: int, counts: I32, touched: I64, used: int, task: int) -> int:
    if task == _GROUP:
        counts[cell] += 1
        if counts[cell] > 1:
            return 0
        touched[used] = cell
    elif task == _FILL:
        lists.front[lists.start[cell] + lists.size[cell], 0] = c
        lists.size[cell] += 1
    return 1


@lean
def _match(
    levels: Levels,
    lists: Lists,
    needed: Counters,
    subjects: Subjects,
    events: CodedEvents,
    first: int,
    starts: I64,
    out: U32,
    state: State,
    left: Counters,
) -> int:
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + subjects.count > len(out):
            return e
        many = enter(state, events, e)
        before = state.counts[PREDICATES]
        for i in range(events.starts[e], events.starts[e + 1]):
            if events.code[i] > 0:
                cell, base = finest_cell(levels, events.dimension[i], events.code[i]), levels.base[events.dimension[i]]
                n = _count_down(lists, base, cell, left, subjects, state, out, n, many)
        if FEW * (state.counts[PREDICATES] - before) > len(needed):
            start_again(left, needed)
        else:
            _count_up(levels, lists, events, e, left)
        leave(state, events, e, many)
        starts[e + 1] = n
    return len(events.starts) - 1


@lean
def _count_down(
    lists: Lists, base: int, cell: int, left: Counters, subjects: Subjects, state: State, out: U32, n: int, many: bool
) -> int:
    """Count what the cells of a value list, level by level up; where the next match goes."""
    front = lists.front
    buckets, predicates = 0, 0
    while cell > 0:
        first, size = lists.start[base + cell], lists.size[base + cell]
        buckets += size > 0
        predicates += size
        for row in range(first, first + size):
            c = front[row, 0]
            rest = np.int64(left[c]) - 1
            left[c] = rest
            if rest == 0:
                n = accept(subjects, state, out, n, c, many)
        cell >>= 1
    state.counts[BUCKETS] += buckets
    state.counts[PREDICATES] += predicates
    return n


@lean
def _count_up(levels: Levels, lists: Lists, events: CodedEvents, e: int, left: Counters) -> None:
    for i in range(events.starts[e], events.starts[e + 1]):
        if events.code[i] == 0:
            continue
        cell, base = finest_cell(levels, events.dimension[i], events.code[i]), levels.base[events.dimension[i]]
        while cell > 0:
            first = lists.start[base + cell]
            for row in range(first, first + lists.size[base + cell]):
                c = lists.front[row, 0]
                left[c] = np.int64(left[c]) + 1
            cell >>= 1
