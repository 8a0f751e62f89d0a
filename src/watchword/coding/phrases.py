"""Phrases in documents.

    quarterly results ~2      word  quarterly results      position 0 1      slop 2

Exact ones are found by pairs of neighbours (see `word_pairs`). All others stand under one of their words, the one that
fewest leaves of the segment have, and are looked at where a document has it.

A word's shift is where it stands less its position in the phrase. The phrase stands where each word has a token of its
own, equal words in their order, and no two shifts differ by more than the slop.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.ranges import positions, starts_of
from watchword.coding.text_leaves import PHRASE, FieldLeaves
from watchword.coding.values import I32, I64
from watchword.coding.word_pairs import FULL, Pairs, find_pairs, pairs_of
from watchword.kernel import kernel, lean

APART: Final = 1 << 40  # between the positions of two texts of one document: no phrase reaches from one into another


class Phrases(NamedTuple):
    pairs: Pairs
    under: I64  # word -> the phrases that stand under it
    phrase: I32
    leaf: I32  # of every phrase
    starts: I64  # phrase -> its words
    word: I32
    position: I32
    slop: I32


class Places(NamedTuple):
    """Where the words of the document at hand stand: chains of tokens. Empty where all phrases are found by pairs."""

    term_of_word: I32  # the segment's words -> the batch's vocabulary
    mark: I32  # word of the vocabulary -> the last document that has it
    first: I32
    last: I32
    following: I32  # token -> the next one of the same word, -1: none
    place: I64  # token -> its position, those of the document's later texts far behind
    placed: I64  # the phrase at hand


def phrases_of(leaves: FieldLeaves) -> Phrases:
    phrases = np.flatnonzero(leaves.kind == PHRASE)
    starts = starts_of(np.diff(leaves.starts)[phrases])
    where = positions(leaves.starts[phrases], starts)
    word, position = leaves.word[where], leaves.position[where]
    slop = leaves.parameter[phrases]
    words = len(leaves.hash)
    pairs, without_pair = pairs_of(starts, word, position, np.flatnonzero(slop == 0), words)
    others = np.union1d(np.flatnonzero(slop > 0), without_pair)
    rarest = _rarest(starts, word, np.bincount(leaves.word, minlength=words))[others]
    return Phrases(
        pairs,
        starts_of(np.bincount(rarest, minlength=words)),
        others[np.argsort(rarest, kind="stable")].astype(np.int32),
        phrases.astype(np.int32),
        starts,
        word,
        position,
        slop,
    )


@kernel
def _rarest(starts: I64, word: I32, used: I64) -> I32:
    out = np.empty(len(starts) - 1, np.int32)
    for phrase in range(len(out)):
        out[phrase] = word[starts[phrase]]
        for i in range(starts[phrase], starts[phrase + 1]):
            if used[word[i]] < used[out[phrase]]:
                out[phrase] = word[i]
    return out


def places_for(phrases: Phrases, word: I32, tokens: int) -> Places:
    """`word` of each word of the batch's vocabulary."""
    none = np.zeros(0, np.int32)
    if len(phrases.phrase) == 0:
        return Places(none, none, none, none, none, np.zeros(0, np.int64), np.zeros(0, np.int64))
    term_of_word = np.full(len(phrases.under), -1, np.int32)  # the last one takes what is no word
    term_of_word[word] = np.arange(len(word))
    return Places(
        term_of_word,
        np.zeros(len(word), np.int32),
        np.empty(len(word), np.int32),
        np.empty(len(word), np.int32),
        np.empty(tokens, np.int32),
        np.empty(tokens, np.int64),
        np.empty(int(np.diff(phrases.starts).max()), np.int64),
    )


@lean
def find_phrases(
    begin: int,
    end: int,
    starts: I64,
    term: I32,
    position: I32,
    word: I32,
    phrases: Phrases,
    places: Places,
    leaf_seen: I32,
    mark: int,
    n: int,
    out: I32,
) -> int:
    """Write the phrases that stand in the document of the texts begin .. end; how many leaves there are now."""
    for text in range(begin, end):
        n = find_pairs(
            starts[text],
            starts[text + 1],
            term,
            position,
            word,
            phrases.pairs,
            phrases.starts,
            phrases.word,
            phrases.position,
            phrases.leaf,
            leaf_seen,
            mark,
            n,
            out,
        )
        if n == FULL:
            return FULL
    if len(phrases.phrase) == 0:
        return n
    for text in range(begin, end):
        _place_words(starts[text], starts[text + 1], term, position, APART * (text - begin), word, places, mark)
    for i in range(starts[begin], starts[end]):
        t = term[i]
        if word[t] < 0 or places.first[t] != i:
            continue
        for k in range(phrases.under[word[t]], phrases.under[word[t] + 1]):
            phrase = phrases.phrase[k]
            if _stands(phrases, places, phrase, word[t], mark):
                if n == len(out):
                    return FULL
                out[n] = phrases.leaf[phrase]
                n += 1
    return n


@lean
def _place_words(
    first: int, last: int, term: I32, position: I32, shift: int, word: I32, places: Places, mark: int
) -> None:
    for i in range(first, last):
        t = term[i]
        if word[t] < 0:
            continue
        places.place[i], places.following[i] = shift + position[i], -1
        if places.mark[t] == mark:
            places.following[places.last[t]] = i
        else:
            places.first[t] = i
        places.mark[t], places.last[t] = mark, i


@lean
def _stands(phrases: Phrases, places: Places, phrase: int, under: int, mark: int) -> bool:
    begin, end = phrases.starts[phrase], phrases.starts[phrase + 1]
    for i in range(begin, end):
        t = places.term_of_word[phrases.word[i]]
        if t < 0 or places.mark[t] != mark:
            return False
    slop = phrases.slop[phrase]
    for i in range(begin, end):
        if slop == 0 and phrases.word[i] != under:
            continue  # all shifts are the same: that of one word is enough
        token = places.first[places.term_of_word[phrases.word[i]]]
        while token >= 0:
            if _is_placed(phrases, places, begin, end, places.place[token] - phrases.position[i], slop):
                return True
            token = places.following[token]
        if slop == 0:
            return False
    return False


@lean
def _is_placed(phrases: Phrases, places: Places, begin: int, end: int, least: int, slop: int) -> bool:
    """Has each word a token with a shift from `least` to the slop above it? Equal words take the first one left."""
    for i in range(begin, end):
        earliest = least + phrases.position[i]
        latest = earliest + slop
        for j in range(begin, i):
            if phrases.word[j] == phrases.word[i]:
                earliest = max(earliest, places.placed[j - begin] + 1)
        token = places.first[places.term_of_word[phrases.word[i]]]
        while token >= 0 and places.place[token] < earliest:
            token = places.following[token]
        if token < 0 or places.place[token] > latest:
            return False
        places.placed[i - begin] = places.place[token]
    return True
