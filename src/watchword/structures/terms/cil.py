"""CIL, the count-based inverted list (EDBT'12, section 2, algorithm 1).

    dictionary   t1 -> S1 S2 S3 S5       Counter  S1 S2 S3 S4 S5      event {t2, t4}
                 t2 -> S1 S3 S4                    3  2  3  2  3
                 t3 -> S2 S5             after t2  2  2  2  1  3
                 t4 -> S1 S4             after t4  1  2  2  0  3      S4 is found
                 ...

Invariant: a conjunction stands in the postings of each of its terms, and Counter[c] is how many these are; between
events Counter_copy equals Counter. A conjunction with conditions that are no terms has a record of them, which is
checked when its counter gets to 0. Cost: the postings of all terms of the event, once to count down, and to restore
Counter_copy once more, or a byte per conjunction where copying Counter is less. Memory: 4 bytes per term of a
conjunction, a byte per conjunction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64, U8
from watchword.kernel import inlined, kernel, lean
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.conjunctive import (
    ConjunctiveParts,
    Scratch,
    State,
    Stored,
    Subjects,
    accept,
    enter,
    leave,
    stored_from,
)
from watchword.structures.expressions import append
from watchword.structures.structure import BUCKETS, NODES, PREDICATES, U32, Input, Parameters
from watchword.structures.terms.lists import (
    AT,
    USED,
    Lists,
    ask_ahead,
    describe_lists,
    extend,
    room_for_lists,
    trimmed_lists,
    with_terms,
    with_words,
    words_to_add,
)
from watchword.structures.terms.pool import has_room
from watchword.structures.terms.records import (
    BYTE,
    CHECKS_SHIFT,
    HEAD,
    VERIFY_REST,
    checks_hold,
    head_of,
    words_of,
    write_record,
)
from watchword.structures.terms.structure import TermStructure
from watchword.structures.terms.vocabulary import (
    Offered,
    TermSets,
    Vocabulary,
    build_vocabulary,
    offer,
    room_for_terms,
    withdraw,
)

COPIED_AT_ONCE: Final = 16  # bytes of Counter that are copied in the time in which one posting is counted up again


class CILParts(NamedTuple):
    stored: ConjunctiveParts
    vocabulary: Vocabulary
    lists: Lists
    counter: U8
    record: I32
    records: I32


class _Scratch(NamedTuple):
    offered: Offered
    counter_copy: U8


@dataclass
class CIL(TermStructure):
    Parts: ClassVar[type[CILParts]] = CILParts

    lists: Lists
    counter: U8
    record: I32  # conjunction -> its record in `records`, -1 where nothing is left to check
    records: I32

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> CIL:
        vocabulary = build_vocabulary(given.book, stored.conjunctions, given.training, "frequency")
        terms = int(vocabulary.count[0])
        none, no_words = np.empty(0, np.uint8), np.empty(0, np.int32)
        empty = room_for_lists(np.zeros(terms))
        built = cls(stored, len(given.book.codes), vocabulary, empty, none, no_words, no_words)
        sets = built._terms(np.arange(stored.count))
        built.lists = room_for_lists(np.bincount(sets.terms, minlength=terms))
        _add(built.lists, sets, 0, 0)
        built._count(sets, 0)
        return built

    @classmethod
    def restore(cls, parts: CILParts) -> CIL:
        of, vocabulary, *rest = parts
        return cls(stored_from(of), of.dimensions, vocabulary, *rest)

    def parts(self) -> CILParts:
        count = self.stored.count
        lists = trimmed_lists(self.lists, self.terms)
        counter, record = self.counter[:count], self.record[:count]
        return CILParts(self.stored_parts(), self.vocabulary, lists, counter, record, self.records)

    def describe(self) -> dict[str, Any]:
        lists = describe_lists(self.lists)
        checks = {"counter bytes": self.stored.count, "record bytes": 4 * (self.stored.count + len(self.records))}
        return {"name": "cil", **super().describe(), "postings": lists.pop("words"), **lists, **checks}

    def _own_scratch(self) -> _Scratch:
        return _Scratch(room_for_terms(self.vocabulary), self.counter[: self.stored.count].copy())

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        index = _Index(
            self.stored.subjects(),
            self.vocabulary,
            self.lists,
            self.counter[: self.stored.count],
            self.record,
            self.records,
        )
        return _match(index, events, first, starts, out, scratch.state, scratch.own)

    def _count(self, sets: TermSets, first: int) -> None:
        self.counter = append(self.counter, first, np.diff(sets.starts).astype(np.uint8))
        record, words = _records(self.stored.conjunctions, first, len(sets.starts) - 1, len(self.records))
        self.record = append(self.record, first, record)
        self.records = np.concatenate([self.records, words])

    def _insert(self, first: int, last: int) -> None:
        sets = self._new_terms(first, last)
        self.lists = with_terms(self.lists, self.terms)
        done = 0
        while (done := _add(self.lists, sets, done, first)) < last - first:
            of_it = sets.terms[sets.starts[done] : sets.starts[done + 1]]
            self.lists = with_words(self.lists, sum(words_to_add(self.lists, term, 1) for term in of_it))
        self._count(sets, first)

    def _delete(self, conjunctions: I64) -> None:
        _remove(self.lists, self._terms(conjunctions), conjunctions)


class _Index(NamedTuple):
    """What the search reads."""

    subjects: Subjects
    vocabulary: Vocabulary
    lists: Lists
    counter: U8
    record: I32
    records: I32


@kernel
def _records(c: Conjunctions, first: int, count: int, behind: int) -> tuple[I32, I32]:
    """Where the records of these conjunctions are, behind so many words, and the words."""
    heads, size = np.empty(count, np.int32), 0
    for i in range(count):
        heads[i] = head_of(c, first + i)
        size += words_of(heads[i]) if heads[i] != 0 else 0
    words, at = np.empty(size, np.int32), 0
    record = np.full(count, -1, np.int32)
    for i in range(count):
        if heads[i] != 0:
            record[i] = behind + at
            at = write_record(words, at, c, first + i, c.dimension, 0, 0)
    return record, words


@lean
def _add(lists: Lists, sets: TermSets, done: int, first: int) -> int:
    """Post the conjunctions from `first + done` on; the one for which there was no room, or how many they are."""
    starts, terms = sets
    for c in range(done, len(starts) - 1):
        more = 0
        for i in range(starts[c], starts[c + 1]):
            more += words_to_add(lists, terms[i], 1)
        if not has_room(lists.pool, more):
            return c
        for i in range(starts[c], starts[c + 1]):
            lists.pool.words[extend(lists, terms[i], 1)] = first + c
    return len(starts) - 1


@lean
def _remove(lists: Lists, sets: TermSets, conjunctions: I64) -> None:
    words = lists.pool.words
    for c in range(len(conjunctions)):
        for t in sets.terms[sets.starts[c] : sets.starts[c + 1]]:
            row = lists.dictionary[t]
            at = row[AT]
            while words[at] != conjunctions[c]:
                at += 1
            row[USED] -= 1
            words[at] = words[row[AT] + row[USED]]


@lean
def _match(index: _Index, events: CodedEvents, first: int, starts: I64, out: U32, state: State, own: _Scratch) -> int:
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + index.subjects.count > len(out):
            return e
        many = enter(state, events, e)
        terms = offer(index.vocabulary, events, e, own.offered)
        n = _count_down(index, state, out, n, own, terms, many)
        withdraw(own.offered, terms)
        leave(state, events, e, many)
        starts[e + 1] = n
    return len(events.starts) - 1


@lean
def _count_down(index: _Index, state: State, out: U32, n: int, own: _Scratch, terms: int, many: bool) -> int:
    dictionary, postings = index.lists.dictionary, index.lists.pool.words
    copy, offered = own.counter_copy, own.offered.terms
    visited = 0
    for i in range(terms):
        ask_ahead(index.lists, own.offered, i, terms)
        at = dictionary[offered[i], AT]
        end = at + dictionary[offered[i], USED]
        visited += end - at
        for j in range(at, end):
            c = postings[j]
            copy[c] -= 1
            if copy[c] == 0:
                n = _check(index, state, out, n, c, many)
    if visited * COPIED_AT_ONCE > len(copy):
        for c in range(len(copy)):
            copy[c] = index.counter[c]
    else:
        for i in range(terms):
            at = dictionary[offered[i], AT]
            for j in range(at, at + dictionary[offered[i], USED]):
                copy[postings[j]] += 1
    state.counts[NODES] += visited
    state.counts[BUCKETS] += terms
    return n


@inlined
def _check(index: _Index, state: State, out: U32, n: int, c: int, many: bool) -> int:
    """A conjunction whose terms are all offered."""
    at = index.record[c]
    if at < 0:
        n = accept(index.subjects, state, out, n, c, many)
    else:
        head = index.records[at + 1]
        state.counts[PREDICATES] += 1
        if many or checks_hold(index.records, at + HEAD, head >> CHECKS_SHIFT & BYTE, state):
            n = accept(index.subjects, state, out, n, c, many or head & VERIFY_REST != 0)
    return n
