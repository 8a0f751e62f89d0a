"""Match coded events against a layout: look keys up, verify what they find.

Every event fills `value` (dimension -> code), visits the lists and blocks of its values, writes the expressions that
hold, and clears `value` again. Cost: one look-up per value of the event, about two nanoseconds per record verified,
one row per column (64 bytes) for a bitmap block of 512 entries, one write per match.

The steps of the loop are pasted into it (`@inlined`), and get the arrays they read one by one: a call that passes a
whole layout costs more than most of them do.
"""

from __future__ import annotations

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.kernel import inlined, kernel
from watchword.structures.auto.layout import (
    BITMAP,
    HAS_PROGRAM,
    PACKED,
    RECORD_HEAD,
    SETS_MASK,
    SETS_SHIFT,
    SIMPLE_MASK,
    U16,
    U32,
    U64,
    Layout,
    Words,
)
from watchword.structures.auto.verify import (
    FULL,
    State,
    all_alive,
    and_rows_of_several,
    drop_repetitions,
    emit_all,
    emit_bits,
    emit_verified,
    forget_values,
    holds_any,
    match_ranges,
    set_values,
    verify_rest,
)


@kernel
def match_events(layout: Layout, events: CodedEvents, first: int, starts: I64, state: State) -> int:
    """Match events from `first` on; the event at which `out` was full, or their number."""
    value, out, alive = state.value, state.out, state.alive
    event_starts, dimensions, codes, several = events.starts, events.dimension, events.code, events.several
    eq_base, eq_low, eq_high, eq_starts = layout.eq_base, layout.eq_low, layout.eq_high, layout.eq_starts
    words, pairs, rows = layout.words, layout.pairs, layout.rows
    blocks, columns = layout.blocks, layout.columns
    block_starts, block_ranges, block_low, block_high = blocks.starts, blocks.ranges, blocks.low, blocks.high
    inner_low, inner_high, range_low, range_high = (
        blocks.inner_low,
        blocks.inner_high,
        layout.range_low,
        layout.range_high,
    )
    kind, count, data, data_end = blocks.kind, blocks.count, blocks.data, blocks.end
    block_expressions, plain = blocks.expressions, blocks.plain
    column_dimension, column_low, column_size = columns.dimension, columns.low, columns.size
    column_pairs, column_rows = columns.pairs, columns.rows
    for e in range(first, len(event_starts) - 1):
        begin, end = event_starts[e], event_starts[e + 1]
        many = several[e] != 0
        if many:
            set_values(state, events, e)
        else:
            for i in range(begin, end):
                value[dimensions[i]] = codes[i]
        n = starts[e]
        for i in range(begin, end):
            d, code = dimensions[i], codes[i]
            if eq_base[d] >= 0 and eq_low[d] <= code <= eq_high[d]:
                key = eq_base[d] + code - eq_low[d]
                p, q = np.int64(eq_starts[key]), np.int64(eq_starts[key + 1])
                if p < q:
                    n = _records(layout, words, value, out, p, q, e, n, many, state)
            b, last = block_starts[d], block_starts[d + 1]
            ranges = block_ranges[d]
            if b < ranges:
                b = _first_point_block(block_low, b, ranges, code)
            while b < last and n != FULL:
                if b < ranges and block_low[b] != code:
                    b = ranges
                    continue
                if code < block_low[b] or code > block_high[b]:
                    b += 1
                    continue
                if kind[b] == PACKED:
                    n = _records(layout, words, value, out, data[b], data_end[b], e, n, many, state)
                elif n + count[b] + 8 > len(out):
                    n = FULL
                elif kind[b] == BITMAP:
                    state.counters[0] += count[b]
                    if many:
                        some = and_rows_of_several(layout, b, state)
                    else:
                        some = _and_rows(
                            rows,
                            pairs,
                            column_dimension,
                            column_low,
                            column_size,
                            column_pairs,
                            column_rows,
                            value,
                            alive,
                            count[b],
                            data[b],
                            data_end[b],
                        )
                    if some and plain[b]:
                        n = emit_bits(alive, count[b], block_expressions[b], n, out)
                    elif some:
                        n = emit_verified(layout, b, e, n, state)
                elif inner_low[b] <= code <= inner_high[b]:
                    n = emit_all(block_expressions[b], count[b], n, out)
                else:
                    n = match_ranges(range_low, range_high, data[b], count[b], code, block_expressions[b], n, out)
                b += 1
            if n == FULL:
                break
        for i in range(begin, end):
            value[dimensions[i]] = 0
        if many:
            forget_values(state, events, e)
            if n != FULL:
                n = drop_repetitions(out, starts[e], n)
        if n == FULL:
            return e
        starts[e + 1] = n
    return len(event_starts) - 1


@kernel
def _first_point_block(block_low: I32, low: int, high: int, code: int) -> int:
    while low < high:
        middle = (low + high) >> 1
        if block_low[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def _records(
    layout: Layout, words: Words, value: Words, out: U32, p: int, q: int, e: int, n: int, many: bool, state: State
) -> int:
    if n + (q - p) // RECORD_HEAD > len(out):
        n = FULL
        p = q
    while p < q:
        state.counters[0] += 1
        head = np.int64(words[p])
        at = p + RECORD_HEAD
        rest = at + 3 * (head & SIMPLE_MASK)
        after = rest
        if head > SIMPLE_MASK:
            after += 3 * ((head >> SETS_SHIFT) & SETS_MASK) + (2 if head & HAS_PROGRAM else 0)
        holds = True
        while at < rest:
            v = value[words[at]]
            if v < words[at + 1] or v > words[at + 2]:
                if not many or not holds_any(state, words[at], words[at + 1], words[at + 2]):
                    holds = False
                    break
            at += 3
        if holds:
            expression = np.int64(words[p + 1]) | np.int64(words[p + 2]) << 16
            if head <= SIMPLE_MASK or verify_rest(layout, head, rest, expression, e, state):
                out[n] = expression
                n += 1
        p = after
    return n


@kernel
def _and_rows(
    rows: U64,
    pairs: U16,
    dimension: I32,
    low: I32,
    size: I32,
    column_pairs: I64,
    column_rows: I64,
    value: Words,
    alive: U64,
    count: int,
    first: int,
    last: int,
) -> bool:
    width = all_alive(count, alive)
    for c in range(first, last):
        place = np.int64(value[dimension[c]]) - low[c]
        row = other = column_rows[c]
        if 0 <= place < size[c]:
            pair = column_pairs[c] + 2 * place
            row += width * np.int64(pairs[pair])
            other += width * np.int64(pairs[pair + 1])
        some = np.uint64(0)
        for j in range(width):
            alive[j] &= rows[row + j] & rows[other + j]
            some |= alive[j]
        if some == 0:
            return False
    return True
