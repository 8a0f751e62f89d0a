"""Ranges side by side: range i is starts[i] .. starts[i + 1] of some flat array."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from watchword.coding.values import I64, U8
from watchword.kernel import kernel


def starts_of(lengths: npt.NDArray[np.integer[Any]]) -> I64:
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


@kernel
def positions(first: I64, starts: I64) -> I64:
    """Range i counts up from first[i] and stands at starts[i] .. starts[i + 1]."""
    out = np.empty(starts[-1], np.int64)
    for i in range(len(first)):
        for j in range(starts[i], starts[i + 1]):
            out[j] = first[i] + j - starts[i]
    return out


@kernel
def gather_bytes(text: U8, first: I64, starts: I64) -> U8:
    """The bytes of each range, copied side by side."""
    out = np.empty(starts[-1], np.uint8)
    for i in range(len(first)):
        for j in range(starts[i], starts[i + 1]):
            out[j] = text[first[i] + j - starts[i]]
    return out
