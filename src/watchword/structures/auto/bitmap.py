"""Build one bitmap block: up to 512 entries as bits, a row of bits for every code that matters.

    column price, entries a b c d:   a: 3..5   b: 5..9   c: does not ask   d: 4

    code     3     4     5     6..9   any other
    row      a c   a c d a b c b c    c            (row 0)

Rows that repeat are stored once. A row that is the AND of its neighbours' is stored as the pair of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from watchword.coding.values import I32, I64, U8
from watchword.kernel import kernel, lean

if TYPE_CHECKING:
    import numpy.typing as npt

    from watchword.structures.auto.asked import Asked, Rest
    from watchword.structures.auto.layout import U16, U64

    F64 = npt.NDArray[np.float64]

MOST_COLUMNS: Final = 256
WIDEST_COLUMN: Final = 1024  # codes
MOST_ROWS: Final = WIDEST_COLUMN + 1  # of one column


class Bitmap(NamedTuple):
    built: bool
    dimension: I32
    mode: U8
    low: I32
    size: I32
    pairs: U16
    pair_starts: I64
    rows: U64
    row_starts: I64


@kernel
def build_bitmap(entries: I64, asked: Asked, rest: Rest, presence: F64, budget: int) -> Bitmap:
    """`built` is false where it would take more than `budget` bytes, or too many or too wide columns."""
    width = (len(entries) + 63) // 64
    dimension, mode, column_of, columns = _columns(entries, asked, rest)
    if columns > MOST_COLUMNS:
        return _none()
    low, size, order = _windows(entries, asked, rest, dimension, column_of, columns, presence)
    if columns > 0 and size.max() > WIDEST_COLUMN:
        return _none()
    total = size.sum()
    pairs = np.empty(2 * total, np.uint16)
    rows = np.empty((budget // (8 * width) + MOST_ROWS, width), np.uint64)
    raw, outside = np.empty((WIDEST_COLUMN, width), np.uint64), np.empty(width, np.uint64)
    pair_starts, row_starts = np.zeros(columns + 1, np.int64), np.zeros(columns + 1, np.int64)
    used = 0
    for k in range(columns):
        column = order[k]
        some = raw[: size[column]]
        _write_raw_rows(some, outside, entries, asked, rest, column_of, column, low[column])
        pair_starts[k + 1] = pair_starts[k] + 2 * size[column]
        used += _store_rows(some, outside, rows, used, pairs[pair_starts[k] : pair_starts[k + 1]])
        row_starts[k + 1] = used
        if 8 * width * used + 2 * total > budget:
            return _none()
    return Bitmap(
        True,
        dimension[:columns][order],
        mode[:columns][order],
        low[order],
        size[order],
        pairs,
        pair_starts,
        rows[:used].copy().reshape(-1),
        row_starts,
    )


@kernel
def _none() -> Bitmap:
    i32, i64 = np.empty(0, np.int32), np.empty(0, np.int64)
    return Bitmap(False, i32, np.empty(0, np.uint8), i32, i32, np.empty(0, np.uint16), i64, np.empty(0, np.uint64), i64)


@kernel
def _columns(entries: I64, asked: Asked, rest: Rest) -> tuple[I32, U8, I32, int]:
    """The columns, and the one of each condition. Two conditions of an entry never share a column: on a list
    both may hold, each by another element."""
    total = 0
    for e in entries:
        total += rest.starts[e + 1] - rest.starts[e]
    dimension, mode = np.empty(MOST_COLUMNS + 1, np.int32), np.empty(MOST_COLUMNS + 1, np.uint8)
    last_entry = np.full(MOST_COLUMNS + 1, -1, np.int64)
    column_of = np.empty(total, np.int32)
    columns, at = 0, 0
    for i in range(len(entries)):
        for k in range(rest.starts[entries[i]], rest.starts[entries[i] + 1]):
            c = rest.condition[k]
            found = 0
            while found < columns and not (
                dimension[found] == asked.dimension[c] and mode[found] == asked.mode[c] and last_entry[found] != i
            ):
                found += 1
            if found == columns:
                if columns > MOST_COLUMNS - 1:
                    return dimension, mode, column_of, MOST_COLUMNS + 1
                dimension[found], mode[found] = asked.dimension[c], asked.mode[c]
                columns += 1
            last_entry[found] = i
            column_of[at] = found
            at += 1
    return dimension, mode, column_of, columns


@kernel
def _windows(
    entries: I64, asked: Asked, rest: Rest, dimension: I32, column_of: I32, columns: int, presence: F64
) -> tuple[I32, I32, I64]:
    """The first of the codes that each column tells apart, how many, and the columns with those first that rule
    out the most."""
    low, high = np.full(columns, 1 << 30, np.int32), np.full(columns, -1, np.int32)
    members = np.zeros(columns, np.int64)
    at = 0
    for e in entries:
        for k in range(rest.starts[e], rest.starts[e + 1]):
            c, column = rest.condition[k], column_of[at]
            low[column] = min(low[column], asked.low[c])
            high[column] = max(high[column], asked.high[c])
            members[column] += 1
            at += 1
    power = np.empty(columns, np.float64)
    for column in range(columns):
        power[column] = -members[column] * (1.05 - presence[dimension[column]])
    return low, (high - low + 1).astype(np.int32), np.argsort(power)


@lean
def _write_raw_rows(
    rows: U64, outside: U64, entries: I64, asked: Asked, rest: Rest, column_of: I32, column: int, low: int
) -> None:
    """A row for every code of the column, and the one for all other codes."""
    for j in range(len(outside)):
        outside[j] = 0
    for i in range(len(entries)):
        outside[i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    at = 0
    for i in range(len(entries)):
        for _ in range(rest.starts[entries[i]], rest.starts[entries[i] + 1]):
            if column_of[at] == column:
                outside[i >> 6] &= ~(np.uint64(1) << np.uint64(i & 63))
            at += 1
    for code in range(len(rows)):
        for j in range(len(outside)):
            rows[code, j] = outside[j]
    at = 0
    for i in range(len(entries)):
        word, bit = i >> 6, np.uint64(1) << np.uint64(i & 63)
        for k in range(rest.starts[entries[i]], rest.starts[entries[i] + 1]):
            if column_of[at] == column:
                c = rest.condition[k]
                if asked.set_of[c] < 0:
                    for code in range(asked.low[c] - low, asked.high[c] - low + 1):
                        rows[code, word] |= bit
                else:
                    for s in range(asked.set_starts[asked.set_of[c]], asked.set_starts[asked.set_of[c] + 1]):
                        for code in range(asked.set_low[s] - low, asked.set_high[s] - low + 1):
                            rows[code, word] |= bit
            at += 1


@lean
def _store_rows(raw: U64, outside: U64, rows: U64, first: int, pairs: U16) -> int:
    """Store each distinct row once, `outside` as row 0, and name every code's pair; how many rows there are."""
    count = _add(rows, first, 0, outside)
    size = len(raw)
    derived = False
    for code in range(size):
        number = _find(rows, first, count, raw[code])
        if number < 0 and not derived and 0 < code < size - 1 and _is_and(raw[code], raw[code - 1], raw[code + 1]):
            derived = True
            number = _find(rows, first, count, raw[code + 1])
            if number < 0:
                number = count
                count = _add(rows, first, count, raw[code + 1])
            pairs[2 * code], pairs[2 * code + 1] = pairs[2 * code - 1], number
            continue
        derived = False
        if number < 0:
            number = count
            count = _add(rows, first, count, raw[code])
        pairs[2 * code], pairs[2 * code + 1] = number, number
    return count


@lean
def _is_and(row: U64, a: U64, b: U64) -> bool:
    for j in range(len(row)):
        if row[j] != a[j] & b[j]:
            return False
    return True


@lean
def _find(rows: U64, first: int, count: int, row: U64) -> int:
    for number in range(count - 1, -1, -1):
        same = True
        for j in range(len(row)):
            if rows[first + number, j] != row[j]:
                same = False
                break
        if same:
            return number
    return -1


@lean
def _add(rows: U64, first: int, count: int, row: U64) -> int:
    for j in range(len(row)):
        rows[first + count, j] = row[j]
    return count + 1
