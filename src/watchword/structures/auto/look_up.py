"""Which lists the codes of an event lead to: found for many codes together, before any of them is read.

    codes -> directory -> singles   ranges first, last of them, and the code
                       -> lists     first and last word of a range list
                       -> keys      of point lists -> eq_starts -> lists

Each step asks memory for what the next one reads, so that by then it is there. What a code leads to is written in any
case, and counted if there is something: cheaper than branches that are hard to foresee, for most codes lead nowhere.
Cost: about ten nanoseconds per code of a small segment, half of what asking one by one costs.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from watchword.coding.values import I32, I64
from watchword.kernel import inlined, prefetch
from watchword.structures.auto.layout import (
    DIRECTORY_COLUMNS,
    EQ_BASE,
    EQ_HIGH,
    EQ_LOW,
    EQ_WORDS,
    RANGE_WORDS,
    SINGLES,
    U16,
    Words,
)

CHUNK: Final = 64  # codes
AHEAD: Final = 12  # codes: about as long as memory takes to answer
AHEAD_LINES: Final = 16  # cache lines of a list
LINE_BYTES: Final = 64


@inlined
def look_up(
    directory: I32,
    words: Words,
    ranges: Words,
    eq_starts: U16 | I32,
    dimensions: I32,
    codes: I32,
    begin: int,
    end: int,
    total: int,
    singles: I64,
    keys: I64,
    lists: I64,
) -> tuple[int, int, int]:
    """How many ranges, keys of point lists, and range lists these codes lead to."""
    single_count, key_count, found = 0, 0, 0
    for i in range(begin, end):
        if i + AHEAD < total:
            prefetch(directory, DIRECTORY_COLUMNS * np.int64(dimensions[i + AHEAD]))
        d, code = dimensions[i], codes[i]
        p, q = np.int64(directory[d, SINGLES]), np.int64(directory[d + 1, SINGLES])
        singles[single_count, 0], singles[single_count, 1], singles[single_count, 2] = p, q, code
        single_count += p < q
        prefetch(ranges, 2 * p)
        p, q = np.int64(directory[d, RANGE_WORDS]), np.int64(directory[d + 1, RANGE_WORDS])
        lists[found, 0], lists[found, 1] = p, q
        found += p < q
        prefetch(words, p)
        key = np.int64(directory[d, EQ_BASE]) + code
        keys[key_count, 0], keys[key_count, 1] = key, directory[d, EQ_WORDS]
        key_count += (directory[d, EQ_LOW] <= code) & (code <= directory[d, EQ_HIGH])
        prefetch(eq_starts, key)
    return single_count, key_count, found


@inlined
def look_up_keys(eq_starts: U16 | I32, words: Words, keys: I64, key_count: int, lists: I64, found: int) -> int:
    """Add the lists of these keys: how many lists there are now."""
    for k in range(key_count):
        p, q = np.int64(eq_starts[keys[k, 0]]), np.int64(eq_starts[keys[k, 0] + 1])
        at = keys[k, 1]
        lists[found, 0], lists[found, 1] = at + p, at + q
        found += p < q
        step = LINE_BYTES // words.itemsize
        for line in range(at + p, at + min(q, p + step * AHEAD_LINES), step):
            prefetch(words, line)
    return found
