"""`watchword bench spark`: the pipeline on Spark against what it cannot be faster than.

    floor 1   a mapInArrow over the same rows that matches nothing and puts out as many pairs, Parquet to Parquet
    floor 2   match_batch on half of the events in each of two processes, nothing written

The workload is the yardstick's `sparse`; its thousand events are repeated. Every side runs once on a part before it is
measured, so that kernels are compiled, workers started and files in the cache.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

import watchword.spark as wws
from watchword.bench.forms import as_json, as_map, subscription_table
from watchword.bench.row import Row
from watchword.bench.workloads import make_workload
from watchword.index.index import Index
from watchword.spark import versions
from watchword.spark.match_batches import PAIRS

PROCESSES: Final = 2
BATCH: Final = 10_000
MANY: Final = 1_000_000  # ids that differ, so that Parquet cannot say them shortly
PAIR: Final = ("id", "subscription", "version")
FORMS: Final = {"json": as_json, "map": as_map}


@dataclass(frozen=True, slots=True)
class PairWriter:
    """As many pairs for each event as matches on average, of ids at random."""

    per_event: float
    subscriptions: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        ids = np.random.default_rng(1).integers(0, self.subscriptions, 2 * MANY)
        first = 0
        for batch in batches:
            pairs = round(self.per_event * batch.num_rows)
            event = np.repeat(batch.column(0).to_numpy(), -(-pairs // max(1, batch.num_rows)))[:pairs]
            for start in range(0, pairs, PAIRS):
                some = event[start : start + PAIRS]
                columns = [some, ids[first : first + len(some)], np.ones(len(some), np.int64)]
                first = (first + len(some)) % MANY
                yield pa.RecordBatch.from_arrays([pa.array(column) for column in columns], list(PAIR))


def matching(subscriptions: int, events: int, form: str, memory: str) -> Iterator[Row]:
    """A million events or so, Parquet to Parquet."""
    workload = make_workload("sparse", subscriptions)
    thousand = FORMS[form](workload.events)
    json = "event" if form == "json" else None
    with TemporaryDirectory() as scratch, wws.session(f"local[{PROCESSES}]", memory=memory) as spark:
        folder = Path(scratch)
        write_files(folder / "subscriptions", subscription_table(workload))
        write_events(folder / "events", thousand, events)
        wws.build(spark.read.parquet(str(folder / "subscriptions")), folder / "index")
        frame = spark.read.parquet(str(folder / "events"))

        def match(rows: Any) -> None:
            wws.match(rows, folder / "index", json=json).write.mode("overwrite").parquet(str(folder / "matches"))

        match(frame.where("id % 50 = 0"))
        halves = _halves(folder, versions.current(folder / "index"), json, BATCH)
        seconds = timed(lambda: match(frame))
        matches = spark.read.parquet(str(folder / "matches")).count()
        yield Row("matches", matches / events, "/event")
        yield Row("match, Parquet to Parquet", events / seconds, "events/s")
        writer = PairWriter(matches / events, subscriptions)
        floor = timed(
            lambda: (
                frame.mapInArrow(writer, "id bigint, subscription bigint, version bigint")
                .write.mode("overwrite")
                .parquet(str(folder / "floor"))
            )
        )
        yield Row("floor 1: the same rows in, as many pairs out", events / floor, "events/s")
    yield Row("floor 2: match_batch in two processes", events / halves, "events/s")
    yield Row("match against the slower floor", seconds / max(floor, halves), "x", at_most=1.5)


def building(subscriptions: int, memory: str) -> Iterator[Row]:
    """From SQL text in Parquet to a saved index."""
    with TemporaryDirectory() as scratch, wws.session(f"local[{PROCESSES}]", memory=memory) as spark:
        folder = Path(scratch)
        table = subscription_table(make_workload("sparse", subscriptions))
        write_files(folder / "subscriptions", table)
        del table
        frame = spark.read.parquet(str(folder / "subscriptions"))
        wws.build(frame.where("id % 50 = 0"), folder / "warm", parts=PROCESSES)
        seconds = timed(lambda: wws.build(frame, folder / "index"))
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            one = pool.submit(_build_one, str(folder)).result()
    yield Row("build in one process", subscriptions / one, "subscriptions/s")
    yield Row("build on Spark", subscriptions / seconds, "subscriptions/s")
    yield Row("build against one process", one / seconds, "x", at_least=1.7)


def _build_one(folder: str) -> float:
    table = pyarrow.parquet.read_table(Path(folder, "subscriptions"))
    with Index() as warm:
        warm.subscribe_many(table.slice(0, 20_000))
    del table

    def build() -> None:
        with Index() as index:
            index.subscribe_many(pyarrow.parquet.read_table(Path(folder, "subscriptions")))
            index.flush()
            index.save(Path(folder, "one"))

    return timed(build)


def _halves(folder: Path, version: versions.Version, json: str | None, batch: int) -> float:
    """Each process matches every other file; both begin together."""
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(PROCESSES, context) as pool:
        together = manager.Barrier(PROCESSES)
        files = sorted(map(str, (folder / "events").glob("*.parquet")))
        parts = list(map(str, version.folders()))
        work = [
            pool.submit(_match_half, files[number::PROCESSES], parts, json, batch, together)
            for number in range(PROCESSES)
        ]
        return max(one.result() for one in work)


def _match_half(files: list[str], parts: list[str], json: str | None, batch: int, together: Any) -> float:
    index = Index.open_parts(parts)
    first = pyarrow.parquet.read_table(files[0]).slice(0, batch)
    index.match_batch(first, json=json)
    together.wait()

    def match() -> None:
        for file in files:
            for events in pyarrow.parquet.ParquetFile(file).iter_batches(batch):
                index.match_batch(events, json=json)

    return timed(match)


def write_events(folder: Path, thousand: pa.Table, events: int) -> None:
    """Eight files of the same events again and again."""
    folder.mkdir()
    for file, first in enumerate(range(0, events, -(-events // 8))):
        ids = pa.array(np.arange(first, min(first + -(-events // 8), events)))
        rows = thousand.take(pc.subtract(ids, pc.multiply(pc.divide(ids, len(thousand)), len(thousand))))
        pyarrow.parquet.write_table(rows.add_column(0, "id", ids), folder / f"{file}.parquet", row_group_size=32_768)


def write_files(folder: Path, table: pa.Table) -> None:
    """Eight files; those that are there are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    size = -(-len(table) // 8)
    for file in range(8):
        pyarrow.parquet.write_table(table.slice(file * size, size), folder / f"{file}.parquet")


def timed(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
