"""What a layout consists of, for statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from watchword.coding.values import I64
from watchword.kernel import kernel
from watchword.structures.auto.layout import (
    BITMAP,
    HAS_PROGRAM,
    PACKED,
    RANGES,
    RECORD_HEAD,
    SETS_MASK,
    SETS_SHIFT,
    SIMPLE_MASK,
    Layout,
    Words,
)

_KINDS = {PACKED: "records", RANGES: "ranges", BITMAP: "bitmap"}


def describe(layout: Layout) -> dict[str, Any]:
    blocks = layout.blocks
    return {
        "name": "auto",
        "word_bits": 8 * layout.words.itemsize,
        "blocks": {name: int((blocks.kind == kind).sum()) for kind, name in _KINDS.items()},
        "entries_in_blocks": {name: int(blocks.count[blocks.kind == kind].sum()) for kind, name in _KINDS.items()},
        "bitmap_columns": len(layout.columns.dimension),
    }


def always_candidates(layout: Layout, dimension: int) -> I64:
    """The expressions that are entered under the dimension that every event has."""
    found = []
    if layout.eq_base[dimension] >= 0:
        key = int(layout.eq_base[dimension])
        found.append(_expressions_of(layout.words, int(layout.eq_starts[key]), int(layout.eq_starts[key + 1])))
    blocks = layout.blocks
    for b in range(int(blocks.starts[dimension]), int(blocks.starts[dimension + 1])):
        first = int(blocks.expressions[b])
        if blocks.kind[b] == PACKED:
            found.append(_expressions_of(layout.words, int(blocks.data[b]), int(blocks.end[b])))
        elif blocks.kind[b] == BITMAP and not blocks.plain[b]:
            found.append(layout.expressions[first : first + int(blocks.count[b])].astype(np.int64))
        else:
            found.append(np.arange(first, first + int(blocks.count[b])))
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)


@kernel
def _expressions_of(words: Words, p: int, q: int) -> I64:
    out = np.empty((q - p) // RECORD_HEAD, np.int64)
    n = 0
    while p < q:
        head = np.int64(words[p])
        out[n] = np.int64(words[p + 1]) | np.int64(words[p + 2]) << 16
        n += 1
        p += RECORD_HEAD + 3 * (head & SIMPLE_MASK)
        p += 3 * ((head >> SETS_SHIFT) & SETS_MASK) + (2 if head & HAS_PROGRAM else 0)
    return out[:n]
