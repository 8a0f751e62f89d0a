"""What a build takes of the driver: the peak memory of its Python and of its JVM, tasks elsewhere.

On `local-cluster` executors are processes of their own, so what is left in the driver is the driver's. Each number of
subscriptions is built by a fresh driver.
"""

from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import watchword.spark as wws
from watchword.bench.forms import subscription_table
from watchword.bench.row import Row
from watchword.bench.spark import write_files
from watchword.bench.workloads import make_workload

MASTER: Final = "local-cluster[2,1,1536]"  # two executors of one core, 1.5 GiB each
MEMORY: Final = "512m"
FEWER: Final = 5  # times


class Peaks(NamedTuple):
    """In MiB."""

    python: float
    jvm: float
    heap: float  # of the JVM, in use after a collection


def driving(subscriptions: int) -> Iterator[Row]:
    """A fifth of the subscriptions, then all of them: the driver's memory must not notice."""
    peaks = []
    for count in (subscriptions // FEWER, subscriptions):
        with TemporaryDirectory() as scratch:
            write_files(Path(scratch, "subscriptions"), subscription_table(make_workload("sparse", count)))
            peak = driver_peaks(Path(scratch, "subscriptions"))
        peaks.append(peak)
        yield Row(f"driver's Python, peak, {count:,} subscriptions", peak.python, "MiB")
        yield Row(f"driver's JVM, peak, {count:,} subscriptions", peak.jvm, "MiB")
        yield Row(f"driver's JVM, heap in use in the end, {count:,} subscriptions", peak.heap, "MiB")
    few, many = ((peak.python + peak.jvm) for peak in peaks)
    yield Row(f"driver's memory for {FEWER} times the subscriptions", many / few, "x", at_most=1.1)


def driver_peaks(subscriptions: Path) -> Peaks:
    """`subscriptions`: a folder of Parquet. A driver builds an index of them and goes."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_build, str(subscriptions)).result()


def _build(subscriptions: str) -> Peaks:
    folder = Path(subscriptions)
    out = folder.with_name(f"{folder.name}.driver")
    try:
        with wws.session(MASTER, memory=MEMORY, settings={"spark.executor.memory": "1g"}) as spark:
            wws.build(spark.read.parquet(subscriptions), out)
            jvm: Any = spark.sparkContext._jvm
            pid = jvm.java.lang.ProcessHandle.current().pid()
            jvm.java.lang.System.gc()
            runtime = jvm.java.lang.Runtime.getRuntime()
            heap = runtime.totalMemory() - runtime.freeMemory()
            return Peaks(peak_memory("self"), peak_memory(str(pid)), heap / 2**20)
    finally:
        shutil.rmtree(out, ignore_errors=True)


def peak_memory(process: str) -> float:
    """The largest resident size that a process has had, in MiB."""
    status = dict(line.split(":", 1) for line in Path("/proc", process, "status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024
