"""Numbers in JSON text, read exactly.

    -12.5e3   mantissa 125, exponent 10 ** 2  ->  FLOAT -12500.0        whole numbers within int64 stay INT

A mantissa up to 2**53 times or over a power of ten up to 10**22 is one correctly rounded operation, because both
are float64s exactly. Longer mantissas, as most printed float64s have, are divided by a power of five bit by bit.
What neither can do is hard: the caller leaves it to Python.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from watchword.coding.values import FLOAT, INT, U8
from watchword.kernel import lean
from watchword.limits import INTEGER_MAX

_TENS: Final = np.array([10.0**i for i in range(23)])
_FIVES: Final = np.array([5**i for i in range(28)], np.int64)
_EXACT_MANTISSA: Final = 1 << 53
_ROUNDING_BITS: Final = 1 << 54  # a quotient from here on has its 53 bits, one to round by, and one more
_EXPONENT_DIGITS: Final = 4
_LARGEST_TENTH: Final = INTEGER_MAX // 10  # below it, one more digit fits

ZERO: Final = 48
NINE: Final = 57
MINUS: Final = 45
_PLUS: Final = 43
_POINT: Final = 46
_SMALL_E: Final = 101
_LARGE_E: Final = 69


@lean
def _digits(text: U8, at: int, end: int, mantissa: int) -> tuple[int, int]:
    """The position behind a run of digits and `mantissa` with them appended, or -1 where they do not fit an int64."""
    while at < end and ZERO <= text[at] <= NINE:
        if mantissa >= _LARGEST_TENTH:
            return -1, 0
        mantissa = int(mantissa * 10 + np.int64(text[at]) - ZERO)
        at += 1
    return at, mantissa


@lean
def _divided(mantissa: int, power: int) -> float:
    """mantissa / 10**power, rounded once: `power` at most 27, `mantissa` above 0."""
    divisor: int = _FIVES[power]
    quotient = mantissa // divisor
    remainder = mantissa - quotient * divisor
    exponent = -power
    while quotient < _ROUNDING_BITS:
        quotient += quotient
        exponent -= 1
        if remainder >= divisor - remainder:
            remainder -= divisor - remainder
            quotient += 1
        else:
            remainder += remainder
    if remainder > 0:
        quotient |= 1
    return math.ldexp(float(quotient), exponent)


@lean
def _float(mantissa: int, exponent: int) -> float:
    """mantissa * 10**exponent as the nearest float64; NaN where that is hard."""
    if mantissa == 0:
        return 0.0
    if mantissa <= _EXACT_MANTISSA and -22 <= exponent <= 22:
        return float(mantissa * _TENS[exponent] if exponent >= 0 else mantissa / _TENS[-exponent])
    if -27 <= exponent <= 0:
        return _divided(mantissa, -exponent)
    return math.nan


@lean
def read_number(text: U8, at: int, end: int) -> tuple[int, int, int, float]:
    """The position behind the number that begins at `at` (-1 where it is hard or none), and its kind, INT or
    FLOAT, with its value as the one or the other."""
    negative = text[at] == MINUS
    if negative:
        at += 1
    first = at
    at, mantissa = _digits(text, at, end, 0)
    if at <= first or (text[first] == ZERO and at - first > 1):
        return -1, INT, 0, 0.0
    whole = at
    exponent = 0
    if at < end and text[at] == _POINT:
        first = at + 1
        at, mantissa = _digits(text, first, end, mantissa)
        if at <= first:
            return -1, INT, 0, 0.0
        exponent = first - at
    if at < end and (text[at] == _SMALL_E or text[at] == _LARGE_E):
        at += 1
        lowered = at < end and text[at] == MINUS
        if at < end and (text[at] == MINUS or text[at] == _PLUS):
            at += 1
        first = at
        at, power = _digits(text, at, end, 0)
        if at <= first or at - first > _EXPONENT_DIGITS:
            return -1, INT, 0, 0.0
        exponent += -power if lowered else power
    if at == whole:
        return at, INT, -mantissa if negative else mantissa, 0.0
    value = _float(mantissa, exponent)
    if math.isnan(value):
        return -1, INT, 0, 0.0
    return at, FLOAT, 0, -value if negative and value != 0.0 else value
