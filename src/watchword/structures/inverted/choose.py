"""Which conditions of a conjunction are enumerated, and the codes that they stand for.

One condition per dimension, the narrowest: both papers know one predicate per attribute. A condition is enumerated as
the codes it is true of (INCLUDED), or, where the structure knows NOT IN, as the codes it is false of (EXCLUDED). What
is left out, and an EXCLUDED condition (which an event without the attribute does not break), makes VERIFY.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.coded import Conditions
from watchword.coding.values import I64, U8
from watchword.kernel import lean
from watchword.structures.conjunctions import VERIFY, Conjunctions

LEFT_OUT: Final = 0
INCLUDED: Final = 1
EXCLUDED: Final = 2


class Seen(NamedTuple):
    """Dimension -> the condition chosen of it, and of which conjunction (counted from 1)."""

    conjunction: I64
    condition: I64


class Rule(NamedTuple):
    excludes: bool  # is NOT IN enumerated as EXCLUDED?
    most: int  # INCLUDED conditions of a conjunction


@lean
def choose(
    c: Conjunctions, sets: Conditions, codes: I64, first: int, last: int, rule: Rule, use: U8, size: U8, seen: Seen
) -> None:
    """Set `use` of the conditions and `size` (how many are INCLUDED) of conjunctions first .. last - 1."""
    for conjunction in range(first, last):
        begin, end = c.starts[conjunction], c.starts[conjunction + 1]
        for i in range(begin, end):
            d = c.dimension[i]
            use[i] = EXCLUDED if rule.excludes and _is_narrower_negated(c, sets, codes, i) else INCLUDED
            if seen.conjunction[d] == conjunction + 1:
                c.flags[conjunction] |= VERIFY
                other = seen.condition[d]
                worse = i
                if use[i] < use[other] or (use[i] == use[other] and width(c, sets, i) < width(c, sets, other)):
                    worse = other
                use[worse] = LEFT_OUT
                if worse == i:
                    continue
            seen.conjunction[d], seen.condition[d] = conjunction + 1, i
        included = 0
        for i in range(begin, end):
            if use[i] == INCLUDED and included == rule.most:
                use[i] = LEFT_OUT
                c.flags[conjunction] |= VERIFY
            included += 1 if use[i] == INCLUDED else 0
            if use[i] == EXCLUDED:
                c.flags[conjunction] |= VERIFY
        size[conjunction] = included


@lean
def _is_narrower_negated(c: Conjunctions, sets: Conditions, codes: I64, i: int) -> bool:
    """Is it a negated predicate (`form` 0) that more codes satisfy than not?"""
    if c.form[i] != 0 or c.set_of[i] < 0:
        return False
    others = codes[c.dimension[i]] - 1 - width(c, sets, i)
    return 0 < others < width(c, sets, i)


@lean
def width(c: Conjunctions, sets: Conditions, i: int) -> int:
    """How many codes condition i is true of."""
    if c.set_of[i] < 0:
        return np.int64(c.high[i]) - c.low[i] + 1
    total = 0
    for k in range(sets.set_starts[c.set_of[i]], sets.set_starts[c.set_of[i] + 1]):
        total += sets.set_high[k] - sets.set_low[k] + 1
    return total


@lean
def runs(c: Conjunctions, sets: Conditions, i: int, use: int) -> int:
    """In how many runs of codes condition i is enumerated (an empty one may be among them)."""
    if use == LEFT_OUT:
        return 0
    s = c.set_of[i]
    number = 1 if s < 0 else sets.set_starts[s + 1] - sets.set_starts[s]
    return number + 1 if use == EXCLUDED else number


@lean
def run(c: Conjunctions, sets: Conditions, codes: I64, i: int, use: int, k: int) -> tuple[int, int]:
    """The first and last code of run k; of an EXCLUDED condition the gaps between its intervals."""
    s = c.set_of[i]
    if s < 0:
        return np.int64(c.low[i]), np.int64(c.high[i])
    at = sets.set_starts[s] + k
    if use == INCLUDED:
        return np.int64(sets.set_low[at]), np.int64(sets.set_high[at])
    low = np.int64(1) if k == 0 else np.int64(sets.set_high[at - 1]) + 1
    high = np.int64(sets.set_low[at]) - 1 if at < sets.set_starts[s + 1] else codes[c.dimension[i]] - 1
    return low, high
