"""Siena: counting over the constraints of each attribute, listed by operator (H-Tree, section V-A, after its [10]).

    attribute, type -->  =   | 3 5 5 9 |   equal to the value
                         >=  | 2 4 7   |   all up to the value
                         <=  | 1 6 8   |   all from the value on
                         range         |   all that begin up to the value, if they end behind it

An event's value finds in its attribute's lists the constraints that it satisfies; each counts one for its conjunction,
which is met when all its constraints have been counted. A range counts as one constraint. A condition that is a set
is listed interval by interval: a value is in one of them at most.

Invariant: a conjunction has one constraint in the lists for each interval of each condition (cut where one type of
values ends and the next begins), sorted by its bound. Cost: an event reads every constraint of a type and attribute
that begins before its value or ends behind it, so half of them; 12 bytes each. An insertion merges into the lists that
it touches, a deletion reads them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from watchword.coding.codebook import Codebook
from watchword.coding.coded import Conditions
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.kernel import lean
from watchword.structures.conjunctions import Conjunctions
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

EQUAL: Final = 0
AT_LEAST: Final = 1
AT_MOST: Final = 2
RANGE: Final = 3
OPERATORS: Final = 4

TYPES: Final = 6  # what has no type, numbers, NaN, times, booleans, texts


class SienaParts(NamedTuple):
    stored: ConjunctiveParts
    types: I32
    lists: Lists
    needed: Counters


@dataclass
class Siena(Conjunctive):
    Parts: ClassVar[type[SienaParts]] = SienaParts

    types: I32  # dimension x type: its first code, and at the end the number of codes
    lists: Lists  # dimension, type, operator; front: conjunction, last code; back: the bound, by which they are sorted
    needed: Counters

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> Siena:
        types = types_of(given.book)
        lists = new_lists(len(types) * TYPES * OPERATORS, 2, 1)
        structure = cls(stored, len(types), types, lists, np.zeros(0, np.uint8))
        structure._insert(0, stored.count)
        return structure

    @classmethod
    def restore(cls, parts: SienaParts) -> Siena:
        return cls(stored_from(parts.stored), parts.stored.dimensions, parts.types, parts.lists, parts.needed)

    def parts(self) -> SienaParts:
        return SienaParts(self.stored_parts(), self.types, trimmed(self.lists, len(self.lists.start)), self.needed)

    def describe(self) -> dict[str, Any]:
        parts, described = self.parts(), super().describe()
        described["bytes"] |= {"lists": nbytes(parts.lists), "counters": nbytes(parts.needed)}
        sizes = parts.lists.size.reshape(-1, OPERATORS)
        names = ("equal", "at least", "at most", "range")
        return {
            "name": "siena",
            **described,
            "lists": int((sizes > 0).sum()),
            "longest list": int(sizes.max(initial=0)),
            "constraints": dict(zip(names, sizes.sum(axis=0).tolist(), strict=True)),
        }

    def _constraints(self, numbers: I64) -> tuple[I64, I32]:
        """Of these conjunctions: list and bound as one number, and conjunction and last code."""
        held = (self.stored.conjunctions, self.stored.expressions.coded.conditions, numbers)
        key, row = np.empty(0, np.int64), np.empty((0, 2), np.int32)
        count = _list_constraints(self.types, *held, key, row)
        key, row = np.empty(count, np.int64), np.empty((count, 2), np.int32)
        _list_constraints(self.types, *held, key, row)
        return key, row

    def _insert(self, first: int, last: int) -> None:
        key, row = self._constraints(np.arange(first, last))
        order = np.argsort(key, kind="stable")
        key, row = key[order], row[order]
        touched, starts = np.unique(key >> 32, return_index=True)
        ends = np.append(starts[1:], len(key))
        self.lists = with_room(self.lists, touched, ends - starts)
        _merge(self.lists, touched, starts, ends, key, row)
        self.needed = with_more(self.needed, self.stored.conjunctions, first, last)

    def _delete(self, conjunctions: I64) -> None:
        key, _ = self._constraints(conjunctions)
        drop_rows(self.lists, np.unique(key >> 32), going_of(conjunctions, self.stored.count))

    def _own_scratch(self) -> Counters:
        return self.needed.copy()

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        index = (self.types, self.lists, self.needed, self.stored.subjects())
        return _match(*index, events, first, starts, out, scratch.state, scratch.own)


def types_of(book: Codebook) -> I32:
    """Where the codes of each type begin; one that a dimension does not have is empty."""
    bases = [np.zeros_like(book.codes), book.number_base, book.number_base, book.time_base, book.bool_base]
    types = np.column_stack([*bases, book.text_base, book.codes])
    for column in range(TYPES - 1, 0, -1):
        absent = types[:, column] == 0
        types[absent, column] = types[absent, column + 1]
    has_numbers = book.number_base > 0
    types[has_numbers, 2] = types[has_numbers, 3] - 1  # the last code of the numbers is NaN's
    return types.astype(np.int32)


@lean
def type_of(types: I32, d: int, code: int) -> int:
    kind = 0
    while code >= types[d, kind + 1]:
        kind += 1
    return kind


@lean
def _list_constraints(
    types: I32, conjunctions: Conjunctions, conditions: Conditions, numbers: I64, key: I64, row: I32
) -> int:
    """How many constraints there are; they are written if there is room."""
    used = 0
    for c in numbers:
        for i in range(conjunctions.starts[c], conjunctions.starts[c + 1]):
            d, number = conjunctions.dimension[i], conjunctions.set_of[i]
            if number < 0:
                used = _list_interval(types, c, d, conjunctions.low[i], conjunctions.high[i], key, row, used)
                continue
            for interval in range(conditions.set_starts[number], conditions.set_starts[number + 1]):
                low, high = conditions.set_low[interval], conditions.set_high[interval]
                used = _list_interval(types, c, d, low, high, key, row, used)
    return used


@lean
def _list_interval(types: I32, c: int, d: int, low: int, high: int, key: I64, row: I32, used: int) -> int:
    """One constraint for each type that the codes are of."""
    while low <= high:
        kind = type_of(types, d, low)
        last = min(high, types[d, kind + 1] - 1)
        if used < len(key):
            operator, bound = RANGE, low
            if low == last:
                operator = EQUAL
            elif low == types[d, kind]:
                operator, bound = AT_MOST, last
            elif last == types[d, kind + 1] - 1:
                operator = AT_LEAST
            key[used] = (np.int64(d) * TYPES + kind) * OPERATORS + operator << 32 | bound
            row[used, 0], row[used, 1] = c, last
        used += 1
        low = last + 1
    return used


@lean
def _merge(lists: Lists, touched: I64, starts: I64, ends: I64, key: I64, row: I32) -> None:
    """Sort the constraints starts[t] .. ends[t] into the list touched[t], from its end."""
    front, back = lists.front, lists.back
    for t in range(len(touched)):
        first = lists.start[touched[t]]
        old = first + lists.size[touched[t]] - 1
        lists.size[touched[t]] += ends[t] - starts[t]
        to = first + lists.size[touched[t]] - 1
        for new in range(ends[t] - 1, starts[t] - 1, -1):
            bound = key[new] & 0xFFFFFFFF
            while old >= first and back[old, 0] > bound:
                front[to, 0], front[to, 1], back[to, 0] = front[old, 0], front[old, 1], back[old, 0]
                old -= 1
                to -= 1
            front[to, 0], front[to, 1], back[to, 0] = row[new, 0], row[new, 1], bound
            to -= 1


@lean
def _first_from(back: I32, low: int, high: int, bound: int) -> int:
    """The first row of low .. high whose bound is not less."""
    while low < high:
        middle = (low + high) >> 1
        if back[middle, 0] < bound:
            low = middle + 1
        else:
            high = middle
    return low


@lean
def satisfied_rows(lists: Lists, number: int, operator: int, code: int) -> tuple[int, int]:
    """The rows of a list that the code satisfies by their bound."""
    first = lists.start[number]
    last = first + lists.size[number]
    if first < last and operator in (EQUAL, AT_MOST):
        first = _first_from(lists.back, first, last, code)
    if first < last and operator != AT_MOST:
        last = _first_from(lists.back, first, last, code + 1)
    return first, last


@lean
def _match(
    types: I32,
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
            d, code = events.dimension[i], events.code[i]
            if code > 0:
                number = (np.int64(d) * TYPES + type_of(types, d, code)) * OPERATORS
                n = _count_down(lists, number, code, left, subjects, state, out, n, many)
        if FEW * (state.counts[PREDICATES] - before) > len(needed):
            start_again(left, needed)
        else:
            _count_up(types, lists, events, e, left)
        leave(state, events, e, many)
        starts[e + 1] = n
    return len(events.starts) - 1


@lean
def _count_down(
    lists: Lists, number: int, code: int, left: Counters, subjects: Subjects, state: State, out: U32, n: int, many: bool
) -> int:
    """Count the constraints that a value satisfies, operator by operator; where the next match goes."""
    front = lists.front
    for operator in range(OPERATORS):
        first, last = satisfied_rows(lists, number + operator, operator, code)
        state.counts[BUCKETS] += first < last
        state.counts[PREDICATES] += last - first
        for row in range(first, last):
            if front[row, 1] >= code:  # only a range may end before
                c = front[row, 0]
                rest = np.int64(left[c]) - 1
                left[c] = rest
                if rest == 0:
                    n = accept(subjects, state, out, n, c, many)
    return n


@lean
def _count_up(types: I32, lists: Lists, events: CodedEvents, e: int, left: Counters) -> None:
    for i in range(events.starts[e], events.starts[e + 1]):
        d, code = events.dimension[i], events.code[i]
        if code == 0:
            continue
        for operator in range(OPERATORS):
            number = (np.int64(d) * TYPES + type_of(types, d, code)) * OPERATORS + operator
            first, last = satisfied_rows(lists, number, operator, code)
            for row in range(first, last):
                if lists.front[row, 1] >= code:
                    c = lists.front[row, 0]
                    left[c] = np.int64(left[c]) + 1
