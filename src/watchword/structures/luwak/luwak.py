"""Luwak: queries by representative term, then full evaluation of the candidates (thesis, 3.3), and Luwak-Qbatch (5.3).

    terms of the documents --lists of queries--> candidates, by number --check--> pairs of a document and a query

Luwak-Qbatch evaluates queries with the same terms once, for all of them.

Invariant: a query is a candidate if some document of the batch has its representative term. Cost: 4 bytes per query
beside the stored queries; per batch a bit per query, and an evaluation per candidate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from watchword.coding.values import I32, U8
from watchword.kernel import AHEAD, lean, prefetch
from watchword.structures.conjunctive import State, Stored
from watchword.structures.luwak import check
from watchword.structures.luwak.documents import Documents, index_documents
from watchword.structures.luwak.pairs import Pairs
from watchword.structures.luwak.queries import NO_NOTES
from watchword.structures.luwak.structure import BATCH_SIZE, BatchStructure, Working
from watchword.structures.structure import BUCKETS, CANDIDATES, NODES, Input, Parameters
from watchword.structures.terms.lists import AT, COLUMNS, USED, Lists
from watchword.structures.terms.vocabulary import TermSets


@dataclass
class Luwak(BatchStructure):
    defaults: ClassVar[Parameters] = {"batch_size": BATCH_SIZE}
    batches_duplicates: ClassVar[bool] = False
    has_notes: ClassVar[bool] = False

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> Luwak:
        built = cls._empty(stored, given, parameters)
        built._index_all()
        return built

    def describe(self) -> dict[str, Any]:
        return {"name": "luwak-qbatch" if self.batches_duplicates else "luwak", **super().describe()}

    def _notes(self, sets: TermSets) -> I32:
        return NO_NOTES

    def _find(self, working: Working, rows: int, count: int, state: State) -> int:
        index_documents(working.documents, rows, count)
        mark_candidates(self.lists, working.documents, rows, working.marks, state)
        stored = check.Stored(self.stored.conjunctions, self.vocabulary)
        return _check_marked(stored, working.documents, count, working.marks, working.cursors, working.pairs, state)


@dataclass
class LuwakQbatch(Luwak):
    batches_duplicates: ClassVar[bool] = True


@lean
def mark_candidates(lists: Lists, documents: Documents, rows: int, marks: U8, state: State) -> None:
    """The first layer: mark the queries whose representative term has a row. Marked in bits, they come by number."""
    dictionary, words = lists.dictionary, lists.pool.words
    read, found = 0, 0
    for r in range(rows):
        prefetch(dictionary, COLUMNS * np.int64(documents.terms[min(rows - 1, r + 2 * AHEAD)]))
        prefetch(words, np.int64(dictionary[documents.terms[min(rows - 1, r + AHEAD)], AT]))
        row = dictionary[documents.terms[r]]
        at, end = row[AT], row[AT] + row[USED]
        read += end > at
        found += end - at
        for i in range(at, end):
            marks[words[i] >> 3] |= np.uint8(1 << (words[i] & 7))
    state.counts[BUCKETS] += read
    state.counts[NODES] += found


@lean
def _check_marked(
    stored: check.Stored,
    documents: Documents,
    count: int,
    marks: U8,
    cursors: check.Cursors,
    pairs: Pairs,
    state: State,
) -> int:
    """Evaluate the marked queries, and take their marks away; how many pairs they make, or FULL."""
    n, evaluated = 0, 0
    for i in range(len(marks)):
        bits = marks[i]
        if bits == 0:
            continue
        marks[i] = 0
        for k in range(8):
            if bits >> k & 1 == 0:
                continue
            if n + count > len(pairs.document):
                n = check.FULL
            if n == check.FULL:
                break
            n = check.check(stored, documents, i << 3 | k, cursors, pairs, n)
            evaluated += 1
    state.counts[CANDIDATES] += evaluated
    return n
