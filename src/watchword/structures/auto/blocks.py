"""Blocks: entries of large groups, cut into chunks that are skipped, taken or verified together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64, U8
from watchword.structures.auto.asked import POINT, SINGLE, Asked, Rest
from watchword.structures.auto.bitmap import Bitmap, build_bitmap
from watchword.structures.auto.entries import NO_PROGRAM, Entries
from watchword.structures.auto.layout import (
    BITMAP,
    BLOCK_COLUMNS,
    BLOCK_ENTRIES,
    CODES,
    COLUMN_COLUMNS,
    DATA,
    DATA_END,
    DIMENSION,
    ENTRIES,
    EXPRESSIONS,
    FIRST_CODE,
    HIGH,
    INNER_HIGH,
    INNER_LOW,
    KIND,
    LOW,
    MODE,
    PACKED,
    PAIRS,
    PLAIN,
    POINT_BLOCKS,
    PROGRAMS,
    RANGE_BLOCKS,
    RANGES,
    RECORD_HEAD,
    REPEATED_ROW,
    ROWS,
    U16,
    U64,
    Words,
)
from watchword.structures.structure import U32

BITMAP_ENTRIES: Final = 32  # fewer are verified one by one
CACHE_LINE: Final = 64  # bytes
BITMAP_GROWTH: Final = 3  # a bitmap may take so many times the bytes of records

F64 = npt.NDArray[np.float64]


@dataclass(slots=True)
class Chunks:
    """Entries in blocks of up to 512, in the order of `Blocks`."""

    order: I64
    starts: I64
    dimension: I64
    is_range: npt.NDArray[np.bool_]
    kind: U8
    bitmaps: dict[int, Bitmap]

    def entries(self, chunk: int) -> I64:
        return self.order[self.starts[chunk] : self.starts[chunk + 1]]

    def of_kind(self, kind: int) -> I64:
        """All entries in blocks of this kind."""
        return self.order[np.repeat(self.kind == kind, np.diff(self.starts))]


def cut(entries: Entries, rest: Rest, asked: Asked, order: I64, group_starts: I64, presence: F64, word: int) -> Chunks:
    """Cut groups of entries into chunks, and give each its kind. `word`: the bytes of a record's word."""
    sizes = np.diff(group_starts)
    per_group = -(-sizes // BLOCK_ENTRIES)
    first = starts_of(per_group)
    within = np.arange(first[-1]) - np.repeat(first[:-1], per_group)
    starts = np.append(np.repeat(group_starts[:-1], per_group) + within * BLOCK_ENTRIES, len(order))
    heads = order[starts[:-1]]
    entry_class = rest.entry_class[heads]
    chunks = Chunks(
        order=order,
        starts=starts,
        dimension=entries.key_dimension[heads].astype(np.int64),
        is_range=entry_class != POINT,
        kind=np.where(entry_class == SINGLE, RANGES, PACKED).astype(np.uint8),
        bitmaps={},
    )
    large = (np.diff(starts) >= BITMAP_ENTRIES) & (chunks.kind == PACKED)
    for chunk in np.flatnonzero(large).tolist():
        some = chunks.entries(chunk)
        conditions = int((rest.starts[some + 1] - rest.starts[some]).sum())
        record_bytes = word * (RECORD_HEAD * len(some) + 3 * conditions)
        bitmap = build_bitmap(some, asked, rest, presence, BITMAP_GROWTH * record_bytes)
        if bitmap.built:
            chunks.kind[chunk] = BITMAP
            chunks.bitmaps[chunk] = bitmap
    return chunks


@dataclass(slots=True)
class Stored:
    """Everything that blocks keep outside of records."""

    blocks: I32
    columns: I32
    pairs: U16
    rows: U64
    expressions: U32
    programs: I32
    ranges: Words


def store(chunks: Chunks, entries: Entries, directory: I32, record_offsets: I64, singles: I64, word: type) -> Stored:
    """Also enters the blocks into the directory.

    `record_offsets`: where the records of the PACKED chunks' entries begin, and where the last one ends. `singles`
    are the entries whose ranges come before those of RANGES blocks.
    """
    sizes = np.diff(chunks.starts)
    heads = chunks.order[chunks.starts[:-1]]
    columns, pairs, rows, column_starts = _store_bitmaps(chunks)
    programs, program_starts, repeated_rows, repeated_starts = _extras(chunks, entries, sum(map(len, rows)))
    plain = (program_starts < 0) & (repeated_starts < 0)
    listed = (chunks.kind == BITMAP) & ~plain
    in_packed = starts_of(np.where(chunks.kind == PACKED, sizes, 0))
    in_ranges = starts_of(np.where(chunks.kind == RANGES, sizes, 0))
    in_list = starts_of(np.where(listed, sizes, 0))
    is_packed, is_ranges = chunks.kind == PACKED, chunks.kind == RANGES
    key_low, key_high = entries.key_low[chunks.order], entries.key_high[chunks.order]
    blocks = np.zeros((len(sizes), BLOCK_COLUMNS), np.int32)
    blocks[:, LOW] = _reduce(np.minimum, key_low, chunks.starts)
    blocks[:, HIGH] = _reduce(np.maximum, key_high, chunks.starts)
    blocks[:, INNER_LOW] = _reduce(np.maximum, key_low, chunks.starts)
    blocks[:, INNER_HIGH] = _reduce(np.minimum, key_high, chunks.starts)
    blocks[:, KIND] = chunks.kind
    blocks[:, ENTRIES] = sizes
    blocks[:, PLAIN] = plain
    blocks[:, DATA] = np.select(
        [is_packed, is_ranges], [record_offsets[in_packed[:-1]], len(singles) + in_ranges[:-1]], column_starts[:-1]
    )
    blocks[:, DATA_END] = np.where(is_packed, record_offsets[in_packed[1:]], column_starts[1:])
    blocks[:, EXPRESSIONS] = np.where(listed, in_list[:-1], entries.expression[heads])
    blocks[:, PROGRAMS] = program_starts
    blocks[:, REPEATED_ROW] = repeated_starts
    dimensions = len(directory) - 1
    first = starts_of(np.bincount(chunks.dimension, minlength=dimensions))
    directory[:, POINT_BLOCKS] = first
    directory[:-1, RANGE_BLOCKS] = first[:-1] + np.bincount(chunks.dimension[~chunks.is_range], minlength=dimensions)
    ranged = np.concatenate([singles, chunks.of_kind(RANGES)])
    return Stored(
        blocks=blocks,
        columns=columns,
        pairs=_join(pairs, np.uint16),
        rows=_join([*rows, *repeated_rows], np.uint64),
        expressions=entries.expression[chunks.order[np.repeat(listed, sizes)]].astype(np.uint32),
        programs=_join(programs, np.int32),
        ranges=np.column_stack([entries.key_low[ranged], entries.key_high[ranged]]).astype(word),
    )


def _store_bitmaps(chunks: Chunks) -> tuple[I32, list[U16], list[U64], I64]:
    bitmaps = [chunks.bitmaps[chunk] for chunk in sorted(chunks.bitmaps)]
    counts = np.zeros(len(chunks.kind), np.int64)
    counts[sorted(chunks.bitmaps)] = [len(bitmap.dimension) for bitmap in bitmaps]
    column_starts = starts_of(counts)
    columns = np.zeros((int(column_starts[-1]), COLUMN_COLUMNS), np.int32)
    at = pair_base = row_base = 0
    for bitmap in bitmaps:
        some = slice(at, at + len(bitmap.dimension))
        columns[some, DIMENSION], columns[some, MODE] = bitmap.dimension, bitmap.mode
        columns[some, FIRST_CODE], columns[some, CODES] = bitmap.low, bitmap.size
        width = len(bitmap.rows) // max(1, int(bitmap.row_starts[-1]))
        columns[some, PAIRS] = pair_base + bitmap.pair_starts[:-1]
        columns[some, ROWS] = row_base + width * bitmap.row_starts[:-1]
        at, pair_base, row_base = some.stop, pair_base + len(bitmap.pairs), row_base + len(bitmap.rows)
    return columns, [bitmap.pairs for bitmap in bitmaps], [bitmap.rows for bitmap in bitmaps], column_starts


def _extras(chunks: Chunks, entries: Entries, row_words: int) -> tuple[list[I32], I64, list[U64], I64]:
    """Programs of bitmap entries, and rows that mark the repeated ones, for the blocks that have any."""
    programs: list[I32] = []
    rows: list[U64] = []
    program_starts = np.full(len(chunks.kind), -1, np.int64)
    row_starts = np.full(len(chunks.kind), -1, np.int64)
    program_count = 0
    for chunk in sorted(chunks.bitmaps):
        some = chunks.entries(chunk)
        own = entries.program[some]
        if (own != NO_PROGRAM).any():
            program_starts[chunk] = program_count
            programs.append(own)
            program_count += len(own)
        repeated = entries.repeated[some]
        if repeated.any():
            bits = np.zeros(-(-len(some) // 64) * 64, np.uint8)
            bits[: len(some)] = repeated
            row = np.packbits(bits, bitorder="little").view(np.uint64)
            row_starts[chunk] = row_words
            rows.append(row)
            row_words += len(row)
    return programs, program_starts, rows, row_starts


def _reduce(how: np.ufunc, values: I32, starts: I64) -> I32:
    reduced: I32 = how.reduceat(values, starts[:-1]) if len(starts) > 1 else values[:0]
    return reduced


def _join(arrays: Sequence[npt.NDArray[Any]], dtype: type) -> npt.NDArray[Any]:
    """In memory that begins with a cache line, so that a row of 64 bytes is one of them."""
    size = sum(map(len, arrays))
    raw = np.empty(size * np.dtype(dtype).itemsize + CACHE_LINE, np.uint8)
    begin = -raw.ctypes.data % CACHE_LINE
    joined: npt.NDArray[Any] = raw[begin : begin + size * np.dtype(dtype).itemsize].view(dtype)
    return np.concatenate(arrays, out=joined) if arrays else joined
