"""The inverted index of the queries, which are conjunctions here, by their representative terms (thesis, 3.3 to 5.3).

    Disney    Q3 {world}                     a term -> the queries that it represents: it is their rarest one,
    graphic   Q1 {tee}                       by its weight log(n / df) + 1 the first
    tissue    Q2 {facial}  Q4 {graphic}      in braces a QueryNote: the extra terms that are indexed, by weight

    words of a list   without notes   | Q | Q | Q | ...
                      with notes      | Q | extra terms, are they all? | term | term | Q | ...

Queries with the same terms (duplicates) may be one entry, the first of them: the others follow it in `same`.

Invariant: a query that is true of a document has its representative term there. Terms have their numbers by
frequency, so the highest is the rarest; one that comes later is taken to be rare. Cost: 4 bytes per query, and with
notes 4 more and 4 per extra term.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from watchword.coding.hashing import mix
from watchword.coding.values import I32, I64, U8
from watchword.kernel import kernel, lean
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.terms.lists import AT, USED, Lists, extend, words_to_add
from watchword.structures.terms.pool import has_room
from watchword.structures.terms.vocabulary import MOST_TERMS, TermSets, is_term

U64 = npt.NDArray[np.uint64]

NOTE: Final = 2  # words before the extra terms
EXTRA: Final = 255  # bits of the number of extra terms
COMPLETE: Final = 256  # the extra terms are all that the query has beside its representative one

NO_NOTES: Final = np.empty(0, np.int32)


def representatives(sets: TermSets) -> I32:
    """The term that stands for each query: its rarest."""
    return sets.terms[sets.starts[1:] - 1]


def sizes_of(sets: TermSets) -> I64:
    return np.diff(sets.starts)


def extra_notes(sets: TermSets, extra: npt.NDArray[np.integer]) -> I32:
    """What the notes say of queries with so many extra terms."""
    return (extra | np.where(extra == sizes_of(sets) - 1, COMPLETE, 0)).astype(np.int32)


def list_lengths(sets: TermSets, heads: I64, notes: I32, terms: int) -> npt.NDArray[np.number]:
    """Term -> the words of its list."""
    of_each = np.ones(len(heads)) if len(notes) == 0 else NOTE + (notes[heads] & EXTRA)
    return np.bincount(representatives(sets)[heads], of_each, terms)


@kernel
def says_less(c: Conjunctions, first: int, last: int) -> U8:
    """Of each conjunction: do its terms say less than its conditions, so that it must be verified?"""
    out = np.zeros(last - first, np.uint8)
    for number in range(first, last):
        begin, end = c.starts[number], c.starts[number + 1]
        less = end - begin > MOST_TERMS
        for i in range(begin, end):
            less = less or not is_term(c, i)
        out[number - first] = less
    return out


def chain_duplicates(sets: TermSets, first: int, same: I32) -> I64:
    """Chain equal queries by `same`; those that are the first of theirs. Query i of the sets is number first + i."""
    order = np.lexsort((_hashes(sets), representatives(sets)))
    head = np.ones(len(order), bool)
    _chain(sets, order, first, same, head)
    return np.flatnonzero(head)


@kernel
def _hashes(sets: TermSets) -> U64:
    out = np.zeros(len(sets.starts) - 1, np.uint64)
    for i in range(len(out)):
        for at in range(sets.starts[i], sets.starts[i + 1]):
            out[i] = mix(out[i] ^ np.uint64(sets.terms[at]))
    return out


@lean
def _chain(sets: TermSets, order: I64, first: int, same: I32, head: npt.NDArray[np.bool_]) -> None:
    for k in range(1, len(order)):
        if _equal(sets, order[k - 1], order[k]):
            same[first + order[k - 1]] = first + order[k]
            head[order[k]] = False


@lean
def _equal(sets: TermSets, a: int, b: int) -> bool:
    at, other = sets.starts[a], sets.starts[b]
    if sets.starts[a + 1] - at != sets.starts[b + 1] - other:
        return False
    for i in range(sets.starts[a + 1] - at):
        if sets.terms[at + i] != sets.terms[other + i]:
            return False
    return True


@lean
def post(lists: Lists, sets: TermSets, heads: I64, notes: I32, done: int, first: int) -> int:
    """Post the heads from number `done` on; the one for which there was no room, or how many they are."""
    for k in range(done, len(heads)):
        i = heads[k]
        last = sets.starts[i + 1] - 1
        extra = notes[i] & EXTRA if len(notes) else 0
        length = NOTE + extra if len(notes) else 1
        if not has_room(lists.pool, words_to_add(lists, sets.terms[last], length)):
            return k
        at = extend(lists, sets.terms[last], length)
        words = lists.pool.words
        words[at] = first + i
        if len(notes):
            words[at + 1] = notes[i]
            for j in range(extra):
                words[at + NOTE + j] = sets.terms[last - 1 - j]
    return len(heads)


def words_for(lists: Lists, sets: TermSets, head: int, notes: I32) -> int:
    """How many new words of the pool it may take to post this query."""
    length = NOTE + int(notes[head] & EXTRA) if len(notes) else 1
    return words_to_add(lists, sets.terms[sets.starts[head + 1] - 1], length)


@lean
def take_out(lists: Lists, sets: TermSets, queries: I64, same: I32, has_notes: bool) -> None:
    """Take queries, whose term sets these are, out of their lists. Where others equal one, the next takes its place."""
    words = lists.pool.words
    for i in range(len(queries)):
        query = queries[i]
        row = lists.dictionary[sets.terms[sets.starts[i + 1] - 1]]
        at, end = row[AT], row[AT] + row[USED]
        while at < end and not _leave_chain(words, at, query, same):
            at += NOTE + (words[at + 1] & EXTRA) if has_notes else 1
        if at < end and words[at] == query:
            length = NOTE + (words[at + 1] & EXTRA) if has_notes else 1
            for j in range(at, end - length):
                words[j] = words[j + length]
            row[USED] -= length


@lean
def _leave_chain(words: I32, at: int, query: int, same: I32) -> bool:
    """Is the query the entry here, or equal to it? It leaves the others, unless it is alone."""
    before = words[at]
    if before == query:
        if len(same) and same[query] >= 0:
            words[at], same[query] = same[query], -1
        return True
    while len(same) and same[before] >= 0:
        if same[before] == query:
            same[before], same[query] = same[query], -1
            return True
        before = same[before]
    return False
