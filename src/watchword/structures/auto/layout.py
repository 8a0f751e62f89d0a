"""The arrays of `auto`, as they are saved, mapped and read by its kernels.

    event value (dimension, code) -> directory[dimension]
      |-- point list    eq_starts[...] -> words: record record record ...      few entries under one code
      |-- range list    ranges: low, high ...; words: record record ...        few entries under intervals
      |-- point blocks  blocks whose key is just this code                     many entries under one code
      '-- range blocks  blocks whose keys all lie in low .. high               many entries under intervals

    record   [simple | sets << 8 | program << 13 | repeated << 14 | ones << 15] [expression, 2 words]
             (dimension, low, high) per simple condition, (dimension, number in `sets`, 2 words) per other one,
             [program, 2 words]
             With `ones` all simple conditions ask for code 1, as the words of a text query do: only dimensions stand
             there, a third of the bytes.
    PACKED block   records, side by side
    RANGES block   entries with no condition but their key: low and high each
    BITMAP block   up to 512 entries as bits. Per column (a dimension that some entry asks about) and code a row of
                   bits: which entries the code does not refute. An event's matches are the AND of one row per column.

    column   a window of codes has a pair of rows each (the bits that are in both); any other code, also
             MISSING, has row 0: the entries that do not ask about the dimension.

A gap between two constants mostly satisfies just the conditions that both its neighbours satisfy: hence pairs, which
halve the rows. Words are 16 bits wide where all dimensions and codes fit, 32 otherwise. What is read together stands
together: a visit costs cache lines, not instructions.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.values import I32, I64, U8
from watchword.structures.structure import U32

PACKED: Final = 0
RANGES: Final = 1
BITMAP: Final = 2

BLOCK_ENTRIES: Final = 512
SIMPLE_MASK: Final = 255
SETS_SHIFT: Final = 8
SETS_MASK: Final = 31
HAS_PROGRAM: Final = 1 << 13
REPEATED: Final = 1 << 14
ONES: Final = 1 << 15
FURTHER: Final = ONES - SIMPLE_MASK - 1  # the bits of what a record has beside simple conditions
SIMPLE_WORDS: Final = 3  # of a simple condition, one where the record has ONES
RECORD_HEAD: Final = 3

Words = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
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


# The columns of `directory`: a row per dimension, half a cache line each, and one row more. What ends where the next
# dimension's begins is marked *.
EQ_BASE: Final = 0  # its list of code c begins at eq_starts[EQ_BASE + c] and ends at the next, counted from EQ_WORDS
EQ_LOW: Final = 1  # the first and the last code that have a list (low > high: none)
EQ_HIGH: Final = 2
EQ_WORDS: Final = 3
RANGE_WORDS: Final = 4  # * the records of its range list
SINGLES: Final = 5  # * the entries of its range list with no condition but their key: ranges, and their expressions
POINT_BLOCKS: Final = 6  # * its blocks: those of points, by code, then those of ranges
RANGE_BLOCKS: Final = 7
DIRECTORY_COLUMNS: Final = 8

# The columns of `blocks`: a row, one cache line, per block.
LOW: Final = 0  # all its keys lie in LOW .. HIGH
HIGH: Final = 1
INNER_LOW: Final = 2  # for the codes INNER_LOW .. INNER_HIGH all of them hold
INNER_HIGH: Final = 3
KIND: Final = 4
ENTRIES: Final = 5
PLAIN: Final = 6  # BITMAP: no entry has a program or is repeated
DATA: Final = 7  # PACKED: first word; RANGES: first range; BITMAP: first column
DATA_END: Final = 8  # PACKED: after its last word; BITMAP: after its last column
EXPRESSIONS: Final = 9  # RANGES, plain BITMAP: its first expression, the others follow; else where its list begins
PROGRAMS: Final = 10  # BITMAP: where its programs begin, or -1
REPEATED_ROW: Final = 11  # BITMAP: the row of its repeated entries, or -1
BLOCK_COLUMNS: Final = 16

# The columns of `columns`: a row per column of a bitmap block.
DIMENSION: Final = 0
MODE: Final = 1
FIRST_CODE: Final = 2
CODES: Final = 3
PAIRS: Final = 4  # two row numbers for each code
ROWS: Final = 5  # where its row 0 begins
COLUMN_COLUMNS: Final = 8


class Layout(NamedTuple):
    directory: I32
    eq_starts: U16 | I32
    words: Words
    blocks: I32
    columns: I32
    pairs: U16
    rows: U64
    expressions: U32
    programs: I32
    ranges: Words  # low, high
    tests: Tests
    expression_count: int
    entered_count: int  # those from here on can never be true
    any_repeated: int
