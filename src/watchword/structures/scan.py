"""Scan: direct evaluation of every expression on every event. The oracle in codes (DESIGN section 5).

    event --> expression 0, expression 1, expression 2, ...

Invariant: none beyond the coded expressions themselves. Cost: every expression, up to its first false predicate; no
memory beside the expressions. All papers compare with it.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from watchword.coding.codebook import CONSTANT_DIMENSION
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64
from watchword.kernel import lean
from watchword.structures.conjunctive import (
    GONE,
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
from watchword.structures.expressions import expression_holds
from watchword.structures.structure import CANDIDATES, U32, Input, Parameters


class ScanParts(NamedTuple):
    stored: ConjunctiveParts


class Scan(Conjunctive):
    Parts: ClassVar[type[ScanParts]] = ScanParts

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> Scan:
        return cls(stored, len(given.book.codes))

    @classmethod
    def restore(cls, parts: ScanParts) -> Scan:
        return cls(stored_from(parts.stored), parts.stored.dimensions)

    def parts(self) -> ScanParts:
        return ScanParts(self.stored_parts())

    def describe(self) -> dict[str, Any]:
        return {"name": "scan", **super().describe()}

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        return _scan(self.stored.subjects(), events, first, starts, out, scratch.state)

    def _insert(self, first: int, last: int) -> None:
        """The conjunctions are all there is."""

    def _delete(self, conjunctions: I64) -> None:
        """Their flags say that they are gone."""

    def always_candidates(self) -> I64:
        return np.arange(len(self.stored.expressions))


@lean
def _scan(subjects: Subjects, events: CodedEvents, first: int, starts: I64, out: U32, state: State) -> int:
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + subjects.count > len(out):
            return e
        many = enter(state, events, e)
        before = -1
        readable = state.value[CONSTANT_DIMENSION] != 0
        for c in range(len(subjects.expression)):
            expression = subjects.expression[c]
            if expression == before or subjects.flags[c] & GONE:
                continue  # one conjunction stands for all of its expression
            before = expression
            state.counts[CANDIDATES] += 1
            if readable and expression_holds(subjects.coded, expression, state):
                out[n] = expression
                n += 1
        leave(state, events, e, many)
        starts[e + 1] = n
    return len(events.starts) - 1
