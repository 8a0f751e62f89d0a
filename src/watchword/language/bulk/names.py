"""Number the names of many leaves, equal names alike, in the order in which they first stand in the text."""

from __future__ import annotations

import numpy as np

from watchword.coding.hashing import hash_bytes, same_bytes
from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean


def number_names(text: U8, starts: I64, lengths: I64) -> tuple[I32, list[str]]:
    """The number of each leaf's name, and the names by number."""
    numbers = np.empty(len(starts), np.int32)
    first = np.empty(len(starts), np.int64)
    slots = np.full(2 << len(starts).bit_length(), -1, np.int32)  # open addressing, at most half full
    first = first[: _number(text, starts, lengths, slots, numbers, first)]
    extents = zip(starts[first].tolist(), lengths[first].tolist(), strict=True)
    return numbers, [text[start : start + length].tobytes().decode() for start, length in extents]


@lean
def _number(text: U8, starts: I64, lengths: I64, slots: I32, numbers: I32, first: I64) -> int:
    """Fill in each leaf's number and each number's first leaf; how many numbers there are."""
    count = 0
    mask = len(slots) - 1
    for leaf in range(len(starts)):
        start, length = starts[leaf], lengths[leaf]
        slot = np.int64(hash_bytes(text, start, length) & np.uint64(mask))
        while slots[slot] >= 0:
            other = first[slots[slot]]
            if lengths[other] == length and same_bytes(text, starts[other], text, start, length):
                break
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            slots[slot] = count
            first[count] = leaf
            count += 1
        numbers[leaf] = slots[slot]
    return count
