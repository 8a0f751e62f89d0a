"""Events as Python mappings, one by one, to cells. This is also the path of a single `match(event)`."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from watchword.coding.attributes import Attributes
from watchword.coding.cells import LIST, OPEN, RANGE, SET, Cells
from watchword.coding.event import Range, flatten
from watchword.coding.raw import RAW, raw_timestamp
from watchword.coding.values import EMPTY, INT, TEXT, Values
from watchword.errors import WatchwordError
from watchword.limits import INTEGER_MAX, INTEGER_MIN

_PACK: Final = struct.Struct("=iBBqi").pack
_ROW: Final = np.dtype([("attribute", "=i4"), ("flags", "u1"), ("kind", "u1"), ("bits", "=i8"), ("length", "=i4")])
_SEVERAL: Final = (list, frozenset, Range)


class _Cells:
    """Cells while they are written: a packed row each, for joining rows is the cheapest way from Python to NumPy."""

    def __init__(self) -> None:
        self.starts = array("q", [0])
        self.rows: list[bytes] = []
        self.text = bytearray()

    def add(self, number: int, flags: int, value: Any) -> None:
        if type(value) is int and INTEGER_MIN <= value <= INTEGER_MAX:
            self.rows.append(_PACK(number, flags, INT, value, 0))
        elif type(value) is str:
            encoded = value.encode("utf-8", "surrogatepass")
            self.rows.append(_PACK(number, flags, TEXT, len(self.text), len(encoded)))
            self.text += encoded
        else:
            kind, bits = RAW.get(type(value), raw_timestamp)(value)
            self.rows.append(_PACK(number, flags, kind, bits, 0))

    def end_event(self) -> None:
        self.starts.append(len(self.rows))

    def add_elements(self, number: int, flags: int, elements: Iterable[Any]) -> None:
        before = len(self.rows)
        for element in elements:
            self.add(number, flags, element)
        if len(self.rows) == before:
            self.rows.append(_PACK(number, flags, EMPTY, 0, 0))

    def add_range(self, number: int, value: Range) -> None:
        self.add(number, SET | RANGE | (OPEN if value.low_open else 0), value.low)
        self.add(number, SET | RANGE | (OPEN if value.high_open else 0), value.high)

    def finished(self, errors: dict[int, str]) -> Cells:
        columns = np.frombuffer(b"".join(self.rows), _ROW)
        attribute, flags, kind, bits, length = (columns[name].copy() for name in _ROW.names or ())
        values = Values(kind, bits, length, np.frombuffer(self.text, np.uint8))
        return Cells(np.frombuffer(self.starts, np.int64), attribute, flags, values, errors)


def from_dicts(events: Iterable[Any], attributes: Attributes) -> Cells:
    """An event that is an exception counts as one that could not be read, for that reason."""
    cells = _Cells()
    errors: dict[int, str] = {}
    for row, event in enumerate(events):
        try:
            if isinstance(event, WatchwordError):
                raise event
            flat = flatten(event)
        except WatchwordError as error:
            errors[row] = str(error)
            flat = {}
        for name, value in flat.items():
            number = attributes.number(name)
            if number is None:
                continue
            if not isinstance(value, _SEVERAL):
                cells.add(number, 0, value)
            elif isinstance(value, Range):
                cells.add_range(number, value)
            else:
                cells.add_elements(number, LIST if isinstance(value, list) else SET, value)
        cells.end_event()
    return cells.finished(errors)
