"""How far a sample may be from what it was drawn by: five standard errors, so that one test in a million is unlucky."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

ERRORS = 5.0


def has_mean(sample: Iterable[float], mean: float) -> bool:
    values = np.asarray(list(sample), np.float64)
    return bool(abs(values.mean() - mean) <= ERRORS * values.std(ddof=1) / len(values) ** 0.5)


def has_share(hits: int, of: int, share: float) -> bool:
    return bool(abs(hits - of * share) <= ERRORS * (of * share * (1 - share)) ** 0.5)


def is_drawn_by(sample: Iterable[int], weights: Sequence[float] | npt.NDArray[np.float64]) -> bool:
    """Pearson's chi-square over runs of numbers that come ten times or more. Its bound is Wilson and Hilferty's."""
    drawn = np.asarray(list(sample), np.int64)
    found = np.bincount(drawn, minlength=len(weights))
    assert len(found) == len(weights)
    expected = np.asarray(weights, np.float64) / np.sum(weights) * len(drawn)
    if (found[expected == 0] > 0).any():
        return False
    run = np.floor((np.cumsum(expected) - expected) / 10).astype(np.int64)
    found, expected = np.bincount(run, found), np.bincount(run, expected)
    found, expected = found[expected > 0], expected[expected > 0]
    freedom = len(expected) - 1
    assert freedom > 0
    distance = ((found - expected) ** 2 / expected).sum()
    spread = 2 / (9 * freedom)
    return bool(distance <= freedom * (1 - spread + ERRORS * spread**0.5) ** 3)


def follows(sample: Iterable[float], distribution: npt.NDArray[np.float64]) -> bool:
    """Kolmogorov and Smirnov: `distribution` is the probability to be at most each value, the values in order."""
    count = len(distribution)
    assert count == len(list(sample))
    steps = np.arange(count + 1) / count
    distance = max(np.abs(distribution - steps[1:]).max(), np.abs(distribution - steps[:-1]).max())
    return bool(distance <= 2.7 / count**0.5)  # of a million samples, one is farther away
