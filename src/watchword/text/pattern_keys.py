"""The keys by which a word finds the patterns it may fit: every pattern has some, and a word that fits has one of them.

    goo*           first 3 characters: goo              one key; up to 32 characters
    go*le          first 2 and last 2: go, le           one key; up to 8 and 8
    *oogl*         6 characters in a row at most: oogl  one key
    *, ???         first 0 and last 0                   one key, which every word has
    google~2       the first 7 characters with up to two left out: google, oogle, gogle, ..., gle

Of a wildcard the ends or the longest run inside are the key, whichever has more characters. For fuzzy words: words at
most k edits apart become equal when at most k characters are left out of each, and so do their beginnings.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from watchword.coding.hashing import mix
from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean
from watchword.text.eight_bytes import SEED, step
from watchword.text.vocabulary import U64

PREFIX: Final = 1
WILDCARD: Final = 2
FUZZY: Final = 3

LONGEST_END: Final = 32
LONGEST_OF_BOTH_ENDS: Final = 8
LONGEST_RUN: Final = 6
FUZZY_BEGINNING: Final = 7
MOST_DELETIONS: Final = 1 + 7 + 21  # none, one or two of seven

_OF_ENDS: Final = 1 << 16
_OF_RUN: Final = 2 << 16
_OF_DELETIONS: Final = 3 << 16


@lean
def key_of_ends(first: np.uint64, last: np.uint64, p: int, s: int) -> np.uint64:
    """`first`, `last`: hashes of the first p characters and the last s ones, the very last one first."""
    return mix(step(step(first, last), np.uint64(_OF_ENDS | p << 8 | s)))


@lean
def key_of_run(characters: I32, at: int, length: int) -> np.uint64:
    h = SEED
    for i in range(at, at + length):
        h = step(h, np.uint64(characters[i]))
    return mix(step(h, np.uint64(_OF_RUN | length)))


@lean
def keys_of_deletions(characters: I32, begin: int, end: int, edits: int, keys: U64) -> int:
    """The keys of a word's beginning with up to `edits` characters left out. Returns how many."""
    length = min(end - begin, FUZZY_BEGINNING)
    keys[0] = _key_without(characters, begin, length, -1, -1)
    n = 1
    for i in range(length if edits > 0 else 0):
        keys[n] = _key_without(characters, begin, length, i, -1)
        n += 1
        for j in range(i + 1, length if edits > 1 else 0):
            keys[n] = _key_without(characters, begin, length, i, j)
            n += 1
    return n


@lean
def _key_without(characters: I32, begin: int, length: int, i: int, j: int) -> np.uint64:
    h = SEED
    for k in range(length):
        if k != i and k != j:
            h = step(h, np.uint64(characters[begin + k]))
    return mix(step(h, np.uint64(_OF_DELETIONS)))


@lean
def keys_of_patterns(
    kind: U8, edits: U8, first: I64, characters: I32, ends: U8, runs: U8, keys: U64, owner: I32
) -> int:
    """The keys of all patterns, with the lengths of ends and of runs that are used marked. Returns how many keys."""
    n = 0
    for pattern in range(len(kind)):
        begin, end = first[pattern], first[pattern + 1]
        if kind[pattern] == FUZZY:
            more = keys_of_deletions(characters, begin, end, edits[pattern], keys[n : n + MOST_DELETIONS])
        else:
            more = 1
            keys[n] = _key_of_literals(characters, begin, end, kind[pattern] == PREFIX, ends, runs)
        for i in range(n, n + more):
            owner[i] = pattern
        n += more
    return n


@lean
def _key_of_literals(characters: I32, begin: int, end: int, is_prefix: bool, ends: U8, runs: U8) -> np.uint64:
    p = s = run = longest = longest_at = 0
    while begin + p < end and characters[begin + p] >= 0:
        p += 1
    while not is_prefix and begin + p < end - s and characters[end - 1 - s] >= 0:
        s += 1
    for i in range(begin + p, end - s):
        run = run + 1 if characters[i] >= 0 else 0
        if run > longest:
            longest, longest_at = run, i + 1 - run
    most = LONGEST_OF_BOTH_ENDS if p and s else LONGEST_END
    p, s, longest = min(p, most), min(s, most), min(longest, LONGEST_RUN)
    if longest > p + s:
        runs[longest] = 1
        return key_of_run(characters, longest_at, longest)
    ends[p, s] = 1
    first = last = SEED
    for i in range(p):
        first = step(first, np.uint64(characters[begin + i]))
    for i in range(s):
        last = step(last, np.uint64(characters[end - 1 - i]))
    return key_of_ends(first, last, p, s)
