"""k-index: conjunctions by size, a sorted list per (size, attribute, value) (BE-Tree section 2, OpIndex section 3).

    size 2   (a, 2): 1 2     (b, 3): 1     (c, 6): 2 not 4     event a = 2, c = 6: the lists (a, 2), (c, 6)
    size 3   (a, 2): 3       ...
    size 0   Z: 4            what has only NOT IN predicates

For each size k, no larger than the event, the lists of the event's values are sorted by the conjunction they stand at.
If the k-th stands where the first does, that conjunction has k true predicates and is found; else nothing before the
k-th one can be, and the lists skip to it. An entry of a NOT IN predicate that is broken stands before the others of
its conjunction and rejects it. Only one stands for a size of 0, whose conjunctions are all in the list Z.

Invariant: a list ascends by conjunction: what is inserted last goes to its end. NOT IN is weak: true without a value.
So what has one is verified (`choose.py`), as is the 33rd predicate on. Cost: an entry per code of a condition. An event
costs its lists, sorted anew at each step, and skips little where they are dense.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.kernel import inlined, lean, prefetch
from watchword.structures.conjunctive import GONE, Scratch, State, Subjects, accept, enter, leave
from watchword.structures.inverted.choose import Rule
from watchword.structures.inverted.lists import Lists, ask_ahead
from watchword.structures.inverted.structure import InvertedIndex
from watchword.structures.structure import BUCKETS, PREDICATES, U32

BITS: Final = 30  # for the number of a list in an event
MOST_LISTS: Final = (1 << BITS) - 1
LAST: Final = (1 << 63) - 1  # stands behind all lists
BLOCK: Final = 16  # lists that move together
LINE: Final = 16  # entries of a cache line


class _Cursors(NamedTuple):
    """The event's lists of one size."""

    order: I64  # current entry << BITS | list: ascending, then LAST and LAST
    at: I64  # list -> where its current entry stands
    end: I64


class KIndex(InvertedIndex):
    name: ClassVar[str] = "kindex"
    rule: ClassVar[Rule] = Rule(True, 32)
    sized: ClassVar[bool] = True

    def describe(self) -> dict[str, Any]:
        sizes = np.bincount(self.indexed.size[: self.stored.count])
        return {**super().describe(), "sizes": {str(k): int(sizes[k]) for k in np.flatnonzero(sizes)}}

    def _own_scratch(self) -> I32:
        return np.empty(self.stored.count, np.int32)

    def always_candidates(self) -> I64:
        """Those of size 0: an event rejects them or has to verify them."""
        c = self.stored.trimmed()
        of_size_0 = (self.indexed.size[: self.stored.count] == 0) & (c.flags & GONE == 0)
        return np.union1d(super().always_candidates(), c.expression[of_size_0])

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        most = int(np.diff(events.starts).max(initial=0)) + 1
        order = np.full(most + 2 * BLOCK, LAST)
        cursors = _Cursors(order, np.empty(most, np.int64), np.empty(most, np.int64))
        subjects, found = self.stored.subjects(), scratch.own
        return _match(subjects, self.lists, events, first, starts, out, scratch.state, cursors, found)


@lean
def _match(
    subjects: Subjects,
    lists: Lists,
    events: CodedEvents,
    first: int,
    starts: I64,
    out: U32,
    state: State,
    cursors: _Cursors,
    found: I32,
) -> int:
    partitions = 1 + max(lists.partition)
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + subjects.count > len(out):
            return e
        many = enter(state, events, e)
        ask_ahead(lists, partitions, events, e)
        size = max(1, events.starts[e + 1] - events.starts[e] - 1)  # the constant dimension is alone in a conjunction
        met = 0
        for k in range(len(lists.partition)):
            p = lists.partition[k]
            if p < 0 or k > size:
                continue
            count = _open(lists, events, e, many, partitions, k, p, cursors)
            state.counts[BUCKETS] += count
            if count >= k:
                met = _walk(lists.entry, state, many, max(k, 1), count, cursors, found, met)
            _close(cursors, count)
        for i in range(met):  # all together: none waits for memory that the one before has asked for
            n = accept(subjects, state, out, n, found[i], many)
        leave(state, events, e, many)
        starts[e + 1] = n
    return len(events.starts) - 1


@lean
def _open(
    lists: Lists, events: CodedEvents, e: int, many: bool, partitions: int, k: int, p: int, cursors: _Cursors
) -> int:
    """Set a cursor to the start of each of the event's lists of size k; how many they are."""
    count = 0
    for i in range(events.starts[e], events.starts[e + 1]):
        token = lists.token[events.dimension[i]] + events.code[i]
        count = _open_list(lists, lists.directory[token * partitions + p], many, count, cursors)
    if k == 0 and events.code[events.starts[e]] != 0:  # Z; an event that could not be read meets nothing
        count = _open_list(lists, lists.directory[lists.token[-1] * partitions + p], many, count, cursors)
    return count


@lean
def _open_list(lists: Lists, number: int, many: bool, count: int, cursors: _Cursors) -> int:
    if number < 0:
        return count
    end = lists.start[number] + lists.length[number]
    at = _not_excluding(lists.entry, lists.start[number], end, many)
    if at == end:
        return count
    cursors.at[count], cursors.end[count] = at, end
    current = np.int64(lists.entry[at]) << BITS | count
    place = count
    while place > 0 and cursors.order[place - 1] > current:
        cursors.order[place] = cursors.order[place - 1]
        place -= 1
    cursors.order[place] = current
    return count + 1


@lean
def _close(cursors: _Cursors, count: int) -> None:
    for i in range(count):
        cursors.order[i] = LAST


@inlined
def _not_excluding(entry: U32, at: int, end: int, many: bool) -> int:
    """An event with several values does not break NOT IN by one of them."""
    if many:
        while at < end and entry[at] & 1 == 0:
            at += 1
    return at


@lean
def _walk(entry: U32, state: State, many: bool, k: int, count: int, cursors: _Cursors, found: I32, n: int) -> int:
    """Note each conjunction that k of the lists meet; where in `found` the next one goes."""
    order, read = cursors.order, count
    while count >= k:
        kth = order[k - 1] >> (BITS + 1)
        wanted, moved = kth, k - 1
        if order[0] >> (BITS + 1) == kth:
            if order[0] >> BITS & 1:
                found[n] = kth
                n += 1
            wanted, moved = kth + 1, k
            while moved < count and order[moved] >> (BITS + 1) == kth:
                moved += 1
        else:
            while order[moved - 1] >> (BITS + 1) == kth:
                moved -= 1
        read += moved
        count -= _advance(entry, wanted, moved, many, order, cursors.at, cursors.end)
    state.counts[PREDICATES] += read
    return n


@inlined
def _advance(entry: U32, wanted: int, moved: int, many: bool, order: I64, at: I64, end: I64) -> int:
    """Skip the first `moved` lists to the wanted conjunction and put them in order; how many of them have ended."""
    ended = 0
    for j in range(moved - 1, -1, -1):
        number = order[j] & MOST_LISTS
        place = at[number] + 1
        if place < end[number] and entry[place] >> 1 < wanted:
            place = _skip(entry, place, end[number], wanted)
        place = _not_excluding(entry, place, end[number], many)
        if place < end[number]:
            prefetch(entry, place + LINE)
            at[number] = place
            _move_up(order, j, np.int64(entry[place]) << BITS | number)
        else:
            _move_up(order, j, LAST)
            ended += 1
    return ended


@inlined
def _move_up(order: I64, place: int, new: int) -> None:
    """Replace order[place] by something larger that moves to where it belongs, block by block, without branches."""
    more = True
    while more:
        for i in range(place, place + BLOCK):
            behind, here = order[i + 1], order[i]
            larger = new if new > here else here
            order[i] = behind if behind < larger else larger
        place += BLOCK
        more = order[place] < new


@inlined
def _skip(entry: U32, at: int, end: int, wanted: int) -> int:
    """The first place behind `at`, whose conjunction is before the wanted one, that has one which is not."""
    step = 1
    while at + step < end and entry[at + step] >> 1 < wanted:
        at += step
        step <<= 1
    low, high = at + 1, min(at + step, end)
    while low < high:
        middle = (low + high) >> 1
        if entry[middle] >> 1 < wanted:
            low = middle + 1
        else:
            high = middle
    return low
