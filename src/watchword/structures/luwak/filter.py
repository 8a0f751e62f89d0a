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

import numpy as np

from watchword.coding.values import I32
from watchword.kernel import AHEAD, inlined, lean, prefetch
from watchword.structures.conjunctive import State
from watchword.structures.luwak.check import FULL
from watchword.structures.luwak.documents import U64, Documents, place_of_lowest
from watchword.structures.luwak.pairs import Pairs
from watchword.structures.luwak.queries import COMPLETE, EXTRA, NOTE
from watchword.structures.structure import BUCKETS, NODES, PREDICATES
from watchword.structures.terms.lists import AT, COLUMNS, USED, Lists


@lean
def filter_candidates(
    lists: Lists, documents: Documents, rows: int, count: int, left: U64, pairs: Pairs, unsure: I32, state: State
) -> tuple[int, int]:
    """Both layers. How many pairs are certain, or FULL; how many queries in `unsure` are to be checked."""
    dictionary, words = lists.dictionary, lists.pool.words
    n, more, read, noted, ands = 0, 0, 0, 0, 0
    for r in range(rows):
        prefetch(dictionary, COLUMNS * np.int64(documents.terms[min(rows - 1, r + 2 * AHEAD)]))
        prefetch(words, np.int64(dictionary[documents.terms[min(rows - 1, r + AHEAD)], AT]))
        row = dictionary[documents.terms[r]]
        at, end = row[AT], row[AT] + row[USED]
        if at == end:
            continue
        read += 1
        first, last = _span(documents, r, count)
        while at < end:
            query, note = words[at], words[at + 1]
            at += NOTE
            after = at + (note & EXTRA)
            noted += 1
            is_left = True
            if at == after:
                _copy(documents, r, count, first, last, left)
            else:
                ands += 1
                is_left = _first_and(documents, r, words[at], count, first, last, left)
                at += 1
                while is_left and at < after:
                    ands += 1
                    is_left = _next_and(documents, words[at], count, first, last, left)
                    at += 1
                at = after
            if is_left and note & COMPLETE:
                if n + count > len(pairs.document):
                    return FULL, 0
                n = write_documents(left, first, last, query, pairs, n)
            elif is_left:
                unsure[more] = query
                more += 1
    state.counts[BUCKETS] += read
    state.counts[NODES] += noted
    state.counts[PREDICATES] += ands
    return n, more


@inlined
def _words(count: int) -> int:
    return (count + 63) >> 6


@inlined
def _span(documents: Documents, r: int, count: int) -> tuple[int, int]:
    """From the first to the last word with a document of this row."""
    words = _words(count)
    begin = np.int64(r) * words
    first, last = 0, words
    while documents.bits[begin + first] == 0:
        first += 1
    while documents.bits[begin + last - 1] == 0:
        last -= 1
    return first, last


@inlined
def _copy(documents: Documents, r: int, count: int, first: int, last: int, left: U64) -> None:
    begin = np.int64(r) * _words(count)
    for w in range(first, last):
        left[w] = documents.bits[begin + w]


@inlined
def _first_and(documents: Documents, r: int, term: int, count: int, first: int, last: int, left: U64) -> bool:
    """The documents that have both this row's term and the other; are there any?"""
    row = np.int64(documents.row[term])
    some = np.uint64(0)
    if row >= 0:
        begin, other = np.int64(r) * _words(count), row * _words(count)
        for w in range(first, last):
            left[w] = documents.bits[begin + w] & documents.bits[other + w]
            some |= left[w]
    return some != 0


@inlined
def _next_and(documents: Documents, term: int, count: int, first: int, last: int, left: U64) -> bool:
    row = np.int64(documents.row[term])
    some = np.uint64(0)
    if row >= 0:
        other = row * _words(count)
        for w in range(first, last):
            left[w] &= documents.bits[other + w]
            some |= left[w]
    return some != 0


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
