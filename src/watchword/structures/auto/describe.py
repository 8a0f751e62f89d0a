"""What a layout consists of, for statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from watchword.coding.codebook import MISSING
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64
from watchword.kernel import kernel
from watchword.structures.auto.layout import (
    BITMAP,
    DATA,
    DATA_END,
    ENTRIES,
    EQ_BASE,
    EQ_HIGH,
    EQ_LOW,
    EQ_WORDS,
    EXPRESSIONS,
    HAS_PROGRAM,
    HIGH,
    KIND,
    LOW,
    ONES,
    PACKED,
    PLAIN,
    POINT_BLOCKS,
    RANGE_WORDS,
    RANGES,
    RECORD_HEAD,
    SETS_MASK,
    SETS_SHIFT,
    SIMPLE_MASK,
    SIMPLE_WORDS,
    SINGLES,
    Layout,
    Words,
)

_KINDS = {PACKED: "records", RANGES: "ranges", BITMAP: "bitmap"}


def describe(layout: Layout) -> dict[str, Any]:
    kind, entries = layout.blocks[:, KIND], layout.blocks[:, ENTRIES]
    return {
        "name": "auto",
        "word_bits": 8 * layout.words.itemsize,
        "blocks": {name: int((kind == number).sum()) for number, name in _KINDS.items()},
        "entries_in_blocks": {name: int(entries[kind == number].sum()) for number, name in _KINDS.items()},
        "bitmap_columns": len(layout.columns),
    }


def always_candidates(layout: Layout, dimension: int) -> I64:
    """The expressions that are entered under the dimension that every event has."""
    return np.unique(_visited(layout, dimension, 1))


def candidates_of(layout: Layout, events: CodedEvents) -> I64:
    """Expression -> for how many of the events it is found."""
    counts = np.zeros(layout.expression_count, np.int64)
    keys, times = np.unique(np.stack([events.dimension, events.code]), axis=1, return_counts=True)
    for dimension, code, number in zip(*keys.tolist(), times.tolist(), strict=True):
        if code != MISSING:
            counts[np.unique(_visited(layout, dimension, code))] += number
    return counts


def _visited(layout: Layout, dimension: int, code: int) -> I64:
    """The expressions that an event with this code finds, before they are verified."""
    row, following = layout.directory[dimension].tolist(), layout.directory[dimension + 1].tolist()
    singles = layout.ranges[row[SINGLES] : following[SINGLES]]
    found = [
        _expressions_of(layout.words, row[RANGE_WORDS], following[RANGE_WORDS]),
        row[SINGLES] + np.flatnonzero((singles[:, 0] <= code) & (code <= singles[:, 1])),
    ]
    if row[EQ_LOW] <= code <= row[EQ_HIGH]:
        p, q = (row[EQ_WORDS] + int(layout.eq_starts[row[EQ_BASE] + code + k]) for k in range(2))
        found.append(_expressions_of(layout.words, p, q))
    blocks = layout.blocks[row[POINT_BLOCKS] : following[POINT_BLOCKS]]
    for block in blocks[(blocks[:, LOW] <= code) & (code <= blocks[:, HIGH])].tolist():
        first, size = block[EXPRESSIONS], block[ENTRIES]
        if block[KIND] == PACKED:
            found.append(_expressions_of(layout.words, block[DATA], block[DATA_END]))
        elif block[KIND] == BITMAP and not block[PLAIN]:
            found.append(layout.expressions[first : first + size].astype(np.int64))
        else:
            found.append(np.arange(first, first + size))
    return np.concatenate(found)


@kernel
def _expressions_of(words: Words, p: int, q: int) -> I64:
    out = np.empty((q - p) // RECORD_HEAD, np.int64)
    n = 0
    while p < q:
        head = np.int64(words[p])
        out[n] = np.int64(words[p + 1]) | np.int64(words[p + 2]) << 16
        n += 1
        p += RECORD_HEAD + (1 if head & ONES else SIMPLE_WORDS) * (head & SIMPLE_MASK)
        p += 3 * ((head >> SETS_SHIFT) & SETS_MASK) + (2 if head & HAS_PROGRAM else 0)
    return out[:n]
