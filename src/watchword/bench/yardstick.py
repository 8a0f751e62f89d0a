"""The rows of `watchword bench yardstick`, and what must be reached in each."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any, Final

import numpy as np
import pyarrow as pa

from watchword.bench.case import Case, Settings, load, make_case
from watchword.bench.check import check_counts, check_ids
from watchword.bench.measure import alternating, seconds
from watchword.bench.processes import opening, starting
from watchword.bench.row import Row
from watchword.bench.shapes import distinct_shapes
from watchword.bench.updates import updating

Step = Callable[[Case], Iterator[Row]]

SHAPES: Final = 4000
SINGLE_ROUNDS: Final = 3
THREAD_SECONDS: Final = 0.1  # of work per thread at least: throughput, not how soon a thread is woken up


def coded_events(case: Case) -> Iterator[Row]:
    index, kernel, events = case.index, case.kernel, len(case.dicts)
    coded = index.encode(case.table)
    counts = case.kernel_counts
    check_counts(f"{case.name}, coded events", index.match_batch(coded), counts)
    kernel_seconds, seconds = alternating(case.settings.repeats, kernel.run, lambda: index.match_batch(coded))
    yield Row("kernel", kernel_seconds / events * 1e6, "us/event")
    yield Row("kernel: candidates", kernel.run() / events, "/event")
    yield Row("match_batch: candidates", index.stats()["matching"]["candidates_per_event"], "/event")
    yield Row("matches", float(counts.mean()), "/event")
    yield Row("match_batch of coded events", seconds / kernel_seconds, "x kernel", at_most=1.0)


def read_events(case: Case) -> Iterator[Row]:
    """Reading, coding, matching and the table of ids, all included."""
    index, counts = case.index, case.kernel_counts
    columns = "an Arrow table of columns" if case.is_dense else "an Arrow table with a map"
    forms: list[tuple[str, Callable[[], pa.Table], bool]] = [
        (columns, lambda: index.match_batch(case.table), True),
        ("a column of JSON", lambda: index.match_batch(case.json, json="event"), True),
        ("a list of dicts", lambda: index.match_batch(case.dicts), False),
    ]
    for form, match, must in forms:
        check_counts(f"{case.name}, {form}", match(), counts)
        kernel_seconds, seconds = alternating(case.settings.repeats, case.kernel.run, match)
        if case.is_dense:
            yield Row(f"match_batch from {form}", seconds / kernel_seconds, "x kernel", at_most=3.0 if must else None)
        else:
            over = (seconds - kernel_seconds) / len(counts) * 1e6
            yield Row(f"match_batch from {form}", over, "us/event over kernel", at_most=25.0 if must else None)


def single_events(case: Case) -> Iterator[Row]:
    """One dict at a time, against the kernel called with one event."""
    matching, over = [], []
    for number, event in enumerate(case.dicts):
        kernel = case.kernel.one(number)
        check_ids(f"{case.name}, match of event {number}", np.array(case.index.match(event), np.int64), kernel())
        times = []
        for _ in range(SINGLE_ROUNDS):
            begun = time.perf_counter_ns()
            kernel()
            between = time.perf_counter_ns()
            case.index.match(event)
            times.append((between - begun, time.perf_counter_ns() - between))
        kernel_ns, match_ns = (median(side) for side in zip(*times, strict=True))
        matching.append(match_ns)
        over.append(match_ns - kernel_ns)
    yield Row("match of one dict", median(matching) / 1e3, "us")
    yield Row("match of one dict, over kernel", median(over) / 1e3, "us", at_most=100.0)


def loading(case: Case) -> Iterator[Row]:
    rate = case.settings.subscriptions / case.load_seconds
    yield Row("load", rate, "expressions/s", at_least=50_000 if case.is_dense else 100_000)
    parts = {name: size for name, size in case.index.stats()["bytes"].items() if name not in ("total", "ids", "rows")}
    size = sum(parts.values()) / len(case.index)
    yield Row("sealed size without ids", size, "B/subscription", at_most=90.0 if case.is_dense else 50.0)


def new_shapes(settings: Settings) -> Iterator[Row]:
    """Shapes that were never seen before, in every round."""
    count = min(SHAPES, settings.subscriptions)
    texts = distinct_shapes(count * (settings.long_repeats + 1))
    times = []
    for first in range(0, len(texts), count):
        part = texts[first : first + count]
        times.append(load(pa.table({"id": np.arange(count), "expression": part}), None)[1])
    yield Row("load of shapes not seen before", count / median(times[1:]), "expressions/s", at_least=4000)


def two_threads(case: Case) -> Iterator[Row]:
    if (os.cpu_count() or 1) < 2:
        return
    index, table = case.index, case.table
    half = len(table) // 2
    halves = [index.encode(table.slice(0, half)), index.encode(table.slice(half))]
    coded = index.encode(table)
    index.match_batch(halves[0])
    rounds = 1 + int(THREAD_SECONDS / seconds(lambda: index.match_batch(halves[0])))

    def work(number: int) -> int:
        return sum(len(index.match_batch(halves[number])) for _ in range(rounds))

    with ThreadPoolExecutor(2) as pool:
        one, two = alternating(
            case.settings.repeats, lambda: [work(0), work(1)], lambda: list(pool.map(work, range(2)))
        )
    yield Row("two threads, half of the coded events each", one / two, "x one thread", at_least=1.7)
    check_counts(f"{case.name}, threads=2", index.match_batch(coded, threads=2), case.kernel_counts)
    one, two = alternating(
        case.settings.repeats, lambda: index.match_batch(coded), lambda: index.match_batch(coded, threads=2)
    )
    yield Row("match_batch with threads=2", one / two, "x threads=1")


def memory(case: Case) -> Iterator[Row]:
    """Of the whole benchmark so far: making the workloads needs more than the index does."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    yield Row("peak memory of this process", peak / 1e6, "MB")


STEPS: Final[list[tuple[str, Step]]] = [
    ("matching coded events", coded_events),
    ("reading and matching events", read_events),
    ("matching single events", single_events),
    ("looking at load and size", loading),
    ("matching in two threads", two_threads),
    ("saving and opening", opening),
    ("updating while matching", updating),
    ("looking at memory", memory),
]


def run(names: Sequence[str], settings: Settings, doing: Callable[[str], Any]) -> Iterator[tuple[str, Row]]:
    """The rows of these workloads and those of none, each with its workload; `doing` shows what is under way."""
    for name in names:
        with doing(f"{name}: making the workload, loading"):
            case = make_case(name, settings)
        for title, step in STEPS:
            with doing(f"{name}: {title}"):
                rows = list(step(case))
            yield from ((name, row) for row in rows)
        del case  # before the next one is made
    with doing("loading new shapes"):
        rows = list(new_shapes(settings))
    with doing("starting new processes"):
        rows += starting(settings)
    yield from (("any workload", row) for row in rows)
