"""Runs of cells, one column or one path at a time, and the sort that brings them into event order.

    parts   [price: events 0 1 3 | color: events 0 3 | ...]      each in event order by itself
    cells   [price color] [price] [] [price color]               event by event, parts in their order

Invariant: no two parts hold the same attribute for the same event. The sort counts, then places: 6 arrays are
read in sequence and written in tiles of events that fit the processor's cache. Cost: O(cells + events).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from watchword.coding.cells import Cells
from watchword.coding.values import I32, I64, U8, Values
from watchword.errors import EventError
from watchword.kernel import kernel

_TILE: Final = 1024
_MOST: Final = np.iinfo(np.int32).max


@dataclass(slots=True)
class Part:
    """Cells in event order. A field that is the same for all of them is one number."""

    event: npt.NDArray[Any]
    attribute: int | I32
    flags: int | U8
    kind: int | U8
    bits: npt.NDArray[Any]
    length: int | I32


class _Borrowed:
    """Read-only memory under a writable type: kernels then compile one signature for all texts.

    Nothing writes to a text once it is in cells, so the memory stays as it was.
    """

    def __init__(self, owner: U8) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "shape": owner.shape,
            "typestr": "|u1",
            "data": (owner.ctypes.data, False),
            "version": 3,
        }


def writable(text: U8) -> U8:
    """The same bytes, not copied, typed as writable."""
    return text if text.flags.writeable else np.asarray(_Borrowed(text))


class TextPool:
    """Many texts that become one, without a copy where there is only one."""

    def __init__(self) -> None:
        self._texts: list[U8] = []
        self._size = 0

    def add(self, text: U8) -> int:
        """Where `text` will begin in the whole."""
        start = self._size
        if len(text):
            self._texts.append(text)
            self._size += len(text)
        return start

    def whole(self) -> U8:
        if len(self._texts) == 1:
            return writable(np.ascontiguousarray(self._texts[0]))
        return np.concatenate(self._texts) if self._texts else np.zeros(0, np.uint8)


@kernel
def _place(
    parts: I64,
    event: I32,
    attribute: I32,
    flags: U8,
    kind: U8,
    bits: I64,
    length: I32,
    starts: I64,
    to_attribute: I32,
    to_flags: U8,
    to_kind: U8,
    to_bits: I64,
    to_length: I32,
) -> None:
    events = len(starts) - 1
    for i in range(len(event)):
        starts[event[i] + 1] += 1
    for e in range(events):
        starts[e + 1] += starts[e]
    following = starts[:-1].copy()
    cursor = parts[:-1].copy()
    for first in range(0, events, _TILE):
        last = min(first + _TILE, events)
        for p in range(len(cursor)):
            i = cursor[p]
            while i < parts[p + 1] and event[i] < last:
                to = following[event[i]]
                following[event[i]] = to + 1
                to_attribute[to] = attribute[i]
                to_flags[to] = flags[i]
                to_kind[to] = kind[i]
                to_bits[to] = bits[i]
                to_length[to] = length[i]
                i += 1
            cursor[p] = i


def in_event_order(parts: Sequence[Part], events: int, text: U8, errors: dict[int, str]) -> Cells:
    """The cells of all parts, event by event; within an event in the order of the parts."""
    if events > _MOST:
        raise EventError(f"more than {_MOST} events in one batch: split it")
    ends = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part.event) for part in parts], out=ends[1:])
    size = int(ends[-1])
    unordered = _cell_arrays(size)
    arrays: Any = unordered
    event = np.empty(size, np.int32)
    for part, first, last in zip(parts, ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        event[first:last] = part.event
        fields: Any = (part.attribute, part.flags, part.kind, part.bits, part.length)
        for array, field in zip(arrays, fields, strict=True):
            array[first:last] = field
    starts = np.zeros(events + 1, np.int64)
    ordered = _cell_arrays(size)
    _place(ends, event, *unordered, starts, *ordered)
    attribute, flags, kind, bits, length = ordered
    return Cells(starts, attribute, flags, Values(kind, bits, length, text), errors)


def _cell_arrays(size: int) -> tuple[I32, U8, U8, I64, I32]:
    return (
        np.empty(size, np.int32),
        np.empty(size, np.uint8),
        np.empty(size, np.uint8),
        np.empty(size, np.int64),
        np.empty(size, np.int32),
    )
