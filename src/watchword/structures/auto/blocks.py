"""Blocks: entries of large groups, cut into chunks that are skipped, taken or verified together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64, U8
from watchword.structures.auto.asked import POINT, SINGLE, Asked, Rest
from watchword.structures.auto.bitmap import Bitmap, build_bitmap
from watchword.structures.auto.entries import NO_PROGRAM, Entries
from watchword.structures.auto.layout import BITMAP, BLOCK_ENTRIES, PACKED, RANGES, RECORD_HEAD, Blocks, Columns

BITMAP_ENTRIES: Final = 32  # fewer are verified one by one
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

    blocks: Blocks
    columns: Columns
    pairs: npt.NDArray[np.uint16]
    rows: npt.NDArray[np.uint64]
    expressions: npt.NDArray[np.uint32]
    programs: I32
    range_low: I32
    range_high: I32


def store(chunks: Chunks, entries: Entries, dimensions: int, record_offsets: I64) -> Stored:
    """`record_offsets`: where the records of the PACKED chunks' entries begin, and where the last one ends."""
    sizes = np.diff(chunks.starts)
    first_expressions = entries.expression[chunks.order[chunks.starts[:-1]]].astype(np.int64)
    columns, pairs, rows, column_starts = _store_bitmaps(chunks)
    programs, program_starts, repeated_rows, repeated_starts = _extras(chunks, entries, sum(map(len, rows)))
    plain = (program_starts < 0) & (repeated_starts < 0)
    listed = (chunks.kind == BITMAP) & ~plain
    ranged = chunks.of_kind(RANGES)
    in_packed = starts_of(np.where(chunks.kind == PACKED, sizes, 0))
    in_ranges = starts_of(np.where(chunks.kind == RANGES, sizes, 0))
    data = np.select(
        [chunks.kind == PACKED, chunks.kind == RANGES],
        [record_offsets[in_packed[:-1]], in_ranges[:-1]],
        column_starts[:-1],
    )
    end = np.where(chunks.kind == PACKED, record_offsets[in_packed[1:]], column_starts[1:])
    by_dimension = np.bincount(chunks.dimension, minlength=dimensions)
    points = np.bincount(chunks.dimension[~chunks.is_range], minlength=dimensions)
    starts = starts_of(by_dimension)
    heads = chunks.starts[:-1]
    key_low, key_high = entries.key_low[chunks.order], entries.key_high[chunks.order]
    return Stored(
        blocks=Blocks(
            starts=starts,
            ranges=starts[:-1] + points,
            low=_reduce(np.minimum, key_low, heads),
            high=_reduce(np.maximum, key_high, heads),
            inner_low=_reduce(np.maximum, key_low, heads),
            inner_high=_reduce(np.minimum, key_high, heads),
            kind=chunks.kind,
            count=sizes.astype(np.int32),
            data=data,
            end=end,
            expressions=np.where(listed, starts_of(np.where(listed, sizes, 0))[:-1], first_expressions),
            plain=plain.astype(np.uint8),
            programs=program_starts,
            repeated=repeated_starts,
        ),
        columns=columns,
        pairs=_join(pairs, np.uint16),
        rows=_join([*rows, *repeated_rows], np.uint64),
        expressions=entries.expression[chunks.order[np.repeat(listed, sizes)]].astype(np.uint32),
        programs=_join(programs, np.int32),
        range_low=entries.key_low[ranged],
        range_high=entries.key_high[ranged],
    )


def _store_bitmaps(
    chunks: Chunks,
) -> tuple[Columns, list[npt.NDArray[np.uint16]], list[npt.NDArray[np.uint64]], I64]:
    bitmaps = [chunks.bitmaps[chunk] for chunk in sorted(chunks.bitmaps)]
    counts = np.zeros(len(chunks.kind), np.int64)
    counts[sorted(chunks.bitmaps)] = [len(bitmap.dimension) for bitmap in bitmaps]
    pair_base = starts_of(np.array([len(bitmap.pairs) for bitmap in bitmaps], np.int64))
    row_base = starts_of(np.array([len(bitmap.rows) for bitmap in bitmaps], np.int64))
    pair_starts, row_starts = [], []
    for i, bitmap in enumerate(bitmaps):
        width = len(bitmap.rows) // max(1, int(bitmap.row_starts[-1]))
        pair_starts.append(pair_base[i] + bitmap.pair_starts[:-1])
        row_starts.append(row_base[i] + width * bitmap.row_starts[:-1])
    columns = Columns(
        dimension=_join([bitmap.dimension for bitmap in bitmaps], np.int32),
        mode=_join([bitmap.mode for bitmap in bitmaps], np.uint8),
        low=_join([bitmap.low for bitmap in bitmaps], np.int32),
        size=_join([bitmap.size for bitmap in bitmaps], np.int32),
        pairs=_join(pair_starts, np.int64),
        rows=_join(row_starts, np.int64),
    )
    return columns, [bitmap.pairs for bitmap in bitmaps], [bitmap.rows for bitmap in bitmaps], starts_of(counts)


def _extras(
    chunks: Chunks, entries: Entries, row_words: int
) -> tuple[list[I32], I64, list[npt.NDArray[np.uint64]], I64]:
    """Programs of bitmap entries, and rows that mark the repeated ones, for the blocks that have any."""
    programs: list[I32] = []
    rows: list[npt.NDArray[np.uint64]] = []
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


def _reduce(how: np.ufunc, values: I32, heads: I64) -> I32:
    return how.reduceat(values, heads) if len(heads) else values[:0]


def _join(arrays: list[npt.NDArray[np.generic]], dtype: type) -> npt.NDArray[np.generic]:
    return np.concatenate(arrays).astype(dtype, copy=False) if arrays else np.empty(0, dtype)
