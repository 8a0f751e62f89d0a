"""Events as Python mappings, one by one, to cells. This is also the path of a single `match(event)`."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np

from watchword.coding.attributes import Attributes
from watchword.coding.cells import LIST, OPEN, RANGE, SET, Cells
from watchword.coding.event import Range, flatten
from watchword.coding.raw import RAW, raw_timestamp
from watchword.coding.values import EMPTY, TEXT, Values
from watchword.errors import WatchwordError


class _Cells:
    """Cells while they are written: typed arrays that grow, which NumPy then reads in place."""

    def __init__(self) -> None:
        self.starts = array("q", [0])
        self.attribute = array("i")
        self.flags = array("B")
        self.kind = array("B")
        self.bits = array("q")
        self.length = array("i")
        self.text = bytearray()

    def add(self, number: int, flags: int, value: Any) -> None:
        self.attribute.append(number)
        self.flags.append(flags)
        if type(value) is str:
            encoded = value.encode("utf-8", "surrogatepass")
            self.kind.append(TEXT)
            self.bits.append(len(self.text))
            self.length.append(len(encoded))
            self.text += encoded
        else:
            kind, bits = RAW.get(type(value), raw_timestamp)(value)
            self.kind.append(kind)
            self.bits.append(bits)
            self.length.append(0)

    def add_elements(self, number: int, flags: int, elements: Iterable[Any]) -> None:
        before = len(self.kind)
        for element in elements:
            self.add(number, flags, element)
        if len(self.kind) == before:
            self.add(number, flags, None)
            self.kind[-1] = EMPTY

    def add_range(self, number: int, value: Range) -> None:
        self.add(number, SET | RANGE | (OPEN if value.low_open else 0), value.low)
        self.add(number, SET | RANGE | (OPEN if value.high_open else 0), value.high)

    def finished(self, errors: dict[int, str]) -> Cells:
        values = Values(
            np.frombuffer(self.kind, np.uint8),
            np.frombuffer(self.bits, np.int64),
            np.frombuffer(self.length, np.int32),
            np.frombuffer(self.text, np.uint8),
        )
        return Cells(
            np.frombuffer(self.starts, np.int64),
            np.frombuffer(self.attribute, np.int32),
            np.frombuffer(self.flags, np.uint8),
            values,
            errors,
        )


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
            if isinstance(value, list):
                cells.add_elements(number, LIST, value)
            elif isinstance(value, frozenset):
                cells.add_elements(number, SET, value)
            elif isinstance(value, Range):
                cells.add_range(number, value)
            else:
                cells.add(number, 0, value)
        cells.starts.append(len(cells.kind))
    return cells.finished(errors)
