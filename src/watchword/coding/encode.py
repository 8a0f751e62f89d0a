"""Cells of events to codes, once per batch and segment.

    event e: codes starts[e] .. starts[e + 1]; first the constant dimension's, then dimension by dimension
    several[e]: does some attribute of the event have more than one value (a list, a set, a range)?

Codes of one dimension stand together. A value that a later cell of the same attribute replaces keeps its place,
with code MISSING.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.cells import LIST, RANGE, SET, Cells, RawCells
from watchword.coding.codebook import (
    CONSTANT_DIMENSION,
    EMPTY_LIST,
    EMPTY_SET,
    MISSING,
    NEAR_COLUMNS,
    NEAR_DERIVED,
    NEAR_DIMENSION,
    NEAR_SPAN,
    OTHER_CODE,
    REVERSED,
    Codebook,
    code_of,
    code_of_near,
)
from watchword.coding.encode_patterns import Derived, PatternCoder
from watchword.coding.encode_range import codes_of_range
from watchword.coding.text_coder import TextCoder
from watchword.coding.values import EMPTY, I32, I64, INT, TEXT, U8
from watchword.kernel import lean, prefetch

AHEAD: Final = 8  # cells: about as long as memory takes to answer


class CodedEvents(NamedTuple):
    starts: I64
    dimension: I32
    code: I32
    flags: U8  # LIST, SET of the cell
    several: U8


class _Out(NamedTuple):
    """Columns large enough for all codes that may come."""

    starts: I64
    dimension: I32
    code: I32
    flags: U8
    several: U8
    begun: I64  # attribute -> where its last codes begin: never at 0, where the constant dimension's code is


def encode(cells: Cells, book: Codebook, patterns: PatternCoder, texts: TextCoder, local_attribute: I32) -> CodedEvents:
    """`local_attribute` maps the index's attribute numbers to the segment's, -1 for those it does not use."""
    raw = cells.raw()
    derived = texts.derive(cells, local_attribute, patterns.derive(raw, local_attribute))
    size = _most_codes(raw, book, patterns.most_derived, derived, local_attribute)
    out = _Out(
        np.zeros(len(cells) + 1, np.int64),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.uint8),
        np.zeros(len(cells), np.uint8),
        np.zeros(len(book.plain), np.int64),
    )
    used = _encode(raw, book, local_attribute, derived, out)
    for event in cells.errors:
        # an event that could not be read has no values: without the constant dimension's code it meets nothing
        out.code[out.starts[event]] = MISSING
    return CodedEvents(out.starts, out.dimension[:used], out.code[:used], out.flags[:used], out.several)


def _most_codes(cells: RawCells, book: Codebook, most_derived: int, derived: Derived, local_attribute: I32) -> int:
    first, last = int(cells.starts[0]), int(cells.starts[-1])
    size = len(cells.starts) + (last - first) * (1 + most_derived) + len(derived.cell)
    flags = cells.flags[first:last]
    if flags.any() and (flags & RANGE).any():  # a range may cover every code of its dimension
        ranges = first + np.flatnonzero(flags & RANGE)
        known = cells.attribute[ranges][cells.attribute[ranges] < len(local_attribute)]
        local = local_attribute[known]
        size += int(book.codes[book.plain[local[local >= 0]]].sum()) + 2 * len(ranges)
    return size


@lean
def _encode(cells: RawCells, book: Codebook, local_attribute: I32, derived: Derived, out: _Out) -> int:
    starts, attribute, cell_flags, kind = cells.starts, cells.attribute, cells.flags, cells.kind
    dimension, out_code, flags, begun = out.dimension, out.code, out.flags, out.begun
    bits, near, derived_starts = cells.bits, book.near, book.derived_starts
    total = starts[len(starts) - 1]
    n = 0
    d = 0
    for e in range(len(starts) - 1):
        dimension[n], out_code[n], flags[n] = CONSTANT_DIMENSION, 1, 0
        first = n
        n += 1
        c = starts[e]
        while c < starts[e + 1]:
            if c + AHEAD < total and attribute[c + AHEAD] < len(local_attribute):
                prefetch(near, NEAR_COLUMNS * np.int64(local_attribute[attribute[c + AHEAD]]))
            number = attribute[c]
            local = local_attribute[number] if number < len(local_attribute) else -1
            end = c + 1
            if cell_flags[c] != 0:
                end = _end_of_attribute(attribute, cell_flags, c, starts[e + 1])
            if local >= 0:
                if begun[local] > first:
                    _forget(book.attribute, local, begun[local], n, out)
                begun[local] = n
                plain = near[local, NEAR_DIMENSION]
                if cell_flags[c] != 0:
                    out.several[e] = 1
                    n = _encode_several(cells, book, plain, c, end, n, out)
                else:
                    if kind[c] == INT and near[local, NEAR_SPAN] > 0:
                        code = code_of_near(near, local, bits[c])
                    else:
                        code = code_of(book, plain, kind[c], bits[c], cells.text, np.int64(cells.length[c]), False)
                    dimension[n], out_code[n], flags[n] = plain, code, 0
                    n += 1
                if near[local, NEAR_DERIVED]:
                    for k in range(derived_starts[local], derived_starts[local + 1]):
                        if book.transform[book.derived[k]] == REVERSED:
                            n = _encode_reversed(cells, book, book.derived[k], c, end, n, out)
                while d < len(derived.cell) and derived.cell[d] < end:
                    dimension[n], out_code[n], flags[n] = derived.dimension[d], derived.code[d], derived.flags[d]
                    n += 1
                    d += 1
            c = end
        out.starts[e + 1] = n
    return n


@lean
def _end_of_attribute(attribute: I32, flags: U8, c: int, last: int) -> int:
    """Where the elements of a list, set or range end."""
    end = c + 1
    while end < last and attribute[end] == attribute[c] and flags[end] != 0:
        end += 1
    return end


@lean
def _forget(attribute: I32, local: int, begin: int, end: int, out: _Out) -> None:
    for i in range(begin, end):
        if attribute[out.dimension[i]] == local:
            out.code[i] = MISSING


@lean
def _encode_several(cells: RawCells, book: Codebook, dimension: int, c: int, end: int, n: int, out: _Out) -> int:
    while c < end:
        flags = cells.flags[c] & (LIST | SET)
        if cells.flags[c] & RANGE:
            low, high, more = codes_of_range(
                book, dimension, c, cells.flags, cells.kind, cells.bits, cells.length, cells.text
            )
            for code in range(low, high + 1):
                out.dimension[n], out.code[n], out.flags[n] = dimension, code, flags
                n += 1
            if more >= 0:
                out.dimension[n], out.code[n], out.flags[n] = dimension, more, flags
                n += 1
            c += 2
            continue
        if cells.kind[c] == EMPTY:
            single = EMPTY_LIST if flags & LIST else EMPTY_SET
        else:
            length = np.int64(cells.length[c])
            single = code_of(book, dimension, cells.kind[c], cells.bits[c], cells.text, length, False)
        out.dimension[n], out.code[n], out.flags[n] = dimension, single, flags
        n += 1
        c += 1
    return n


@lean
def _encode_reversed(cells: RawCells, book: Codebook, dimension: int, c: int, end: int, n: int, out: _Out) -> int:
    for i in range(c, end):
        flags = cells.flags[i] & (LIST | SET)
        code = OTHER_CODE
        if cells.kind[i] == EMPTY:
            code = EMPTY_LIST if flags & LIST else EMPTY_SET
        elif cells.kind[i] == TEXT and not cells.flags[i] & RANGE:
            code = code_of(book, dimension, TEXT, cells.bits[i], cells.text, np.int64(cells.length[i]), True)
        out.dimension[n], out.code[n], out.flags[n] = dimension, code, flags
        n += 1
    return n
