"""AtLeast written with AllOf and AnyOf, and how many leaves that takes.

    at least 2 of a b c d  =  (a AND b)  OR  ((a OR b) AND (c OR d))  OR  (c AND d)

The children are halved: so many of the one half and the rest of the other. Of n children that takes about n to the
power of log n leaves, where all subsets would be 2 to the power of n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

from watchword.text.query import AllOf, AnyOf, AtLeast, Not, Query, all_of, any_of, children_of

T = TypeVar("T")


def without_at_least(query: Query) -> Query:
    """The same analysed query, of AllOf, AnyOf, Not and leaves alone."""
    children = [without_at_least(child) for child in children_of(query)]
    match query:
        case Not():
            return Not(children[0])
        case AllOf():
            return all_of(children)
        case AnyOf():
            return any_of(children)
        case AtLeast(count):
            return _threshold(count, children, all_of, any_of)
    return query


def leaves_without_at_least(query: Query) -> int:
    """How many leaves `without_at_least` gives."""
    sizes = [leaves_without_at_least(child) for child in children_of(query)]
    if isinstance(query, AtLeast):
        return _threshold(query.count, sizes, sum, sum) if query.count else 0
    return sum(sizes) if sizes else 1


def _threshold(count: int, parts: Sequence[T], every: Callable[[list[T]], T], some: Callable[[list[T]], T]) -> T:
    """`count` (from 1) of the parts, joined by `every` and `some`."""

    @cache
    def among(wanted: int, low: int, high: int) -> T:
        if wanted == high - low:
            return every(list(parts[low:high]))
        if wanted == 1:
            return some(list(parts[low:high]))
        middle = (low + high) // 2
        ways = []
        for left in range(max(0, wanted - (high - middle)), min(wanted, middle - low) + 1):
            halves = [among(left, low, middle)] if left else []
            halves += [among(wanted - left, middle, high)] if left < wanted else []
            ways.append(every(halves))
        return some(ways)

    return among(count, 0, len(parts))
