"""One constant of SQL text: a number, a string, TRUE, FALSE, DATE '...' or TIMESTAMP '...'."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from watchword.coding.values import BOOL, FLOAT, I64, INT, TEXT, TIME, U8
from watchword.kernel import inlined, lean
from watchword.language.bulk.characters import (
    COMMA,
    DATE_WORD,
    DOT,
    FALSE_WORD,
    GIVE_UP,
    MINUS,
    QUOTE,
    TIMESTAMP_WORD,
    TRUE_WORD,
    ends_cleanly,
    is_digit,
    is_letter,
    packed_word,
    skip_blanks,
    word_end,
)
from watchword.language.bulk.tape import DOUBLED, put

_ZERO: Final = ord("0")
_SMALL_E: Final = ord("e")
_LARGE_E: Final = ord("E")
_PLUS: Final = ord("+")
_DIGIT_VALUES: Final = np.arange(256) - _ZERO
_MOST_DIGITS: Final = 18  # any such mantissa is an int64
_EXACT_MANTISSA: Final = 1 << 53
_POWERS: Final = np.array([float(10**power) for power in range(23)])  # 10**22 is the last that a float64 holds exactly

_DAYS_BEFORE_MONTH: Final = np.array([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365])
_EPOCH_DAY: Final = 719162  # days from 0001-01-01 to 1970-01-01
_SECOND: Final = 1_000_000
_DAY: Final = 86_400 * _SECOND
_DATE_LENGTH: Final = len("2024-02-29")
_TIME_LENGTH: Final = len(" 12:34:56")
_SPACE: Final = ord(" ")
_LETTER_T: Final = ord("T")
_COLON: Final = ord(":")


@inlined
def read_constant(text: U8, i: int, end: int, tape: I64) -> int:
    if i >= end:
        return GIVE_UP
    if text[i] == QUOTE:
        return _read_string(text, i, end, tape)
    if is_digit(text[i]) or text[i] == MINUS:
        return _read_number(text, i, end, tape)
    if not is_letter(text[i]):
        return GIVE_UP
    stop = word_end(text, i, end)
    word = packed_word(text, i, stop)
    if word in (TRUE_WORD, FALSE_WORD):
        put(tape, BOOL, 1 if word == TRUE_WORD else 0, 0)
        return stop if ends_cleanly(text, stop, end) else GIVE_UP
    if word in (DATE_WORD, TIMESTAMP_WORD):
        return _read_time(text, skip_blanks(text, stop, end), end, word == DATE_WORD, tape)
    return GIVE_UP


@inlined
def _read_string(text: U8, i: int, end: int, tape: I64) -> int:
    """A string that begins with the quote at i, and may hold doubled quotes."""
    start = i + 1
    kind = TEXT
    i = start
    while i < end:
        if text[i] == QUOTE:
            if i + 1 == end or text[i + 1] != QUOTE:
                put(tape, kind, start, i - start)
                return i + 1
            kind = DOUBLED
            i += 1
        i += 1
    return GIVE_UP


@inlined
def _read_number(text: U8, i: int, end: int, tape: I64) -> int:
    sign = 1
    if text[i] == MINUS:
        sign = -1
        i += 1
    first = i
    mantissa, i = _digits(text, i, end, 0)
    digits = i - first
    if digits == 0 or digits > _MOST_DIGITS or (digits > 1 and text[first] == _ZERO):
        return GIVE_UP
    if i < end and text[i] != COMMA and not ends_cleanly(text, i, end):
        return _read_decimal(text, i, end, sign, mantissa, digits, tape)
    put(tape, INT, sign * mantissa, 0)
    return i


@lean
def _read_decimal(text: U8, i: int, end: int, sign: int, mantissa: int, digits: int, tape: I64) -> int:
    """What follows the whole part, if one multiplication or division by a power of ten gives the nearest float64."""
    power = 0
    if text[i] == DOT:
        first = i + 1
        mantissa, i = _digits(text, first, end, mantissa)
        power = first - i
        digits -= power
        if power == 0:
            return GIVE_UP
    if i < end and (text[i] == _SMALL_E or text[i] == _LARGE_E):
        exponent, i = _read_exponent(text, i + 1, end)
        power += exponent
    if i == GIVE_UP or (i < end and text[i] != COMMA and not ends_cleanly(text, i, end)):
        return GIVE_UP
    if digits > _MOST_DIGITS or mantissa > _EXACT_MANTISSA or abs(power) >= len(_POWERS):
        return GIVE_UP
    number = mantissa / _POWERS[-power] if power < 0 else mantissa * _POWERS[power]
    bits: Any = np.float64(sign * number).view(np.int64)
    put(tape, FLOAT, bits, 0)
    return i


@inlined
def _digits(text: U8, i: int, end: int, number: int) -> tuple[int, int]:
    """The number continued by the digits at i (it wraps if there are too many), and where they stop."""
    while i < end and is_digit(text[i]):
        number = number * 10 + _DIGIT_VALUES[text[i]]
        i += 1
    return number, i


@lean
def _read_exponent(text: U8, i: int, end: int) -> tuple[int, int]:
    sign = 1
    if i < end and (text[i] == _PLUS or text[i] == MINUS):
        sign = -1 if text[i] == MINUS else 1
        i += 1
    exponent, stop = _digits(text, i, end, 0)
    return sign * exponent, (stop if 0 < stop - i <= 2 else GIVE_UP)


@lean
def _read_time(text: U8, i: int, end: int, is_date: bool, tape: I64) -> int:
    """The string behind DATE or TIMESTAMP in its plain form: 2024-02-29, 2024-02-29 12:34:56, ... 12:34:56.123456."""
    stop = i + 1
    while stop < end and text[stop] != QUOTE:
        stop += 1
    length = stop - i - 1
    if stop >= end or text[i] != QUOTE or length < _DATE_LENGTH or (is_date and length > _DATE_LENGTH):
        return GIVE_UP
    day = _day_number(text, i + 1)
    time = 0 if is_date else _time_of_day(text, i + 1 + _DATE_LENGTH, stop)
    if day < 0 or time < 0:
        return GIVE_UP
    put(tape, TIME, (day - _EPOCH_DAY) * _DAY + time, 0)
    return stop + 1


@lean
def _fixed(text: U8, i: int, length: int) -> int:
    """The number written in exactly this many digits, or -1."""
    number, stop = _digits(text, i, i + length, 0)
    return number if stop == i + length else -1


@lean
def _day_number(text: U8, i: int) -> int:
    """Days from 0001-01-01 to the date in the ten bytes at i, or -1."""
    year, month, day = _fixed(text, i, 4), _fixed(text, i + 5, 2), _fixed(text, i + 8, 2)
    if year < 1 or month < 1 or month > 12 or day < 1 or text[i + 4] != MINUS or text[i + 7] != MINUS:
        return -1
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    before: int = _DAYS_BEFORE_MONTH[month - 1]
    month_days = _DAYS_BEFORE_MONTH[month] - before + (1 if leap and month == 2 else 0)
    if day > month_days:
        return -1
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400 + before + (1 if leap and month > 2 else 0) + day - 1


@lean
def _time_of_day(text: U8, i: int, stop: int) -> int:
    """Microseconds since midnight of ` 12:34:56` or ` 12:34:56.123456`, or -1."""
    if stop - i < _TIME_LENGTH or (text[i] != _SPACE and text[i] != _LETTER_T):
        return -1
    if text[i + 3] != _COLON or text[i + 6] != _COLON:
        return -1
    hour, minute, second = _fixed(text, i + 1, 2), _fixed(text, i + 4, 2), _fixed(text, i + 7, 2)
    if min(hour, minute, second) < 0 or hour > 23 or max(minute, second) > 59:
        return -1
    microseconds = 0
    fraction = stop - i - _TIME_LENGTH - 1
    if fraction >= 0:
        microseconds = _fixed(text, stop - fraction, fraction)
        if text[i + _TIME_LENGTH] != DOT or fraction == 0 or fraction > 6 or microseconds < 0:
            return -1
        for _ in range(6 - fraction):
            microseconds *= 10
    return ((hour * 60 + minute) * 60 + second) * _SECOND + microseconds
