"""SIFT: an inverted list per (attribute, value), and a counter per conjunction (BE-Tree section 7.2).

    a = 2 AND b IN (3, 6)          event a = 2, b = 6
    lists    (a, 2): 0             (a, 2): left[0] 2 -> 1
             (b, 3): 0             (b, 6): left[0] 1 -> 0, all its predicates hold
             (b, 6): 0
    left     2

Invariant: between events, left[c] is the number of enumerated conditions of conjunction c. Ranges, negations and all
else are enumerated into the codes they are true of, as BE-Tree section 7.2 enhances it. Cost: one entry per code of a
condition; an event walks the lists of its values, and every entry is a random access to a counter.

The counters count down to 0, so that the number of predicates need not be looked up beside. The walk is repeated to
set them back, or all of them are, whichever is less.
"""

from __future__ import annotations

from typing import ClassVar, Final

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64, U8
from watchword.kernel import lean
from watchword.structures.conjunctive import Scratch, State, Subjects, accept, enter, leave
from watchword.structures.inverted.choose import Rule
from watchword.structures.inverted.lists import Lists, ask_ahead
from watchword.structures.inverted.structure import InvertedIndex
from watchword.structures.structure import BUCKETS, PREDICATES, U32

WALK_COST: Final = 32  # to set one counter back at random costs as much as so many in a row


class Sift(InvertedIndex):
    name: ClassVar[str] = "sift"
    rule: ClassVar[Rule] = Rule(False, 255)
    sized: ClassVar[bool] = False

    def _own_scratch(self) -> U8:
        return self.indexed.size[: self.stored.count].copy()

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        size, left = self.indexed.size, scratch.own
        return _sift(self.stored.subjects(), self.lists, size, events, first, starts, out, scratch.state, left)


@lean
def _sift(
    subjects: Subjects,
    lists: Lists,
    size: U8,
    events: CodedEvents,
    first: int,
    starts: I64,
    out: U32,
    state: State,
    left: U8,
) -> int:
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + subjects.count > len(out):
            return e
        many = enter(state, events, e)
        ask_ahead(lists, 1, events, e)
        counted = 0
        for i in range(events.starts[e], events.starts[e + 1]):
            number = lists.directory[lists.token[events.dimension[i]] + events.code[i]]
            if number < 0:
                continue
            state.counts[BUCKETS] += 1
            counted += lists.length[number]
            for j in range(lists.start[number], lists.start[number] + lists.length[number]):
                conjunction = lists.entry[j] >> 1
                left[conjunction] -= 1
                if left[conjunction] == 0:
                    n = accept(subjects, state, out, n, conjunction, many)
        state.counts[PREDICATES] += counted
        _set_back(lists, size, events, e, left, counted)
        leave(state, events, e, many)
        starts[e + 1] = n
    return len(events.starts) - 1


@lean
def _set_back(lists: Lists, size: U8, events: CodedEvents, e: int, left: U8, counted: int) -> None:
    if counted * WALK_COST > len(left):
        for conjunction in range(len(left)):
            left[conjunction] = size[conjunction]
        return
    for i in range(events.starts[e], events.starts[e + 1]):
        number = lists.directory[lists.token[events.dimension[i]] + events.code[i]]
        if number >= 0:
            for j in range(lists.start[number], lists.start[number] + lists.length[number]):
                left[lists.entry[j] >> 1] += 1
