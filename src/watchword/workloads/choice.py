"""Random choice of numbers from 0 to n - 1: alike or by weight, single or distinct within a row.

A weighted choice is drawn from an alias table (Walker; EDBT'12 section 4.2 samples terms so): every number owns an
equal share of the dice, keeps a part of it and lends the rest to one other.

    share  0      1      2      3         draw a share at random, then its owner with probability keep[share],
    keep   1.0    0.4    0.9    0.2       else the one it is lent to: two random numbers, however many there are
    lent   -      0      0      0

Cost: n numbers to build, O(1) per draw.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from watchword.kernel import lean
from watchword.workloads.workload import WorkloadError

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FEW: Final = 8  # up to so many numbers per one that is drawn, all of a row are drawn from at once


class Choice:
    """Numbers by weight; alike where there are no weights."""

    def __init__(self, n: int, weights: Floats | None = None) -> None:
        self.n = n
        self.weights = None if weights is None else weights / weights.sum()
        if self.weights is not None:
            self._keep, self._lent = self.weights * n, np.zeros(n, np.int64)
            _lend(self._keep, self._lent, np.empty(n, np.int64))

    def draw(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Integers:
        share = rng.integers(0, self.n, size)
        if self.weights is None:
            return share
        return np.where(rng.random(size) < self._keep[share], share, self._lent[share])

    def distinct(self, rng: np.random.Generator, rows: int, count: int) -> Integers:
        """`count` different numbers in every row, each drawn by weight among those not drawn yet, in that order."""
        if count > self.n:
            raise WorkloadError(f"{count:,} different numbers were asked for, and there are only {self.n:,}")
        if self.n <= FEW * count:
            return self._race(rng, rows, count)
        drawn = self.draw(rng, (rows, count))
        again = np.arange(rows)
        while len(again):
            repeated = repeated_in(drawn[again])
            row, place = np.nonzero(repeated)
            drawn[again[row], place] = self.draw(rng, len(row))
            again = again[repeated.any(1)]
        return drawn

    def _race(self, rng: np.random.Generator, rows: int, count: int) -> Integers:
        """Every number runs a time that is exponential with its weight as rate: the first ones are those drawn."""
        times = rng.standard_exponential((rows, self.n))
        if self.weights is not None:
            times /= np.maximum(self.weights, np.finfo(np.float64).tiny)
        first = (
            np.argpartition(times, count - 1, axis=1)[:, :count] if 0 < count < self.n else np.argsort(times, axis=1)
        )
        order = np.argsort(np.take_along_axis(times, first, 1), axis=1)
        return np.take_along_axis(first, order, 1)[:, :count]


def zipf(n: int, exponent: float) -> Choice:
    """The number of rank r, from 1, has the weight 1 / r ** exponent: alike for 0."""
    return Choice(n, None if exponent == 0 else np.arange(1.0, n + 1) ** -exponent)


def repeated_in(rows: Integers) -> npt.NDArray[np.bool_]:
    """Which numbers stand earlier in their row too."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, 1)
    same = np.zeros(rows.shape, np.bool_)
    same[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    repeated = np.empty_like(same)
    np.put_along_axis(repeated, order, same, 1)
    return repeated


@lean
def _lend(keep: Floats, lent: Integers, stack: Integers) -> None:
    """Who has less than one share gets the rest of it from one who has more. `stack` holds both, from its two ends."""
    small, large = 0, len(keep)
    for i in range(len(keep)):
        if keep[i] < 1.0:
            stack[small] = i
            small += 1
        else:
            large -= 1
            stack[large] = i
    while small > 0 and large < len(keep):
        small -= 1
        needy, rich = stack[small], stack[large]
        lent[needy] = rich
        keep[rich] -= 1.0 - keep[needy]
        if keep[rich] < 1.0:
            large += 1
            stack[small] = rich
            small += 1
    for i in range(small):  # what rounding has left over
        keep[stack[i]] = 1.0
    for i in range(large, len(keep)):
        keep[stack[i]] = 1.0
