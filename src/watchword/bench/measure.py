"""Time measured fairly: warm, the median of several, the sides in turn so that a change of the machine hits all."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - begun) / 1e9


def alternating(repeats: int, *sides: Callable[[], object]) -> list[float]:
    """The median seconds of each side."""
    for side in sides:
        side()
    rounds = [[seconds(side) for side in sides] for _ in range(repeats)]
    return [median(times) for times in zip(*rounds, strict=True)]
