"""Simple: every conjunction is compared with the event, up to its first condition that fails (H-Tree, section V-A).

    event --> conjunction 0, conjunction 1, conjunction 2, ...

Attributes are numbered, so a condition finds its value at once. Unlike `scan` it has conjunctions, and begins with the
condition that holds least often (`guards`); the paper begins with the first.

Invariant: one list has all conjunctions that were not deleted. Cost: O(conjunctions) per event; 32 bytes for each.
An insertion adds a row to the list, a deletion reads all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.kernel import lean
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.conjunctive import (
    Conjunctive,
    ConjunctiveParts,
    Scratch,
    State,
    Stored,
    Subjects,
    enter,
    leave,
    stored_from,
)
from watchword.structures.growing_lists import Lists, add_rows, drop_rows, going_of, new_lists, trimmed, with_room
from watchword.structures.guards import BACK, FRONT, WAITING, check_lists, code_weights, guard_rows
from watchword.structures.selectivity import F64
from watchword.structures.structure import U32, Input, Parameters

_ALL: Final = np.zeros(1, np.int64)  # the one list
_WANTED: Final = np.zeros(1, np.int32)  # and the same as kernels take it


class SimpleParts(NamedTuple):
    stored: ConjunctiveParts
    lists: Lists
    weights: F64


@dataclass
class Simple(Conjunctive):
    Parts: ClassVar[type[SimpleParts]] = SimpleParts

    lists: Lists
    weights: F64  # see `code_weights`

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> Simple:
        weights = code_weights(given.selectivity, given.book.codes)
        structure = cls(stored, len(weights), new_lists(1, FRONT, BACK), weights)
        structure._insert(0, stored.count)
        return structure

    @classmethod
    def restore(cls, parts: SimpleParts) -> Simple:
        return cls(stored_from(parts.stored), parts.stored.dimensions, parts.lists, parts.weights)

    def parts(self) -> SimpleParts:
        return SimpleParts(self.stored_parts(), trimmed(self.lists, 1), self.weights)

    def describe(self) -> dict[str, Any]:
        return {"name": "simple", **super().describe(), "compared": int(self.lists.size[0])}

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        held = (self.lists, self.stored.conjunctions, self.stored.subjects())
        return _match(*held, events, first, starts, out, scratch.state, scratch.own, _WANTED)

    def _own_scratch(self) -> I64:
        return np.zeros(WAITING, np.int64)

    def _insert(self, first: int, last: int) -> None:
        numbers = np.arange(first, last)
        front, back = guard_rows(self.stored.conjunctions, numbers, self.weights)
        self.lists = with_room(self.lists, _ALL, np.array([last - first]))
        add_rows(self.lists, np.zeros(last - first, np.int64), front, back)

    def _delete(self, conjunctions: I64) -> None:
        drop_rows(self.lists, _ALL, going_of(conjunctions, self.stored.count))


@lean
def _match(
    lists: Lists,
    conjunctions: Conjunctions,
    subjects: Subjects,
    events: CodedEvents,
    first: int,
    starts: I64,
    out: U32,
    state: State,
    rows: I64,
    wanted: I32,
) -> int:
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + subjects.count > len(out):
            return e
        many = enter(state, events, e)
        starts[e + 1] = check_lists(lists, wanted, 1, conjunctions, subjects, state, rows, out, n, many)
        leave(state, events, e, many)
    return len(events.starts) - 1
