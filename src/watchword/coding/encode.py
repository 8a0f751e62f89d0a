"""Cells of events to codes, once per batch and segment.

    event e: codes starts[e] .. starts[e + 1]; first the constant dimension's, then dimension by dimension
    several[e]: does some attribute of the event have more than one value (a list, a set, a range)?

Codes of one dimension stand together. A value that a later cell of the same attribute replaces keeps its place,
with code MISSING.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.coding.cells import LIST, RANGE, SET, Cells, RawCells
from watchword.coding.codebook import (
    CONSTANT_DIMENSION,
    EMPTY_LIST,
    EMPTY_SET,
    MISSING,
    OTHER_CODE,
    REVERSED,
    Codebook,
    code_of,
)
from watchword.coding.encode_patterns import Derived, PatternCoder
from watchword.coding.encode_range import codes_of_range
from watchword.coding.values import EMPTY, I32, I64, TEXT, U8
from watchword.kernel import kernel


class CodedEvents(NamedTuple):
    starts: I64
    dimension: I32
    code: I32
    flags: U8  # LIST, SET of the cell
    several: U8


class Codes(NamedTuple):
    """Growing output."""

    dimension: I32
    code: I32
    flags: U8


def encode(cells: Cells, book: Codebook, patterns: PatternCoder, local_attribute: I32) -> CodedEvents:
    """`local_attribute` maps the index's attribute numbers to the segment's, -1 for those it does not use."""
    raw = cells.raw()
    coded = _encode(raw, book, local_attribute, patterns.derive(raw, local_attribute))
    for event in cells.errors:
        # an event that could not be read has no values: without the constant dimension's code it meets nothing
        coded.code[coded.starts[event]] = MISSING
    return coded


@kernel
def _encode(cells: RawCells, book: Codebook, local_attribute: I32, derived: Derived) -> CodedEvents:
    events = len(cells.starts) - 1
    capacity = events + len(cells.attribute) + len(derived.cell) + 16
    out = Codes(np.empty(capacity, np.int32), np.empty(capacity, np.int32), np.empty(capacity, np.uint8))
    starts, several = np.zeros(events + 1, np.int64), np.zeros(events, np.uint8)
    begun = np.full(len(book.plain), -1, np.int64)  # attribute -> where its last codes begin
    n = 0
    d = 0
    for e in range(events):
        if n == len(out.code):
            out = _grow(out, n + 1)
        out.dimension[n], out.code[n], out.flags[n] = CONSTANT_DIMENSION, 1, 0
        first = n
        n += 1
        c = cells.starts[e]
        while c < cells.starts[e + 1]:
            end = _end_of_attribute(cells, c, cells.starts[e + 1])
            number = cells.attribute[c]
            local = local_attribute[number] if number < len(local_attribute) else -1
            if local >= 0:
                if begun[local] > first:
                    _forget(book, local, begun[local], n, out)
                begun[local] = n
                if cells.flags[c] != 0:
                    several[e] = 1
                n, out = _encode_plain(cells, book, book.plain[local], c, end, n, out)
                for k in range(book.derived_starts[local], book.derived_starts[local + 1]):
                    if book.transform[book.derived[k]] == REVERSED:
                        n, out = _encode_reversed(cells, book, book.derived[k], c, end, n, out)
                while d < len(derived.cell) and derived.cell[d] < end:
                    if n == len(out.code):
                        out = _grow(out, n + 1)
                    out.dimension[n], out.code[n], out.flags[n] = (
                        derived.dimension[d],
                        derived.code[d],
                        derived.flags[d],
                    )
                    n += 1
                    d += 1
            c = end
        starts[e + 1] = n
    return CodedEvents(starts, out.dimension[:n], out.code[:n], out.flags[:n], several)


@kernel
def _grow(out: Codes, room: int) -> Codes:
    size = max(room, 2 * len(out.code))
    dimension, code, flags = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.uint8)
    used = len(out.code)
    dimension[:used] = out.dimension
    code[:used] = out.code
    flags[:used] = out.flags
    return Codes(dimension, code, flags)


@kernel
def _end_of_attribute(cells: RawCells, c: int, last: int) -> int:
    """Where the cells of this value end: one cell, or all elements of a list, set or range."""
    end = c + 1
    if cells.flags[c] != 0:
        while end < last and cells.attribute[end] == cells.attribute[c] and cells.flags[end] != 0:
            end += 1
    return end


@kernel
def _forget(book: Codebook, local: int, begin: int, end: int, out: Codes) -> None:
    for i in range(begin, end):
        if book.attribute[out.dimension[i]] == local:
            out.code[i] = MISSING


@kernel
def _encode_plain(
    cells: RawCells, book: Codebook, dimension: int, c: int, end: int, n: int, out: Codes
) -> tuple[int, Codes]:
    while c < end:
        flags = cells.flags[c] & (LIST | SET)
        if n + 1 >= len(out.code):
            out = _grow(out, n + 2)
        if cells.flags[c] & RANGE:
            low, high, more = codes_of_range(
                book, dimension, c, cells.flags, cells.kind, cells.bits, cells.length, cells.text
            )
            if n + high - low + 2 >= len(out.code):
                out = _grow(out, n + high - low + 3)
            for code in range(low, high + 1):
                out.dimension[n], out.code[n], out.flags[n] = dimension, code, flags
                n += 1
            if more >= 0:
                out.dimension[n], out.code[n], out.flags[n] = dimension, more, flags
                n += 1
            c += 2
            continue
        if cells.kind[c] == EMPTY:
            code = EMPTY_LIST if flags & LIST else EMPTY_SET
        else:
            code = code_of(book, dimension, cells.kind[c], cells.bits[c], cells.text, cells.length[c], False)
        out.dimension[n], out.code[n], out.flags[n] = dimension, code, flags
        n += 1
        c += 1
    return n, out


@kernel
def _encode_reversed(
    cells: RawCells, book: Codebook, dimension: int, c: int, end: int, n: int, out: Codes
) -> tuple[int, Codes]:
    if n + end - c >= len(out.code):
        out = _grow(out, n + end - c + 1)
    for i in range(c, end):
        flags = cells.flags[i] & (LIST | SET)
        code = OTHER_CODE
        if cells.kind[i] == EMPTY:
            code = EMPTY_LIST if flags & LIST else EMPTY_SET
        elif cells.kind[i] == TEXT and not cells.flags[i] & RANGE:
            code = code_of(book, dimension, TEXT, cells.bits[i], cells.text, cells.length[i], True)
        out.dimension[n], out.code[n], out.flags[n] = dimension, code, flags
        n += 1
    return n, out
