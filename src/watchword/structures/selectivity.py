"""How often a condition is true of an event: the cost of using it as an access key.

From a sample of events (coded), or without one from the expressions themselves: an attribute that few of them use is
taken to be rare in events too, and its codes to be equally frequent. A prefix or another leaf of a text query that
stands for many words is taken to be as frequent as that many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from watchword.coding.codebook import CONSTANT_DIMENSION, MISSING, Codebook
from watchword.coding.coded import Conditions
from watchword.coding.encode import CodedEvents
from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64
from watchword.kernel import kernel

WORDS_OF_A_PATTERN: Final = 64  # by rule of thumb

_NO_DIMENSIONS: Final[I64] = np.zeros(0, np.int64)

F64 = npt.NDArray[np.float64]


@dataclass(slots=True)
class Selectivity:
    presence: F64  # dimension -> how often an event has it
    starts: I64  # dimension -> its codes in `below`
    below: F64  # share of present values with a smaller code

    def of(self, conditions: Conditions) -> F64:
        """The estimated share of events for which each condition is true."""
        return _shares(
            conditions.dimension,
            conditions.low,
            conditions.high,
            conditions.set_of,
            conditions.set_starts,
            conditions.set_low,
            conditions.set_high,
            self.presence,
            self.starts,
            self.below,
        )


def from_events(book: Codebook, events: CodedEvents) -> Selectivity:
    starts = starts_of(book.codes)
    counts = np.bincount(starts[events.dimension] + events.code, minlength=int(starts[-1])).astype(np.float64)
    counts[starts[:-1] + MISSING] = 0
    total = np.add.reduceat(counts, starts[:-1])
    number = len(events.starts) - 1
    presence = np.minimum(1.0, (total + 0.5) / (number + 1))
    presence[CONSTANT_DIMENSION] = 1.0
    return Selectivity(presence, starts, _below(starts, counts, book.codes))


def from_conditions(
    book: Codebook, conditions: Conditions, expressions: int, many_words: I64 = _NO_DIMENSIONS
) -> Selectivity:
    """`many_words`: the dimensions of leaves of text queries that stand for many words."""
    starts = starts_of(book.codes)
    used = np.bincount(conditions.dimension, minlength=len(book.codes))
    used[many_words] *= WORDS_OF_A_PATTERN
    presence = np.minimum(1.0, (used + 0.5) / (expressions + 1))
    presence[CONSTANT_DIMENSION] = 1.0
    return Selectivity(presence, starts, _below(starts, np.zeros(int(starts[-1])), book.codes))


def _below(starts: I64, counts: F64, codes: I64) -> F64:
    """Shares, smoothed by one imaginary value spread over all codes."""
    total = np.add.reduceat(counts, starts[:-1])
    smoothed = (counts + np.repeat(1.0 / codes, codes)) / np.repeat(total + 1.0, codes)
    running = np.cumsum(smoothed) - smoothed
    return running - np.repeat(running[starts[:-1]], codes)


@kernel
def _shares(
    dimension: I32,
    low: I32,
    high: I32,
    set_of: I32,
    set_starts: I64,
    set_low: I32,
    set_high: I32,
    presence: F64,
    starts: I64,
    below: F64,
) -> F64:
    out = np.empty(len(dimension), np.float64)
    for c in range(len(dimension)):
        d = dimension[c]
        if low[c] > high[c]:
            out[c] = 0.0
        elif low[c] == 0:
            out[c] = 1.0
        elif set_of[c] < 0:
            out[c] = presence[d] * _share(starts, below, d, low[c], high[c])
        else:
            share = 0.0
            for i in range(set_starts[set_of[c]], set_starts[set_of[c] + 1]):
                share += _share(starts, below, d, set_low[i], set_high[i])
            out[c] = presence[d] * share
    return out


@kernel
def _share(starts: I64, below: F64, d: int, low: int, high: int) -> float:
    first, last = starts[d], starts[d + 1]
    return float((below[first + high + 1] if first + high + 1 < last else 1.0) - below[first + low])
