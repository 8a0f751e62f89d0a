"""Records: entries that are verified one by one, and the directory of the lists of them under one code."""

from __future__ import annotations

import numpy as np

from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64
from watchword.kernel import kernel
from watchword.structures.auto.asked import Asked, Rest
from watchword.structures.auto.entries import NO_PROGRAM, Entries
from watchword.structures.auto.layout import HAS_PROGRAM, RECORD_HEAD, REPEATED, SETS_SHIFT, Words


def write_records(
    entries: Entries, asked: Asked, rest: Rest, test_of: I32, order: I64, word: Words
) -> tuple[Words, I64]:
    """The records of these entries side by side, and where each begins."""
    count = np.diff(rest.starts)[order]
    sizes = RECORD_HEAD + 3 * count + 2 * (entries.program[order] != NO_PROGRAM)
    offsets = starts_of(sizes)
    words = np.empty(int(offsets[-1]), word.dtype)
    _fill_records(entries, asked, rest, test_of, order, offsets, words)
    return words, offsets


@kernel
def _fill_records(
    entries: Entries, asked: Asked, rest: Rest, test_of: I32, order: I64, offsets: I64, words: Words
) -> None:
    for i in range(len(order)):
        e, at = order[i], offsets[i]
        first, last = rest.starts[e], rest.starts[e + 1]
        simple = rest.simple[e]
        head = simple | (last - first - simple) << SETS_SHIFT
        if entries.program[e] != NO_PROGRAM:
            head |= HAS_PROGRAM
        if entries.repeated[e]:
            head |= REPEATED
        words[at] = head
        words[at + 1], words[at + 2] = entries.expression[e] & 0xFFFF, entries.expression[e] >> 16
        at += RECORD_HEAD
        for k in range(first, last):
            c = rest.condition[k]
            words[at] = asked.dimension[c]
            if k - first < simple:
                words[at + 1], words[at + 2] = asked.low[c], asked.high[c]
            else:
                words[at + 1], words[at + 2] = test_of[c] & 0xFFFF, test_of[c] >> 16
            at += 3
        if entries.program[e] != NO_PROGRAM:
            words[at], words[at + 1] = entries.program[e] & 0xFFFF, entries.program[e] >> 16


def point_lists(entries: Entries, listed: I64, offsets: I64, dimensions: int) -> tuple[I64, I32, I32, I64]:
    """The directory of point lists: for every code between a dimension's first and last a start."""
    dimension, code = entries.key_dimension[listed], entries.key_low[listed].astype(np.int64)
    low = np.full(dimensions, np.iinfo(np.int32).max, np.int64)
    high = np.full(dimensions, -1, np.int64)
    np.minimum.at(low, dimension, code)
    np.maximum.at(high, dimension, code)
    has = high >= 0
    span = np.where(has, high - low + 1, 0)
    bases = starts_of(span)
    base = np.where(has, bases[:-1], -1)
    key = base[dimension] + code - low[dimension]
    starts = offsets[np.searchsorted(key, np.arange(bases[-1] + 1))]
    return base, np.where(has, low, 0).astype(np.int32), high.astype(np.int32), starts.astype(np.uint32)
