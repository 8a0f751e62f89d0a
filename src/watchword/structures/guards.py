"""Simple matching of the conjunctions in lists: each is compared with the event until a condition fails.

    row:  front | conjunction | dimension low high |      its first guard: the condition that holds least often
          back  | dimension low high |   more      |      its second guard; does it have further conditions, or sets?

Two conditions of each conjunction stand in the row itself, so most conjunctions fail without a look at their content.
Invariant: a row's guards are conditions of its conjunction, each by its lowest and highest code (with a set, more
must be asked). Cost: 32 bytes and about one comparison per row.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from watchword.coding.codebook import CONSTANT_DIMENSION
from watchword.coding.coded import Conditions
from watchword.coding.values import I32, I64
from watchword.kernel import AHEAD, lean, prefetch
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.conjunctive import State, Subjects, accept
from watchword.structures.event_values import in_intervals
from watchword.structures.growing_lists import Lists
from watchword.structures.selectivity import F64, Selectivity
from watchword.structures.structure import CANDIDATES, PREDICATES, U32

FRONT: Final = 4
BACK: Final = 4
WAITING: Final = 1024  # rows
NEAR: Final = AHEAD // 2


def code_weights(selectivity: Selectivity, codes: I64) -> F64:
    """Dimension -> the share of events that have one of its codes, were all equally frequent."""
    return selectivity.presence / codes


def guard_rows(conjunctions: Conjunctions, numbers: I64, weights: F64) -> tuple[I32, I32]:
    """The rows of these conjunctions. `weights`: what a code of a dimension adds to how often a condition holds."""
    front, back = np.empty((len(numbers), FRONT), np.int32), np.empty((len(numbers), BACK), np.int32)
    _fill_rows(conjunctions, numbers, weights, front, back)
    return front, back


@lean
def _fill_rows(conjunctions: Conjunctions, numbers: I64, weights: F64, front: I32, back: I32) -> None:
    low, high, set_of = conjunctions.low, conjunctions.high, conjunctions.set_of
    for row in range(len(numbers)):
        c = numbers[row]
        first, second, more = _rarest_two(conjunctions, c, weights)
        front[row, 0], front[row, 1] = c, conjunctions.dimension[first]
        front[row, 2], front[row, 3] = low[first], high[first]
        more = more or set_of[first] >= 0
        back[row, 0], back[row, 1], back[row, 2] = CONSTANT_DIMENSION, 1, 1
        if second >= 0:
            back[row, 0], back[row, 1], back[row, 2] = conjunctions.dimension[second], low[second], high[second]
            more = more or set_of[second] >= 0
        back[row, 3] = more


@lean
def _rarest_two(conjunctions: Conjunctions, c: int, weights: F64) -> tuple[int, int, bool]:
    """The two conditions that hold least often (the second -1 where there is one); are there others?"""
    begin, end = conjunctions.starts[c], conjunctions.starts[c + 1]
    first, second = begin, -1
    rarest, next_rarest = np.inf, np.inf
    for i in range(begin, end):
        share = weights[conjunctions.dimension[i]] * (conjunctions.high[i] - conjunctions.low[i] + 1)
        if share < rarest:
            if i > begin:
                second, next_rarest = first, rarest
            first, rarest = i, share
        elif share < next_rarest:
            second, next_rarest = i, share
    return first, second, end - begin > 2


@lean
def check_lists(
    lists: Lists,
    wanted: I32,
    count: int,
    conjunctions: Conjunctions,
    subjects: Subjects,
    state: State,
    rows: I64,
    out: U32,
    n: int,
    many: bool,
) -> int:
    """Compare the conjunctions in the first `count` lists of `wanted` with the event; where the next match goes.

    Rows whose first guard holds wait in `rows`, so that their memory is asked for before they are looked at.
    """
    start, size, front, value = lists.start, lists.size, lists.front, state.value
    candidates, waiting = state.counts[CANDIDATES], 0
    for i in range(count):
        if i + AHEAD < count:
            prefetch(start, np.int64(wanted[i + AHEAD]))
            prefetch(size, np.int64(wanted[i + AHEAD]))
        if i + NEAR < count:
            prefetch(front, start[wanted[i + NEAR]] * FRONT)
        row = start[wanted[i]]
        last = row + size[wanted[i]]
        candidates += last - row
        if many:
            n = _check_several(front, row, last, conjunctions, subjects, state, out, n)
            continue
        state.counts[PREDICATES] += last - row
        while row < last:
            stop = min(last, row + len(rows) - waiting)
            for r in range(row, stop):  # without a branch: whether a guard holds cannot be foreseen
                code = value[front[r, 1]]
                rows[waiting] = r
                waiting += (code >= front[r, 2]) & (code <= front[r, 3])
            row = stop
            if waiting == len(rows):
                n = _check_waiting(lists, conjunctions, subjects, state, rows, waiting, out, n)
                waiting = 0
    n = _check_waiting(lists, conjunctions, subjects, state, rows, waiting, out, n)
    state.counts[CANDIDATES] = candidates  # all that were compared, not only what `accept` has seen
    return n


@lean
def _check_waiting(
    lists: Lists,
    conjunctions: Conjunctions,
    subjects: Subjects,
    state: State,
    rows: I64,
    waiting: int,
    out: U32,
    n: int,
) -> int:
    """Of the rows whose first guard holds: the second guard, then what else there is."""
    front, back, value = lists.front, lists.back, state.value
    left = 0
    for i in range(waiting):
        if i + AHEAD < waiting:
            prefetch(back, rows[i + AHEAD] * BACK)
        row = rows[i]
        code = value[back[row, 0]]
        if code >= back[row, 1] and code <= back[row, 2]:
            c = np.int64(front[row, 0])
            prefetch(conjunctions.starts, c)
            prefetch(subjects.flags, c)
            rows[left] = c << 1 | back[row, 3]
            left += 1
    for i in range(left):
        if i + NEAR < left and rows[i + NEAR] & 1:
            begin = conjunctions.starts[rows[i + NEAR] >> 1]
            prefetch(conjunctions.dimension, begin)
            prefetch(conjunctions.low, begin)
            prefetch(conjunctions.high, begin)
            prefetch(conjunctions.set_of, begin)
        c = rows[i] >> 1
        if rows[i] & 1 == 0 or conditions_hold(conjunctions, subjects.coded.conditions, c, state):
            n = accept(subjects, state, out, n, c, False)
    state.counts[PREDICATES] += waiting
    return n


@lean
def _check_several(
    front: I32, first: int, last: int, conjunctions: Conjunctions, subjects: Subjects, state: State, out: U32, n: int
) -> int:
    """The same for an event with several codes on a dimension: a guard may be true of any of them."""
    for row in range(first, last):
        if conditions_hold(conjunctions, subjects.coded.conditions, front[row, 0], state):
            n = accept(subjects, state, out, n, front[row, 0], True)
    return n


@lean
def conditions_hold(conjunctions: Conjunctions, conditions: Conditions, c: int, state: State) -> bool:
    """Is each condition of the conjunction true of some code of the event?"""
    first, last = conjunctions.starts[c], conjunctions.starts[c + 1]
    for i in range(first, last):
        if not _holds_of_some(conjunctions, conditions, i, state):
            state.counts[PREDICATES] += i + 1 - first
            return False
    state.counts[PREDICATES] += last - first
    return True


@lean
def _holds_of_some(conjunctions: Conjunctions, conditions: Conditions, i: int, state: State) -> bool:
    d = conjunctions.dimension[i]
    if len(state.last) == 0 or state.last[d] <= state.first[d] + 1:
        return _holds(conjunctions, conditions, i, state.value[d])
    for place in range(state.first[d], state.last[d]):
        if _holds(conjunctions, conditions, i, state.code[place]):
            return True
    return False


@lean
def _holds(conjunctions: Conjunctions, conditions: Conditions, i: int, code: int) -> bool:
    if code < conjunctions.low[i] or code > conjunctions.high[i]:
        return False
    return conjunctions.set_of[i] < 0 or in_intervals(conditions, conjunctions.set_of[i], code)
