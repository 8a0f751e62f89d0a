"""The codes of a range: an event value that stands for every value between two bounds (a symmetric event).

The domain counts as dense: between two neighbouring constants there is always another value. So the range
covers the constants inside it, and every gap that it touches.
"""

from __future__ import annotations

import numpy as np

from watchword.coding.cells import OPEN
from watchword.coding.codebook import OTHER_CODE, Codebook, find_number, is_text, locate_time, position_of_text
from watchword.coding.values import FLOAT, FLOAT_PLUS, I32, I64, INT, OTHER, TEXT, TIME, TIME_PLUS, U8
from watchword.kernel import lean


@lean
def codes_of_range(
    book: Codebook, dimension: int, low: int, flags: U8, kind: U8, bits: I64, length: I32, text: U8
) -> tuple[int, int, int]:
    """First code, last code, and one more (-1: none). The range's cells are low and low + 1."""
    bounded = low + 1 if kind[low] == OTHER else low
    family = kind[bounded]
    if family == TEXT:
        base, ordered, starts = book.text_base[dimension], book.text_ordered[dimension], book.text_starts
    elif family in (TIME, TIME_PLUS):
        base, ordered, starts = book.time_base[dimension], book.time_ordered[dimension], book.time_starts
    elif family in (INT, FLOAT, FLOAT_PLUS):
        base, ordered, starts = book.number_base[dimension], book.number_ordered[dimension], book.number_starts
    else:
        return _codes_of_bools(book, dimension, low, flags, kind, bits)
    if base == 0:
        return OTHER_CODE, OTHER_CODE, -1
    first, last = starts[dimension], starts[dimension + 1]
    # places on the line gap 0, constant 0, gap 1, constant 1, ...
    left, right = 0, 2 * (last - first)
    if kind[low] != OTHER:
        position, hit = _locate(book, dimension, kind[low], bits[low], length[low], text)
        left = 2 * (position - first) + (1 if hit else 0) + (1 if hit and flags[low] & OPEN else 0)
    if kind[low + 1] != OTHER:
        position, hit = _locate(book, dimension, kind[low + 1], bits[low + 1], length[low + 1], text)
        right = 2 * (position - first) + (1 if hit else 0) - (1 if hit and flags[low + 1] & OPEN else 0)
    if ordered:
        return base + left, base + right, -1
    touches_gap = left < right or left % 2 == 0
    rest = base + last - first if touches_gap else -1
    return base + left // 2, base + (right + 1) // 2 - 1, rest


@lean
def _locate(book: Codebook, dimension: int, kind: int, bits: int, length: int, text: U8) -> tuple[int, bool]:
    if kind == TEXT:
        position = position_of_text(book, dimension, text, bits, length, False)
        last = book.text_starts[dimension + 1]
        return position, position < last and is_text(book, position, text, bits, length, False)
    if kind in (TIME, TIME_PLUS):
        return locate_time(book, dimension, kind, bits)
    return find_number(
        book.numbers, book.residuals, book.number_starts[dimension], book.number_starts[dimension + 1], kind, bits
    )


@lean
def _codes_of_bools(book: Codebook, dimension: int, low: int, flags: U8, kind: U8, bits: I64) -> tuple[int, int, int]:
    base = book.bool_base[dimension]
    if base == 0:
        return OTHER_CODE, OTHER_CODE, -1
    left = np.int64(0) if kind[low] == OTHER else bits[low] + (1 if flags[low] & OPEN else 0)
    right = np.int64(1) if kind[low + 1] == OTHER else bits[low + 1] - (1 if flags[low + 1] & OPEN else 0)
    return base + left, base + right, -1
