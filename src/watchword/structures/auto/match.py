"""Match coded events against a layout: look keys up, verify what they find.

Every event fills `value` (dimension -> code), finds the lists its codes lead to (see `look_up`), reads these and
visits the blocks, writes the expressions that hold, and clears `value` again. Cost: a few cache lines per value of the
event, about two nanoseconds per record verified, a row (64 bytes) per column of a bitmap block of 512 entries, a
quarter of a nanosecond per match.

The steps of the loop get the few arrays they read one by one: a call that passes a whole layout costs more than most
of them do.
"""

from __future__ import annotations

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.kernel import inlined, lean, prefetch
from watchword.structures.auto.layout import (
    BITMAP,
    CODES,
    COLUMN_COLUMNS,
    DATA,
    DATA_END,
    DIMENSION,
    ENTRIES,
    EXPRESSIONS,
    FIRST_CODE,
    FURTHER,
    HAS_PROGRAM,
    HIGH,
    INNER_HIGH,
    INNER_LOW,
    KIND,
    LOW,
    ONES,
    PACKED,
    PAIRS,
    PLAIN,
    POINT_BLOCKS,
    RANGE_BLOCKS,
    RECORD_HEAD,
    ROWS,
    SETS_MASK,
    SETS_SHIFT,
    SIMPLE_MASK,
    SIMPLE_WORDS,
    U16,
    U64,
    Layout,
    Words,
)
from watchword.structures.auto.look_up import CHUNK, look_up, look_up_keys
from watchword.structures.auto.verify import (
    FULL,
    WAITING,
    State,
    all_alive,
    and_rows_of_several,
    emit_all,
    emit_bits,
    emit_verified,
    holds_any,
    match_ranges,
    verify_rest,
)
from watchword.structures.event_values import forget_values, set_values
from watchword.structures.structure import CANDIDATES, U32


@lean
def match_events(layout: Layout, events: CodedEvents, first: int, starts: I64, state: State) -> int:
    """Match events from `first` on; the event at which `out` was full, or their number."""
    value, out = state.value, state.out
    event_starts, dimensions, codes, several = events.starts, events.dimension, events.code, events.several
    directory, eq_starts, words, ranges = layout.directory, layout.eq_starts, layout.words, layout.ranges
    singles, keys, lists = state.singles, state.keys, state.lists
    total = event_starts[len(event_starts) - 1]
    for e in range(first, len(event_starts) - 1):
        begin, end = event_starts[e], event_starts[e + 1]
        many = several[e] != 0
        if many:
            set_values(state, events, e)
        else:
            for i in range(begin, end):
                value[dimensions[i]] = codes[i]
        n = starts[e]
        state.waiting[0] = 0
        i = begin
        while i < end and n != FULL:
            last = min(i + CHUNK, end)
            single_count, key_count, found = look_up(
                directory, words, ranges, eq_starts, dimensions, codes, i, last, total, singles, keys, lists
            )
            found = look_up_keys(eq_starts, words, keys, key_count, lists, found)
            n = _singles(ranges, singles, single_count, n, out)
            for k in range(found):
                if n == FULL:
                    break
                n = _records(layout, words, value, out, lists[k, 0], lists[k, 1], e, n, many, state)
            while i < last and n != FULL:
                d = dimensions[i]
                if directory[d, POINT_BLOCKS] < directory[d + 1, POINT_BLOCKS]:
                    n = _blocks(layout, directory, d, codes[i], e, n, many, state)
                i += 1
        if n != FULL and state.waiting[0] > 0:
            n = _bitmaps(layout, e, n, many, state)
        for i in range(begin, end):
            value[dimensions[i]] = 0
        if many:
            forget_values(state, events, e)
        if n == FULL:
            return e
        starts[e + 1] = n
    return len(event_starts) - 1


@inlined
def _singles(ranges: Words, singles: I64, count: int, n: int, out: U32) -> int:
    for k in range(count):
        first, last, code = singles[k, 0], singles[k, 1], singles[k, 2]
        if n + last - first > len(out):
            n = FULL
            break
        for i in range(first, last):
            out[n] = i
            n += (ranges[i, 0] <= code) & (code <= ranges[i, 1])
    return n


@inlined
def _records(
    layout: Layout, words: Words, value: Words, out: U32, p: int, q: int, e: int, n: int, many: bool, state: State
) -> int:
    if n + (q - p) // RECORD_HEAD > len(out):
        n = FULL
        p = q
    verified = 0
    while p < q:
        verified += 1
        head = np.int64(words[p])
        at = p + RECORD_HEAD
        holds = True
        if head & ONES:
            rest = at + (head & SIMPLE_MASK)
            while at < rest:
                if value[words[at]] != 1 and not (many and holds_any(state, words[at], 1, 1)):
                    holds = False
                    break
                at += 1
        else:
            rest = at + SIMPLE_WORDS * (head & SIMPLE_MASK)
            while at < rest:
                v = value[words[at]]
                low, high = words[at + 1], words[at + 2]
                if (v < low or v > high) and not (many and holds_any(state, words[at], low, high)):
                    holds = False
                    break
                at += SIMPLE_WORDS
        after = rest
        if head & FURTHER:
            after += 3 * ((head >> SETS_SHIFT) & SETS_MASK) + (2 if head & HAS_PROGRAM else 0)
        if holds:
            expression = np.int64(words[p + 1]) | np.int64(words[p + 2]) << 16
            if not head & FURTHER or verify_rest(layout, head, rest, expression, e, state):
                out[n] = expression
                n += 1
        p = after
    state.counts[CANDIDATES] += verified
    return n


@inlined
def _blocks(layout: Layout, directory: I32, d: int, code: int, e: int, n: int, many: bool, state: State) -> int:
    """Visit the blocks of the dimension that may hold for the code. Bitmap blocks wait, to be matched together."""
    blocks, value, out, waiting = layout.blocks, state.value, state.out, state.waiting
    b = _first_point_block(blocks, np.int64(directory[d, POINT_BLOCKS]), np.int64(directory[d, RANGE_BLOCKS]), code)
    while b < directory[d + 1, POINT_BLOCKS] and n != FULL:
        if code < blocks[b, LOW] or code > blocks[b, HIGH]:
            b = max(b + 1, np.int64(directory[d, RANGE_BLOCKS])) if b < directory[d, RANGE_BLOCKS] else b + 1
            continue
        kind, entries, data = blocks[b, KIND], blocks[b, ENTRIES], blocks[b, DATA]
        first = np.int64(blocks[b, EXPRESSIONS])
        if kind == BITMAP:
            prefetch(layout.columns, COLUMN_COLUMNS * np.int64(data))
            waiting[0] += 1
            waiting[waiting[0]] = b
            if waiting[0] == WAITING:
                n = _bitmaps(layout, e, n, many, state)
        elif kind == PACKED:
            end = np.int64(blocks[b, DATA_END])
            n = _records(layout, layout.words, value, out, np.int64(data), end, e, n, many, state)
        elif n + entries + 8 > len(out):
            n = FULL
        elif blocks[b, INNER_LOW] <= code <= blocks[b, INNER_HIGH]:
            n = emit_all(first, entries, n, out)
        else:
            n = match_ranges(layout.ranges, data, entries, code, first, n, out)
        b += 1
    return n


@lean
def _bitmaps(layout: Layout, e: int, n: int, many: bool, state: State) -> int:
    """Match the bitmap blocks that wait, asking memory for the later ones meanwhile: columns, then pairs, then rows."""
    blocks, columns, rows, pairs = layout.blocks, layout.columns, layout.rows, layout.pairs
    value, out, alive, waiting = state.value, state.out, state.alive, state.waiting
    count = waiting[0]
    waiting[0] = 0
    for i in range(-2, count):
        if i + 3 <= count:
            b = waiting[i + 3]
            _ask_for_pairs(pairs, columns, value, blocks[b, DATA], blocks[b, DATA_END])
        if 0 <= i + 1 < count:
            b = waiting[i + 2]
            _ask_for_rows(rows, pairs, columns, value, blocks[b, ENTRIES], blocks[b, DATA], blocks[b, DATA_END])
        if i < 0:
            continue
        b = waiting[i + 1]
        entries = blocks[b, ENTRIES]
        if n + entries + 8 > len(out):
            return FULL
        state.counts[CANDIDATES] += entries
        if many:
            some = and_rows_of_several(layout, b, state)
        else:
            some = _and_rows(rows, pairs, columns, value, alive, entries, blocks[b, DATA], blocks[b, DATA_END])
        if some and blocks[b, PLAIN]:
            n = emit_bits(alive, entries, np.int64(blocks[b, EXPRESSIONS]), n, out)
        elif some:
            n = emit_verified(layout, b, e, n, state)
    return n


@lean
def _ask_for_pairs(pairs: U16, columns: I32, value: Words, first: int, last: int) -> None:
    for c in range(first, last):
        place = np.int64(value[columns[c, DIMENSION]]) - columns[c, FIRST_CODE]
        if 0 <= place < columns[c, CODES]:
            prefetch(pairs, np.int64(columns[c, PAIRS] + 2 * place))


@lean
def _ask_for_rows(rows: U64, pairs: U16, columns: I32, value: Words, entries: int, first: int, last: int) -> None:
    width = (np.int64(entries) + 63) >> 6
    for c in range(first, last):
        place = np.int64(value[columns[c, DIMENSION]]) - columns[c, FIRST_CODE]
        row = np.int64(columns[c, ROWS])
        if 0 <= place < columns[c, CODES]:
            pair = columns[c, PAIRS] + 2 * place
            prefetch(rows, row + width * np.int64(pairs[pair]))
            prefetch(rows, row + width * np.int64(pairs[pair + 1]))
        else:
            prefetch(rows, row)


@lean
def _first_point_block(blocks: I32, low: int, high: int, code: int) -> int:
    """The first block of this code, or the first range block."""
    last = high
    while low < high:
        middle = (low + high) >> 1
        if blocks[middle, LOW] < code:
            low = middle + 1
        else:
            high = middle
    return low if low < last and blocks[low, LOW] == code else last


@lean
def _and_rows(
    rows: U64, pairs: U16, columns: I32, value: Words, alive: U64, entries: int, first: int, last: int
) -> bool:
    """The entries of a bitmap block that no value of the event refutes, as bits in `alive`; are there any?"""
    width = all_alive(entries, alive)
    if width == 8:
        return _and_wide_rows(rows, pairs, columns, value, alive, first, last)
    for c in range(first, last):
        place = np.int64(value[columns[c, DIMENSION]]) - columns[c, FIRST_CODE]
        row = other = np.int64(columns[c, ROWS])
        if 0 <= place < columns[c, CODES]:
            pair = columns[c, PAIRS] + 2 * place
            row += width * np.int64(pairs[pair])
            other += width * np.int64(pairs[pair + 1])
        some = np.uint64(0)
        for j in range(width):
            alive[j] &= rows[row + j] & rows[other + j]
            some |= alive[j]
        if some == 0:
            return False
    return True


@lean
def _and_wide_rows(rows: U64, pairs: U16, columns: I32, value: Words, alive: U64, first: int, last: int) -> bool:
    """As above for rows of eight words, which stay in registers."""
    a, b, c, d, e, f, g, h = alive[0], alive[1], alive[2], alive[3], alive[4], alive[5], alive[6], alive[7]
    for k in range(first, last):
        place = np.int64(value[columns[k, DIMENSION]]) - columns[k, FIRST_CODE]
        p = q = np.uint64(columns[k, ROWS])
        if 0 <= place < columns[k, CODES]:
            pair = columns[k, PAIRS] + 2 * place
            p += np.uint64(8) * np.uint64(pairs[pair])
            q += np.uint64(8) * np.uint64(pairs[pair + 1])
        a &= rows[p] & rows[q]
        b &= rows[p + np.uint64(1)] & rows[q + np.uint64(1)]
        c &= rows[p + np.uint64(2)] & rows[q + np.uint64(2)]
        d &= rows[p + np.uint64(3)] & rows[q + np.uint64(3)]
        e &= rows[p + np.uint64(4)] & rows[q + np.uint64(4)]
        f &= rows[p + np.uint64(5)] & rows[q + np.uint64(5)]
        g &= rows[p + np.uint64(6)] & rows[q + np.uint64(6)]
        h &= rows[p + np.uint64(7)] & rows[q + np.uint64(7)]
        if a | b | c | d | e | f | g | h == 0:
            return False
    alive[0], alive[1], alive[2], alive[3], alive[4], alive[5], alive[6], alive[7] = a, b, c, d, e, f, g, h
    return True
