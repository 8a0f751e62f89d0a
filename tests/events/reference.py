"""What cells should say, worked out slowly: Python values to readable cells, and `Cells` to the same."""

from __future__ import annotations

import datetime as dt
import math
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from watchword.coding.attributes import Attributes
from watchword.coding.cells import LIST, OPEN, RANGE, SET, Cells
from watchword.coding.event import Range, flatten
from watchword.coding.values import BOOL, EMPTY, FLOAT, FLOAT_PLUS, INT, OTHER, TEXT, TIME, TIME_PLUS
from watchword.errors import WatchwordError

Readable = tuple[Any, ...]
"""(flags, kind, what it is): the number, text, microseconds; "nan" for NaN."""

Event = dict[str, list[Readable]] | str
"""The cells of an event by attribute, or the word "error"."""


def _number(value: int | float | Decimal) -> tuple[int, Any]:
    if isinstance(value, float):
        return FLOAT, "nan" if math.isnan(value) else value
    exact = Fraction(value)
    if exact.denominator == 1 and -(2**63) <= exact < 2**63:
        return INT, int(exact)
    largest = struct.unpack("<d", b"\xff\xff\xff\xff\xff\xff\xef\x7f")[0]
    if exact > Fraction(largest):
        return FLOAT_PLUS, largest
    if exact < -Fraction(largest):
        return FLOAT_PLUS, -math.inf
    near = float(exact)
    if Fraction(near) == exact:
        return FLOAT, near
    return FLOAT_PLUS, near if Fraction(near) < exact else math.nextafter(near, -math.inf)


def _scalar(value: Any) -> tuple[int, Any]:
    if value is None:
        return OTHER, 0
    if isinstance(value, bool):
        return BOOL, int(value)
    if isinstance(value, str):
        return TEXT, value.encode("utf-8", "surrogatepass")
    if isinstance(value, dt.datetime):
        nanosecond = getattr(value, "nanosecond", 0)
        micros = (dt.datetime(*value.timetuple()[:6]) - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)
        return TIME_PLUS if nanosecond else TIME, micros + value.microsecond
    return _number(value)


def _attribute(value: Any) -> list[Readable]:
    if isinstance(value, (list, frozenset)):
        flags = LIST if isinstance(value, list) else SET
        return [(flags, *_scalar(element)) for element in value] or [(flags, EMPTY, 0)]
    if isinstance(value, Range):
        bounds = ((value.low, value.low_open), (value.high, value.high_open))
        return [(SET | RANGE | (OPEN if is_open else 0), *_scalar(bound)) for bound, is_open in bounds]
    return [(0, *_scalar(value))]


def expected(event: Any, attributes: Attributes) -> Event:
    try:
        flat = flatten(event)
    except WatchwordError:
        return "error"
    return {name: _attribute(value) for name, value in flat.items() if name in attributes.names}


def _plain(kind: int, bits: int, length: int, text: bytes) -> Any:
    if kind in (FLOAT, FLOAT_PLUS):
        value = struct.unpack("<d", struct.pack("<q", bits))[0]
        return "nan" if math.isnan(value) else value
    if kind == TEXT:
        assert 0 <= bits <= bits + length <= len(text)
        return text[bits : bits + length]
    assert length == 0
    return bits


def readable(cells: Cells, attributes: Attributes) -> list[Event]:
    """The cells event by event, their form checked on the way."""
    values = cells.values
    for array, dtype in (
        (cells.starts, np.int64),
        (cells.attribute, np.int32),
        (cells.flags, np.uint8),
        (values.kind, np.uint8),
        (values.bits, np.int64),
        (values.length, np.int32),
        (values.text, np.uint8),
    ):
        assert array.dtype == dtype
        assert array.flags.c_contiguous
        assert array.flags.writeable  # otherwise kernels compile twice
    assert cells.starts[0] == 0
    assert cells.starts[-1] == len(cells.attribute) == len(cells.flags) == len(values.bits) == len(values.length)
    text = values.text.tobytes()
    rows: list[Event] = []
    for event in range(len(cells)):
        first, last = int(cells.starts[event]), int(cells.starts[event + 1])
        if event in cells.errors:
            assert first == last
            rows.append("error")
            continue
        row: dict[str, list[Readable]] = {}
        order = [int(number) for number in cells.attribute[first:last]]
        assert [a for a, b in zip(order, [-1, *order], strict=False) if a != b] == list(dict.fromkeys(order))
        for i in range(first, last):
            plain = _plain(int(values.kind[i]), int(values.bits[i]), int(values.length[i]), text)
            cell = (int(cells.flags[i]), int(values.kind[i]), plain)
            row.setdefault(attributes.names[cells.attribute[i]], []).append(cell)
        rows.append(row)
    return rows


def same(actual: list[Event], wanted: list[Any], attributes: Attributes) -> None:
    """Raise where the cells are not those of these events."""
    reference = [expected(event, attributes) for event in wanted]
    assert len(actual) == len(reference)
    for row, (one, other) in enumerate(zip(actual, reference, strict=True)):
        assert one == other, f"event {row}: {wanted[row]!r}"
