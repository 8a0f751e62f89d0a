"""One event back from its cells, for what is decided in Python: the values that matter, as `flatten` gives them.

Values that no Python type holds come back as stand-ins with the same place among all constants.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal, localcontext
from typing import Any, Final

from watchword.coding.cells import LIST, OPEN, RANGE, SET, Cells
from watchword.coding.event import EventValue, Range, Scalar
from watchword.coding.values import EMPTY, FLOAT_PLUS, OTHER, TIME, TIME_PLUS, Values
from watchword.language.table_rows import constant

_EPOCH: Final = dt.datetime(1970, 1, 1)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_DIGITS: Final = 1100  # enough for any float64, and for the middle of two, exactly


class FineTime(dt.datetime):
    """A time finer than datetime, or beyond its years. `half_micros` counts from 1970 and is odd between two."""

    half_micros: int

    def __lt__(self, other: Any) -> bool:
        return self.half_micros < _half_micros(other)

    def __le__(self, other: Any) -> bool:
        return self.half_micros <= _half_micros(other)

    def __gt__(self, other: Any) -> bool:
        return self.half_micros > _half_micros(other)

    def __ge__(self, other: Any) -> bool:
        return self.half_micros >= _half_micros(other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dt.datetime) and self.half_micros == _half_micros(other)

    def __hash__(self) -> int:
        return hash(self.half_micros)


def _half_micros(time: dt.datetime) -> int:
    return time.half_micros if isinstance(time, FineTime) else 2 * ((time - _EPOCH) // _MICROSECOND)


def event_from_cells(cells: Cells, event: int, names: list[str]) -> dict[str, EventValue]:
    flat: dict[str, EventValue] = {}
    cell, end = int(cells.starts[event]), int(cells.starts[event + 1])
    while cell < end:
        after = cell + 1
        if cells.flags[cell] and cells.values.kind[cell] != EMPTY:
            while after < end and _continues(cells, cell, after):
                after += 1
        flat[names[cells.attribute[cell]]] = _value(cells, cell, after)
        cell = after
    return flat


def _continues(cells: Cells, first: int, cell: int) -> bool:
    same_kind = (cells.flags[first] ^ cells.flags[cell]) & (LIST | SET | RANGE) == 0
    return bool(cells.attribute[first] == cells.attribute[cell] and same_kind and cells.values.kind[cell] != EMPTY)


def _value(cells: Cells, first: int, after: int) -> EventValue:
    flags = cells.flags[first]
    elements = [_scalar(cells.values, cell) for cell in range(first, after) if cells.values.kind[cell] != EMPTY]
    if flags & RANGE:
        low, high = elements
        return Range(low, high, bool(cells.flags[first] & OPEN), bool(cells.flags[first + 1] & OPEN))
    if flags & LIST:
        return elements
    if flags & SET:
        return frozenset(elements)
    return elements[0]  # type: ignore[return-value]


def _scalar(values: Values, cell: int) -> Scalar | None:
    kind = values.kind[cell]
    if kind == OTHER:
        return None
    if kind == FLOAT_PLUS:
        return _after(float(values.bits[cell : cell + 1].view("f8")[0]))
    if kind in (TIME, TIME_PLUS):
        return _time(int(values.bits[cell]), kind == TIME_PLUS)
    return constant(values, cell)


def _after(number: float) -> Decimal:
    """Strictly between this float and the next."""
    following = math.nextafter(number, math.inf)
    if math.isinf(number):
        return 2 * Decimal(following)
    if math.isinf(following):
        return 2 * Decimal(number)
    with localcontext() as context:
        context.prec = _DIGITS
        return (Decimal(number) + Decimal(following)) / 2


def _time(micros: int, plus: bool) -> dt.datetime:
    if not plus:
        try:
            return _EPOCH + micros * _MICROSECOND
        except OverflowError:
            pass
    time = FineTime(1970, 1, 1)
    time.half_micros = 2 * micros + plus
    return time
