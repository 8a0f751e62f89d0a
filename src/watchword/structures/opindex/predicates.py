"""Conditions rewritten into the predicates of the three kinds of list: =, <= and >= (OpIndex sections 4.2 and 6.2).

    condition                      predicates                                 of these are true when it is
    x = 3                          x = 3                                      1
    x IN (3, 6, 9)                 x = 3, x = 6, x = 9                        1
    x < 5, x <= 5                  x <= (the code before 5, or its own)       1
    x BETWEEN 3 AND 12             x >= 3, x <= 12                            2, and 1 when it is false
    x <> 5, x NOT IN (5, 8)        x <= .., x >= .. of each gap between       one more than when it is false
    x LIKE 'ba%'                   x = (the trie's node of ba)                1
    x LIKE '%ab', x RLIKE '..'     the same on dimensions of their own        1

In codes `<` is a `<=` and `>` a `>=`; texts read backwards make a suffix a prefix; whether a pattern holds is a code
of the pattern's own dimension, so the list of a pattern is one equality. A set of k intervals apart from each other is
k predicates >= and k predicates <=: of a code inside it k + 1 are true, outside it k, so counting decides it too.

A bound beyond which the dimension's family of values has nothing is left out, as the paper's `A <= 5` has no lower
bound. Codes outside that family (another type's values, empty lists, NaN) may then meet too much: `Domain` names the
codes that are inside, and an event with others is verified. Where a dimension has several families, nothing is left
out.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from watchword.coding.codebook import FIRST_FAMILY, Codebook
from watchword.coding.coded import Conditions
from watchword.coding.dimensions import PREFIX
from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64, U8
from watchword.errors import LimitError
from watchword.kernel import inlined, lean
from watchword.language.expression import Operator
from watchword.structures.opindex.trie import Trie, node_of

EQUAL: Final = 0
AT_MOST: Final = 1
AT_LEAST: Final = 2
LISTS: Final = 3

MOST_INTERVALS: Final = 32  # a set of more is taken as the interval that spans it, and verified

_IN: Final = int(Operator.IN)
_OPEN_LOW: Final = 0
_OPEN_HIGH: Final = 2**31 - 1


class Domain(NamedTuple):
    base: I64  # dimension -> the key of its code 0; keys go on from dimension to dimension, then to the trie's nodes
    bottom: I32  # dimension -> the codes from bottom to top are those that one-sided predicates are exact for
    top: I32


class Predicates(NamedTuple):
    """Where predicates are written; with `fill` 0 they are only counted."""

    operator: U8
    dimension: I32
    key: I32
    clause: U8
    used: I64  # [predicates]
    exact: U8  # [do they say all that the conditions say?]
    low: I32  # the intervals of the set at hand
    high: I32
    fill: int


def domain_of(book: Codebook) -> Domain:
    base = starts_of(book.codes)
    if base[-1] > np.iinfo(np.int32).max // 2:
        raise LimitError("too many constants for one segment: load the subscriptions in several calls")
    has = [family > 0 for family in (book.number_base, book.time_base, book.bool_base, book.text_base)]
    one = np.sum(has, axis=0) == 1
    with_nan = has[0] & (book.number_ordered != 0)
    bottom = np.where(one, FIRST_FAMILY, 0).astype(np.int32)
    top = np.where(one, book.codes - 1 - with_nan, _OPEN_HIGH).astype(np.int32)
    return Domain(base, bottom, top)


def room_for(predicates: int) -> Predicates:
    intervals = MOST_INTERVALS + 1
    return Predicates(
        np.empty(predicates, np.uint8),
        np.empty(predicates, np.int32),
        np.empty(predicates, np.int32),
        np.zeros(predicates, np.uint8),
        np.zeros(1, np.int64),
        np.ones(1, np.uint8),
        np.empty(intervals, np.int32),
        np.empty(intervals, np.int32),
        1 if predicates else 0,
    )


@inlined
def is_prefix(low: Any, high: Any, set_of: Any, form: Any) -> Any:
    """Do these codes, of one condition or of many, belong to a node of the trie? Denied twice, a prefix has the empty
    set's code too."""
    return (form == PREFIX) & (set_of < 0) & (low >= FIRST_FAMILY) & (low < high)


@lean
def put(out: Predicates, operator: int, dimension: int, key: int, clause: int) -> None:
    n = out.used[0]
    if out.fill:
        out.operator[n], out.dimension[n], out.key[n], out.clause[n] = operator, dimension, key, clause
    out.used[0] = n + 1


@lean
def write_condition(
    out: Predicates, domain: Domain, trie: Trie, sets: Conditions, d: int, low: int, high: int, set_of: int, form: int
) -> int:
    """Write the predicates of a condition among others that all must hold; how many of them then are true."""
    if write_equalities(out, domain, trie, sets, d, low, high, set_of, form, 0):
        return 1
    base, pieces = domain.base[d], intervals_of(out, domain, sets, d, low, high, set_of)
    wanted = pieces + 1
    for i in range(pieces):
        if out.low[i] == _OPEN_LOW:
            wanted -= 1
        else:
            put(out, AT_LEAST, d, base + out.low[i], 0)
        if out.high[i] == _OPEN_HIGH:
            wanted -= 1
        else:
            put(out, AT_MOST, d, base + out.high[i], 0)
    if wanted == 0:
        put(out, AT_MOST, d, domain.base[d + 1] - 1, 0)
        wanted = 1
    return wanted


@lean
def write_choice(
    out: Predicates,
    domain: Domain,
    trie: Trie,
    sets: Conditions,
    d: int,
    low: int,
    high: int,
    set_of: int,
    form: int,
    clause: int,
    alone: bool,
) -> int:
    """Write the predicates of a condition in a clause, of which one is enough; the last clause that it took.

    An interval with two ends is two clauses where it stands alone. Else its lower end stands for it: not exact.
    """
    if write_equalities(out, domain, trie, sets, d, low, high, set_of, form, clause):
        return clause
    base, pieces = domain.base[d], intervals_of(out, domain, sets, d, low, high, set_of)
    last = clause
    for i in range(pieces):
        if out.low[i] != _OPEN_LOW:
            put(out, AT_LEAST, d, base + out.low[i], clause)
            if out.high[i] != _OPEN_HIGH:
                if alone and pieces == 1:
                    last = clause + 1
                    put(out, AT_MOST, d, base + out.high[i], last)
                else:
                    out.exact[0] = 0
        elif out.high[i] != _OPEN_HIGH:
            put(out, AT_MOST, d, base + out.high[i], clause)
        else:
            put(out, AT_MOST, d, domain.base[d + 1] - 1, clause)
    return last


@lean
def write_equalities(
    out: Predicates,
    domain: Domain,
    trie: Trie,
    sets: Conditions,
    d: int,
    low: int,
    high: int,
    set_of: int,
    form: int,
    clause: int,
) -> bool:
    """Write the condition as equalities, if that is what it is, or if they are no more than its two ends."""
    base = domain.base[d]
    if is_prefix(low, high, set_of, form):
        put(out, EQUAL, d, domain.base[len(domain.base) - 1] + node_of(trie, base + low, base + high), clause)
        return True
    if set_of < 0:
        inside = low > domain.bottom[d] and high < domain.top[d]
        few = low == high or (high == low + 1 and inside) or form == _IN
        if few:
            for code in range(low, high + 1):
                put(out, EQUAL, d, base + code, clause)
        return few
    if form != _IN:
        return False
    for i in range(sets.set_starts[set_of], sets.set_starts[set_of + 1]):
        for code in range(sets.set_low[i], sets.set_high[i] + 1):
            put(out, EQUAL, d, base + code, clause)
    return True


@lean
def intervals_of(out: Predicates, domain: Domain, sets: Conditions, d: int, low: int, high: int, set_of: int) -> int:
    """Put the intervals of a condition into out.low, out.high, open at the ends of the domain; how many there are."""
    out.low[0], out.high[0] = low, high
    pieces = 1
    if set_of >= 0:
        first, last = sets.set_starts[set_of], sets.set_starts[set_of + 1]
        if last - first > MOST_INTERVALS:
            out.exact[0] = 0
        else:
            pieces = last - first
            for i in range(pieces):
                out.low[i], out.high[i] = sets.set_low[first + i], sets.set_high[first + i]
    kept = 0
    for i in range(pieces):
        begin, end = out.low[i], max(out.high[i], domain.bottom[d] - 1)
        if begin <= domain.bottom[d]:
            begin = _OPEN_LOW
        if end >= domain.top[d]:
            end = _OPEN_HIGH
        if kept > 0 and begin == _OPEN_LOW:
            kept -= 1  # nothing but codes outside the domain lies between
        out.low[kept], out.high[kept] = begin, end
        kept += 1
    return kept
