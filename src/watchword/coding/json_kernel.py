"""JSON texts to cells in machine code. What is rare or doubtful is called hard and left to Python's own reader.

    {"a": 1, "b": {"c": [2, "x"]}}        cells  a: 1   b.c: 2 LIST   b.c: "x" LIST
            names inside a nested record are put together in `work.name`:   b . c

Hard are: text that may not be JSON, names with escapes, numbers that need more than 64 bits, records and lists inside
lists, a name that comes twice in a record (in JSON the last counts, and here cells were written already), and more than
the limits allow. Invariant: a row that is not hard has exactly the cells that Python's reader would give it.
Cells and decoded strings go to arrays of fixed size; where one is full, the row is taken back and the caller
returns with larger ones. Cost: O(bytes).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.attributes import NameTable, find_name
from watchword.coding.cells import LIST
from watchword.coding.hashing import hash_bytes
from watchword.coding.json_numbers import MINUS, NINE, ZERO, read_number
from watchword.coding.json_strings import NO_ROOM, NOT_TEXT, QUOTE, decode, string_end
from watchword.coding.values import BOOL, EMPTY, FLOAT, I32, I64, OTHER, TEXT, U8
from watchword.kernel import inlined, lean
from watchword.limits import EVENT_NESTING, EVENT_VALUES

# Outcomes of a row; the caller marks rows that are not to be read as SKIPPED.
READ: Final = 0
SKIPPED: Final = 1
HARD: Final = 2

_HARD: Final = -1  # instead of a position
_HARD_NAME: Final = -2  # instead of an attribute, where -1 means none

# What `Work.counts` counts.
_CELLS: Final = 0
_DECODED: Final = 1
_RECORDS: Final = 2  # nested ones, of this row
_ATTEMPT: Final = 3
_COUNTS: Final = 4

_NAME_BYTES: Final = 4096
_NESTED_RECORDS: Final = 64

_COMMA: Final = 44
_COLON: Final = 58
_POINT: Final = 46
_OPEN_RECORD: Final = 123
_CLOSE_RECORD: Final = 125
_OPEN_LIST: Final = 91
_CLOSE_LIST: Final = 93
_T: Final = 116
_F: Final = 102
_N: Final = 110


class Output(NamedTuple):
    attribute: I32
    flags: U8
    kind: U8
    bits: I64
    floats: npt.NDArray[np.float64]  # `bits` seen as floats
    length: I32
    decoded: U8  # strings that had escapes: their `bits` count on from the end of the JSON text


class Work(NamedTuple):
    counts: I64
    name: U8  # the names of the records around, a dot behind each
    prefix: I64  # how much of it belongs to each level of nesting
    records: npt.NDArray[np.uint64]  # hashes of the names of this row's nested records
    seen: I64  # attribute -> the attempt at a row that last met it


def new_work(attributes: int) -> Work:
    return Work(
        np.zeros(_COUNTS, np.int64),
        np.zeros(_NAME_BYTES, np.uint8),
        np.zeros(EVENT_NESTING + 1, np.int64),
        np.zeros(_NESTED_RECORDS, np.uint64),
        np.zeros(attributes, np.int64),
    )


@inlined
def _skip_space(text: U8, at: int, end: int) -> int:
    while at < end and (text[at] == 32 or text[at] == 10 or text[at] == 13 or text[at] == 9):
        at += 1
    return at


@lean
def _word(text: U8, at: int, end: int) -> tuple[int, int, int]:
    """The position behind true, false or null, or _HARD, and the kind and bits of the value."""
    size = end - at
    if size >= 4 and text[at] == 116 and text[at + 1] == 114 and text[at + 2] == 117 and text[at + 3] == 101:
        return at + 4, BOOL, 1
    if size >= 4 and text[at] == 110 and text[at + 1] == 117 and text[at + 2] == 108 and text[at + 3] == 108:
        return at + 4, OTHER, 0
    if size >= 5 and text[at] == 102 and text[at + 1] == 97 and text[at + 2] == 108 and text[at + 3] == 115:
        return at + 5 if text[at + 4] == 101 else _HARD, BOOL, 0
    return _HARD, OTHER, 0


@lean
def _value(text: U8, at: int, end: int, opened: bool) -> tuple[int, int, int, float, int, bool]:
    """The position behind the value at `at`, or _HARD; its kind, bits (or float) and length; are there escapes?

    `opened`: a list was opened just before, and where it closes at once, `at` stays and the kind is EMPTY.
    """
    if at >= end:
        return _HARD, OTHER, 0, 0.0, 0, False
    byte = text[at]
    if byte == QUOTE:
        close, escaped = string_end(text, at + 1, end)
        return close + 1 if close >= 0 else _HARD, TEXT, at + 1, 0.0, close - at - 1, escaped
    if byte == MINUS or ZERO <= byte <= NINE:
        after, kind, integer, floating = read_number(text, at, end)
        return after, kind, integer, floating, 0, False
    if opened and byte == _CLOSE_LIST:
        return at, EMPTY, 0, 0.0, 0, False
    after, kind, bits = _word(text, at, end)
    return after, kind, bits, 0.0, 0, False


@lean
def _opening(text: U8, at: int, end: int) -> int:
    at = _skip_space(text, at, end)
    return at + 1 if at < end and text[at] == _OPEN_RECORD else _HARD


@lean
def _next_element(text: U8, at: int, end: int) -> tuple[int, bool]:
    """From behind an element: the position of the next one, or behind the end of the list and True."""
    at = _skip_space(text, at, end)
    if at < end and text[at] == _CLOSE_LIST:
        return at + 1, True
    if at < end and text[at] == _COMMA:
        return _skip_space(text, at + 1, end), False
    return _HARD, True


@lean
def _next_name(text: U8, at: int, end: int, depth: int, opened: bool) -> tuple[int, int, int, int]:
    """From behind a value, or the opening of a record: where its value, the next name and its length are, and
    how many records are open around it (none: the event is over); _HARD as the first of them where it is."""
    at = _skip_space(text, at, end)
    while at < end and text[at] == _CLOSE_RECORD:
        opened = False
        depth -= 1
        at = _skip_space(text, at + 1, end)
        if depth == 0:
            return at if at == end else _HARD, 0, 0, 0
    if not opened:
        if at >= end or text[at] != _COMMA:
            return _HARD, 0, 0, 0
        at = _skip_space(text, at + 1, end)
    if at >= end or text[at] != QUOTE:
        return _HARD, 0, 0, 0
    start = at + 1
    close, escaped = string_end(text, start, end)
    at = _skip_space(text, close + 1, end)
    if close < 0 or escaped or at >= end or text[at] != _COLON:
        return _HARD, 0, 0, 0
    at = _skip_space(text, at + 1, end)
    return at if at < end else _HARD, start, close - start, depth


@lean
def _nested_attribute(text: U8, start: int, length: int, names: NameTable, work: Work, depth: int, opens: bool) -> int:
    """The attribute of a name at this depth, or -1; _HARD_NAME where the row is hard because of it.

    `opens`: its value is a record, whose own names it begins.
    """
    name = work.name
    prefix = work.prefix[depth]
    if prefix + length + 1 > len(name):
        return _HARD_NAME
    for i in range(length):
        name[prefix + i] = text[start + i]
    length += prefix
    records = work.counts[_RECORDS]
    name_hash = hash_bytes(name, 0, length)
    for i in range(records):
        if work.records[i] == name_hash:
            return _HARD_NAME
    if opens:
        if records == len(work.records) or depth == EVENT_NESTING:
            return _HARD_NAME
        work.records[records] = name_hash
        work.counts[_RECORDS] = records + 1
        name[length] = _POINT
        work.prefix[depth + 1] = length + 1
    return find_name(names, name, 0, length)


@lean
def read_rows(
    text: U8, offsets: I64, first: int, names: NameTable, output: Output, work: Work, outcome: U8, starts: I64
) -> int:
    """Read the rows from `first` on; the row that the output had no more room for, or the number of rows.

    One loop does the writing: passing a dozen arrays to a function for every value costs more than the value.
    """
    attributes, all_flags, kinds, all_bits, floats, lengths, decoded_text = output
    counts, seen = work.counts, work.seen
    for row in range(first, len(outcome)):
        starts[row + 1] = counts[_CELLS]
        if outcome[row] == SKIPPED:
            continue
        cell, size = counts[_CELLS], counts[_DECODED]
        counts[_RECORDS] = 0
        counts[_ATTEMPT] += 1
        values = 0
        end = offsets[row + 1]
        at = _opening(text, offsets[row], end)
        depth = 1
        opened = True
        while at >= 0:
            at, start, length, depth = _next_name(text, at, end, depth, opened)
            if at < 0 or depth == 0:
                break
            opened = text[at] == _OPEN_RECORD
            if opened or counts[_RECORDS] > 0:
                number = _nested_attribute(text, start, length, names, work, depth, opened)
            else:
                number = find_name(names, text, start, length)
            if number == _HARD_NAME or (number >= 0 and seen[number] == counts[_ATTEMPT]):
                at = _HARD
                break
            if number >= 0:
                seen[number] = counts[_ATTEMPT]
            if opened:
                depth += 1
                at += 1
                continue
            values += 1
            flags = LIST if text[at] == _OPEN_LIST else 0
            closed = False
            empty = flags == LIST
            if empty:
                at = _skip_space(text, at + 1, end)
            while at >= 0 and not closed:
                at, kind, bits, floating, length, escaped = _value(text, at, end, empty)
                values += 1
                if at >= 0 and number >= 0 and (kind != OTHER or flags == LIST):
                    if escaped:
                        start, size = size, decode(text, bits, length, decoded_text, size)
                        bits, length = len(text) + start, size - start
                    if size == NO_ROOM or cell == len(kinds):
                        return row
                    if size == NOT_TEXT:
                        at = _HARD
                        break
                    attributes[cell] = number
                    all_flags[cell] = flags
                    kinds[cell] = kind
                    all_bits[cell] = bits
                    lengths[cell] = length
                    if kind == FLOAT:
                        floats[cell] = floating
                    cell += 1
                if flags == LIST and at >= 0:
                    empty = False
                    at, closed = _next_element(text, at, end)
                else:
                    closed = True
        if at < 0 or values > EVENT_VALUES:
            outcome[row] = HARD
        else:
            starts[row + 1] = counts[_CELLS] = cell
            counts[_DECODED] = size
    return len(outcome)
