"""Propagation: conjunctions in clusters by access predicate and size (BE-Tree sections 2 and 7.2).

    (a, 2) --> size 1: [b 3..3 | c 1..4 | b 6..6]       conjunctions that say a = 2 and one thing more
           --> size 2: [b 3..3 | d 1..2 | ...           column 0, the most selective condition
                        c 1..9 | b 2..4 | ...]          column 1
    (b)    --> size 2: [...]                            without an equality: what is rarest, its attribute

Invariant: a conjunction stands in the cluster of its most selective equality (`clusters/arrange.py`), in one for each
value of an IN list. Cost: its conditions in columns, 4 to 12 bytes each. An event looks up its values and attributes,
and checks what it finds there column by column; a conjunction mostly fails in the first.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64
from watchword.kernel import inlined, lean, prefetch
from watchword.structures.clusters.columns import Columns
from watchword.structures.clusters.structure import ClusterIndex
from watchword.structures.conjunctive import Scratch, State, Subjects, accept, enter, leave
from watchword.structures.event_values import some_code_in
from watchword.structures.structure import BUCKETS, PREDICATES, U32


class Propagation(ClusterIndex):
    name: ClassVar[str] = "propagation"
    by_access: ClassVar[bool] = True

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        subjects, state = self.stored.subjects(), scratch.state
        return _propagate(subjects, self.columns, self.token, events, first, starts, out, state)


@lean
def _propagate(
    subjects: Subjects,
    columns: Columns,
    token: I64,
    events: CodedEvents,
    first: int,
    starts: I64,
    out: U32,
    state: State,
) -> int:
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + subjects.count > len(out):
            return e
        many = enter(state, events, e)
        _ask_ahead(columns, token, events, e)
        for i in range(events.starts[e], events.starts[e + 1]):
            d, code = events.dimension[i], events.code[i]
            if code == 0:
                continue
            n = _search_key(subjects, columns, token[d] + code, state, out, n, many)
            n = _search_key(subjects, columns, token[-1] + d, state, out, n, many)
        leave(state, events, e, many)
        starts[e + 1] = n
    return len(events.starts) - 1


@lean
def _ask_ahead(columns: Columns, token: I64, events: CodedEvents, e: int) -> None:
    """Ask memory for the first clusters of all keys together: each is a chain of three places."""
    first, last = events.starts[e], events.starts[e + 1]
    for i in range(first, last):
        prefetch(columns.directory, token[events.dimension[i]] + events.code[i])
        prefetch(columns.directory, token[-1] + events.dimension[i])
    for i in range(first, last):
        for key in (token[events.dimension[i]] + events.code[i], token[-1] + events.dimension[i]):
            k = np.int64(columns.directory[key])
            if k >= 0:
                prefetch(columns.next, k)
                prefetch(columns.size, k)
                prefetch(columns.count, k)
                prefetch(columns.room, k)
                prefetch(columns.slots, k)
                prefetch(columns.conditions, k)
    for i in range(first, last):
        for key in (token[events.dimension[i]] + events.code[i], token[-1] + events.dimension[i]):
            k = np.int64(columns.directory[key])
            if k >= 0:
                prefetch(columns.dimension, columns.conditions[k])
                prefetch(columns.low, columns.conditions[k])
                prefetch(columns.high, columns.conditions[k])


@inlined
def _search_key(subjects: Subjects, columns: Columns, key: int, state: State, out: U32, n: int, many: bool) -> int:
    k = columns.directory[key]
    checked = 0
    while k >= 0:
        state.counts[BUCKETS] += 1
        room, size = columns.room[k], columns.size[k]
        for slot in range(columns.count[k]):
            at, left = columns.conditions[k] + slot, size
            while left > 0 and _holds(columns, at, state, many):
                at += room
                left -= 1
            checked += size - left + (1 if left > 0 else 0)
            if left == 0:
                n = accept(subjects, state, out, n, columns.conjunction[columns.slots[k] + slot], many)
        k = columns.next[k]
    state.counts[PREDICATES] += checked
    return n


@inlined
def _holds(columns: Columns, at: int, state: State, many: bool) -> bool:
    d, low, high = columns.dimension[at], columns.low[at], columns.high[at]
    return some_code_in(state, d, low, high) if many else low <= state.value[d] <= high
