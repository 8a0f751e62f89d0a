"""What Luwak and its variants share: the index of the queries, and batches of documents that go through three steps.

    events --batch--> documents --first layer--> queries whose representative term some document has   (NODES)
                                --the variant--> pairs of a query and a document                       (CANDIDATES ...)
                      pairs     --deliver--> matches

What is counted is of a batch, not of a document: NODES are the queries that the first layer leaves, CANDIDATES those
of them that are evaluated in full, PREDICATES the steps on lists of documents and the AND operations, BUCKETS the
lists of queries that are read.

A batch has `batch_size` documents. It ends before if they have more than MOST_CODES codes, so that the memory for it
has a bound, and is cut in two where it finds more than MOST_PAIRS.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64, U8
from watchword.errors import UnknownStructureError
from watchword.structures.conjunctive import ConjunctiveParts, Scratch, State, Stored, stored_from
from watchword.structures.expressions import append
from watchword.structures.luwak import check
from watchword.structures.luwak.check import Cursors, room_for_cursors
from watchword.structures.luwak.documents import (
    Documents,
    forget,
    room_for_documents,
    take_in,
    with_room_for,
)
from watchword.structures.luwak.pairs import MOST_PAIRS, Pairs, deliver, room_for_pairs, sort_pairs
from watchword.structures.luwak.queries import (
    chain_duplicates,
    list_lengths,
    post,
    says_less,
    take_out,
    words_for,
)
from watchword.structures.structure import PREDICATES, U32, Input, Parameters
from watchword.structures.terms.lists import (
    Lists,
    describe_lists,
    room_for_lists,
    trimmed_lists,
    with_terms,
    with_words,
)
from watchword.structures.terms.structure import TermStructure
from watchword.structures.terms.vocabulary import Offered, TermSets, Vocabulary, build_vocabulary, room_for_terms

BATCH_SIZE: Final = 600
"""The size for which the thesis reports memory and scalability."""

MOST_CODES: Final = 1 << 20


class LuwakParts(NamedTuple):
    stored: ConjunctiveParts
    vocabulary: Vocabulary
    lists: Lists
    same: I32
    says_less: U8
    batch_size: int


@dataclass(slots=True)
class Working:
    """The working memory of a run, which grows with what batches need."""

    offered: Offered
    documents: Documents
    pairs: Pairs
    cursors: Cursors
    marks: U8  # query -> is it a candidate?

    def room_for(self, codes: int, documents: int) -> None:
        self.documents = with_room_for(self.documents, codes, documents)
        if len(self.pairs.starts) < documents + 1 or len(self.pairs.document) < documents:
            self.pairs = room_for_pairs(max(len(self.pairs.document), documents), documents)


@dataclass
class BatchStructure(TermStructure):
    Parts: ClassVar[Any] = LuwakParts
    batches_duplicates: ClassVar[bool]  # are queries with the same terms one entry?
    has_notes: ClassVar[bool]

    lists: Lists
    same: I32  # query -> the next one with the same terms, -1 where there is none; empty where all stand for themselves
    says_less: U8  # query -> must its expression be verified, whatever its terms say?
    batch_size: int
    batch_bytes: dict[str, int] = field(default_factory=dict, init=False)
    """What the largest batch so far took, by part."""

    # --- for the variant to say --------------------------------------------------------------------------------

    @abstractmethod
    def _notes(self, sets: TermSets) -> I32:
        """What is noted of each query with these terms; nothing where queries have no notes."""

    def _bytes_of_batch(self, rows: int, count: int, tokens: int) -> dict[str, int]:
        """By part: of a batch with so many rows, documents, and rows of all its documents together."""
        return {"document index": 12 * rows + 8 * tokens + 8 * count}

    @abstractmethod
    def _find(self, working: Working, rows: int, count: int, state: State) -> int:
        """Write the pairs of the batch, which has so many rows and documents; their number, or FULL."""

    # --- the index ---------------------------------------------------------------------------------------------
    @classmethod
    def _empty(cls, stored: Stored, given: Input, parameters: Parameters, *more: Any) -> Self:
        if parameters["batch_size"] < 1:
            raise UnknownStructureError(f"batch_size must be 1 or more, not {parameters['batch_size']}")
        vocabulary = build_vocabulary(given.book, stored.conjunctions, given.training, "frequency")
        lists = room_for_lists(np.zeros(int(vocabulary.count[0])))
        none, nothing = np.empty(0, np.int32), np.empty(0, np.uint8)
        return cls(stored, len(given.book.codes), vocabulary, lists, none, nothing, parameters["batch_size"], *more)

    def _index_all(self) -> None:
        sets = self._terms(np.arange(self.stored.count))
        heads, notes = self._take_in(sets, 0)
        self.lists = room_for_lists(list_lengths(sets, heads, notes, self.terms))
        post(self.lists, sets, heads, notes, 0, 0)

    def _take_in(self, sets: TermSets, first: int) -> tuple[I64, I32]:
        """Note which of the queries equal others; those that are posted, and all notes."""
        count = len(sets.starts) - 1
        self.says_less = append(self.says_less, first, says_less(self.stored.conjunctions, first, first + count))
        heads = np.arange(count)
        if self.batches_duplicates:
            self.same = append(self.same, first, np.full(count, -1, np.int32))
            heads = chain_duplicates(sets, first, self.same)
        return heads, self._notes(sets)

    def _insert(self, first: int, last: int) -> None:
        sets = self._new_terms(first, last)
        heads, notes = self._take_in(sets, first)
        self.lists = with_terms(self.lists, self.terms)
        done = 0
        while (done := post(self.lists, sets, heads, notes, done, first)) < len(heads):
            self.lists = with_words(self.lists, words_for(self.lists, sets, int(heads[done]), notes))

    def _delete(self, conjunctions: I64) -> None:
        sets = self._terms(conjunctions)
        take_out(self.lists, sets, conjunctions, self.same, self.has_notes)

    # --- matching ----------------------------------------------------------------------------------------------

    def _own_scratch(self) -> Working:
        return Working(
            room_for_terms(self.vocabulary),
            room_for_documents(self.vocabulary),
            room_for_pairs(0, 0),
            room_for_cursors(self.stored.trimmed()),
            np.zeros((self.stored.count >> 3) + 1, np.uint8),
        )

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        working, state, most = scratch.own, scratch.state, self.batch_size
        while first < len(events.starts) - 1:
            last = _end_of_batch(events, first, most)
            found = self._find_in(events, first, last, working, state)
            if found == check.FULL:
                if len(working.pairs.document) >= MOST_PAIRS and last - first > 1:
                    most = (last - first) // 2
                else:
                    working.pairs = room_for_pairs(2 * len(working.pairs.document) + 1024, last - first)
                continue
            sort_pairs(working.pairs, found, last - first)
            subjects, same = self.stored.subjects(), self.same
            done = deliver(
                subjects, same, self.says_less, events, first, last - first, working.pairs, starts, out, state
            )
            if done < last:
                return done
            first = last
        return first

    def _find_in(self, events: CodedEvents, first: int, last: int, working: Working, state: State) -> int:
        count = last - first
        working.room_for(int(events.starts[last] - events.starts[first]), count)
        rows = take_in(self.vocabulary, events, first, last, working.offered, working.documents)
        before = state.counts.copy()
        working.cursors.steps[0] = 0
        found = self._find(working, rows, count, state)
        forget(working.documents, rows)
        took = self._bytes_of_batch(rows, count, int(working.documents.ends[count - 1]))
        if sum(took.values()) > sum(self.batch_bytes.values()):
            self.batch_bytes = took
        if found == check.FULL:
            state.counts[:] = before  # the batch comes again
        else:
            state.counts[PREDICATES] += working.cursors.steps[0]
        return found

    # --- out and in --------------------------------------------------------------------------------------------

    @classmethod
    def restore(cls, parts: Any) -> Self:
        of, vocabulary, *rest = parts
        return cls(stored_from(of), of.dimensions, vocabulary, *rest)

    def parts(self) -> Any:
        count = self.stored.count
        lists = trimmed_lists(self.lists, self.terms)
        same, less = self.same[:count], self.says_less[:count]
        return LuwakParts(self.stored_parts(), self.vocabulary, lists, same, less, self.batch_size)

    def describe(self) -> dict[str, Any]:
        duplicates = int(np.count_nonzero(self.same[: self.stored.count] >= 0))
        described = super().describe()
        described["bytes"].update(self.batch_bytes)
        return {**described, "batch size": self.batch_size, **describe_lists(self.lists), "duplicates": duplicates}


def _end_of_batch(events: CodedEvents, first: int, most: int) -> int:
    last = min(len(events.starts) - 1, first + most)
    within = int(np.searchsorted(events.starts, events.starts[first] + MOST_CODES, "right")) - 1
    return max(first + 1, min(last, within))
