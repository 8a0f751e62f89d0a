"""Replicated, sharded and joined on one machine: what moving events costs, and to how many places one goes.

The index fits; the strategies are made for those that do not. All must find as many matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa

import watchword.spark as wws
from watchword.bench.check import WrongMatchesError
from watchword.bench.forms import as_json, subscription_table
from watchword.bench.row import Row
from watchword.bench.spark import PROCESSES, timed, write_events, write_files
from watchword.bench.workloads import make_workload
from watchword.coding.attributes import Attributes
from watchword.coding.read_events import read_events
from watchword.spark import versions
from watchword.spark.access_keys import keys_of_events
from watchword.spark.match import places_of

PARTS: Final = 4


def comparing(subscriptions: int, events: int, memory: str) -> Iterator[Row]:
    """`sparse`, as JSON, Parquet to Parquet; the filters and buckets are made before, and timed."""
    with TemporaryDirectory() as scratch, wws.session(f"local[{PROCESSES}]", memory=memory) as spark:
        folder = Path(scratch)
        workload = make_workload("sparse", subscriptions)
        write_files(folder / "subscriptions", subscription_table(workload))
        wws.build(spark.read.parquet(str(folder / "subscriptions")), folder / "index", parts=PARTS)
        thousand = as_json(workload.events)
        write_events(folder / "events", thousand, events)
        version = versions.current(folder / "index")
        limit = version.bytes // (PARTS - 1)  # a part each
        frame, matches = spark.read.parquet(str(folder / "events")), 0
        for strategy in ("replicate", "shard", "join"):
            if strategy != "replicate":
                yield from _places(spark, version, strategy, limit, thousand["event"])

            def match(rows: Any, strategy: str = strategy) -> None:
                found = wws.match(rows, folder / "index", json="event", strategy=strategy, host_bytes=limit)
                found.write.mode("overwrite").parquet(str(folder / "matches"))

            match(frame.where("id % 50 = 0"))
            seconds = timed(lambda: match(frame))
            yield Row(f"{strategy}: match, Parquet to Parquet", events / seconds, "events/s")
            count = spark.read.parquet(str(folder / "matches")).count()
            if matches and count != matches:
                raise WrongMatchesError(f"{strategy} found {count:,} matches where replicate found {matches:,}")
            matches = count


def _places(spark: Any, version: versions.Version, strategy: str, limit: int, events: pa.ChunkedArray) -> Iterator[Row]:
    made = timed(lambda: places_of(spark, version, strategy, limit))
    _, places = places_of(spark, version, strategy, limit)
    names = places.names()
    visits = places.visits(keys_of_events(read_events(events, Attributes(names)), names))
    yield Row(f"{strategy}: {'filters' if strategy == 'shard' else 'buckets'} made", made, "s")
    yield Row(f"{strategy}: places", float(visits.any(axis=0).sum()), "")
    yield Row(f"{strategy}: places that an event visits", float(visits.sum()) / len(visits), "")
