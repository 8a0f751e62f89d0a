"""`watchword bench spark --work stream`: a stream at a steady pace, from a folder of files to a folder of batches.

    producer (a process) --a file every 200 ms--> in/ --local[2]--> out/batch=N --when it appeared--> latency of events

Event number i is produced at i / rate seconds, and waits for its file to be full. Its latency ends when the folder of
its batch can be seen. The events are the yardstick's `sparse`, as JSON; its thousand events are repeated.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet

import watchword.spark as wws
from watchword.bench.forms import as_json, subscription_table
from watchword.bench.memory import jvm_and_workers
from watchword.bench.row import Row
from watchword.bench.workloads import make_workload
from watchword.index.index import Index

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

F64 = npt.NDArray[np.float64]

PERIOD: Final = 0.2  # seconds of events in a file
LOOK: Final = 1.0  # seconds between two looks at memory
PATIENCE: Final = 60.0  # seconds for what is left when the producer stops
STEPS: Final = ("latestOffset", "queryPlanning", "walCommit", "addBatch", "commitOffsets", "triggerExecution")


class Run(NamedTuple):
    begun: float  # the time of event 0
    seen: F64  # for each batch, when it could be seen
    last: npt.NDArray[np.int64]  # for each batch, the last of its events
    matches: int
    memory: list[tuple[float, int, int]]  # seconds, bytes of the JVM, bytes of the workers
    heap: list[int]  # bytes that live in the JVM, after a quarter of the time and at the end
    steps: dict[str, float]  # milliseconds of a batch
    produced: float  # seconds that the producer took


def streaming(subscriptions: int, rate: int, seconds: int, memory: str) -> Iterator[Row]:
    workload = make_workload("sparse", subscriptions)
    thousand = as_json(workload.events)
    with TemporaryDirectory() as scratch, wws.session("local[2]", memory=memory) as spark:
        folder = Path(scratch)
        pyarrow.parquet.write_table(subscription_table(workload), folder / "subscriptions.parquet")
        wws.build(spark.read.parquet(str(folder / "subscriptions.parquet")), folder / "index")
        del workload
        _warm(spark, folder, thousand)
        run = _run(spark, folder, thousand, rate, seconds)
        expected = _matches(folder, thousand, rate * seconds)
    yield from rows(run, rate, seconds, expected)


def _warm(spark: Any, folder: Path, thousand: pa.Table) -> None:
    """Kernels compiled, workers started, the JVM's code for batches made."""
    (folder / "warm").mkdir()
    for file in range(20):
        _put(folder / "warm", file, thousand, range(2000 * file, 2000 * (file + 1)))
    _start(spark, folder, "warm", maxFilesPerTrigger="1", availableNow=True).awaitTermination()


def _start(spark: Any, folder: Path, source: str, availableNow: bool = False, **options: str) -> StreamingQuery:  # noqa: N803
    # Files that have been matched go: else every batch lists all that ever came.
    reader = spark.readStream.schema("id bigint, event string").options(cleanSource="delete", **options)
    events = reader.parquet(str(folder / source))
    out, checkpoint = folder / f"{source}-matches", folder / f"{source}-checkpoint"
    trigger = {"availableNow": True} if availableNow else None
    return wws.stream(events, folder / "index", out, checkpoint, json="event", trigger=trigger)


def _run(spark: Any, folder: Path, thousand: pa.Table, rate: int, seconds: int) -> Run:
    (folder / "in").mkdir()
    query = _start(spark, folder, "in")
    context = multiprocessing.get_context("spawn")
    begun = time.time() + 2
    producer = context.Process(target=_produce, args=(folder, thousand, rate, seconds, begun))
    producer.start()
    try:
        memory, heap, steps = _watch(spark, query, rate * seconds, begun, seconds)
    finally:
        producer.terminate()
        query.stop()
    produced = float((folder / "produced").read_text())
    return _read(folder / "in-matches", begun, memory, heap, steps, produced)


def _produce(folder: Path, thousand: pa.Table, rate: int, seconds: int, begun: float) -> None:
    """Each file appears, whole, when its last event is due."""
    size = round(rate * PERIOD)
    for file, first in enumerate(range(0, rate * seconds, size)):
        events = range(first, min(first + size, rate * seconds))
        time.sleep(max(0.0, begun + events.stop / rate - time.time()))
        _put(folder / "in", file, thousand, events)
    (folder / "produced").write_text(str(time.time() - begun))


def _put(folder: Path, file: int, thousand: pa.Table, events: range) -> None:
    ids = np.arange(events.start, events.stop)
    some = thousand.take(pa.array(ids % len(thousand))).add_column(0, "id", pa.array(ids))
    new = folder / f".{file:06d}"
    pyarrow.parquet.write_table(some, new)
    new.rename(folder / f"{file:06d}.parquet")


def _watch(
    spark: Any, query: StreamingQuery, events: int, begun: float, seconds: int
) -> tuple[list[tuple[float, int, int]], list[int], dict[str, float]]:
    """Memory and the steps of batches until all events have come out."""
    memory = []
    heap: list[int] = []
    batches: dict[int, Any] = {}
    while True:
        time.sleep(LOOK)
        now = time.time() - begun
        if query.exception() is not None or now > seconds + PATIENCE:
            break
        memory.append((now, *jvm_and_workers()))
        if not heap and now > seconds / 4:
            heap.append(_live_heap(spark))
        batches.update((one.batchId, one) for one in query.recentProgress if one.numInputRows)
        if sum(one.numInputRows for one in batches.values()) >= events:
            break
    steps = {step: fmean(one.durationMs.get(step, 0) for one in batches.values()) for step in STEPS}
    return memory, [*heap, _live_heap(spark)], steps


def _live_heap(spark: Any) -> int:
    """What is left when the JVM has collected all that it can: resident memory is as large as the heap is let grow."""
    spark._jvm.java.lang.System.gc()
    heap = spark._jvm.java.lang.management.ManagementFactory.getMemoryMXBean().getHeapMemoryUsage()
    return int(heap.getUsed())


def _read(
    out: Path,
    begun: float,
    memory: list[tuple[float, int, int]],
    heap: list[int],
    steps: dict[str, float],
    produced: float,
) -> Run:
    """A folder's ctime is when it was renamed, which is when it could be seen."""
    folders = sorted(out.glob("batch=*"), key=lambda folder: int(folder.name.removeprefix("batch=")))
    seen, last, matches = [], [], 0
    for folder in folders:
        groups = [
            footer.row_group(number)
            for footer in (pyarrow.parquet.read_metadata(file) for file in folder.glob("*.parquet"))
            for number in range(footer.num_row_groups)
        ]
        if groups:
            seen.append(os.stat(folder).st_ctime)
            last.append(max(group.column(0).statistics.max for group in groups))
            matches += sum(group.num_rows for group in groups)
    return Run(begun, np.array(seen), np.array(last), matches, memory, heap, steps, produced)


def _matches(folder: Path, thousand: pa.Table, events: int) -> int:
    """How many matches these events have, by one index."""
    from watchword.spark import versions

    index = Index.open_parts(list(map(str, versions.current(folder / "index").folders())))
    of_event = np.bincount(index.match_batch(thousand, json="event")["event"].to_numpy(), minlength=len(thousand))
    return int(of_event.sum() * (events // len(thousand)) + of_event[: events % len(thousand)].sum())


def rows(run: Run, rate: int, seconds: int, expected: int) -> Iterator[Row]:
    events = np.arange(rate * seconds)
    batch = np.searchsorted(run.last, events)
    done = batch < len(run.seen)
    latency = run.seen[np.minimum(batch, len(run.seen) - 1)] - (run.begun + (events + 1) / rate)
    latency[~done] = np.inf
    yield Row("produced", rate * seconds / run.produced, "events/s", at_least=0.99 * rate)
    yield Row("matches missing or too many", abs(run.matches - expected), "", at_most=0)
    yield Row("batches", len(run.seen), "")
    yield Row("latency, median", float(np.median(latency)), "s", at_most=1)
    yield Row("latency, 99 of 100", float(np.quantile(latency, 0.99, method="inverted_cdf")), "s")
    yield Row("latency, highest", float(latency.max()), "s")
    tenth = len(latency) // 10
    yield Row("latency, median of the last tenth", float(np.median(latency[-tenth:])), "s", at_most=1)
    for step, milliseconds in run.steps.items():
        yield Row(f"a batch: {step}", milliseconds, "ms")
    times, jvm, workers = (np.array(column, np.float64) for column in zip(*run.memory, strict=True))
    for when, live in zip(("a quarter", "the end"), run.heap, strict=True):
        yield Row(f"live heap of JVM, at {when}", live / 2**20, "MiB")
    for name, bytes_ in (("JVM", jvm), ("workers", workers)):
        early = float(bytes_[(times > seconds / 4) & (times < seconds / 2)].mean())
        late = float(bytes_[(times > seconds * 3 / 4) & (times < seconds)].mean())
        yield Row(f"memory of {name}, last quarter", late / 2**20, "MiB")
        yield Row(f"memory of {name}, against the second quarter", late / early, "x", at_most=1.1)
