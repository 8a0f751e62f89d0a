"""What the structures over conjunctions share: how an event is entered, a conjunction accepted, a kernel called.

    event --enter--> values by dimension --the structure's search--> conjunctions --accept--> expressions

A search finds each conjunction whose conditions are all true of some code of the event, and may find others where it
cannot tell: then it must say so (`verify`). `accept` evaluates the expression where that is needed, and writes each
expression once per event.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np

from watchword.coding.codebook import CONSTANT_DIMENSION
from watchword.coding.coded import CodedExpressions
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64, U8
from watchword.kernel import inlined, lean
from watchword.structures.conjunctions import REPEATED, VERIFY, Conjunctions, build_conjunctions
from watchword.structures.event_values import forget_values, set_values
from watchword.structures.expressions import MOST_OPEN, Expressions, append, expression_holds
from watchword.structures.structure import (
    CANDIDATES,
    COUNTS,
    U32,
    Input,
    Matches,
    Parameters,
    Structure,
    match_in_room,
    nbytes,
)

GONE: Final = 128  # a flag beside those of `Conjunctions`: its expression was deleted


class State(NamedTuple):
    """What one run of a kernel works with. Between runs `value` and the like are 0; `stamp` goes on."""

    value: I32  # dimension -> the event's code, 0 where it has none (its first one, where it has several)
    first: I64  # dimension -> its codes in `code`: empty arrays where no event of the batch has several on a dimension
    last: I64
    flags: U8
    code: I32
    open_nodes: I64
    seen: I64  # expression -> the stamp of the event that it was last written for
    stamp: I64  # [the present event's]
    counts: I64


class Subjects(NamedTuple):
    """What conjunctions stand for, as `accept` needs it."""

    expression: I32
    flags: U8
    coded: CodedExpressions
    count: int  # expressions


@lean
def enter(state: State, events: CodedEvents, e: int) -> bool:
    """Set the values of event e; has it several codes on some dimension?"""
    state.stamp[0] += 1
    many = events.several[e] != 0
    if many:
        set_values(state, events, e)
    else:
        for i in range(events.starts[e], events.starts[e + 1]):
            state.value[events.dimension[i]] = events.code[i]
    return many


@lean
def leave(state: State, events: CodedEvents, e: int, many: bool) -> None:
    for i in range(events.starts[e], events.starts[e + 1]):
        state.value[events.dimension[i]] = 0
    if many:
        forget_values(state, events, e)


@inlined
def accept(subjects: Subjects, state: State, out: U32, n: int, conjunction: int, verify: bool) -> int:
    """Write the conjunction's expression at out[n] if it holds; where the next one goes.

    `verify`: the search does not know that all conditions hold; true for every event with several codes.
    """
    flags = subjects.flags[conjunction]
    if flags == 0 and not verify:
        state.counts[CANDIDATES] += 1
        out[n] = subjects.expression[conjunction]
        n += 1
    else:
        n = accept_carefully(subjects, state, out, n, conjunction, verify)
    return n


@lean
def accept_carefully(subjects: Subjects, state: State, out: U32, n: int, conjunction: int, verify: bool) -> int:
    flags, expression = subjects.flags[conjunction], subjects.expression[conjunction]
    if flags & GONE:
        return n
    state.counts[CANDIDATES] += 1
    once = flags & REPEATED or verify  # several codes may lead to a conjunction more than once
    if once and state.seen[expression] == state.stamp[0]:
        return n
    if (flags & VERIFY or verify) and not expression_holds(subjects.coded, expression, state):
        return n
    state.seen[expression] = state.stamp[0]
    out[n] = expression
    return n + 1


@dataclass(slots=True)
class Stored:
    """The conjunctions of a structure, with room to grow like their expressions."""

    expressions: Expressions
    conjunctions: Conjunctions
    count: int
    conditions: int

    @classmethod
    def of(cls, coded: CodedExpressions, conjunctions: Conjunctions) -> Stored:
        return cls(Expressions.of(coded), conjunctions, len(conjunctions.expression), len(conjunctions.dimension))

    def add(self, coded: CodedExpressions) -> tuple[int, int]:
        """Add expressions; the numbers of their conjunctions: first, and after the last."""
        more, old, known, conditions = build_conjunctions(coded), self.conjunctions, self.count, self.conditions
        sets, expressions = self.expressions.used.sets, np.int32(len(self.expressions))
        self.expressions.add(coded)
        set_of = np.where(more.set_of < 0, more.set_of, more.set_of + np.int32(sets)).astype(np.int32)
        self.conjunctions = Conjunctions(
            append(old.expression, known, more.expression + expressions),
            append(old.flags, known, more.flags),
            append(old.starts, known + 1, more.starts[1:] + conditions),
            append(old.dimension, conditions, more.dimension),
            append(old.low, conditions, more.low),
            append(old.high, conditions, more.high),
            append(old.set_of, conditions, set_of),
            append(old.form, conditions, more.form),
        )
        self.count = known + len(more.expression)
        self.conditions = conditions + len(more.dimension)
        return known, self.count

    def trimmed(self) -> Conjunctions:
        c = self.conjunctions
        return Conjunctions(
            c.expression[: self.count],
            c.flags[: self.count],
            c.starts[: self.count + 1],
            *(column[: self.conditions] for column in c[3:]),
        )

    def subjects(self) -> Subjects:
        c = self.conjunctions
        known = slice(self.count)
        return Subjects(c.expression[known], c.flags[known], self.expressions.coded, len(self.expressions))


class ConjunctiveParts(NamedTuple):
    """What `Conjunctive` itself saves; a structure's own `Parts` has it as its field `stored`."""

    coded: CodedExpressions
    conjunctions: Conjunctions
    dimensions: int


@dataclass(slots=True)
class Scratch:
    """The working memory of one run, used again by later ones."""

    state: State
    own: Any  # what the structure's kernel needs beside


@dataclass
class Conjunctive(Structure):
    """A structure over conjunctions. It says how they are searched (`_search`), added and deleted."""

    Parts: ClassVar[Any]

    stored: Stored
    dimensions: int  # of the codebook
    usual_matches: float = field(default=64.0, init=False)
    _pool: list[Scratch] = field(default_factory=list, init=False)

    # --- for the structure to say ------------------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> Self:
        """Build the structure over the stored conjunctions."""

    @abstractmethod
    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        """Match from event `first` on with a kernel; the event for which `out` had no room, or their number.

        An event needs room for as many matches as there are expressions.
        """

    @abstractmethod
    def _insert(self, first: int, last: int) -> None:
        """Index the stored conjunctions first .. last - 1, which have come."""

    @abstractmethod
    def _delete(self, conjunctions: I64) -> None:
        """Take these conjunctions out of the index."""

    def _own_scratch(self) -> Any:
        return ()

    # --- the contract ------------------------------------------------------------------------------------------

    @classmethod
    def build(cls, given: Input, parameters: Parameters) -> tuple[Self, I64]:
        stored = Stored.of(given.coded, build_conjunctions(given.coded))
        return cls.of(stored, given, parameters), np.arange(len(stored.expressions))

    def match(self, events: CodedEvents) -> Matches:
        count = len(events.starts) - 1
        with self._scratch(events) as scratch:
            scratch.state.counts[:] = 0
            starts, expression = match_in_room(
                lambda first, starts, out: self._search(events, first, starts, out, scratch),
                count,
                self.usual_matches,
                len(self.stored.expressions),
            )
            counts = scratch.state.counts.copy()
        self.usual_matches = 64.0 + starts[count] / max(1, count)
        return Matches(starts, expression, counts)

    def insert(self, coded: CodedExpressions) -> None:
        """Add expressions in the codes of the same codebook; the first gets the next number."""
        self._insert(*self.stored.add(coded))
        self._pool.clear()  # their arrays may be too small now

    def delete(self, expressions: I64) -> None:
        """Remove expressions by number. The numbers of the others stay."""
        of = self.stored.conjunctions.expression[: self.stored.count]
        flags = self.stored.conjunctions.flags[: self.stored.count]
        gone = np.flatnonzero(np.isin(of, expressions) & (flags & GONE == 0))
        self._delete(gone)
        flags[gone] |= GONE

    def always_candidates(self) -> I64:
        c = self.stored.trimmed()
        heads = c.starts[:-1]
        always = (c.dimension[heads] == CONSTANT_DIMENSION) & (c.flags & GONE == 0)
        return np.unique(c.expression[always]).astype(np.int64)

    def unsatisfiable(self) -> I64:
        return np.setdiff1d(np.arange(len(self.stored.expressions)), self.stored.trimmed().expression)

    def stored_parts(self) -> ConjunctiveParts:
        return ConjunctiveParts(self.stored.expressions.trimmed(), self.stored.trimmed(), self.dimensions)

    def describe(self) -> dict[str, Any]:
        stored = self.stored_parts()
        return {
            "conjunctions": self.stored.count,
            "bytes": {
                "expressions": nbytes(stored.coded),
                "conjunctions": nbytes(stored.conjunctions),
                "index": nbytes(self.parts()) - nbytes(stored),
            },
        }

    @contextmanager
    def _scratch(self, events: CodedEvents) -> Iterator[Scratch]:
        try:
            scratch = self._pool.pop()
        except IndexError:
            scratch = Scratch(_new_state(self.dimensions, len(self.stored.expressions)), self._own_scratch())
        state = scratch.state
        if events.several.any():
            several = (np.zeros(self.dimensions, t) for t in (np.int64, np.int64, np.uint8))
            first, last, flags = several
            scratch.state = state._replace(first=first, last=last, flags=flags, code=events.code)
        yield scratch
        scratch.state = state
        self._pool.append(scratch)


def _new_state(dimensions: int, expressions: int) -> State:
    return State(
        value=np.zeros(dimensions, np.int32),
        first=np.zeros(0, np.int64),
        last=np.zeros(0, np.int64),
        flags=np.zeros(0, np.uint8),
        code=np.zeros(0, np.int32),
        open_nodes=np.zeros(MOST_OPEN, np.int64),
        seen=np.zeros(expressions, np.int64),
        stamp=np.zeros(1, np.int64),
        counts=np.zeros(COUNTS, np.int64),
    )


def stored_from(parts: ConjunctiveParts) -> Stored:
    return Stored.of(parts.coded, parts.conjunctions)
