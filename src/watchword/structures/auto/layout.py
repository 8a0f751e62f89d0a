"""The arrays of `auto`, as they are saved, mapped and read by its kernels.

    event value (dimension, code)
      |-- point lists   eq_starts[...] -> words: record record record ...      few entries under one code
      |-- point blocks  blocks whose key is just this code                     many entries under one code
      '-- range blocks  blocks whose keys all lie in low .. high               entries under intervals

    record   [simple | sets << 8 | program << 13 | repeated << 14] [expression, 2 words]
             (dimension, low, high) per simple condition, (dimension, number in `sets`, 2 words) per other one,
             [program, 2 words]
    PACKED block   records, side by side
    RANGES block   entries with no condition but their key: low[], high[]
    BITMAP block   up to 512 entries as bits. Per column (a dimension that some entry asks about) and code a row of
                   bits: which entries the code does not refute. An event's matches are the AND of one row per column.

    column   codes low .. low + size - 1 have a pair of rows each (the bits that are in both); any other code, also
             MISSING, has row 0: the entries that do not ask about the dimension.

A gap between two constants mostly satisfies just the conditions that both its neighbours satisfy: hence pairs, which
halve the rows. Words are 16 bits wide where all dimensions and codes fit, 32 otherwise.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.values import I32, I64, U8

PACKED: Final = 0
RANGES: Final = 1
BITMAP: Final = 2

BLOCK_ENTRIES: Final = 512
SIMPLE_MASK: Final = 255
SETS_SHIFT: Final = 8
SETS_MASK: Final = 31
HAS_PROGRAM: Final = 1 << 13
REPEATED: Final = 1 << 14
RECORD_HEAD: Final = 3

Words = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
U32 = npt.NDArray[np.uint32]
U16 = npt.NDArray[np.uint16]
U64 = npt.NDArray[np.uint64]


class Tests(NamedTuple):
    """Conditions that are not plain intervals, or that programs use; sets of intervals; programs."""

    dimension: I32
    low: I32
    high: I32
    mode: U8
    set_of: I32
    set_starts: I64
    set_low: I32
    set_high: I32
    instructions: I32  # (test, if true, if false)


class Blocks(NamedTuple):
    starts: I64  # dimension -> its blocks: first those of points, by code, then those of ranges
    ranges: I64  # dimension -> the first of its range blocks
    low: I32
    high: I32
    inner_low: I32  # every key of the block holds for the codes inner_low .. inner_high
    inner_high: I32
    kind: U8
    count: I32
    data: I64  # PACKED: first word; RANGES: first range; BITMAP: first column
    end: I64  # PACKED: after its last word; BITMAP: after its last column
    expressions: I64  # RANGES, plain BITMAP: its first expression, the others follow; else where its list begins
    plain: U8  # BITMAP: no entry has a program or is repeated
    programs: I64  # BITMAP: where its programs begin, or -1
    repeated: I64  # BITMAP: the row of its repeated entries, or -1


class Columns(NamedTuple):
    dimension: I32
    mode: U8
    low: I32
    size: I32
    pairs: I64  # two row numbers for each code
    rows: I64  # where its row 0 begins


class Layout(NamedTuple):
    eq_base: I64  # dimension -> its first list, -1 where it has none
    eq_low: I32  # dimension -> the first and the last code that have a list
    eq_high: I32
    eq_starts: I64 | U32
    words: Words
    blocks: Blocks
    columns: Columns
    pairs: U16
    rows: U64
    expressions: U32
    programs: I32
    range_low: I32
    range_high: I32
    tests: Tests
    expression_count: int
    entered_count: int  # those from here on can never be true
    any_repeated: int
