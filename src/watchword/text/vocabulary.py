"""The distinct words of a batch, numbered in the order they came.

    slots    [hash | length, number + 1]  [0 | 0]  ...     open addressing: from hash & (slots - 1) onwards
    offsets  0 5 9 ...     data  g o o g l e n e w s ...   the words end to end, with bytes to spare behind them

Invariant: at most half of the slots are taken. Cost: one line of memory per word looked up; bytes are compared for
words of more than eight bytes only, for shorter ones the hash says it all (see `hash_word`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.values import I32, I64, U8
from watchword.kernel import AHEAD, lean, prefetch
from watchword.text.eight_bytes import PADDING, hash_word, load8, same_long, store8

U64 = npt.NDArray[np.uint64]

_LENGTH: Final = np.uint64(32)
_NUMBER: Final = np.uint64(0xFFFFFFFF)
_NO_ROOM: Final = -1


@dataclass(slots=True)
class Vocabulary:
    offsets: I64
    data: U8
    hash: U64
    """`hash_word` of each, so that whoever looks them up elsewhere need not hash again."""

    def __len__(self) -> int:
        return len(self.hash)

    def word(self, number: int) -> str:
        return self.bytes_of(number).decode("utf-8", "surrogatepass")

    def bytes_of(self, number: int) -> bytes:
        return self.data[self.offsets[number] : self.offsets[number + 1]].tobytes()


class Table(NamedTuple):
    """What kernels take of a growing vocabulary."""

    slots: U64
    offsets: I64
    data: U8
    hash: U64
    known: I64  # one number: how many words there are


class Words:
    """A vocabulary that grows. Kernels stop where there is no room; `grow` makes some."""

    def __init__(self, words: int = 1 << 10, size: int = 1 << 14) -> None:
        words = 1 << max(words - 1, 1).bit_length()
        self.table = Table(
            np.zeros((2 * words, 2), np.uint64),
            np.zeros(words + 1, np.int64),
            np.empty(size + PADDING, np.uint8),
            np.empty(words, np.uint64),
            np.zeros(1, np.int64),
        )

    def __len__(self) -> int:
        return int(self.table.known[0])

    @property
    def room(self) -> tuple[int, int]:
        """For how many words and bytes: what `Words` takes."""
        return len(self.table.hash), len(self.table.data) - PADDING

    def grow(self, size: int) -> None:
        """Twice as many words, and room for at least `size` bytes more."""
        old, count = self.table, len(self)
        used = int(old.offsets[count])
        bigger = Words(2 * len(old.hash), 2 * len(old.data) + size)
        new = bigger.table
        new.offsets[: count + 1] = old.offsets[: count + 1]
        new.data[:used] = old.data[:used]
        new.hash[:count] = old.hash[:count]
        new.known[0] = count
        _fill_slots(new)
        self.table = new

    def numbers(self, data: U8, begins: I64, lengths: I32, hashes: U64) -> I32:
        """The number of each of these words, new ones added."""
        numbers = np.empty(len(begins), np.int32)
        done, n = 0, len(begins)
        while (done := add_hashed(data, begins, lengths, hashes, done, n, self.table, numbers, 0)) < n:
            self.grow(int(lengths[done]))
        return numbers

    def vocabulary(self) -> Vocabulary:
        count = len(self)
        offsets = self.table.offsets[: count + 1]
        return Vocabulary(offsets, self.table.data[: offsets[-1]], self.table.hash[:count])


@lean
def _fill_slots(table: Table) -> None:
    mask = np.uint64(len(table.slots) - 1)
    for i in range(table.known[0]):
        slot = table.hash[i] & mask
        while table.slots[slot, 1] != np.uint64(0):
            slot = (slot + np.uint64(1)) & mask
        table.slots[slot, 0] = table.hash[i]
        length = np.uint64(table.offsets[i + 1] - table.offsets[i])
        table.slots[slot, 1] = length << _LENGTH | np.uint64(i + 1)


@lean
def hash_words(data: U8, begins: I64, lengths: I32, hashes: U64) -> None:
    for i in range(len(begins)):
        hashes[i] = hash_word(data, begins[i], lengths[i])


@lean
def add_hashed(
    data: U8, begins: I64, lengths: I32, hashes: U64, first: int, n: int, table: Table, numbers: I32, at: int
) -> int:
    """Number the words from `first` to `n`, to numbers[at + i]. Returns how far it came: less than `n`: no room."""
    mask = np.uint64(len(table.slots) - 1)
    for i in range(first, min(first + AHEAD, n)):
        prefetch(table.slots, np.int64(hashes[i] & mask) * 2)
    for i in range(first, n):
        if i + AHEAD < n:
            prefetch(table.slots, np.int64(hashes[i + AHEAD] & mask) * 2)
        number = number_of(table, data, begins[i], lengths[i], hashes[i])
        if number == _NO_ROOM:
            return i
        numbers[at + i] = number
    return n


@lean
def _copy(data: U8, start: int, length: int, to: U8, at: int) -> None:
    """Eight bytes at a time where both sides have some to spare: `to` always has."""
    if start + length + 8 <= len(data):
        for i in range(0, length, 8):
            store8(to, at + i, load8(data, start + i))
    else:
        for i in range(length):
            to[at + i] = data[start + i]


@lean
def number_of(table: Table, data: U8, start: int, length: int, h: np.uint64) -> int:
    """The number of a word, which is added where it is new and there is room."""
    slots = table.slots
    mask = np.uint64(len(slots) - 1)
    slot = h & mask
    while slots[slot, 1] != np.uint64(0):
        if slots[slot, 0] == h and slots[slot, 1] >> _LENGTH == np.uint64(length):
            number = np.int64(slots[slot, 1] & _NUMBER) - 1
            if length <= 8 or same_long(table.data, table.offsets[number], data, start, length):
                return number
        slot = (slot + np.uint64(1)) & mask
    number = table.known[0]
    used = table.offsets[number]
    if number == len(table.hash) or used + length + PADDING > len(table.data):
        return _NO_ROOM
    _copy(data, start, length, table.data, used)
    table.offsets[number + 1] = used + length
    table.hash[number] = h
    table.known[0] = number + 1
    slots[slot, 0] = h
    slots[slot, 1] = np.uint64(length) << _LENGTH | np.uint64(number + 1)
    return number
