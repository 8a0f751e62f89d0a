"""The second layer of filtering: QueryNotes against the inverted bit map (thesis, 5.2 and 5.4).

    lucene       0 0 1 0 0 0 1 1 0 0      the bits of the representative term
    revolution   1 0 1 0 0 1 1 1 0 0      AND those of each extra term, while any is left
                 0 0 1 0 0 0 1 1 0 0      documents 2, 6 and 7: matches if the note has all terms of the query,
                                          else the query is checked in full

Words that are 0 for the representative term stay 0, so only those from its first to its last document are ANDed. A
term that no document has is all zeros: it has no row. Cost: per query of the first layer its note, and an AND per
term until no document is left.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.values import I32, I64
from watchword.kernel import AHEAD, inlined, lean, prefetch
from watchword.structures.conjunctive import State
from watchword.structures.luwak.check import FULL
from watchword.structures.luwak.documents import U64, Documents, place_of_lowest, words_for
from watchword.structures.luwak.pairs import Pairs
from watchword.structures.luwak.queries import COMPLETE, EXTRA, NOTE
from watchword.structures.structure import BUCKETS, NODES, PREDICATES
from watchword.structures.terms.lists import AT, COLUMNS, USED, Lists

WAITING: Final = 256  # queries whose first AND waits, so that memory is asked for the bits before


class Waiting(NamedTuple):
    """Queries whose first extra term some document has."""

    note: I64  # where the query stands in its list
    row: I32  # of its representative term
    other: I32  # of the extra term


class Filtering(NamedTuple):
    """The working memory: what waits, what is left of a query's bits, the queries to be checked in full."""

    waiting: Waiting
    left: U64
    unsure: I32
    ands: I64  # [how many AND operations]


def room_for_filtering(queries: int, documents: int) -> Filtering:
    waiting = Waiting(np.empty(WAITING, np.int64), np.empty(WAITING, np.int32), np.empty(WAITING, np.int32))
    left = np.empty(words_for(documents), np.uint64)
    return Filtering(waiting, left, np.empty(queries, np.int32), np.zeros(1, np.int64))


@lean
def filter_candidates(
    lists: Lists, documents: Documents, rows: int, count: int, filtering: Filtering, pairs: Pairs, state: State
) -> tuple[int, int]:
    """Both layers. How many pairs are certain, or FULL; how many queries in `unsure` are to be checked."""
    dictionary, words, waiting = lists.dictionary, lists.pool.words, filtering.waiting
    n, more, read, noted, wait = 0, 0, 0, 0, 0
    filtering.ands[0] = 0
    for r in range(rows):
        prefetch(dictionary, COLUMNS * np.int64(documents.terms[min(rows - 1, r + 2 * AHEAD)]))
        prefetch(words, np.int64(dictionary[documents.terms[min(rows - 1, r + AHEAD)], AT]))
        row = dictionary[documents.terms[r]]
        at, end = row[AT], row[AT] + row[USED]
        read += end > at
        while at < end:
            if wait == WAITING or n == FULL:
                n, more = _and_waiting(words, documents, wait, count, filtering, pairs, n, more)
                wait = 0
                if n == FULL:
                    return FULL, 0
            extra = words[at + 1] & EXTRA
            if extra > 0:
                other = documents.row[words[at + NOTE]]
                waiting.note[wait], waiting.row[wait], waiting.other[wait] = at, r, other
                wait += other >= 0  # without a branch: whether a document has the term cannot be foreseen
                filtering.ands[0] += other < 0
            else:
                n, more = _one_term(words, at, documents, r, count, filtering, pairs, n, more)
            at += NOTE + extra
            noted += 1
    n, more = _and_waiting(words, documents, wait, count, filtering, pairs, n, more)
    state.counts[BUCKETS] += read
    state.counts[NODES] += noted
    state.counts[PREDICATES] += filtering.ands[0]
    return n, more


@lean
def _one_term(
    words: I32, at: int, documents: Documents, r: int, count: int, filtering: Filtering, pairs: Pairs, n: int, more: int
) -> tuple[int, int]:
    """A query of which only the representative term is indexed."""
    first, last = documents.first_word[r], documents.last_word[r]
    begin = np.int64(r) * words_for(count)
    for w in range(first, last):
        filtering.left[w] = documents.bits[begin + w]
    return _decide(words[at], words[at + 1], first, last, count, filtering, pairs, n, more)


@lean
def _and_waiting(
    words: I32, documents: Documents, wait: int, count: int, filtering: Filtering, pairs: Pairs, n: int, more: int
) -> tuple[int, int]:
    """AND the bits of those that wait, and decide what becomes of them."""
    waiting, left, bits = filtering.waiting, filtering.left, documents.bits
    each = words_for(count)
    ands = 0
    for i in range(wait):
        soon = min(wait - 1, i + AHEAD)
        row = waiting.row[soon]
        prefetch(bits, np.int64(waiting.other[soon]) * each + documents.first_word[row])
        at, row, other = waiting.note[i], np.int64(waiting.row[i]), np.int64(waiting.other[i])
        first, last = documents.first_word[row], documents.last_word[row]
        some = np.uint64(0)
        for w in range(first, last):
            left[w] = bits[row * each + w] & bits[other * each + w]
            some |= left[w]
        ands += 1
        note = words[at + 1]
        k, after = at + NOTE + 1, at + NOTE + (note & EXTRA)
        while some != 0 and k < after:
            some = _and_next(documents, words[k], each, first, last, left)
            ands += 1
            k += 1
        if some != 0:
            n, more = _decide(words[at], note, first, last, count, filtering, pairs, n, more)
            if n == FULL:
                break
    filtering.ands[0] += ands
    return n, more


@inlined
def _and_next(documents: Documents, term: int, each: int, first: int, last: int, left: U64) -> np.uint64:
    """AND the bits of a term; 0 if no document is left. A term that none has is all zeros."""
    row = np.int64(documents.row[term])
    some = np.uint64(0)
    if row >= 0:
        for w in range(first, last):
            left[w] &= documents.bits[row * each + w]
            some |= left[w]
    return some


@lean
def _decide(
    query: int, note: int, first: int, last: int, count: int, filtering: Filtering, pairs: Pairs, n: int, more: int
) -> tuple[int, int]:
    """What becomes of a query that has documents left: matches if its note says all, else a full evaluation."""
    if note & COMPLETE == 0:
        filtering.unsure[more] = query
        return n, more + 1
    if n == FULL or n + count > len(pairs.document):
        return FULL, more
    return write_documents(filtering.left, first, last, query, pairs, n), more


@inlined
def write_documents(left: U64, first: int, last: int, query: int, pairs: Pairs, n: int) -> int:
    """The query with every document whose bit is left, behind the first n pairs; how many pairs there are."""
    for w in range(first, last):
        bits = left[w]
        while bits != 0:
            pairs.document[n], pairs.query[n] = (w << 6) + place_of_lowest(bits), query
            bits &= bits - np.uint64(1)
            n += 1
    return n
