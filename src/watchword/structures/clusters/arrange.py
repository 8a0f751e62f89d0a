"""In which cluster a conjunction stands, and the order of its conditions there.

The access condition is what an event must make true for the conjunction to be looked at. Best is an equality, the most
selective one by the statistics: then the key is (attribute, value), a key for each value of an IN list, and the
condition need not be checked again. Without an equality it is the condition on the rarest attribute, and the key is
the attribute. Conditions stand in the order of their selectivity: a conjunction mostly fails at the first.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from watchword.coding.coded import Conditions
from watchword.coding.values import I32, I64
from watchword.kernel import kernel, lean
from watchword.language.expression import Operator
from watchword.structures.clusters.columns import Placed
from watchword.structures.conjunctions import VERIFY, Conjunctions
from watchword.structures.selectivity import F64

MOST_KEYS: Final = 8  # values of an IN list that is an access condition
NO_ACCESS: Final = -1

_IN: Final = int(Operator.IN)


@lean
def equalities(c: Conjunctions, sets: Conditions, i: int) -> int:
    """To how many equalities the condition comes, 0 if they are too many or it is a range."""
    if c.low[i] == c.high[i]:
        return 1
    if c.form[i] != _IN:
        return 0
    if c.set_of[i] < 0:
        values = np.int64(c.high[i]) - c.low[i] + 1
        return values if values <= MOST_KEYS else 0
    values = 0
    for k in range(sets.set_starts[c.set_of[i]], sets.set_starts[c.set_of[i] + 1]):
        values += np.int64(sets.set_high[k]) - sets.set_low[k] + 1
    return values if values <= MOST_KEYS else 0


@lean
def choose_access(
    c: Conjunctions, sets: Conditions, cost: F64, presence: F64, first: int, last: int, access: I32
) -> None:
    """Set `access` of conjunctions first .. last - 1: a condition, counted from the conjunction's first one."""
    for conjunction in range(first, last):
        begin, end = c.starts[conjunction], c.starts[conjunction + 1]
        best, best_cost, is_equality = begin, np.inf, False
        for i in range(begin, end):
            if equalities(c, sets, i) > 0:
                if not is_equality or cost[i - c.starts[first]] < best_cost:
                    best, best_cost, is_equality = i, cost[i - c.starts[first]], True
            elif not is_equality and presence[c.dimension[i]] < best_cost:
                best, best_cost = i, presence[c.dimension[i]]
        access[conjunction] = best - begin


@kernel
def arrange(c: Conjunctions, sets: Conditions, cost: F64, access: I32, first: int, last: int, order: I32) -> None:
    """Set `order` of the conditions of conjunctions first .. last - 1: `cost` and `order` have no others.

    An equality that is their access comes last. A set, of which a column has but the bounds, makes VERIFY.
    """
    for conjunction in range(first, last):
        begin, end = c.starts[conjunction], c.starts[conjunction + 1]
        costs = cost[begin - c.starts[first] : end - c.starts[first]].copy()
        checked = checked_conditions(c, sets, access, conjunction)
        if checked < end - begin:
            costs[access[conjunction]] = np.inf
        ranked = np.argsort(costs, kind="mergesort")
        for i in range(len(ranked)):
            order[begin - c.starts[first] + i] = begin + ranked[i]
            if i < checked and c.set_of[begin + ranked[i]] >= 0:
                c.flags[conjunction] |= VERIFY


@lean
def checked_conditions(c: Conjunctions, sets: Conditions, access: I32, conjunction: int) -> int:
    """How many conditions stand in columns: all but an equality that is the access condition."""
    begin, end = c.starts[conjunction], c.starts[conjunction + 1]
    known = access[conjunction] != NO_ACCESS and equalities(c, sets, begin + access[conjunction]) > 0
    return end - begin - 1 if known else end - begin


@kernel
def place(c: Conjunctions, sets: Conditions, token: I64, access: I32, conjunctions: I64) -> Placed:
    """Where these conjunctions stand. Keys: a token for each (attribute, value), then one for each attribute."""
    total = 0
    for conjunction in conjunctions:
        if access[conjunction] == NO_ACCESS:
            total += 1
        else:
            total += max(1, equalities(c, sets, c.starts[conjunction] + access[conjunction]))
    placed = Placed(np.empty(total, np.int64), np.empty(total, np.int64), np.empty(total, np.int64))
    n = 0
    for conjunction in conjunctions:
        before = n
        i = c.starts[conjunction] + access[conjunction]
        if access[conjunction] == NO_ACCESS:
            placed.key[n] = 0
            n += 1
        elif equalities(c, sets, i) == 0:
            placed.key[n] = token[-1] + c.dimension[i]
            n += 1
        else:
            s = c.set_of[i]
            for k in range(1 if s < 0 else sets.set_starts[s + 1] - sets.set_starts[s]):
                low = c.low[i] if s < 0 else sets.set_low[sets.set_starts[s] + k]
                high = c.high[i] if s < 0 else sets.set_high[sets.set_starts[s] + k]
                for code in range(low, high + 1):
                    placed.key[n] = token[c.dimension[i]] + code
                    n += 1
        size = checked_conditions(c, sets, access, conjunction)
        for j in range(before, n):
            placed.conjunction[j], placed.size[j] = conjunction, size
    return placed
