"""The conditions of a conjunction as the tree sees them: one interval for each dimension (table 1).

    operator            interval of codes
    =, <, <=, >, >=     as the codebook gives it: from the first code that satisfies it to the last
    BETWEEN             the same
    IN                  from its smallest code to its largest
    <>, NOT IN          from the smallest code that satisfies it to the largest: nearly the whole domain

Where a dimension comes several times in a conjunction, its interval is what they have in common. Where they have
nothing in common, only a list can satisfy it, and the interval encloses them all. An event with several codes meets
the interval if it lies between its smallest and its largest code.
"""

from __future__ import annotations

from typing import Final

from watchword.kernel import lean
from watchword.structures.conjunctions import Conjunctions

LONG: Final = 64  # a conjunction of more conditions is always unsure: to compare them all would take too long


@lean
def interval(conjunctions: Conjunctions, conjunction: int, dimension: int) -> tuple[int, int]:
    """Its interval on a dimension that it has; (0, -1) on others."""
    least, low, high, most = 0, 0, -1, -1
    found = False
    for i in range(conjunctions.starts[conjunction], conjunctions.starts[conjunction + 1]):
        if conjunctions.dimension[i] == dimension:
            first, last = conjunctions.low[i], conjunctions.high[i]
            if found:
                least, low = min(least, first), max(low, first)
                most, high = max(most, last), min(high, last)
            else:
                least, low, high, most = first, first, last, last
                found = True
    if low > high:
        low, high = least, most
    return low, high


@lean
def interval_at(conjunctions: Conjunctions, conjunction: int, i: int) -> tuple[int, int]:
    """The interval to be evaluated for condition i, the first of the conjunction on its dimension."""
    if conjunctions.starts[conjunction + 1] - conjunctions.starts[conjunction] > LONG:
        return conjunctions.low[i], conjunctions.high[i]
    return interval(conjunctions, conjunction, conjunctions.dimension[i])


@lean
def is_unsure(conjunctions: Conjunctions, conjunction: int) -> bool:
    """Are there sets, or intervals without a common code? Then its intervals do not say all."""
    first, last = conjunctions.starts[conjunction], conjunctions.starts[conjunction + 1]
    if last - first > LONG:
        return True
    for i in range(first, last):
        if conjunctions.set_of[i] >= 0:
            return True
        for j in range(i + 1, last):
            if conjunctions.dimension[i] == conjunctions.dimension[j] and (
                conjunctions.low[i] > conjunctions.high[j] or conjunctions.low[j] > conjunctions.high[i]
            ):
                return True
    return False
