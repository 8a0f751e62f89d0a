"""Run as a program: `cluster_job.py MASTER INDEX EVENTS OUT` matches events slowly enough to be killed meanwhile."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import pyarrow as pa

import watchword.spark as wws

SECONDS = 0.4  # per batch


def slowly(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        time.sleep(SECONDS)
        yield batch


def main(master: str, index: str, events: str, out: str) -> None:
    settings = {
        "spark.executor.memory": "600m",
        "spark.executor.cores": "1",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
        "spark.task.maxFailures": "8",
    }
    with wws.session(master, memory="800m", settings=settings) as spark:
        frame = spark.read.parquet(events).repartition(6).mapInArrow(slowly, "id bigint, event string")
        print("begins", flush=True)
        wws.match(frame, index, json="event").write.parquet(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
