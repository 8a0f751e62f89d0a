"""The terms of conjunctions and of events, numbered by rank: what CIL, RIL, ROT and POT look things up by.

    condition  x = 5 (one code)            the term "x has this code"
               any other, as x <= 7        the term "x has a value": its presence; the condition is checked later
    event      {x: 5, y: 2}                offers the terms of its codes, and of the presence of x and y

    slot  base[x]     base[x] + 1 ...      term[slot]: the number of the term, -1 where no subscription has it
          presence    code 1      ...

A term's number is its rank in the order asked for (EDBT'12, section 4.3.2): `frequency` (the most frequent first),
`reverse` (the least frequent first), `arrival` (as they come with the subscriptions) or `random`. Frequent is what a
sample of events says, or without one the subscriptions. A term that comes later gets the next number.

Invariant: a conjunction can only be true of events that offer all its terms. Where each of its conditions is a term,
and the event has one code per dimension, it is true if they do.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.codebook import MISSING, Codebook
from watchword.coding.encode import CodedEvents
from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64, U8
from watchword.errors import UnknownStructureError
from watchword.kernel import AHEAD, inlined, kernel, lean, prefetch
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.terms.pool import check_size

MOST_TERMS: Final = 255  # of a conjunction: the paper's limit too. The least frequent stand for one that has more
ORDERS: Final = ("frequency", "reverse", "arrival", "random")
SEED: Final = 0  # of the random order: the same subscriptions get the same one


class Vocabulary(NamedTuple):
    base: I32
    term: I32
    count: I64  # [terms]


class TermSets(NamedTuple):
    """The terms of conjunctions side by side, each once, by rank: those of number i are starts[i] .. starts[i + 1]."""

    starts: I64
    terms: I32


class Offered(NamedTuple):
    """The terms of the event at hand: in a row, and as bits."""

    terms: I32
    present: U8


def build_vocabulary(book: Codebook, c: Conjunctions, training: CodedEvents | None, order: str) -> Vocabulary:
    if order not in ORDERS:
        raise UnknownStructureError(f"no order of terms {order!r}: there are {', '.join(ORDERS)}")
    base = starts_of(book.codes)
    check_size(int(base[-1]))
    slots = base[c.dimension] + np.where((c.low == c.high) & (c.set_of < 0), c.low, MISSING)
    used = np.bincount(slots, minlength=int(base[-1]))
    frequency = used if training is None else _offers(base, training)
    ranked = _ranked(slots, used, frequency, order)
    term = np.full(int(base[-1]), -1, np.int32)
    term[ranked] = np.arange(len(ranked), dtype=np.int32)
    return Vocabulary(base.astype(np.int32), term, np.array([len(ranked)], np.int64))


def _offers(base: I64, events: CodedEvents) -> I64:
    """Slot -> how often the events offer its term."""
    has = events.code != MISSING
    first, code = base[events.dimension[has]], events.code[has]
    size = int(base[-1])
    return np.bincount(first + code, minlength=size) + np.bincount(first, minlength=size)


def _ranked(slots: I64, used: I64, frequency: I64, order: str) -> I64:
    """The slots that subscriptions use, by rank."""
    arrival = np.empty(len(used), np.int64)
    arrival[slots[::-1]] = np.arange(len(slots))[::-1]  # the first one is written last
    found = np.flatnonzero(used)
    if order == "arrival":
        return found[np.argsort(arrival[found])]
    if order == "random":
        return np.random.default_rng(SEED).permutation(found)
    ranked = found[np.lexsort((arrival[found], -used[found], -frequency[found]))]
    return ranked if order == "frequency" else ranked[::-1]


@inlined
def slot_of(vocabulary: Vocabulary, c: Conjunctions, i: int) -> int:
    """Of the term of condition i."""
    slot = vocabulary.base[c.dimension[i]]
    if is_term(c, i):
        slot += c.low[i]
    return slot


@inlined
def is_term(c: Conjunctions, i: int) -> bool:
    """Does the term of condition i say all of it, of an event with one code per dimension?"""
    return c.low[i] == c.high[i] and c.set_of[i] < 0


@lean
def take_in(vocabulary: Vocabulary, c: Conjunctions, first: int, last: int) -> None:
    """Give the new terms of the conditions first .. last - 1 their numbers."""
    for i in range(first, last):
        slot = slot_of(vocabulary, c, i)
        if vocabulary.term[slot] < 0:
            vocabulary.term[slot] = vocabulary.count[0]
            vocabulary.count[0] += 1


@kernel
def term_sets(vocabulary: Vocabulary, c: Conjunctions, numbers: I64) -> TermSets:
    """The terms of these conjunctions."""
    conditions = 0
    for number in numbers:
        conditions += c.starts[number + 1] - c.starts[number]
    starts = np.zeros(len(numbers) + 1, np.int64)
    terms = np.empty(conditions, np.int32)
    n = 0
    for k in range(len(numbers)):
        begin = n
        for i in range(c.starts[numbers[k]], c.starts[numbers[k] + 1]):
            terms[n] = vocabulary.term[slot_of(vocabulary, c, i)]
            n += 1
        n = _sort_and_trim(terms, begin, n)
        starts[k + 1] = n
    return TermSets(starts, terms[:n])


@kernel
def _sort_and_trim(terms: I32, begin: int, end: int) -> int:
    """Each term once and by rank, the last MOST_TERMS of them; where they end."""
    terms[begin:end].sort()
    n = begin
    for i in range(begin, end):
        if n == begin or terms[i] != terms[n - 1]:
            terms[n] = terms[i]
            n += 1
    above = n - begin - MOST_TERMS
    if above > 0:
        for i in range(begin, begin + MOST_TERMS):
            terms[i] = terms[i + above]
        n = begin + MOST_TERMS
    return n


def room_for_terms(vocabulary: Vocabulary) -> Offered:
    """Working memory: no event offers more terms than there are."""
    count = int(vocabulary.count[0])
    return Offered(np.empty(count, np.int32), np.zeros((count >> 3) + 2, np.uint8))


@inlined
def is_present(present: U8, term: int) -> bool:
    """Does the event have the term? It never has term -1: no bit of the last byte is ever set."""
    return (present[term >> 3] >> (term & 7)) & 1 != 0


@lean
def offer(vocabulary: Vocabulary, events: CodedEvents, e: int, offered: Offered) -> int:
    """Note the terms of event e; how many they are."""
    base, dimension, last = vocabulary.base, events.dimension, events.starts[e + 1]
    n = 0
    for i in range(events.starts[e], last):
        prefetch(base, dimension[min(last - 1, i + 2 * AHEAD)])
        prefetch(vocabulary.term, base[dimension[min(last - 1, i + AHEAD)]])
        if events.code[i] == MISSING:
            continue
        presence = base[dimension[i]]
        n = _note(vocabulary.term[presence], offered, n)
        n = _note(vocabulary.term[presence + events.code[i]], offered, n)
    return n


@inlined
def _note(term: int, offered: Offered, n: int) -> int:
    if term >= 0:
        bit = 1 << (term & 7)
        byte = offered.present[term >> 3]
        if byte & bit == 0:  # several codes of a dimension offer its presence once
            offered.present[term >> 3] = byte | bit
            offered.terms[n] = term
            n += 1
    return n


@lean
def withdraw(offered: Offered, count: int) -> None:
    """Forget the terms of the event."""
    for i in range(count):
        offered.present[offered.terms[i] >> 3] = 0
