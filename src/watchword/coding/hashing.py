"""Hashes of byte strings, the same in every process and on every machine: saved indexes rely on them."""

from __future__ import annotations

import numpy as np

from watchword.coding.values import U8
from watchword.kernel import lean


@lean
def hash_bytes(text: U8, start: int, length: int) -> np.uint64:
    """FNV-1a over the bytes, then a finalizer so that low bits depend on all of them."""
    h = np.uint64(14695981039346656037)
    for i in range(start, start + length):
        h = (h ^ np.uint64(text[i])) * np.uint64(1099511628211)
    return mix(h)


@lean
def mix(h: np.uint64) -> np.uint64:
    """Spread the bits of a 64-bit integer over all of its bits (splitmix64's finalizer)."""
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


@lean
def same_bytes(a: U8, a_start: int, b: U8, b_start: int, length: int) -> bool:
    for i in range(length):
        if a[a_start + i] != b[b_start + i]:
            return False
    return True
