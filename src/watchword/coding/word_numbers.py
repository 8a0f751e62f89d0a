"""The words that a segment's queries have, found by the words of a batch: one line of memory for each."""

from __future__ import annotations

import numpy as np

from watchword.coding.text_leaves import U64
from watchword.coding.values import I32, I64, U8
from watchword.kernel import AHEAD, kernel, lean, prefetch
from watchword.text.eight_bytes import same_long
from watchword.text.vocabulary import Vocabulary


class WordNumbers:
    def __init__(self, offsets: I64, data: U8, hashes: U64) -> None:
        self._offsets, self._data, self._hashes = offsets, data, hashes
        self._slots = _slots(hashes)

    def of(self, vocabulary: Vocabulary) -> I32:
        """The number of each word, -1 where it is not known."""
        out = np.empty(len(vocabulary), np.int32)
        _look_up(
            vocabulary.hash,
            vocabulary.offsets,
            vocabulary.data,
            self._slots,
            self._hashes,
            self._offsets,
            self._data,
            out,
        )
        return out


@kernel
def _slots(hashes: U64) -> I32:
    """Open addressing by hash, at most half full."""
    size = 2
    while size < 2 * len(hashes):
        size *= 2
    slots = np.full(size, -1, np.int32)
    mask = np.uint64(size - 1)
    for word in range(len(hashes)):
        slot = hashes[word] & mask
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = word
    return slots


@lean
def _look_up(
    hashes: U64, offsets: I64, data: U8, slots: I32, own_hashes: U64, own_offsets: I64, own_data: U8, out: I32
) -> None:
    """The number of each word of the batch's vocabulary among the segment's words, -1 where it is not there."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(hashes)):
        if i + AHEAD < len(hashes):
            prefetch(slots, np.int64(hashes[i + AHEAD] & mask))
        length = offsets[i + 1] - offsets[i]
        slot = hashes[i] & mask
        while slots[slot] >= 0:
            word = slots[slot]
            same = own_hashes[word] == hashes[i] and own_offsets[word + 1] - own_offsets[word] == length
            if same and (length <= 8 or same_long(own_data, own_offsets[word], data, offsets[i], length)):
                break
            slot = (slot + np.uint64(1)) & mask
        out[i] = slots[slot]
