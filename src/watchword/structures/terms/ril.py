"""RIL, the ranked-key inverted list (EDBT'12, section 2, algorithm 2).

    dictionary   t3 -> S2: t1                     event {t2, t4}
                 t4 -> S1: t2 t1 | S4: t2         t4: S1 lacks t1; S4 has t2, and nothing is left: found
                 t5 -> S3: t2 t1
                 t6 -> S5: t3 t1                  (records.py: how a posting is written)

Invariant: a conjunction stands once, in the postings of its key, the least frequent of its terms; with it the others,
least frequent first, and the intervals of its conditions that are no terms. Cost: the postings of those terms of the
event that are keys, each up to the first term that the event lacks; a table of one bit per term says which it has, so
the terms of an event need no sorting. Memory: about 4 bytes per term, and 8 per conjunction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.kernel import kernel, lean
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
    CHECK,
    CHECKS_SHIFT,
    HEAD,
    VERIFY_REST,
    checks_hold,
    find_record,
    head_of,
    remove_record,
    words_of,
    write_record,
)
from watchword.structures.terms.structure import TermStructure
from watchword.structures.terms.vocabulary import (
    Offered,
    TermSets,
    Vocabulary,
    build_vocabulary,
    is_present,
    offer,
    withdraw,
)


class RILParts(NamedTuple):
    stored: ConjunctiveParts
    vocabulary: Vocabulary
    lists: Lists


@dataclass
class RIL(TermStructure):
    Parts: ClassVar[type[RILParts]] = RILParts

    lists: Lists

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> RIL:
        c = stored.conjunctions
        vocabulary = build_vocabulary(given.book, c, given.training, "frequency")
        terms = int(vocabulary.count[0])
        built = cls(stored, len(given.book.codes), vocabulary, room_for_lists(np.zeros(terms)))
        sets = built._terms(np.arange(stored.count))
        lengths = np.bincount(sets.terms[sets.starts[1:] - 1], _lengths(c, sets), minlength=terms)
        built.lists = room_for_lists(lengths)
        _add(built.lists, c, sets, 0, 0)
        return built

    @classmethod
    def restore(cls, parts: RILParts) -> RIL:
        return cls(stored_from(parts.stored), parts.stored.dimensions, parts.vocabulary, parts.lists)

    def parts(self) -> RILParts:
        return RILParts(self.stored_parts(), self.vocabulary, trimmed_lists(self.lists, self.terms))

    def describe(self) -> dict[str, Any]:
        return {"name": "ril", **super().describe(), **describe_lists(self.lists)}

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        subjects, vocabulary, lists = self.stored.subjects(), self.vocabulary, self.lists
        return _match(subjects, vocabulary, lists, events, first, starts, out, scratch.state, scratch.own)

    def _insert(self, first: int, last: int) -> None:
        sets, c = self._new_terms(first, last), self.stored.conjunctions
        self.lists = with_terms(self.lists, self.terms)
        done = 0
        while (done := _add(self.lists, c, sets, done, first)) < last - first:
            key = sets.terms[sets.starts[done + 1] - 1]
            length = words_of(head_of(c, first + done)) + int(sets.starts[done + 1] - sets.starts[done])
            self.lists = with_words(self.lists, words_to_add(self.lists, key, length))

    def _delete(self, conjunctions: I64) -> None:
        _remove(self.lists, self._terms(conjunctions), conjunctions)


@kernel
def _lengths(c: Conjunctions, sets: TermSets) -> I64:
    """Of the conjunctions' records, in words."""
    out = np.empty(len(sets.starts) - 1, np.int64)
    for number in range(len(out)):
        out[number] = words_of(head_of(c, number)) + sets.starts[number + 1] - sets.starts[number] - 1
    return out


@lean
def _add(lists: Lists, c: Conjunctions, sets: TermSets, done: int, first: int) -> int:
    """Post the conjunctions from `first + done` on; the one for which there was no room, or how many they are."""
    starts, terms = sets
    for i in range(done, len(starts) - 1):
        key = starts[i + 1] - 1
        length = words_of(head_of(c, first + i)) + key - starts[i]
        if not has_room(lists.pool, words_to_add(lists, terms[key], length)):
            return i
        at = extend(lists, terms[key], length)
        write_record(lists.pool.words, at, c, first + i, terms, starts[i], key)
    return len(starts) - 1


@lean
def _remove(lists: Lists, sets: TermSets, conjunctions: I64) -> None:
    words = lists.pool.words
    for i in range(len(conjunctions)):
        row = lists.dictionary[sets.terms[sets.starts[i + 1] - 1]]
        end = row[AT] + row[USED]
        row[USED] -= remove_record(words, find_record(words, row[AT], end, conjunctions[i]), end)


@lean
def _match(
    subjects: Subjects,
    vocabulary: Vocabulary,
    lists: Lists,
    events: CodedEvents,
    first: int,
    starts: I64,
    out: U32,
    state: State,
    offered: Offered,
) -> int:
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + subjects.count > len(out):
            return e
        many = enter(state, events, e)
        terms = offer(vocabulary, events, e, offered)
        for i in range(terms):
            ask_ahead(lists, offered, i, terms)
            row = lists.dictionary[offered.terms[i]]
            if row[USED] > 0:
                n = _read(subjects, lists.pool.words, row[AT], row[AT] + row[USED], offered, state, out, n, many)
        withdraw(offered, terms)
        leave(state, events, e, many)
        starts[e + 1] = n
    return len(events.starts) - 1


@lean
def _read(
    subjects: Subjects, words: I32, at: int, end: int, offered: Offered, state: State, out: U32, n: int, many: bool
) -> int:
    """The postings of one key."""
    present = offered.present
    nodes, predicates = 0, 0
    while at < end:
        conjunction, head = words[at], words[at + 1]
        term = at + HEAD
        terms_end = term + (head & BYTE)
        checks = head >> CHECKS_SHIFT & BYTE
        at = terms_end + CHECK * checks
        nodes += 1
        first = term
        while term < terms_end and is_present(present, words[term]):
            term += 1
        predicates += term - first
        if term == terms_end and (many or checks == 0 or checks_hold(words, terms_end, checks, state)):
            n = accept(subjects, state, out, n, conjunction, many or head & VERIFY_REST != 0)
    state.counts[NODES] += nodes
    state.counts[PREDICATES] += predicates
    state.counts[BUCKETS] += 1
    return n
