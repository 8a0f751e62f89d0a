"""Builds a peer in Python, warms it up and measures it. java/Driver.java does the same for peers in Java."""

from __future__ import annotations

import ctypes
import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from watchword.bench.measure import seconds
from watchword.bench.peers.peer import Pace, Raw
from watchword.bench.workloads import Integers


@dataclass(frozen=True, slots=True)
class Way:
    """A way to match: `match(first, end)` matches a batch of events and returns how many matches each has."""

    name: str
    batch: int
    match: Callable[[int, int], Sequence[int] | Integers]


def way_name(batch: int) -> str:
    return "one at a time" if batch == 1 else f"batches of {batch:,}"


def drive(build: Callable[[], Sequence[Way]], events: int, pace: Pace) -> Iterator[Raw]:
    before = _settled()
    begun = time.perf_counter()
    ways = build()
    built = time.perf_counter() - begun
    memory = _settled() - before
    for way in ways:
        end = _warm_up(way, events, pace)
        rounds = max(1, round(pace.measured / _time(way, end)))
        each = [_time(way, end, rounds) / rounds / end for _ in range(pace.passes)]
        yield {
            "way": way.name,
            "batch": way.batch,
            "build_seconds": built,
            "memory": memory,
            "peak": resident("VmHWM"),
            "seconds": each,
            "counts": _match_all(way, end).tolist(),
        }


def _warm_up(way: Way, events: int, pace: Pace) -> int:
    """How many events, in whole batches, fit into a pass once all is warm."""
    end, begun = min(way.batch, events), time.perf_counter()
    while True:
        fitting = pace.measured / (_time(way, end) / end)
        end = events if fitting >= events else max(min(way.batch, events), int(fitting) // way.batch * way.batch)
        if time.perf_counter() - begun >= pace.warm:
            return end


def _time(way: Way, end: int, rounds: int = 1) -> float:
    return seconds(lambda: [_match_all(way, end) for _ in range(rounds)])


def _match_all(way: Way, end: int) -> Integers:
    parts = [way.match(first, min(first + way.batch, end)) for first in range(0, end, way.batch)]
    return np.concatenate([np.asarray(part, np.int64) for part in parts])


def _settled() -> int:
    """Bytes of this process once what is not needed is given back."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)
    return resident()


def resident(field: str = "VmRSS") -> int:
    """Bytes of this process, where the system tells; else 0."""
    if not os.path.exists("/proc/self/status"):
        return 0
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))
