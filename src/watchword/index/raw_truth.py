"""The truth of one leaf on one event, both raw: no codes, every comparison exact.

    value of the attribute   truth
    none                     unknown (IS NULL: true)
    scalar                   of the predicate
    list                     of OR over the elements, then NOT where the predicate is negated
    set                      of OR over the elements, of the predicate with its negation
    range                    MAYBE: to be decided outside

The values of the event lie as the constants do, one row each, with two columns more: FLAGS as in `Cells`, and AFTER,
the row that follows a value of several cells. Kernels take these arrays one by one, because a tuple of arrays costs
more to hand on than a comparison.

MAYBE also stands for ILIKE, RLIKE and MATCHES on text, which need Unicode folding, RE2 and analyzers.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from watchword.coding.cells import RANGE, SET
from watchword.coding.values import EMPTY, FLOAT, FLOAT_PLUS, I32, I64, INT, TEXT, TIME_PLUS, U8
from watchword.index.head_program import (
    ANY_ONE,
    ANY_RUN,
    BITS,
    CONSTANT_COLUMNS,
    FALSE,
    FAMILY,
    FAMILY_OF_KIND,
    FIRST,
    KIND,
    LAST,
    LENGTH,
    LESS,
    MORE,
    NEGATED,
    OPERATOR,
    ORDERS,
    SAME,
    TRUE,
    UNKNOWN,
    UNORDERED,
)
from watchword.kernel import lean
from watchword.language.expression import Operator

FLAGS: Final = CONSTANT_COLUMNS
AFTER: Final = CONSTANT_COLUMNS + 1
EVENT_COLUMNS: Final = CONSTANT_COLUMNS + 2

MAYBE: Final = 3  # beside FALSE, UNKNOWN and TRUE
FAMILIES: Final = np.array(FAMILY_OF_KIND, np.int64)
BETWEEN: Final = int(Operator.BETWEEN)  # it and the operators before it compare, with one constant or two
_IN: Final = int(Operator.IN)
_LIKE: Final = int(Operator.LIKE)
_IS_NULL: Final = int(Operator.IS_NULL)
_MATCHES: Final = int(Operator.MATCHES)
_TWO_63: Final = 2.0**63


@lean
def leaf_truth(leaves: I32, leaf: int, constants: I64, text: U8, event: I64, event_text: U8, first: int) -> int:
    """`first` is the row of the leaf's attribute in the event, negative where it is missing."""
    negated = leaves[leaf, NEGATED] != 0
    if leaves[leaf, OPERATOR] == _IS_NULL:
        return TRUE if (first < 0) != negated else FALSE
    if leaves[leaf, OPERATOR] == _MATCHES and leaves[leaf, ORDERS] != 0:
        return MAYBE  # other fields may decide
    if first < 0:
        return UNKNOWN
    flags = event[first, FLAGS]
    if flags & RANGE:
        return MAYBE
    is_set = flags & SET != 0
    if flags == 0:
        best = _element_truth(leaves, leaf, constants, text, event, event_text, first)
    else:
        best = _elements_truth(leaves, leaf, constants, text, event, event_text, first, is_set and negated)
    return TRUE - best if negated and not is_set and best != MAYBE else best


@lean
def _elements_truth(
    leaves: I32, leaf: int, constants: I64, text: U8, event: I64, event_text: U8, first: int, negated: bool
) -> int:
    best = FALSE
    for row in range(first, event[first, AFTER]):
        if event[row, KIND] != EMPTY:
            truth = _element_truth(leaves, leaf, constants, text, event, event_text, row)
            if truth == MAYBE:
                return MAYBE
            best = max(best, TRUE - truth if negated else truth)
        if best == TRUE:
            break
    return best


@lean
def _element_truth(leaves: I32, leaf: int, constants: I64, text: U8, event: I64, event_text: U8, row: int) -> int:
    """Of the positive form."""
    if FAMILIES[event[row, KIND]] != leaves[leaf, FAMILY]:
        return UNKNOWN
    operator, constant = leaves[leaf, OPERATOR], leaves[leaf, FIRST]
    if operator <= BETWEEN:
        orders = leaves[leaf, ORDERS] >> _order(constants, constant, text, event, row, event_text)
        if operator == BETWEEN:
            orders &= leaves[leaf, ORDERS] >> (4 + _order(constants, constant + 1, text, event, row, event_text))
        holds = orders & 1 == 1
    elif operator == _IN:
        holds = _is_listed(constants, constant, leaves[leaf, LAST], text, event, row, event_text)
    elif operator == _LIKE:
        holds = _is_like(constants, constant, text, event, row, event_text)
    else:
        return MAYBE
    return TRUE if holds else FALSE


@lean
def _is_listed(constants: I64, low: int, high: int, text: U8, event: I64, row: int, event_text: U8) -> bool:
    while low < high:
        middle = (low + high) >> 1
        found = _order(constants, middle, text, event, row, event_text)
        if found == SAME:
            return True
        if found == UNORDERED:
            return False
        if found == LESS:
            high = middle
        else:
            low = middle + 1
    return False


@lean
def _order(constants: I64, constant: int, text: U8, event: I64, row: int, event_text: U8) -> int:
    """Of a value and a constant of its family."""
    kind, bits = event[row, KIND], event[row, BITS]
    wanted_kind, wanted = constants[constant, KIND], constants[constant, BITS]
    if kind == TEXT:
        return text_order(event_text, bits, event[row, LENGTH], text, wanted, constants[constant, LENGTH])
    return plain_order(kind, bits, wanted_kind, wanted)


@lean
def text_order(text: U8, start: int, length: int, wanted: U8, wanted_start: int, wanted_length: int) -> int:
    """UTF-8 orders by bytes as text does by code points."""
    for i in range(min(length, wanted_length)):
        byte, wanted_byte = text[start + i], wanted[wanted_start + i]
        if byte != wanted_byte:
            return LESS if byte < wanted_byte else MORE
    if length == wanted_length:
        return SAME
    return LESS if length < wanted_length else MORE


@lean
def plain_order(kind: int, bits: int, wanted_kind: int, wanted: int) -> int:
    """Of numbers, booleans and times."""
    if FLOAT in (kind, wanted_kind) or kind == FLOAT_PLUS:
        return _float_order(kind, bits, wanted_kind, wanted)
    if bits == wanted:
        return MORE if kind == TIME_PLUS else SAME
    return LESS if bits < wanted else MORE


@lean
def _float_order(kind: int, bits: int, wanted_kind: int, wanted_bits: int) -> int:
    value, wanted = np.int64(bits).view(np.float64), np.int64(wanted_bits).view(np.float64)
    if kind == INT:
        return _integer_order(bits, wanted)
    if wanted_kind == INT:
        turned = _integer_order(wanted_bits, value)
        found = turned if turned == UNORDERED else MORE - turned
    elif value == wanted:
        found = SAME
    elif value < wanted:
        found = LESS
    else:
        found = MORE if value > wanted else UNORDERED
    return MORE if kind == FLOAT_PLUS and found == SAME else found


@lean
def _integer_order(integer: int, number: float) -> int:
    """Never by rounding the integer to a float."""
    if number != number:
        return UNORDERED
    if number >= _TWO_63:
        return LESS
    if number < -_TWO_63:
        return MORE
    whole = np.int64(math.floor(number))
    if integer != whole:
        return LESS if integer < whole else MORE
    return LESS if number > whole else SAME


@lean
def _is_like(constants: I64, constant: int, patterns: U8, event: I64, row: int, text: U8) -> bool:
    """Each run of literals is found at the first place where it fits: only the last % is ever tried again."""
    at = event[row, BITS]
    end = at + event[row, LENGTH]
    sign = constants[constant, BITS]
    last = sign + constants[constant, LENGTH]
    retry_sign, retry_at = -1, 0
    while at < end:
        byte = patterns[sign] if sign < last else -1
        if byte == ANY_RUN:
            sign += 1
            retry_sign, retry_at = sign, at
        elif byte == ANY_ONE:
            sign += 1
            at = _next_code_point(text, at, end)
        elif byte == text[at]:
            sign += 1
            at += 1
        elif retry_sign >= 0:
            retry_at = _next_code_point(text, retry_at, end)
            sign, at = retry_sign, retry_at
        else:
            return False
    while sign < last and patterns[sign] == ANY_RUN:
        sign += 1
    return bool(sign == last)


@lean
def _next_code_point(text: U8, at: int, end: int) -> int:
    at += 1
    while at < end and text[at] & 0xC0 == 0x80:
        at += 1
    return at
