"""The attributes an index knows: name <-> number, append-only, readable by kernels while it grows.

    text     p r i c e c o l o r ...
    starts   0         5         10        name i: text[starts[i] : starts[i+1]]
    slots    -1 1 -1 -1 0 ...              open addressing by the name's hash, at most half full

A name is written before its slot, and all arrays are replaced together when one is full, so a kernel that
took `table()` before sees a consistent, perhaps older, set of names. Adding is for one thread at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from watchword.coding.hashing import hash_bytes, same_bytes
from watchword.coding.values import I32, I64, U8
from watchword.kernel import kernel


class NameTable(NamedTuple):
    slots: I32
    starts: I64
    text: U8


@kernel
def find_name(table: NameTable, text: U8, start: int, length: int) -> int:
    """The number of the attribute of this name, or -1."""
    mask = len(table.slots) - 1
    slot = np.int64(hash_bytes(text, start, length) & np.uint64(mask))
    while True:
        number = table.slots[slot]
        if number < 0:
            return -1
        first = table.starts[number]
        if table.starts[number + 1] - first == length and same_bytes(table.text, first, text, start, length):
            return int(number)
        slot = (slot + 1) & mask


@kernel
def _insert(table: NameTable, numbers: I64) -> None:
    mask = len(table.slots) - 1
    for number in numbers:
        start = table.starts[number]
        slot = np.int64(hash_bytes(table.text, start, table.starts[number + 1] - start) & np.uint64(mask))
        while table.slots[slot] >= 0:
            slot = (slot + 1) & mask
        table.slots[slot] = number


class Attributes:
    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._table = NameTable(np.full(64, -1, np.int32), np.zeros(33, np.int64), np.zeros(1024, np.uint8))
        self.add(names)

    def __len__(self) -> int:
        return len(self.names)

    def number(self, name: str) -> int | None:
        return self._numbers.get(name)

    def table(self) -> NameTable:
        return self._table

    def add(self, names: Iterable[str]) -> I32:
        """The numbers of these names, new ones given to those not seen before."""
        first_new = len(self.names)
        numbers = []
        for name in names:
            number = self._numbers.get(name)
            if number is None:
                number = self._numbers[name] = len(self.names)
                self.names.append(name)
            numbers.append(number)
        if len(self.names) > first_new:
            self._write(first_new)
        return np.array(numbers, np.int32)

    def _write(self, first_new: int) -> None:
        encoded = [name.encode("utf-8", "surrogatepass") for name in self.names[first_new:]]
        ends = np.cumsum([len(name) for name in encoded], dtype=np.int64) + self._table.starts[first_new]
        old = self._table
        count = len(self.names)
        slots, starts, text = old
        grown = count >= len(starts) or int(ends[-1]) > len(text) or 2 * count > len(slots)
        if grown:
            starts = np.zeros(2 * count + 1, np.int64)
            starts[: first_new + 1] = old.starts[: first_new + 1]
            text = np.zeros(2 * int(ends[-1]) + 1, np.uint8)
            text[: starts[first_new]] = old.text[: starts[first_new]]
            slots = np.full(1 << (4 * count).bit_length(), -1, np.int32)
        starts[first_new + 1 : count + 1] = ends
        text[starts[first_new] : ends[-1]] = np.frombuffer(b"".join(encoded), np.uint8)
        table = NameTable(slots, starts, text)
        _insert(table, np.arange(0 if grown else first_new, count))
        self._table = table
