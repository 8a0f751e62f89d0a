"""Pieces of one array, given out and taken back: what lists, labels and records of changing length lie in.

    words  | piece | piece |  free  | piece | ...  | never used ...
                              ^ free[class]: the first free piece of 2 ** class words or more; each names the next

Labels are short: their pool has a class for every length (`take_exactly`, `give_back_exactly`).

Invariant: a word belongs to one piece, or to one free piece, or lies behind `end`. A free piece is used again by the
next that asks for no more than its class, so what comes and goes for ever needs no more memory than at its height.
Kernels do not grow the array: they ask whether there is room (`has_room`), and their caller grows it (`grown`).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.values import I32, I64
from watchword.errors import LimitError
from watchword.kernel import lean

CLASSES: Final = 32
MOST_WORDS: Final = (1 << 31) - 1  # places are 32 bits wide


class Pool(NamedTuple):
    words: I32
    free: I64
    end: I64  # [words given out, or free]


def new_pool(size: int, classes: int = CLASSES) -> Pool:
    check_size(size)
    return Pool(np.empty(size, np.int32), np.full(classes, -1, np.int64), np.zeros(1, np.int64))


def check_size(size: int) -> None:
    if size > MOST_WORDS:
        raise LimitError(
            f"too many subscriptions for one segment: {size:,} places of {MOST_WORDS:,}; "
            "load them in several calls of subscribe_many"
        )


def room_after(size: int, needed: int) -> int:
    """How large an array of this size becomes to hold so many items."""
    check_size(needed)
    return min(MOST_WORDS, max(needed, size + (size >> 1) + 1024))


def grown(pool: Pool, more: int) -> Pool:
    """With room for at least so many words more."""
    end = int(pool.end[0])
    words = np.empty(room_after(len(pool.words), end + more), np.int32)
    words[:end] = pool.words[:end]
    return pool._replace(words=words)


def trimmed(pool: Pool) -> Pool:
    return Pool(pool.words[: pool.end[0]], pool.free, pool.end)


def widened(array: npt.NDArray[Any], rows: int, fill: int) -> npt.NDArray[Any]:
    """An array with at least so many rows, the new ones filled."""
    if rows <= len(array):
        return array
    more = np.full((max(rows, len(array) + (len(array) >> 1) + 16), *array.shape[1:]), fill, array.dtype)
    more[: len(array)] = array
    return more


@lean
def class_for(size: int) -> int:
    """The smallest class whose pieces hold so many words."""
    number = 0
    while 1 << number < size:
        number += 1
    return number


@lean
def has_room(pool: Pool, more: int) -> bool:
    return pool.end[0] + more <= len(pool.words)


@lean
def take_piece(pool: Pool, number: int) -> int:
    """Where a piece of this class begins."""
    at = pool.free[number]
    if at >= 0:
        pool.free[number] = pool.words[at]
        return at
    at = pool.end[0]
    pool.end[0] += 1 << number
    return at


@lean
def give_back(pool: Pool, at: int, size: int) -> None:
    if size > 0:
        number = class_for(size + 1) - 1  # rounded down
        pool.words[at] = pool.free[number]
        pool.free[number] = at


@lean
def take_exactly(pool: Pool, size: int) -> int:
    at = pool.free[size]
    if size > 0 and at >= 0:
        pool.free[size] = pool.words[at]
        return at
    at = pool.end[0]
    pool.end[0] += size
    return at


@lean
def give_back_exactly(pool: Pool, at: int, size: int) -> None:
    if size > 0:
        pool.words[at] = pool.free[size]
        pool.free[size] = at
