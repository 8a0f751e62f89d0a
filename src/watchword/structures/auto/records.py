"""Records: entries that are verified one by one, and the directory of the lists of them under one code."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64
from watchword.kernel import kernel
from watchword.structures.auto.asked import Asked, Rest
from watchword.structures.auto.entries import NO_PROGRAM, Entries
from watchword.structures.auto.layout import (
    EQ_BASE,
    EQ_HIGH,
    EQ_LOW,
    EQ_WORDS,
    HAS_PROGRAM,
    ONES,
    RANGE_WORDS,
    RECORD_HEAD,
    REPEATED,
    SETS_SHIFT,
    SIMPLE_WORDS,
    SINGLES,
    U16,
    Words,
)

Flags = npt.NDArray[np.bool_]


def write_records(
    entries: Entries, asked: Asked, rest: Rest, test_of: I32, order: I64, word: Words
) -> tuple[Words, I64]:
    """The records of these entries side by side, and where each begins."""
    count = np.diff(rest.starts)[order]
    ones = _ask_for_ones(asked, rest, order)
    simple = rest.simple[order]
    sizes = RECORD_HEAD + 3 * (count - simple) + np.where(ones, 1, SIMPLE_WORDS) * simple
    offsets = starts_of(sizes + 2 * (entries.program[order] != NO_PROGRAM))
    words = np.empty(int(offsets[-1]), word.dtype)
    _fill_records(entries, asked, rest, test_of, order, ones, offsets, words)
    return words, offsets


@kernel
def _ask_for_ones(asked: Asked, rest: Rest, order: I64) -> Flags:
    """Which entries have simple conditions, all of them for code 1."""
    ones = np.empty(len(order), np.bool_)
    for i in range(len(order)):
        first = rest.starts[order[i]]
        ones[i] = rest.simple[order[i]] > 0
        for k in range(first, first + rest.simple[order[i]]):
            c = rest.condition[k]
            ones[i] &= asked.low[c] == 1 and asked.high[c] == 1
    return ones


@kernel
def _fill_records(
    entries: Entries, asked: Asked, rest: Rest, test_of: I32, order: I64, ones: Flags, offsets: I64, words: Words
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
        if ones[i]:
            head |= ONES
        words[at] = head
        words[at + 1], words[at + 2] = entries.expression[e] & 0xFFFF, entries.expression[e] >> 16
        at += RECORD_HEAD
        for k in range(first, last):
            c = rest.condition[k]
            words[at] = asked.dimension[c]
            if k - first < simple and ones[i]:
                at += 1
                continue
            if k - first < simple:
                words[at + 1], words[at + 2] = asked.low[c], asked.high[c]
            else:
                words[at + 1], words[at + 2] = test_of[c] & 0xFFFF, test_of[c] >> 16
            at += 3
        if entries.program[e] != NO_PROGRAM:
            words[at], words[at + 1] = entries.program[e] & 0xFFFF, entries.program[e] >> 16


def point_lists(entries: Entries, listed: I64, offsets: I64, directory: I32) -> U16 | I32:
    """Enter the lists of points, which stand in `listed` by dimension and code, into the directory."""
    dimensions = len(directory) - 1
    dimension, code = entries.key_dimension[listed], entries.key_low[listed].astype(np.int64)
    low = np.full(dimensions, np.iinfo(np.int32).max, np.int64)
    high = np.full(dimensions, -1, np.int64)
    np.minimum.at(low, dimension, code)
    np.maximum.at(high, dimension, code)
    has = high >= 0
    spans = np.where(has, high - low + 2, 0)  # lists, and where the last one ends
    first = starts_of(spans)
    base = np.where(has, first[:-1] - low, 0)
    words = offsets[np.searchsorted(dimension, np.arange(dimensions))]
    directory[:-1, EQ_BASE] = base
    directory[:-1, EQ_LOW] = np.where(has, low, 1)
    directory[:-1, EQ_HIGH] = np.where(has, high, 0)
    directory[:-1, EQ_WORDS] = words
    # the key of a list, and of the end of each dimension's last one, is its place in eq_starts
    starts = offsets[np.searchsorted(base[dimension] + code, np.arange(first[-1]))] - np.repeat(words, spans)
    return starts.astype(np.uint16 if starts.max(initial=0) < 1 << 16 else np.int32)


def range_lists(entries: Entries, listed: I64, offsets: I64, singles: I64, directory: I32) -> None:
    """Enter the lists of ranges, which stand in `listed` and `singles` by dimension, into the directory."""
    dimensions = np.arange(len(directory))
    directory[:, RANGE_WORDS] = offsets[np.searchsorted(entries.key_dimension[listed], dimensions)]
    directory[:, SINGLES] = np.searchsorted(entries.key_dimension[singles], dimensions)
