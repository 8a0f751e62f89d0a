"""Posting lists by term: the dictionary of CIL and RIL, and the postings it leads to.

    dictionary  term 0 | at, used, room        pool  | postings of term 2 | postings of term 0 | room | ...
                term 1 | ...

Invariant: the words at .. at + used of the pool are the term's postings; a list that is full moves to a piece twice
as large. Built at once, the lists lie by rank, one behind another, without room.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.ranges import starts_of
from watchword.kernel import AHEAD, lean, prefetch
from watchword.structures.terms.pool import (
    Pool,
    check_size,
    class_for,
    give_back,
    grown,
    new_pool,
    take_piece,
    trimmed,
    widened,
)
from watchword.structures.terms.vocabulary import Offered

AT: Final = 0
USED: Final = 1
ROOM: Final = 2
COLUMNS: Final = 3

Dictionary = np.ndarray[tuple[int, int], np.dtype[np.int32]]


class Lists(NamedTuple):
    dictionary: Dictionary
    pool: Pool


def room_for_lists(words: npt.NDArray[np.number]) -> Lists:
    """Empty lists, one behind another, with room for so many words each."""
    starts = starts_of(words.astype(np.int64))
    check_size(int(starts[-1]))
    dictionary = np.zeros((len(words), COLUMNS), np.int32)
    dictionary[:, AT], dictionary[:, ROOM] = starts[:-1], words
    pool = new_pool(int(starts[-1]))
    pool.end[0] = starts[-1]
    return Lists(dictionary, pool)


def with_terms(lists: Lists, terms: int) -> Lists:
    return lists._replace(dictionary=widened(lists.dictionary, terms, 0))


def with_words(lists: Lists, more: int) -> Lists:
    return lists._replace(pool=grown(lists.pool, more))


def trimmed_lists(lists: Lists, terms: int) -> Lists:
    return Lists(lists.dictionary[:terms], trimmed(lists.pool))


def describe_lists(lists: Lists) -> dict[str, int]:
    used = lists.dictionary[:, USED]
    return {
        "lists": int(np.count_nonzero(used)),
        "words": int(used.sum()),
        "longest list": int(used.max(initial=0)),
        "dictionary bytes": lists.dictionary.nbytes,
        "list bytes": 4 * int(lists.pool.end[0]),
    }


@lean
def words_to_add(lists: Lists, term: int, more: int) -> int:
    """How many new words of the pool it may take to add so many to the term's list."""
    used = lists.dictionary[term, USED]
    if used + more <= lists.dictionary[term, ROOM]:
        return 0
    return np.int64(1) << class_for(used + more)


@lean
def extend(lists: Lists, term: int, more: int) -> int:
    """Make the list longer by so many words; where they are. The pool has room."""
    row = lists.dictionary[term]
    used, old = row[USED], row[AT]
    if used + more > row[ROOM]:
        number = class_for(used + more)
        at = take_piece(lists.pool, number)
        words = lists.pool.words
        for i in range(used):
            words[at + i] = words[old + i]
        give_back(lists.pool, old, row[ROOM])
        row[AT], row[ROOM] = at, 1 << number
    row[USED] = used + more
    return row[AT] + used


@lean
def ask_ahead(lists: Lists, offered: Offered, i: int, terms: int) -> None:
    """When the list of term i is read, ask memory for those of later terms."""
    later, soon = offered.terms[min(terms - 1, i + AHEAD)], offered.terms[min(terms - 1, i + AHEAD // 2)]
    prefetch(lists.dictionary, COLUMNS * later)
    prefetch(lists.pool.words, lists.dictionary[soon, AT])
