"""Expressions that are an AND of clauses, each an OR of predicates: conjunctive normal form (OpIndex section 6.1).

    (A = 1 OR B = 2) AND (C = 3 OR D <= 4) AND (E = 5 OR A = 6 OR F >= 7)
     clause 0: bit 0      clause 1: bit 1       clause 2: bit 2               bitmap 111, pivots A and B

Some predicate of every clause holds where the expression does, so the attributes of its smallest clause together are
its pivots: it stands in the lists of each. A predicate that holds clears the bit of its clause.

An expression is taken so if it is of this form and that makes fewer predicates than its disjunctive normal form does,
which is `(product of the clauses' sizes) * clauses` against `smallest clause * predicates`. One clause alone, or a
conjunction, never is: counters do these. An expression with IS NULL, TRUE or FALSE in a clause is left to the
conjunctions.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.codebook import CONSTANT_DIMENSION, MISSING
from watchword.coding.coded import CodedExpressions
from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean
from watchword.language.table import AND, LEAF
from watchword.structures.conjunctions import REPEATED, VERIFY, Conjunctions
from watchword.structures.opindex.predicates import Predicates, room_for, write_choice
from watchword.structures.opindex.units import U64, Rewriting, Units, subject_of

MOST_CLAUSES: Final = 32  # one whose only predicate is an interval takes two of the bitmap's 64 bits
_HUGE: Final = 1 << 40


class _Work(NamedTuple):
    out: Predicates
    starts: I64
    need: U64
    pivot: I32
    pivot_starts: I64
    exact: U8


def expressions_by_clauses(coded: CodedExpressions, expressions: I64) -> I64:
    """Those of the expressions that are taken by their clauses."""
    chosen = np.empty(len(expressions), np.bool_)
    _choose(coded, expressions, chosen)
    return expressions[chosen]


@lean
def _choose(coded: CodedExpressions, expressions: I64, chosen: U8) -> None:
    for i in range(len(expressions)):
        chosen[i] = _is_cheaper_by_clauses(coded, expressions[i])


@lean
def _is_cheaper_by_clauses(coded: CodedExpressions, e: int) -> bool:
    first = coded.node_starts[e]
    if coded.kind[first] != AND:
        return False
    product, total, smallest, clauses = 1, 0, _HUGE, 0
    child = first + 1
    while child < first + coded.end[first]:
        end = first + coded.end[child]
        size = _clause_size(coded, child, end)
        if size == 0:
            return False
        product = min(_HUGE, product * size)
        total, smallest, clauses = total + size, min(smallest, size), clauses + 1
        child = end
    return clauses <= MOST_CLAUSES and smallest * total < product * clauses


@lean
def _clause_size(coded: CodedExpressions, node: int, end: int) -> int:
    """The predicates of a clause that can hold; 0 if it is none, or cannot be indexed."""
    conditions, size = coded.conditions, 0
    for n in range(node if coded.kind[node] == LEAF else node + 1, end):
        if coded.kind[n] != LEAF:
            return 0
        c = coded.condition[n]
        if conditions.low[c] == MISSING or conditions.dimension[c] == CONSTANT_DIMENSION:
            return 0
        if conditions.low[c] <= conditions.high[c]:
            size += 1
    return size


def units_of_clauses(
    coded: CodedExpressions, conjunctions: Conjunctions, expressions: I64, rewriting: Rewriting
) -> Units:
    """The first conjunction of each expression stands for it, and gets the flags that are right for it here."""
    room, pivots = room_for(0), 0
    for _ in range(2):
        work = _Work(
            room,
            np.zeros(len(expressions) + 1, np.int64),
            np.empty(len(expressions), np.uint64),
            np.empty(pivots, np.int32),
            np.zeros(len(expressions) + 1, np.int64),
            np.empty(len(expressions), np.uint8),
        )
        _write_expressions(coded, expressions, rewriting, work)
        room, pivots = room_for(int(work.out.used[0])), int(work.pivot_starts[-1])
    first = np.searchsorted(conjunctions.expression, expressions)
    several = np.where(np.diff(work.pivot_starts) > 1, REPEATED, 0)
    verify = np.where(work.exact == 0, VERIFY, 0)
    kept = conjunctions.flags[first] & np.uint8(255 ^ (REPEATED | VERIFY))
    conjunctions.flags[first] = kept | several | verify
    out = work.out
    return Units(
        subject_of(conjunctions, first),
        work.need,
        work.pivot_starts,
        work.pivot,
        work.starts,
        out.operator,
        out.dimension,
        out.key,
        out.clause,
    )


@lean
def _write_expressions(coded: CodedExpressions, expressions: I64, rewriting: Rewriting, work: _Work) -> None:
    for u in range(len(expressions)):
        first = coded.node_starts[expressions[u]]
        last = first + coded.end[first]
        clause, child = 0, first + 1
        best, best_size, best_frequency = child, _HUGE, 0.0
        work.out.exact[0] = 1
        while child < last:
            end = first + coded.end[child]
            size, frequency = _clause_size(coded, child, end), _frequency(coded, child, end, rewriting)
            if size < best_size or (size == best_size and frequency < best_frequency):
                best, best_size, best_frequency = child, size, frequency
            clause = 1 + _write_clause(coded, child, end, size == 1, clause, rewriting, work.out)
            child = end
        work.exact[u] = work.out.exact[0]
        work.need[u] = (np.uint64(1) << np.uint64(clause)) - np.uint64(1) if clause < 64 else ~np.uint64(0)
        work.starts[u + 1] = work.out.used[0]
        work.pivot_starts[u + 1] = _write_pivots(coded, best, first + coded.end[best], work, work.pivot_starts[u])


@lean
def _frequency(coded: CodedExpressions, node: int, end: int, rewriting: Rewriting) -> float:
    total = 0.0
    for n in range(node, end):
        if coded.kind[n] == LEAF:
            total += rewriting.frequency[coded.conditions.dimension[coded.condition[n]]]
    return total


@lean
def _write_clause(
    coded: CodedExpressions, node: int, end: int, alone: bool, clause: int, rewriting: Rewriting, out: Predicates
) -> int:
    last, sets = clause, coded.conditions
    for n in range(node, end):
        if coded.kind[n] == LEAF:
            c = coded.condition[n]
            if sets.low[c] <= sets.high[c]:
                taken = write_choice(
                    out,
                    rewriting.domain,
                    rewriting.trie,
                    sets,
                    sets.dimension[c],
                    sets.low[c],
                    sets.high[c],
                    sets.set_of[c],
                    sets.form[c],
                    clause,
                    alone,
                )
                last = max(last, taken)
    return last


@lean
def _write_pivots(coded: CodedExpressions, node: int, end: int, work: _Work, first: int) -> int:
    """The attributes of a clause, each once; in the first run they are only counted, more than once."""
    used, fill = first, len(work.pivot) > 0
    for n in range(node, end):
        if coded.kind[n] == LEAF:
            c = coded.condition[n]
            d, known = coded.conditions.dimension[c], coded.conditions.low[c] > coded.conditions.high[c]
            if fill:
                for k in range(first, used):
                    known = known or work.pivot[k] == d
            if not known:
                if fill:
                    work.pivot[used] = d
                used += 1
    return used
