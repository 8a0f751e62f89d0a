"""Exact phrases by two words that stand side by side in them: found where these do so in a document, and only there.

    "results of the quarter"     pairs  results of | of the | the quarter
                                 entered under the pair that fewest phrases have

A document's neighbours are looked up one after the other, so phrases of common words cost no more than others: a look
per word, and a comparison of the phrase's other words where its pair stands. Phrases with slop, and those in which no
two words are neighbours (a stop word between them was left out), are found by single words (see `phrases`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.hashing import mix
from watchword.coding.ranges import starts_of
from watchword.coding.text_leaves import U64
from watchword.coding.values import I32, I64, U8
from watchword.kernel import kernel, lean

FULL: Final = -1


class Pairs(NamedTuple):
    begins: U8  # word -> 1 where some pair begins with it
    key: U64  # of each pair
    slots: I32  # open addressing, at most half full
    starts: I64  # pair -> its phrases
    phrase: I32
    place: I32  # where in the phrase the pair begins


def pairs_of(starts: I64, word: I32, position: I32, wanted: I64, words: int) -> tuple[Pairs, I64]:
    """The pairs of these phrases, and the phrases that have none. `starts`: the words of all phrases."""
    neighbours = np.zeros(len(word), bool)
    neighbours[:-1] = np.diff(position) == 1
    neighbours[starts[1:] - 1] = False
    phrase = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    neighbours &= np.isin(phrase, wanted)
    at = np.flatnonzero(neighbours)
    key, number, used = np.unique(_keys(word, at, words), return_inverse=True, return_counts=True)
    order = np.lexsort((used[number], phrase[at]))
    first = np.flatnonzero(np.diff(phrase[at][order], prepend=-1))
    chosen = order[first]  # of each phrase the pair that the fewest have
    chosen = chosen[np.argsort(number[chosen], kind="stable")]
    begins = np.zeros(words, np.uint8)
    begins[word[at[chosen]]] = 1
    phrases = phrase[at[chosen]]
    pairs = Pairs(
        begins,
        key,
        _slots(key),
        starts_of(np.bincount(number[chosen], minlength=len(key))),
        phrases.astype(np.int32),
        (at[chosen] - starts[phrases]).astype(np.int32),
    )
    return pairs, np.setdiff1d(wanted, phrases)


def _keys(word: I32, at: I64, words: int) -> U64:
    return word[at].astype(np.uint64) * np.uint64(words) + word[at + 1].astype(np.uint64)


@kernel
def _slots(keys: U64) -> I32:
    size = 2
    while size < 2 * len(keys):
        size *= 2
    slots = np.full(size, -1, np.int32)
    mask = np.uint64(size - 1)
    for pair in range(len(keys)):
        slot = mix(keys[pair]) & mask
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = pair
    return slots


@lean
def find_pairs(
    first: int,
    last: int,
    term: I32,
    position: I32,
    word: I32,
    pairs: Pairs,
    starts: I64,
    phrase_word: I32,
    phrase_position: I32,
    phrase_leaf: I32,
    leaf_seen: I32,
    mark: int,
    n: int,
    out: I32,
) -> int:
    """Write the leaves of the phrases that stand in one text, each once per document; how many leaves there are now."""
    mask = np.uint64(len(pairs.slots) - 1)
    words = np.uint64(len(pairs.begins))
    for i in range(first, last - 1):
        a = word[term[i]]
        if a < 0 or not pairs.begins[a]:
            continue
        b = word[term[i + 1]]
        if b < 0 or position[i + 1] != position[i] + 1:
            continue
        key = np.uint64(a) * words + np.uint64(b)
        slot = mix(key) & mask
        while pairs.slots[slot] >= 0 and pairs.key[pairs.slots[slot]] != key:
            slot = (slot + np.uint64(1)) & mask
        pair = pairs.slots[slot]
        if pair < 0:
            continue
        for k in range(pairs.starts[pair], pairs.starts[pair + 1]):
            phrase = pairs.phrase[k]
            leaf = phrase_leaf[phrase]
            if leaf_seen[leaf] == mark:
                continue
            begin, end = starts[phrase], starts[phrase + 1]
            from_pair = position[i] - phrase_position[begin + pairs.place[k]]
            stands = True
            for j in range(begin, end):
                token = _token_at(position, first, last, i, from_pair + phrase_position[j])
                if token < 0 or word[term[token]] != phrase_word[j]:
                    stands = False
                    break
            if stands:
                if n == len(out):
                    return FULL
                leaf_seen[leaf] = mark
                out[n] = leaf
                n += 1
    return n


@lean
def _token_at(position: I32, first: int, last: int, near: int, wanted: int) -> int:
    """The token of first .. last at this position, -1 where none is. Words that were left out make gaps."""
    token = min(max(near + wanted - position[near], first), last - 1)
    while token > first and position[token] > wanted:
        token -= 1
    while token < last - 1 and position[token] < wanted:
        token += 1
    return token if position[token] == wanted else -1
