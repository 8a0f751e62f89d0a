"""All structures on the same subscriptions and events: load, memory, size, time per event, and what they count.

Every structure works in a process of its own, forked when the workload is made: its memory is its own, and what it
leaves behind is gone. Its matches are compared with those of `auto`, event by event, and `auto` with the yardstick's
kernel, before any time counts. A structure that refuses a workload says why.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
import pyarrow as pa

from watchword.bench.case import WARMING
from watchword.bench.check import check_counts
from watchword.bench.forms import as_columns, as_map, subscription_table
from watchword.bench.measure import seconds
from watchword.bench.workloads import Integers, Workload
from watchword.errors import LimitError, WatchwordError
from watchword.index.index import Index
from watchword.structures.structure import COUNT_NAMES

REPEATS: Final = 5
ENOUGH_SECONDS: Final = 2.0  # of matching: a slow structure gets fewer events
FIRST_EVENTS: Final = 10
WIDE: Final = 1000  # attributes from which on events are a map in place of columns

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Contest:
    """A workload in the forms that an index takes."""

    subscriptions: pa.Table
    events: pa.Table
    training: bool

    @classmethod
    def of(cls, workload: Workload, *, training: bool) -> Contest:
        few = workload.dims < WIDE
        events = as_columns(workload.events, workload.dims) if few else as_map(workload.events)
        return cls(subscription_table(workload), events, training)


def compare(contest: Contest, names: Sequence[str], counts: Integers) -> Iterator[Record]:
    """A record per structure. `counts`: the matches of every event."""
    for name in names:
        yield {"structure": name, **_in_a_process(contest, name, counts)}


def auto_counts(contest: Contest) -> Integers:
    matches = _loaded(contest, "auto", contest.subscriptions).match_batch(contest.events)
    return np.bincount(matches["event"].to_numpy(), minlength=len(contest.events))


def _in_a_process(contest: Contest, name: str, counts: Integers) -> Record:
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_measure_and_send, args=(contest, name, counts, sending))
    process.start()
    sending.close()
    try:
        record: Record = receiving.recv()
    except EOFError:
        process.join()
        record = {"refused": f"the process ended with code {process.exitcode}: out of memory?"}
    process.join()
    return record


def _measure_and_send(contest: Contest, name: str, counts: Integers, sending: Any) -> None:
    try:
        sending.send(_measure(contest, name, counts))
    except WatchwordError as error:
        sending.send({"refused": str(error)})


def _measure(contest: Contest, name: str, counts: Integers) -> Record:
    _loaded(contest, name, contest.subscriptions.slice(0, WARMING)).match_batch(contest.events.slice(0, FIRST_EVENTS))
    before = _resident()
    _forget_peak()
    begun = time.perf_counter()
    try:
        index = _loaded(contest, name, contest.subscriptions)
    except LimitError as error:
        return {"refused": str(error)}
    load = time.perf_counter() - begun
    peak = _resident("VmHWM") - before
    events, times = _match(index, contest, name, counts)
    matching = index.stats()["matching"]
    sizes = index.stats()["bytes"]
    return {
        "load s": round(load, 2),
        "peak MB": round(peak / 1e6),
        "structure B": round(sizes["structure"] / len(index), 1),
        "us/event": round(median(times) / events * 1e6, 2),
        "events": events,
        **{name: round(float(matching[f"{name}_per_event"]), 1) for name in COUNT_NAMES},
    }


def _loaded(contest: Contest, name: str, subscriptions: pa.Table) -> Index:
    index = Index(structure=name, training=contest.events if contest.training else None)
    index.subscribe_many(subscriptions)
    index.flush()
    return index


def _match(index: Index, contest: Contest, name: str, counts: Integers) -> tuple[int, list[float]]:
    """How many events were matched at a time, and the seconds of each time."""
    first = index.encode(contest.events.slice(0, FIRST_EVENTS))
    index.match_batch(first)
    for_one = seconds(lambda: index.match_batch(first)) / FIRST_EVENTS
    number = int(np.clip(ENOUGH_SECONDS / REPEATS / for_one, FIRST_EVENTS, len(contest.events)))
    coded = index.encode(contest.events.slice(0, number))
    check_counts(name, index.match_batch(coded), counts[:number])
    return number, [seconds(lambda: index.match_batch(coded)) for _ in range(REPEATS)]


def _forget_peak() -> None:
    if os.path.exists("/proc/self/clear_refs"):
        Path("/proc/self/clear_refs").write_text("5")


def _resident(field: str = "VmRSS") -> int:
    """Bytes, where the system tells; else 0."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    lines = status.read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))
