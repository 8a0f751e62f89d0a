"""Which attributes are indexed, and where their codes lie between 0 and 1 (H-Tree, sections III-B and III-C).

    code      0 .. 3   4    5    6    7   ...   last
    position  0.0      0.0  0.1  0.1  0.2  ...  1.0        never falls from one code to the next

The paper normalises values to [0, 1] and converts them by their distribution function F, so that every part of that
domain has as many. Here a value's position is F of its code: from a sample of events the share of smaller values, and
without one the code's rank, as if all constants were used equally often. With `conversion` off it is the place of the
value itself between the smallest and the largest constant; a gap lies where the constant below it does.
"""

from __future__ import annotations

import numpy as np

from watchword.coding.codebook import CONSTANT_DIMENSION, FIRST_FAMILY, Codebook
from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64
from watchword.kernel import lean
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.selectivity import F64, Selectivity


def choose_attributes(conjunctions: Conjunctions, selectivity: Selectivity, n_ind: int) -> I32:
    """The popular dimensions first, and those with narrow ranges rather than others.

    A condition counts by the part of the domain that it leaves out: many conditions and narrow ones both make that
    large. Only where there is none, the constant dimension is taken.
    """
    gains = np.zeros(len(selectivity.presence))
    _add_gains(conjunctions, selectivity.starts, selectivity.below, gains)
    gains[CONSTANT_DIMENSION] = 0
    chosen = np.argsort(-gains, kind="stable")[:n_ind]
    chosen = chosen[gains[chosen] > 0]
    return (chosen if len(chosen) else np.array([CONSTANT_DIMENSION])).astype(np.int32)


@lean
def _add_gains(conjunctions: Conjunctions, starts: I64, below: F64, gains: F64) -> None:
    for i in range(len(conjunctions.dimension)):
        d = conjunctions.dimension[i]
        after = starts[d] + conjunctions.high[i] + 1
        end = below[after] if after < starts[d + 1] else 1.0
        gains[d] += 1.0 - (end - below[starts[d] + conjunctions.low[i]])


def positions_of(dimensions: I32, book: Codebook, selectivity: Selectivity, *, conversion: bool) -> tuple[I64, F64]:
    """Where each dimension's codes begin, and the position of every code."""
    parts = []
    for d in dimensions.tolist():
        placed = None if conversion else _by_value(book, d)
        parts.append(_by_distribution(selectivity, d, int(book.codes[d])) if placed is None else placed)
    return starts_of(book.codes[dimensions]), np.concatenate(parts)


def _by_distribution(selectivity: Selectivity, d: int, codes: int) -> F64:
    """A code that many values have lies in the middle of their share."""
    below = np.append(selectivity.below[selectivity.starts[d] : selectivity.starts[d] + codes], 1.0)
    first = min(FIRST_FAMILY, codes - 1)
    middle = (below[:-1] + below[1:]) / 2
    return _rising((middle - below[first]) / (1.0 - below[first]))


def _by_value(book: Codebook, d: int) -> F64 | None:
    """None where the dimension has not just numbers, or just times, with an order."""
    if book.text_base[d] > 0 or book.bool_base[d] > 0:
        return None
    if book.number_base[d] > 0 and book.number_ordered[d] and book.time_base[d] == 0:
        base, constants = book.number_base[d], book.numbers[book.number_starts[d] : book.number_starts[d + 1]]
    elif book.time_base[d] > 0 and book.time_ordered[d] and book.number_base[d] == 0:
        base, constants = book.time_base[d], book.times[book.time_starts[d] : book.time_starts[d + 1]].astype(float)
    else:
        return None
    if not np.isfinite(constants).all() or constants[0] == constants[-1]:
        return None
    places = constants / 2 - constants[0] / 2  # halves: the difference of two large numbers may be too large
    code = np.arange(book.codes[d])
    constant = (code - base + 1) // 2 - 1  # the last one that is not above the code
    return _rising(np.where(constant < 0, 0.0, (places / places[-1])[np.clip(constant, 0, len(constants) - 1)]))


def _rising(positions: F64) -> F64:
    return np.maximum.accumulate(np.clip(positions, 0.0, 1.0))
