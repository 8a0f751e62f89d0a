"""Whether one word is what one pattern asks for: exact, over characters.

A pattern's characters are code points; in a wildcard ANY_RUN stands for `*` and ANY_ONE for `?`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from watchword.coding.values import I32, U8
from watchword.kernel import lean
from watchword.text.vocabulary import U64

ANY_RUN: Final = -1
ANY_ONE: Final = -2
MOST_EDITS: Final = 2
BAND: Final = 2 * MOST_EDITS + 1
BITS: Final = 64
SLOTS: Final = 256
_SLOTS: Final = SLOTS - 1
_NOBODY: Final = -1


@lean
def characters_of(data: U8, start: int, end: int, to: I32) -> int:
    """The code points of UTF-8. Returns how many there are."""
    n, at = 0, start
    while at < end:
        byte = np.int32(data[at])
        more = 0 if byte < 0x80 else 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
        code = byte if more == 0 else byte & (0x3F >> more)
        for i in range(at + 1, at + 1 + more):
            code = code << 6 | np.int32(data[i]) & 0x3F
        to[n] = code
        n += 1
        at += 1 + more
    return n


@lean
def begins_with(pattern: I32, begin: int, end: int, word: I32, n: int) -> bool:
    if end - begin > n:
        return False
    for i in range(end - begin):
        if pattern[begin + i] != word[i]:
            return False
    return True


@lean
def wildcard_fits(pattern: I32, begin: int, end: int, word: I32, n: int) -> bool:
    """Each `*` takes as little as it can, the last one more where what follows does not fit: that finds every fit."""
    at, p, star, taken = 0, begin, -1, 0
    while at < n:
        if p < end and pattern[p] == ANY_RUN:
            star, taken = p, at
            p += 1
        elif p < end and (pattern[p] == ANY_ONE or pattern[p] == word[at]):
            p += 1
            at += 1
        elif star >= 0:
            taken += 1
            p, at = star + 1, taken
        else:
            return False
    while p < end and pattern[p] == ANY_RUN:
        p += 1
    return p == end


@lean
def within_edits(pattern: I32, begin: int, end: int, word: I32, n: int, edits: int, rows: I32) -> bool:
    """Whether at most `edits` insertions, deletions, substitutions and swaps of neighbours, none twice at a place, do.

    rows[i % 3, j - i + MOST_EDITS] is the distance of the first i characters of the pattern and j of the word; further
    from the diagonal than MOST_EDITS it is too large to matter. `rows` is room for three rows of BAND numbers.
    """
    m = end - begin
    if abs(m - n) > edits:
        return False
    far = m + n + 1
    for i in range(m + 1):
        row, above, above_that = rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3]
        least = far
        for d in range(BAND):
            j = i + d - MOST_EDITS
            best = far
            if j < 0 or j > n:
                row[d] = far
                continue
            if i == 0:
                best = j
            elif j == 0:
                best = i
            else:
                same = pattern[begin + i - 1] == word[j - 1]
                best = above[d] + (0 if same else 1)
                if d > 0:
                    best = min(best, row[d - 1] + 1)
                if d < BAND - 1:
                    best = min(best, above[d + 1] + 1)
                if i > 1 and j > 1 and pattern[begin + i - 1] == word[j - 2] and pattern[begin + i - 2] == word[j - 1]:
                    best = min(best, above_that[d] + 1)
            row[d] = best
            least = min(least, best)
        if least > edits + 1:  # a swap reaches back two rows, which gains one at most
            return False
    return rows[m % 3, n - m + MOST_EDITS] <= edits


@lean
def note_places(word: I32, n: int, codes: I32, places: U64) -> None:
    """For each character of a word of at most BITS, the places where it stands, as bits; found by `_places_of`."""
    codes[:] = _NOBODY
    for i in range(n):
        slot = word[i] & _SLOTS
        while codes[slot] != _NOBODY and codes[slot] != word[i]:
            slot = (slot + 1) & _SLOTS
        if codes[slot] == _NOBODY:
            codes[slot], places[slot] = word[i], np.uint64(0)
        places[slot] |= np.uint64(1) << np.uint64(i)


@lean
def _places_of(code: int, codes: I32, places: U64) -> np.uint64:
    slot = code & _SLOTS
    while codes[slot] != _NOBODY:
        if codes[slot] == code:
            return places[slot]
        slot = (slot + 1) & _SLOTS
    return np.uint64(0)


@lean
def edits_between(pattern: I32, begin: int, end: int, n: int, codes: I32, places: U64) -> int:
    """The distance of `within_edits`, a whole row at a time, for a word whose places are noted.

    Bit j of `up` and `down` says whether the distance grows or shrinks from j to j + 1 characters of the word, which
    a row differs by one at most; Hyyro's algorithm of 2003 for swaps of neighbours.
    """
    one = np.uint64(1)
    up, down, same, before = ~np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
    last = np.uint64(n - 1)
    distance = n
    for i in range(begin, end):
        here = _places_of(pattern[i], codes, places)
        swapped = ((~same & here) << one) & before
        same = (((here & up) + up) ^ up) | here | down | swapped
        grown, shrunk = down | ~(same | up), same & up
        distance += np.int64((grown >> last) & one) - np.int64((shrunk >> last) & one)
        grown = (grown << one) | one
        up, down = (shrunk << one) | ~(same | grown), grown & same
        before = here
    return distance
