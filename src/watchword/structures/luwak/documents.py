"""The documents of a batch by their terms: as an inverted index, and as an inverted bit map (thesis, 3.3 and 5.2).

    row    term       index: its documents    bit map: document 0 1 2 3 4 5 6 7 8 9
    0      lucene     2 6 7                                     0 0 1 0 0 0 1 1 0 0
    1      the        0 1 2 7 9                                 1 1 1 0 0 0 0 1 0 1
    ...

A term that no subscription has gets no row: nothing asks for it.

Invariant: row[t] is -1 for every term without a document in the batch, and between batches for all. Cost: a step per
document and term to number the terms, another for the index, another for the bit map; the bit map takes a bit per
term and document.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.codebook import set_bits
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.kernel import AHEAD, inlined, lean, prefetch
from watchword.structures.terms.vocabulary import Offered, Vocabulary, offer, withdraw

U64 = npt.NDArray[np.uint64]

WORD: Final = 64  # documents whose bits are a word


class Documents(NamedTuple):
    row: I32  # term -> its row
    terms: I32  # row -> its term
    size: I32  # row -> how many documents have the term
    end: I32  # row -> where they end in `posting`
    posting: I32
    rows: I32  # the rows of one document after another
    ends: I64  # document -> where its rows end
    bits: U64  # row -> `words_for(documents)` words
    first_word: I32  # row -> the first of its words with a bit
    last_word: I32  # row -> the one after the last


def room_for_documents(vocabulary: Vocabulary) -> Documents:
    none, terms = np.empty(0, np.int32), int(vocabulary.count[0])
    no_row = np.full(terms, -1, np.int32)
    return Documents(no_row, none, none, none, none, none, np.empty(0, np.int64), np.empty(0, np.uint64), none, none)


def with_room_for(documents: Documents, codes: int, count: int) -> Documents:
    """Room for so many documents that have so many codes together: a code offers two terms at most."""
    if len(documents.rows) < 2 * codes:
        rows = min(2 * codes, len(documents.row))
        per_row = (np.empty(rows, np.int32) for _ in range(5))
        terms, size, end, first_word, last_word = per_row
        documents = documents._replace(
            terms=terms,
            size=size,
            end=end,
            posting=np.empty(2 * codes, np.int32),
            rows=np.empty(2 * codes, np.int32),
            first_word=first_word,
            last_word=last_word,
        )
    if len(documents.ends) < count:
        documents = documents._replace(ends=np.empty(count, np.int64))
    return documents


def with_room_for_bits(documents: Documents, rows: int, count: int) -> Documents:
    needed = rows * words_for(count)
    return documents if needed <= len(documents.bits) else documents._replace(bits=np.empty(needed, np.uint64))


@lean
def words_for(documents: int) -> int:
    """The words of a bit array."""
    return (documents + WORD - 1) // WORD


def take_in(
    vocabulary: Vocabulary, events: CodedEvents, first: int, last: int, offered: Offered, documents: Documents
) -> int:
    """Number the terms of the events first .. last - 1; how many rows there are."""
    return int(_take_in(vocabulary, events, first, last, offered, documents))


@lean
def _take_in(
    vocabulary: Vocabulary, events: CodedEvents, first: int, last: int, offered: Offered, documents: Documents
) -> int:
    row_of, size = documents.row, documents.size
    rows, n = 0, 0
    for e in range(first, last):
        count = offer(vocabulary, events, e, offered)
        for i in range(count):
            prefetch(row_of, np.int64(offered.terms[min(count - 1, i + AHEAD)]))
            term = offered.terms[i]
            row = row_of[term]
            if row < 0:
                row = rows
                row_of[term], documents.terms[row], size[row] = row, term, 0
                rows += 1
            size[row] += 1
            documents.rows[n] = row
            n += 1
        withdraw(offered, count)
        documents.ends[e - first] = n
    return rows


@lean
def forget(documents: Documents, rows: int) -> None:
    for r in range(rows):
        documents.row[documents.terms[r]] = -1


@lean
def index_documents(documents: Documents, rows: int, count: int) -> None:
    """Post every document in the list of each of its rows: documents ascend."""
    end = documents.end
    at = 0
    for r in range(rows):
        end[r] = at
        at += documents.size[r]
    i = 0
    for d in range(count):
        while i < documents.ends[d]:
            row = documents.rows[i]
            documents.posting[end[row]] = d
            end[row] += 1
            i += 1


@lean
def map_documents(documents: Documents, rows: int, count: int) -> None:
    """Set every document's bit for each of its rows."""
    bits, words = documents.bits, words_for(count)
    for i in range(rows * words):
        bits[i] = np.uint64(0)
    for r in range(rows):
        documents.last_word[r] = 0
    i = 0
    for d in range(count):
        word, bit = d >> 6, np.uint64(1) << np.uint64(d & 63)
        while i < documents.ends[d]:
            row = documents.rows[i]
            bits[np.int64(row) * words + word] |= bit
            if documents.last_word[row] == 0:
                documents.first_word[row] = word
            documents.last_word[row] = word + 1
            i += 1


@inlined
def place_of_lowest(bits: np.uint64) -> int:
    """The place of the lowest bit set."""
    return set_bits((bits & (~bits + np.uint64(1))) - np.uint64(1))
