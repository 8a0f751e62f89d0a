"""One workload made ready: the index loaded through the public API, the kernel built, events in all forms."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

import pyarrow as pa

import watchword
from watchword.bench.check import WrongMatchesError
from watchword.bench.forms import as_columns, as_dicts, as_json, as_map, subscription_table
from watchword.bench.kernel import Kernel
from watchword.bench.workloads import Workload, make_workload
from watchword.index.index import Index

WARMING: Final = 10_000  # subscriptions: enough that they are sealed at once, as all of them are


@dataclass(frozen=True, slots=True)
class Settings:
    subscriptions: int = 1_000_000
    repeats: int = 7
    long_repeats: int = 3  # of what takes seconds: loads and new processes
    updates: int = 100_000
    training: bool = False  # give the index the events for its statistics, as the kernel has them
    read_only: bool = True  # also start from a package that cannot be written to, which compiles the kernels anew


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    settings: Settings
    workload: Workload
    kernel: Kernel
    index: Index
    load_seconds: float
    table: pa.Table  # the events: a column per attribute, or a map where those would be too many
    json: pa.Table  # a column `event` of JSON texts
    dicts: list[dict[str, int]]

    @property
    def is_dense(self) -> bool:
        return self.name.startswith("dense")

    @property
    def kernel_counts(self) -> Any:
        self.kernel.run()
        return self.kernel.counts


def make_case(name: str, settings: Settings) -> Case:
    workload = make_workload(name, settings.subscriptions)
    events = workload.events
    table = as_columns(events, workload.dims) if name.startswith("dense") else as_map(events)
    subscriptions = subscription_table(workload)
    training = table if settings.training else None
    load(subscriptions.slice(0, WARMING), training)
    times = []
    for _ in range(settings.long_repeats):
        index, seconds = load(subscriptions, training)
        times.append(seconds)
    return Case(
        name, settings, workload, Kernel(workload), index, median(times), table, as_json(events), as_dicts(events)
    )


def load(subscriptions: pa.Table, training: pa.Table | None) -> tuple[Index, float]:
    """An index of these, and the seconds from the SQL text until all is sealed."""
    index = watchword.Index(training=training)
    begun = time.perf_counter()
    refused = index.subscribe_many(subscriptions)
    index.flush()
    seconds = time.perf_counter() - begun
    if len(refused):
        raise WrongMatchesError(f"{len(refused):,} good subscriptions refused, the first: {refused['reason'][0]}")
    return index, seconds
