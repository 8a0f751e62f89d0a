"""What a further Python worker costs a host: memory that is its own, with an index of a gigabyte mapped.

All workers match with the same files mapped, whose pages they share; what is left is private: machine code that was
loaded after the fork, Arrow's buffers, the matches at hand.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa

import watchword.spark as wws
from watchword.bench.forms import as_json, subscription_table
from watchword.bench.row import Row
from watchword.bench.spark import write_events, write_files
from watchword.bench.workloads import sparse
from watchword.spark import versions

BYTES: Final = 1 << 30
EACH: Final = 1_000_000  # subscriptions, from one seed
WORKERS: Final = 4
EVENTS: Final = 40_000


def probe(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The memory of this worker, after those beside it have begun too."""
    time.sleep(1.5)
    for _ in batches:
        pass
    yield pa.RecordBatch.from_pydict({"pid": [os.getpid()], "private": [private_memory("self")]})


def private_memory(process: str) -> int:
    """Bytes that no other process shares."""
    lines = Path("/proc", process, "smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_"))


def working(memory: str, size: int = BYTES) -> Iterator[Row]:
    """Sparse subscriptions until the index has so many bytes. New workers match: old ones keep what building took."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with wws.session(f"local[{WORKERS // 2}]", memory=memory) as spark:
            workload = _build(spark, folder, size)
        version = versions.current(folder / "index")
        write_events(folder / "events", as_json(workload.events), EVENTS)
        with wws.session(f"local[{WORKERS}]", memory=memory) as spark:
            events = spark.read.parquet(str(folder / "events")).repartition(WORKERS).persist()
            found = wws.match(events, folder / "index", json="event", strategy="replicate")
            matches = found.count()
            probed = events.mapInArrow(probe, "pid bigint, private bigint").toArrow().to_pylist()
            private = {row["pid"]: row["private"] for row in probed}
            shared = [private_memory(str(parent)) for parent in {_parent(pid) for pid in private}]
    yield Row("the index", version.bytes / 2**30, "GiB", at_least=1 if size == BYTES else None)
    yield Row("subscriptions", version.subscriptions, "")
    yield Row("matches found before", matches, "")
    yield Row("workers", len(private), "")
    yield Row("private memory of a worker, the largest", max(private.values()) / 2**20, "MiB", at_most=100)
    yield Row("private memory of the process that they fork from", sum(shared) / 2**20, "MiB")


def _build(spark: Any, folder: Path, size: int) -> Any:
    """Measures what a subscription takes with the first million, then builds as many as it needs."""
    count, seed = 0, 2
    first = sparse(EACH, skew=False)
    write_files(folder / "few", subscription_table(first))
    built = wws.build(spark.read.parquet(str(folder / "few")), folder / "first", parts=1)
    needed = int(1.05 * size / (built.bytes / built.subscriptions))
    while count < needed:
        some = sparse(min(EACH, needed - count), skew=False, seed=seed)
        write_files(folder / "subscriptions" / f"{seed}", subscription_table(some, count))
        count, seed = count + len(some.k), seed + 1
    wws.build(spark.read.parquet(str(folder / "subscriptions" / "*")), folder / "index", parts=-(-count // EACH))
    return first


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
