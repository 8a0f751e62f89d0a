"""What matching needs beside the look-ups: the state of a call, tests, programs, and the writing of matches."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.values import I32, I64, U8
from watchword.kernel import kernel, lean
from watchword.structures.auto.entries import ACCEPT
from watchword.structures.auto.layout import (
    CODES,
    DATA,
    DATA_END,
    DIMENSION,
    ENTRIES,
    EXPRESSIONS,
    FIRST_CODE,
    HAS_PROGRAM,
    MODE,
    PAIRS,
    PROGRAMS,
    REPEATED,
    REPEATED_ROW,
    ROWS,
    SETS_MASK,
    SETS_SHIFT,
    U64,
    Layout,
    Words,
)
from watchword.structures.auto.look_up import CHUNK
from watchword.structures.event_values import condition_holds
from watchword.structures.structure import COUNTS, U32

FULL: Final = -1
WAITING: Final = 255  # bitmap blocks found before they are matched

# The places of the bits of a byte, and how many there are.
_PLACES: Final = np.array([([k for k in range(8) if b >> k & 1] + [0] * 8)[:8] for b in range(256)], np.uint8)
_COUNTS: Final = np.array([b.bit_count() for b in range(256)], np.uint8)


class State(NamedTuple):
    """What one call of the kernel works with."""

    value: Words  # dimension -> the event's code (its first one, where it has several)
    first: I64  # dimension -> its codes, where some event of the batch has several on a dimension
    last: I64
    flags: U8  # dimension -> LIST_ALL or SET_ALL: which bit of a condition's mode concerns it
    code: I32  # the codes of all events
    seen: I32  # expression -> 1 + the last event it was found for (where some expressions are repeated)
    out: U32
    singles: I64  # what a few codes lead to (see `look_up`): ranges, and the code
    keys: I64  # keys of point lists, and where those are counted from
    lists: I64  # the first and last word of each list
    waiting: I64  # how many bitmap blocks the event still has to match, and which
    alive: U64  # the bits of the block at hand
    joined: U64  # a row made of several
    counts: I64


@lean
def holds_any(state: State, dimension: int, low: int, high: int) -> bool:
    for i in range(state.first[dimension], state.last[dimension]):
        if low <= state.code[i] <= high:
            return True
    return False


@lean
def _run_program(layout: Layout, at: int, state: State) -> bool:
    instructions = layout.tests.instructions
    while at >= 0:
        true = condition_holds(layout.tests, np.int64(instructions[at]), state)
        at = np.int64(instructions[at + 1] if true else instructions[at + 2])
    return at == ACCEPT


@lean
def verify_rest(layout: Layout, head: int, at: int, expression: int, e: int, state: State) -> bool:
    """Of a record: conditions that are no plain intervals, the program, and whether it was found before."""
    words = layout.words
    for _ in range((head >> SETS_SHIFT) & SETS_MASK):
        if not condition_holds(layout.tests, np.int64(words[at + 1]) | np.int64(words[at + 2]) << 16, state):
            return False
        at += 3
    if head & HAS_PROGRAM and not _run_program(layout, np.int64(words[at]) | np.int64(words[at + 1]) << 16, state):
        return False
    return not head & REPEATED or _is_new(state, expression, e)


@lean
def _is_new(state: State, expression: int, e: int) -> bool:
    if state.seen[expression] == e + 1:
        return False
    state.seen[expression] = e + 1
    return True


@lean
def match_ranges(ranges: Words, at: int, count: int, code: int, first: int, n: int, out: U32) -> int:
    """The entries of a RANGES block whose interval holds the code."""
    for i in range(count):
        if ranges[at + i, 0] <= code <= ranges[at + i, 1]:
            out[n] = first + i
            n += 1
    return n


@lean
def emit_all(first: int, count: int, n: int, out: U32) -> int:
    for i in range(count):
        out[n + i] = first + i
    return n + count


@lean
def all_alive(count: int, alive: U64) -> int:
    """Set the bits of that many entries; how many words they take."""
    width = (count + 63) >> 6
    for j in range(width):
        alive[j] = ~np.uint64(0)
    if count & 63:
        alive[width - 1] = (np.uint64(1) << np.uint64(count & 63)) - np.uint64(1)
    return width


@lean
def emit_bits(alive: U64, count: int, first: int, n: int, out: U32) -> int:
    """Write the entries that are alive: expressions first, first + 1, ... (`out` has room for 8 more than there are).

    Of eight writes at a time the first few count: cheaper than asking how many.
    """
    for j in range((count + 63) >> 6):
        bits = alive[j]
        at = first + 64 * j
        while bits != 0:
            byte = np.int64(bits & np.uint64(255))
            for k in range(8):
                out[n + k] = at + _PLACES[byte, k]
            n += _COUNTS[byte]
            bits >>= np.uint64(8)
            at += 8
    return n


@lean
def emit_verified(layout: Layout, b: int, e: int, n: int, state: State) -> int:
    """Write the entries that are alive and pass what their bits do not tell."""
    at = np.int64(layout.blocks[b, EXPRESSIONS])
    for j in range((layout.blocks[b, ENTRIES] + 63) >> 6):
        bits, entry = state.alive[j], 64 * j
        while bits != 0:
            byte = np.int64(bits & np.uint64(255))
            for k in range(_COUNTS[byte]):
                place = entry + _PLACES[byte, k]
                expression = np.int64(layout.expressions[at + place])
                if _verify_entry(layout, b, place, expression, e, state):
                    state.out[n] = expression
                    n += 1
            bits >>= np.uint64(8)
            entry += 8
    return n


@lean
def _verify_entry(layout: Layout, b: int, entry: int, expression: int, e: int, state: State) -> bool:
    programs, repeated = layout.blocks[b, PROGRAMS], layout.blocks[b, REPEATED_ROW]
    if programs >= 0:
        program = np.int64(layout.programs[programs + entry])
        if program >= 0 and not _run_program(layout, program, state):
            return False
    if repeated >= 0 and layout.rows[repeated + (entry >> 6)] >> np.uint64(entry & 63) & np.uint64(1):
        return _is_new(state, expression, e)
    return True


@lean
def and_rows_of_several(layout: Layout, b: int, state: State) -> bool:
    """The entries of a bitmap block that an event with several codes on a dimension leaves alive.

    A column's row is the OR of its codes' rows, or their AND where all codes must satisfy the conditions.
    """
    columns, rows, pairs, alive, joined = layout.columns, layout.rows, layout.pairs, state.alive, state.joined
    width = all_alive(layout.blocks[b, ENTRIES], alive)
    for c in range(layout.blocks[b, DATA], layout.blocks[b, DATA_END]):
        d = columns[c, DIMENSION]
        all_must = state.flags[d] & columns[c, MODE] != 0
        first, last = state.first[d], max(state.last[d], state.first[d] + 1)
        for i in range(first, last):
            # without any code the attribute is missing, and `value` says so
            code = np.int64(state.code[i]) if state.last[d] > first else np.int64(state.value[d])
            place = code - columns[c, FIRST_CODE]
            row = other = np.int64(columns[c, ROWS])
            if 0 <= place < columns[c, CODES]:
                pair = columns[c, PAIRS] + 2 * place
                row += width * np.int64(pairs[pair])
                other += width * np.int64(pairs[pair + 1])
            for j in range(width):
                both = rows[row + j] & rows[other + j]
                if i == first:
                    joined[j] = both
                elif all_must:
                    joined[j] &= both
                else:
                    joined[j] |= both
        some = np.uint64(0)
        for j in range(width):
            alive[j] &= joined[j]
            some |= alive[j]
        if some == 0:
            return False
    return True


@kernel
def drop_repetitions(starts: I64, out: U32, several: U8) -> None:
    """Keep each expression once per event, in place: several values of an event may lead to the same one."""
    kept, begin = 0, 0
    for e in range(len(several)):
        end = starts[e + 1]
        if several[e] != 0:
            out[begin:end].sort()
        for i in range(begin, end):
            if several[e] == 0 or i == begin or out[i] != out[i - 1]:
                out[kept] = out[i]
                kept += 1
        starts[e + 1] = kept
        begin = end


def new_state(layout: Layout) -> State:
    """For events with one code per dimension, of a layout without repeated expressions."""
    none = np.zeros(0, np.int64)
    return State(
        value=np.zeros(len(layout.directory) - 1, layout.words.dtype),
        first=none,
        last=none,
        flags=np.zeros(0, np.uint8),
        code=np.zeros(0, np.int32),
        seen=np.zeros(0, np.int32),
        out=np.empty(0, np.uint32),
        singles=np.zeros((CHUNK + 1, 3), np.int64),
        keys=np.zeros((CHUNK + 1, 2), np.int64),
        lists=np.zeros((2 * CHUNK + 1, 2), np.int64),
        waiting=np.zeros(1 + WAITING, np.int64),
        alive=np.zeros(8, np.uint64),
        joined=np.zeros(8, np.uint64),
        counts=np.zeros(COUNTS, np.int64),
    )
