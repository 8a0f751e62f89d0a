"""Pieces that are not terms yet are replaced by their terms, once for each distinct piece.

    piece       the   googles   «wi-fi»      of the english analyzer
    terms       -     googl     wi fi
    ahead             0         0  1         positions behind the piece's first
    advance     1     1         2            positions that the piece takes

What a piece becomes is what `Analyzer` says in Python. It is remembered for later batches, by number: a batch's piece
that was seen before costs one look into a table. The memory is emptied when it is full.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from watchword.coding.values import I32, I64
from watchword.kernel import lean
from watchword.text.analyzers import Analyzer
from watchword.text.eight_bytes import mark_beyond_ascii
from watchword.text.vocabulary import Table, Vocabulary, Words, hash_words, number_of

_MOST_PIECES: Final = 1 << 19
_MOST_BYTES: Final = 1 << 25
_NONE: Final = -1
_SEVERAL: Final = -2


class Becomes(NamedTuple):
    """Piece i has the terms from first[i] to first[i + 1]."""

    first: I64
    term: I32
    ahead: I32
    advance: I32


class Replaced(NamedTuple):
    """As `Tokens` has them."""

    starts: I64
    term: I32
    position: I32
    vocabulary: Vocabulary


class _Memory:
    """What the pieces seen so far become. Its arrays only grow, so what was handed out stays right."""

    def __init__(self) -> None:
        self.pieces = Words()
        self.terms = Words()
        none = np.zeros(0, np.int32)
        self.becomes = Becomes(np.zeros(1, np.int64), none, none, none)

    def is_full(self) -> bool:
        return any(
            len(words) > _MOST_PIECES or words.table.offsets[len(words)] > _MOST_BYTES
            for words in (self.pieces, self.terms)
        )

    def look_up(self, analyzer: Analyzer, vocabulary: Vocabulary, wanted: I64) -> I32:
        """The numbers of these pieces of the batch, new ones learnt."""
        known = len(self.pieces)
        lengths = np.diff(vocabulary.offsets).astype(np.int32)
        numbers = self.pieces.numbers(
            vocabulary.data, vocabulary.offsets[wanted], lengths[wanted], vocabulary.hash[wanted]
        )
        self._learn([_becomes(analyzer, vocabulary.bytes_of(i)) for i in wanted[numbers >= known].tolist()])
        return numbers

    def _learn(self, new: list[tuple[list[tuple[bytes, int]], int]]) -> None:
        if not new:
            return
        terms = [pair for found, _ in new for pair in found]
        lengths = np.fromiter((len(term) for term, _ in terms), np.int32, len(terms))
        begins = np.cumsum(lengths, dtype=np.int64) - lengths
        text = np.frombuffer(bytearray(b"".join(term for term, _ in terms)), np.uint8)
        hashes = np.empty(len(terms), np.uint64)
        hash_words(text, begins, lengths, hashes)
        old = self.becomes
        ends = old.first[-1] + np.cumsum([len(found) for found, _ in new], dtype=np.int64)
        ahead = np.fromiter((ahead for _, ahead in terms), np.int32, len(terms))
        advance = np.fromiter((advance for _, advance in new), np.int32, len(new))
        self.becomes = Becomes(
            np.concatenate((old.first, ends)),
            np.concatenate((old.term, self.terms.numbers(text, begins, lengths, hashes))),
            np.concatenate((old.ahead, ahead)),
            np.concatenate((old.advance, advance)),
        )


class _Replacements:
    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._memory = _Memory()
        self._lock = threading.Lock()

    def find(self, vocabulary: Vocabulary, wanted: I64) -> tuple[I32, Becomes, Table]:
        with self._lock:
            if self._memory.is_full():
                self._memory = _Memory()
            numbers = self._memory.look_up(self._analyzer, vocabulary, wanted)
            return numbers, self._memory.becomes, self._memory.terms.table


@cache
def _replacements(analyzer: Analyzer) -> _Replacements:
    return _Replacements(analyzer)


def _becomes(analyzer: Analyzer, piece: bytes) -> tuple[list[tuple[bytes, int]], int]:
    text = piece.decode("utf-8", "surrogatepass")
    texts = [text] if text.isascii() else [found.text for found in analyzer.pieces(text)]
    terms = [(term, ahead) for ahead, one in enumerate(texts) if (term := analyzer.term_of(one)) is not None]
    return [(term.encode("utf-8", "surrogatepass"), ahead) for term, ahead in terms], len(texts)


def replace(analyzer: Analyzer, starts: I64, numbers: I32, position: I32, words: Words) -> Replaced:
    """Tokens of terms, from tokens of pieces."""
    vocabulary = words.vocabulary()
    wanted = _unfinished(analyzer, vocabulary)
    if not len(wanted):
        return Replaced(starts, numbers, position, vocabulary)
    known, becomes, terms = _replacements(analyzer).find(vocabulary, wanted)
    number = np.full(len(vocabulary), -1, np.int32)
    number[wanted] = known
    here, final = _of_this_batch(words.table, number, becomes, terms)
    total = int(_count(numbers, np.diff(here.first).astype(np.int32)))
    new_starts = np.zeros(len(starts), np.int64)
    term, place = np.empty(total, np.int32), np.empty(total, np.int32)
    _replace_tokens(starts, numbers, _simple(here), here, new_starts, term, place)
    return Replaced(new_starts, term, place, final)


def _unfinished(analyzer: Analyzer, vocabulary: Vocabulary) -> I64:
    if analyzer.makes_terms:
        return np.arange(len(vocabulary))
    marks = np.empty(len(vocabulary), np.bool_)
    lengths = np.diff(vocabulary.offsets).astype(np.int32)
    mark_beyond_ascii(vocabulary.data, vocabulary.offsets[:-1], lengths, marks.view(np.uint8))
    return np.flatnonzero(marks)


def _of_this_batch(pieces: Table, number: I32, becomes: Becomes, terms: Table) -> tuple[Becomes, Vocabulary]:
    """What each piece of the batch becomes, in terms numbered anew: those of this batch and no others."""
    seen = number >= 0
    counts = np.ones(len(number), np.int64)
    counts[seen] = np.diff(becomes.first)[number[seen]]
    first = np.zeros(len(number) + 1, np.int64)
    np.cumsum(counts, out=first[1:])
    total = int(first[-1])
    here = Becomes(first, np.empty(total, np.int32), np.zeros(total, np.int32), np.ones(len(number), np.int32))
    here.advance[seen] = becomes.advance[number[seen]]
    words = Words(total, len(pieces.data))
    done = 0
    while (done := _number_terms(pieces, number, becomes, terms, done, words.table, here)) < len(number):
        words.grow(len(pieces.data))
    return here, words.vocabulary()


@lean
def _number_terms(
    pieces: Table, number: I32, becomes: Becomes, terms: Table, done: int, table: Table, here: Becomes
) -> int:
    """Returns how many pieces are done: fewer than all where the table has no room."""
    for piece in range(done, len(number)):
        at = here.first[piece]
        if number[piece] < 0:
            begin, end = pieces.offsets[piece], pieces.offsets[piece + 1]
            here.term[at] = number_of(table, pieces.data, begin, end - begin, pieces.hash[piece])
            if here.term[at] < 0:
                return piece
        else:
            for j in range(becomes.first[number[piece]], becomes.first[number[piece] + 1]):
                term = becomes.term[j]
                begin, end = terms.offsets[term], terms.offsets[term + 1]
                here.term[at] = number_of(table, terms.data, begin, end - begin, terms.hash[term])
                if here.term[at] < 0:
                    return piece
                here.ahead[at] = becomes.ahead[j]
                at += 1
    return len(number)


@lean
def _count(numbers: I32, terms_of: I32) -> int:
    total = 0
    for piece in numbers:
        total += terms_of[piece]
    return total


def _simple(here: Becomes) -> I32:
    """The term of each piece that becomes one at its own position, which most do; else _NONE or _SEVERAL."""
    counts = np.diff(here.first)
    simple = np.full(len(counts), _SEVERAL, np.int32)
    simple[(counts == 0) & (here.advance == 1)] = _NONE
    alone = (counts == 1) & (here.advance == 1)
    simple[alone] = here.term[here.first[:-1][alone]]
    return simple


@lean
def _replace_tokens(
    starts: I64, numbers: I32, simple: I32, here: Becomes, new_starts: I64, term: I32, position: I32
) -> None:
    n = 0
    for text in range(len(starts) - 1):
        place = 0
        for i in range(starts[text], starts[text + 1]):
            piece = numbers[i]
            if simple[piece] != _SEVERAL:
                if simple[piece] != _NONE:
                    term[n] = simple[piece]
                    position[n] = place
                    n += 1
                place += 1
                continue
            for j in range(here.first[piece], here.first[piece + 1]):
                term[n] = here.term[j]
                position[n] = place + here.ahead[j]
                n += 1
            place += here.advance[piece]
        new_starts[text + 1] = n
