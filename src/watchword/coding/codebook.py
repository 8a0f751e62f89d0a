"""The codebook: which integer code a value has on each dimension of a segment.

A dimension is what subscriptions ask about: an attribute's value, its text reversed (for suffixes), folded (for
ILIKE), whether a pattern holds, or a leaf of a text query. Dimension 0 is the constant one: every event has code 1
there.

The constants that subscriptions use on a dimension cut its values into codes, in order:

    code       0        1      2           3          4 ...
               missing  other  empty list  empty set  one family after another: numbers, times, booleans, texts
    ordered family      ..2 | 2 | 2..5 | 5 | 5..        n constants: 2n + 1 codes, a gap on either side of each
    unordered family    2 | 5 | any other               n constants: n + 1 codes (only = and IN are asked)

Invariant: two values with the same code satisfy the same predicates, so a predicate is a set of codes: mostly one
interval. `other` is a present value that no constant of its type is compared with. Numbers have one code more, for
NaN, at the end. Coding a value costs one binary search (numbers, times) or one hash look-up (texts); of integers, where
all constants of an attribute are integers close together, one line of memory (`near`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.hashing import hash_bytes, mix, same_bytes
from watchword.coding.values import BOOL, FLOAT, FLOAT_PLUS, I32, I64, INT, TEXT, TIME, TIME_PLUS, U8
from watchword.kernel import inlined, lean

MISSING: Final = 0
OTHER_CODE: Final = 1
EMPTY_LIST: Final = 2
EMPTY_SET: Final = 3
FIRST_FAMILY: Final = 4

CONSTANT_DIMENSION: Final = 0

# What a dimension looks at.
PLAIN: Final = 0
REVERSED: Final = 1
FOLDED: Final = 2
FOLDED_REVERSED: Final = 3
PATTERN: Final = 4
TEXT_LEAF: Final = 5  # see `text_leaves`

# The codes of a pattern dimension. A list holds if any of its texts does.
PATTERN_FAILS: Final = 0  # also: no text at all (the plain dimension tells)
PATTERN_HOLDS: Final = 1
PATTERN_HOLDS_PARTLY: Final = 2  # of a set: some of its texts do, others do not
PATTERN_UNKNOWN: Final = 3  # of a range of texts
PATTERN_EMPTY_SET: Final = 4
PATTERN_CODES: Final = 5

# The columns of `Codebook.near`, a cache line per attribute: where all numbers are integers that lie within 64 of each
# other, the code of an integer follows from the set bits below its own, without a search.
NEAR_DIMENSION: Final = 0  # its PLAIN dimension
NEAR_DERIVED: Final = 1  # how many others it has
NEAR_LOWEST: Final = 2
NEAR_SPAN: Final = 3  # integers from the lowest to the highest, 0 where this does not hold
NEAR_BITS: Final = 4  # bit i: lowest + i is a constant
NEAR_BASE: Final = 5
NEAR_ORDERED: Final = 6
NEAR_COUNT: Final = 7
NEAR_COLUMNS: Final = 8

EXACT_FLOAT: Final = 1 << 53  # integers up to here are float64 values
AFTER_ALL: Final = 1 << 20  # a residual above that of any int64

F64 = np.ndarray[tuple[int], np.dtype[np.float64]]


class Codebook(NamedTuple):
    """Arrays over dimensions (d), and constants sorted by dimension and value."""

    attribute: I32  # d -> attribute of the segment, -1 for the constant dimension
    transform: U8  # d -> PLAIN, REVERSED, ...
    codes: I64  # d -> how many codes it has
    number_base: I64  # d -> first code of its numbers, 0 where it has none
    number_ordered: U8
    number_starts: I64  # d -> its constants in `numbers`
    numbers: F64  # the largest float64 that is not above the constant
    residuals: I64  # what integers beyond 2**53 have above that: empty where none does
    time_base: I64
    time_ordered: U8
    time_starts: I64
    times: I64
    bool_base: I64
    text_base: I64
    text_ordered: U8
    text_starts: I64
    text_offsets: I64  # text constant i: text[text_offsets[i] : text_offsets[i + 1]]
    text: U8
    text_slots: I32  # open addressing over (dimension, text)
    derived_starts: I64  # attribute -> its dimensions that are not PLAIN
    derived: I32
    plain: I32  # attribute -> its PLAIN dimension
    present: I32  # attribute -> the dimension that says that it has a text, -1 where no text query asks
    near: I64  # attribute -> a row of NEAR_COLUMNS


@inlined
def code_of(book: Codebook, dimension: int, kind: int, bits: int, text: U8, length: int, backwards: bool) -> int:
    """The code of one value. `backwards` reads the text from its end."""
    code = OTHER_CODE
    if kind in (INT, FLOAT, FLOAT_PLUS):
        if book.number_base[dimension] > 0:
            code = _code_of_number(book, dimension, kind, bits)
    elif kind == TEXT:
        if book.text_base[dimension] > 0:
            code = _code_of_text(book, dimension, text, bits, length, backwards)
    elif kind in (TIME, TIME_PLUS):
        if book.time_base[dimension] > 0:
            position, hit = locate_time(book, dimension, kind, bits)
            first, last = book.time_starts[dimension], book.time_starts[dimension + 1]
            code = place(book.time_base[dimension], book.time_ordered[dimension], first, position, last, hit)
    elif kind == BOOL and book.bool_base[dimension] > 0:
        code = book.bool_base[dimension] + bits
    return code


@lean
def place(base: int, ordered: int, first: int, position: int, last: int, hit: bool) -> int:
    """The code for a value that stands before constant `position` of first..last, or is it (`hit`)."""
    if ordered:
        return base + 2 * (position - first) + (1 if hit else 0)
    return base + (position if hit else last) - first


@inlined
def code_of_near(near: I64, attribute: int, integer: int) -> int:
    """The code of an integer on an attribute that has a span."""
    bits, lowest = np.uint64(near[attribute, NEAR_BITS]), near[attribute, NEAR_LOWEST]
    rank, hit = 0, 0
    if integer >= lowest + near[attribute, NEAR_SPAN]:
        rank = near[attribute, NEAR_COUNT]
    elif integer >= lowest:
        above = np.uint64(integer - lowest)
        rank = set_bits(bits & ((np.uint64(1) << above) - np.uint64(1)))
        hit = np.int64(bits >> above) & 1
    if near[attribute, NEAR_ORDERED]:
        code = near[attribute, NEAR_BASE] + 2 * rank + hit
    else:
        code = near[attribute, NEAR_BASE] + (rank if hit else near[attribute, NEAR_COUNT])
    return code


@lean
def set_bits(word: np.uint64) -> int:
    """How many there are."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@lean
def float_of_bits(bits: int) -> float:
    return np.int64(bits).view(np.float64)


@lean
def floor_float(integer: int) -> float:
    """The largest float64 that is not above the integer."""
    nearest = np.float64(integer)
    if -EXACT_FLOAT <= integer <= EXACT_FLOAT:
        return nearest
    if nearest >= 9.223372036854775808e18 or np.int64(nearest) > integer:
        return np.nextafter(nearest, -np.inf)
    return nearest


@inlined
def _code_of_number(book: Codebook, dimension: int, kind: int, bits: int) -> int:
    first, last = book.number_starts[dimension], book.number_starts[dimension + 1]
    base, ordered = book.number_base[dimension], book.number_ordered[dimension]
    if kind == FLOAT and np.isnan(float_of_bits(bits)):
        code = base + 2 * (last - first) + 1 if ordered else base + last - first
    else:
        position, hit = find_number(book.numbers, book.residuals, first, last, kind, bits)
        code = place(base, ordered, first, position, last, hit)
    return code


@lean
def find_number(numbers: F64, residuals: I64, low: int, last: int, kind: int, bits: int) -> tuple[int, bool]:
    """The first of the constants low .. last - 1 that does not stand before the number; is it the number?"""
    value = floor_float(bits) if kind == INT else float_of_bits(bits)
    residual = 0
    if kind == FLOAT_PLUS:
        residual = AFTER_ALL
    elif kind == INT and not -EXACT_FLOAT <= bits <= EXACT_FLOAT:
        residual = bits - np.int64(value)
    high = last
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < value:
            low = middle + 1
        else:
            high = middle
    if len(residuals) == 0:
        if residual > 0 and low < last and numbers[low] == value:
            return low + 1, False
        return low, residual == 0 and low < last and numbers[low] == value
    while low < last and numbers[low] == value and residuals[low] < residual:
        low += 1
    return low, low < last and numbers[low] == value and residuals[low] == residual


@lean
def locate_time(book: Codebook, dimension: int, kind: int, bits: int) -> tuple[int, bool]:
    low, last = book.time_starts[dimension], book.time_starts[dimension + 1]
    high = last
    while low < high:
        middle = (low + high) >> 1
        if book.times[middle] < bits:
            low = middle + 1
        else:
            high = middle
    hit = low < last and book.times[low] == bits
    if hit and kind == TIME_PLUS:
        return low + 1, False
    return low, hit


@lean
def text_slot(dimension: int, text_hash: np.uint64, mask: int) -> int:
    return np.int64(mix(text_hash + np.uint64(dimension) * np.uint64(0x9E3779B97F4A7C15)) & np.uint64(mask))


@lean
def hash_text(text: U8, start: int, length: int, backwards: bool) -> np.uint64:
    if not backwards:
        return hash_bytes(text, start, length)
    h = np.uint64(14695981039346656037)
    for i in range(start + length - 1, start - 1, -1):
        h = (h ^ np.uint64(text[i])) * np.uint64(1099511628211)
    return mix(h)


@lean
def is_text(book: Codebook, i: int, text: U8, start: int, length: int, backwards: bool) -> bool:
    first = book.text_offsets[i]
    if book.text_offsets[i + 1] - first != length:
        return False
    if not backwards:
        return same_bytes(book.text, first, text, start, length)
    for k in range(length):
        if book.text[first + k] != text[start + length - 1 - k]:
            return False
    return True


@lean
def _text_before(book: Codebook, i: int, text: U8, start: int, length: int, backwards: bool) -> bool:
    """Does text constant i stand before the text, byte by byte?"""
    first = book.text_offsets[i]
    size = book.text_offsets[i + 1] - first
    for k in range(min(size, length)):
        mine = book.text[first + k]
        other = text[start + length - 1 - k] if backwards else text[start + k]
        if mine != other:
            return mine < other
    return size < length


@lean
def _code_of_text(book: Codebook, dimension: int, text: U8, start: int, length: int, backwards: bool) -> int:
    first, last = book.text_starts[dimension], book.text_starts[dimension + 1]
    base, ordered = book.text_base[dimension], book.text_ordered[dimension]
    if first < last:
        mask = len(book.text_slots) - 1
        slot = text_slot(dimension, hash_text(text, start, length, backwards), mask)
        while book.text_slots[slot] >= 0:
            i = np.int64(book.text_slots[slot])
            if first <= i < last and is_text(book, i, text, start, length, backwards):
                return place(base, ordered, first, i, last, True)
            slot = (slot + 1) & mask
    if not ordered:
        return base + last - first
    return place(base, ordered, first, position_of_text(book, dimension, text, start, length, backwards), last, False)


@lean
def position_of_text(book: Codebook, dimension: int, text: U8, start: int, length: int, backwards: bool) -> int:
    """How many text constants (counted from the first of all dimensions) stand before the text."""
    low, high = book.text_starts[dimension], book.text_starts[dimension + 1]
    while low < high:
        middle = (low + high) >> 1
        if _text_before(book, middle, text, start, length, backwards):
            low = middle + 1
        else:
            high = middle
    return low
