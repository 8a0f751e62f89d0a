"""Eight bytes at a time, as one integer whose lowest byte is the first: how kernels read, fold and hash words.

`load8` and `store8` take any place, aligned or not, and touch eight bytes: buffers end in `PADDING` bytes to spare.
The machine's own order of bytes must be little-endian, as it is on every processor Watchword is built for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic

from watchword.coding.hashing import mix
from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean

PADDING: Final = 16

_LOWEST: Final = np.uint64(0x0101010101010101)
_HIGHEST: Final = np.uint64(0x8080808080808080)
_BELOW: Final = np.uint64(0x7F7F7F7F7F7F7F7F)
_ONES: Final = np.uint64(0xFFFFFFFFFFFFFFFF)
_FROM_A: Final = np.uint64(0x80 - ord("A")) * _LOWEST
_PAST_Z: Final = np.uint64(0x7F - ord("Z")) * _LOWEST
_FROM_SMALL_A: Final = np.uint64(0x80 - ord("a")) * _LOWEST
_PAST_SMALL_Z: Final = np.uint64(0x7F - ord("z")) * _LOWEST
_FROM_0: Final = np.uint64(0x80 - ord("0")) * _LOWEST
_PAST_9: Final = np.uint64(0x7F - ord("9")) * _LOWEST
SEED: Final = np.uint64(0x9E3779B97F4A7C15)
_FACTOR: Final = np.uint64(0xD6E8FEB86659FD93)


def _eight_at(context: Any, builder: Any, array: Any, value: Any, place: Any) -> Any:
    data = context.make_array(array)(context, builder, value).data
    return builder.bitcast(builder.gep(data, [place]), ir.IntType(64).as_pointer())


def _load(typing_context: Any, array: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_eight_at(context, builder, array, *arguments), align=1)

    return types.uint64(array, types.intp), generate


def _store(typing_context: Any, array: Any, place: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _eight_at(context, builder, array, *arguments[:2]), align=1)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.uint64), generate


def _zeros(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.int64(types.uint64), generate


def _plain_load(array: U8, place: int) -> np.uint64:
    return np.uint64(int.from_bytes(array[place : place + 8].tobytes(), "little"))


def _plain_store(array: U8, place: int, word: np.uint64) -> None:
    array[place : place + 8] = np.frombuffer(int(word).to_bytes(8, "little"), np.uint8)


def _plain_zeros(word: np.uint64) -> int:
    return (int(word) & -int(word)).bit_length() - 1 if word else 64


_as_python: Final[bool] = vars(config)["DISABLE_JIT"]
load8: Callable[[Any, Any], Any] = _plain_load if _as_python else cast(Any, intrinsic(_load))
store8: Callable[[Any, Any, Any], None] = _plain_store if _as_python else cast(Any, intrinsic(_store))
trailing_zeros: Callable[[Any], Any] = _plain_zeros if _as_python else cast(Any, intrinsic(_zeros))


@lean
def copy_folded(text: U8, start: int, length: int, to: U8) -> bool:
    """Copy a text to the front of `to`, A to Z as a to z, spaces behind it. Says whether it has bytes beyond ASCII."""
    seen = np.uint64(0)
    whole = length & ~7
    for i in range(0, whole, 8):
        word = load8(text, start + i)
        seen |= word
        low = word & _BELOW
        capital = (low + _FROM_A) & ~(low + _PAST_Z) & ~word & _HIGHEST
        store8(to, i, word | (capital >> np.uint64(2)))
    for i in range(whole, length):
        byte = text[start + i]
        seen |= np.uint64(byte)
        to[i] = byte + 32 if 65 <= byte <= 90 else byte
    for i in range(length, length + PADDING):
        to[i] = 32
    return (seen & _HIGHEST) != np.uint64(0)


@lean
def letters_and_digits(text: U8, at: int) -> int:
    """Where the run of a to z and 0 to 9 that begins at `at` ends; the text ends in other bytes."""
    while True:
        word = load8(text, at)
        low = word & _BELOW
        letter = (low + _FROM_SMALL_A) & ~(low + _PAST_SMALL_Z)
        digit = (low + _FROM_0) & ~(low + _PAST_9)
        others = ~((letter | digit) & ~word) & _HIGHEST
        if others != np.uint64(0):
            return at + (trailing_zeros(others) >> 3)
        at += 8


@lean
def beyond_ascii(text: U8, at: int, end: int) -> int:
    """The first byte of 128 or more from `at` on, else `end`; `text` has eight bytes to spare."""
    while at < end:
        high = load8(text, at) & _HIGHEST
        if high != np.uint64(0):
            return min(at + (trailing_zeros(high) >> 3), end)
        at += 8
    return end


@lean
def mark_beyond_ascii(text: U8, begins: I64, lengths: I32, marks: U8) -> None:
    """Mark the texts, which lie anywhere, that have bytes beyond ASCII."""
    for i in range(len(begins)):
        at, end, seen = begins[i], begins[i] + lengths[i], np.uint64(0)
        while at + 8 <= end:
            seen |= load8(text, at)
            at += 8
        marks[i] = ((seen | _rest(text, at, end)) & _HIGHEST) != np.uint64(0)


@lean
def hash_word(text: U8, start: int, length: int) -> np.uint64:
    """The hash by which terms are known everywhere: the same on every machine, saved in segments.

    Words of up to eight bytes with equal lengths and equal hashes are equal: each step can be undone.
    """
    h = SEED
    end = start + length
    while start + 8 <= end:
        h = step(h, load8(text, start))
        start += 8
    if start < end:
        h = step(h, _rest(text, start, end))
    return mix(h)


@lean
def hash_padded(text: U8, start: int, length: int) -> np.uint64:
    """`hash_word` of a word with eight bytes behind it that may be read."""
    h = SEED
    while length > 8:
        h = step(h, load8(text, start))
        start += 8
        length -= 8
    return mix(step(h, load8(text, start) & (_ONES >> np.uint64(64 - 8 * length))))


@lean
def _rest(text: U8, start: int, end: int) -> np.uint64:
    word = np.uint64(0)
    for i in range(end - 1, start - 1, -1):
        word = (word << np.uint64(8)) | np.uint64(text[i])
    return word


@lean
def step(h: np.uint64, word: np.uint64) -> np.uint64:
    """One more word into a hash that `mix` finishes; no two words give the same."""
    h = (h ^ word) * _FACTOR
    return h ^ (h >> np.uint64(32))


@lean
def same_long(a: U8, at_a: int, b: U8, at_b: int, length: int) -> bool:
    """Whether two words of more than eight bytes are equal."""
    last = length - 8
    for i in range(0, last, 8):
        if load8(a, at_a + i) != load8(b, at_b + i):
            return False
    return load8(a, at_a + last) == load8(b, at_b + last)
