"""Expressions as conjunctions of conditions on codes: what the papers' structures index.

    expression e    (x = 1 AND y <= 2) OR (z IN (3, 5) AND w IS NULL)
    conjunction 0   of e: x 1..1, y 4..6
    conjunction 1   of e: z 4..7 with the set {4, 7}; VERIFY, for `w IS NULL` is also true without a value

    conjunction c: expression[c], flags[c], conditions starts[c] .. starts[c + 1]
    condition i:   dimension[i] has a code in low[i] .. high[i], and in set_of[i] of the coded conditions where that
                   is >= 0; form[i] as in `Conditions`

Invariant: if an expression is true of an event, then one of its conjunctions has all its conditions true, each of some
code of the event. If all conditions of a conjunction are true of an event with one code per dimension, and it has not
VERIFY, then its expression is true. An event with several codes on a dimension always verifies.

An expression becomes its disjunctive normal form if that has not too many conjunctions (MOST_CONJUNCTIONS, or as many
as the expression has predicates). Otherwise it is one conjunction of the conditions that stand in its topmost AND, and
VERIFY. A conjunction that can never be true is left out; one without conditions gets the constant dimension's, which
every event has. A dimension may come several times in a conjunction (`x >= 3 AND x <= 5`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.codebook import CONSTANT_DIMENSION, MISSING
from watchword.coding.coded import CodedExpressions
from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean
from watchword.language.table import AND, LEAF, OR

MOST_CONJUNCTIONS: Final = 64

VERIFY: Final = 1  # its conditions do not say all: the expression must be evaluated
REPEATED: Final = 2  # its expression has other conjunctions, which the event may meet too


class Conjunctions(NamedTuple):
    expression: I32
    flags: U8
    starts: I64
    dimension: I32
    low: I32
    high: I32
    set_of: I32
    form: U8


class _Work(NamedTuple):
    """With `fill` 0 a run only counts."""

    out: Conjunctions
    used: I64  # conjunctions, conditions
    fill: int
    waiting: I64  # a stack of subtrees
    chosen: I64  # the child taken of each OR that has been met, in order
    or_end: I64
    leaves: I64  # the leaves of the conjunction at hand
    sizes: I64  # node -> conjunctions of its normal form


def build_conjunctions(coded: CodedExpressions) -> Conjunctions:
    most = int(np.diff(coded.node_starts).max(initial=0)) + 2
    counted = _work(_room(0, 0), most, fill=0)
    _normalise(coded, counted)
    work = _work(_room(*counted.used.tolist()), most, fill=1)
    _normalise(coded, work)
    return work.out


def _room(conjunctions: int, conditions: int) -> Conjunctions:
    return Conjunctions(
        np.empty(conjunctions, np.int32),
        np.zeros(conjunctions, np.uint8),
        np.zeros(conjunctions + 1, np.int64),
        np.empty(conditions, np.int32),
        np.empty(conditions, np.int32),
        np.empty(conditions, np.int32),
        np.empty(conditions, np.int32),
        np.empty(conditions, np.uint8),
    )


def _work(out: Conjunctions, most: int, *, fill: int) -> _Work:
    return _Work(
        out,
        np.zeros(2, np.int64),
        fill,
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
    )


@lean
def _normalise(coded: CodedExpressions, work: _Work) -> None:
    for e in range(len(coded.node_starts) - 1):
        first, last = coded.node_starts[e], coded.node_starts[e + 1]
        before = work.used[0]
        if _count_conjunctions(coded, first, last, work.sizes):
            _expand(coded, work, e, first)
        else:
            _take_topmost(coded, work, e, first)
        if work.fill and work.used[0] - before > 1:
            for c in range(before, work.used[0]):
                work.out.flags[c] |= REPEATED


@lean
def _count_conjunctions(coded: CodedExpressions, first: int, last: int, sizes: I64) -> bool:
    """Are the conjunctions of the normal form few enough?"""
    leaves = 0
    for n in range(last - 1, first - 1, -1):
        if coded.kind[n] == LEAF:
            leaves += 1
            sizes[n - first] = 1
            continue
        size = 1 if coded.kind[n] == AND else 0
        child = n + 1
        while child < first + coded.end[n]:
            if coded.kind[n] == AND:
                size *= sizes[child - first]
            else:
                size += sizes[child - first]
            size = min(size, 1 << 30)  # no product of two overflows
            child = first + coded.end[child]
        sizes[n - first] = size
    return sizes[0] <= max(MOST_CONJUNCTIONS, leaves)


@lean
def _expand(coded: CodedExpressions, work: _Work, e: int, first: int) -> None:
    """One conjunction for every way to choose a child of each OR that is met."""
    waiting, chosen, or_end, leaves = work.waiting, work.chosen, work.or_end, work.leaves
    known = 0  # ORs whose child is chosen; one met beyond them takes its first child
    while True:
        waiting[0] = first
        depth, met, count = 1, 0, 0
        while depth > 0:
            depth -= 1
            n = waiting[depth]
            if coded.kind[n] == LEAF:
                leaves[count] = n
                count += 1
            elif coded.kind[n] == OR:
                if met == known:
                    chosen[met], or_end[met] = n + 1, first + coded.end[n]
                    known += 1
                waiting[depth] = chosen[met]
                met += 1
                depth += 1
            else:
                child = n + 1
                while child < first + coded.end[n]:
                    waiting[depth] = child
                    depth += 1
                    child = first + coded.end[child]
        _add(coded, work, e, leaves, count, 0)
        while known > 0 and first + coded.end[chosen[known - 1]] >= or_end[known - 1]:
            known -= 1
        if known == 0:
            return
        chosen[known - 1] = first + coded.end[chosen[known - 1]]


@lean
def _take_topmost(coded: CodedExpressions, work: _Work, e: int, first: int) -> None:
    count = 0
    if coded.kind[first] == AND:
        child = first + 1
        while child < first + coded.end[first]:
            if coded.kind[child] == LEAF:
                work.leaves[count] = child
                count += 1
            child = first + coded.end[child]
    _add(coded, work, e, work.leaves, count, VERIFY)


@lean
def _add(coded: CodedExpressions, work: _Work, e: int, leaves: I64, count: int, flags: int) -> None:
    conditions = coded.conditions
    for i in range(count):
        c = coded.condition[leaves[i]]
        if conditions.low[c] > conditions.high[c]:
            return
    number, begin = work.used[0], work.used[1]
    at = begin
    for i in range(count):
        c = coded.condition[leaves[i]]
        if conditions.low[c] == MISSING:
            flags |= VERIFY
        elif conditions.dimension[c] != CONSTANT_DIMENSION:
            _add_condition(
                work,
                at,
                conditions.dimension[c],
                conditions.low[c],
                conditions.high[c],
                conditions.set_of[c],
                conditions.form[c],
            )
            at += 1
    if at == begin:
        _add_condition(work, at, CONSTANT_DIMENSION, 1, 1, -1, 0)
        at += 1
    work.used[0], work.used[1] = number + 1, at
    if work.fill:
        work.out.expression[number], work.out.flags[number] = e, flags
        work.out.starts[number + 1] = at


@lean
def _add_condition(work: _Work, at: int, dimension: int, low: int, high: int, set_of: int, form: int) -> None:
    if work.fill:
        out = work.out
        out.dimension[at], out.low[at], out.high[at] = dimension, low, high
        out.set_of[at], out.form[at] = set_of, form
