"""One Python value as a raw value: its kind and bits (see `watchword.coding.values`). Texts are left to the caller."""

from __future__ import annotations

import datetime as dt
import math
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from watchword.coding.values import BOOL, FLOAT, FLOAT_PLUS, INT, OTHER, TIME, TIME_PLUS
from watchword.limits import INTEGER_MAX, INTEGER_MIN

_FLOAT64: Final = struct.Struct("=d")
_INT64: Final = struct.Struct("=q")
_EPOCH: Final = dt.datetime(1970, 1, 1)
_INT64_DIGITS: Final = 19


def float_bits(value: float) -> int:
    return _INT64.unpack(_FLOAT64.pack(value + 0.0))[0]  # type: ignore[no-any-return]  # + 0.0 turns -0.0 into 0.0


def _raw_int(value: int) -> tuple[int, int]:
    return (INT, value) if INTEGER_MIN <= value <= INTEGER_MAX else _raw_inexact(value)


def _raw_decimal(value: Decimal) -> tuple[int, int]:
    if value.adjusted() < _INT64_DIGITS and value == value.to_integral_value():
        return _raw_int(int(value))
    return _raw_inexact(value)


def _raw_inexact(value: int | Decimal) -> tuple[int, int]:
    """A number that need not be a float64: where it stands among them."""
    try:
        near = float(value)
    except OverflowError:
        near = math.inf if value > 0 else -math.inf
    if near == value:
        return FLOAT, float_bits(near)
    return FLOAT_PLUS, float_bits(near if near < value else math.nextafter(near, -math.inf))


def _raw_datetime(value: dt.datetime) -> tuple[int, int]:
    since = value - _EPOCH
    return TIME, (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def raw_timestamp(value: Any) -> tuple[int, int]:
    """A pandas.Timestamp: flattened events hold one only where it has nanoseconds."""
    micros = _raw_datetime(value.to_pydatetime(warn=False))[1]
    return (TIME_PLUS if value.nanosecond else TIME), micros


RAW: Final[dict[type, Callable[[Any], tuple[int, int]]]] = {
    bool: lambda value: (BOOL, int(value)),
    int: _raw_int,
    float: lambda value: (FLOAT, float_bits(value)),
    dt.datetime: _raw_datetime,
    Decimal: _raw_decimal,
    type(None): lambda _: (OTHER, 0),
}
"""How to read a value of exactly this type."""
