"""The last step of the demo: the same subscriptions and offers as DataFrames, on a Spark inside this process."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from watchword.errors import MissingDependencyError


def run_on_spark(subscriptions: pa.Table, offers: pa.Array, matches: int) -> dict[str, Any]:
    """What it took, and whether it found as many matches; or what to install."""
    begun = time.perf_counter()
    try:
        import watchword.spark as wws

        with wws.session("local[2]") as spark, TemporaryDirectory(prefix="watchword-demo-") as folder:
            started = time.perf_counter()
            built = wws.build(spark.createDataFrame(subscriptions), Path(folder, "shop"))
            after_build = time.perf_counter()
            events = spark.createDataFrame(pa.table({"id": range(len(offers)), "offer": offers}))
            found = wws.match(events, Path(folder, "shop"), json="offer").count()
            ended = time.perf_counter()
    except MissingDependencyError as missing:
        return {"spark": str(missing)}
    return {
        "spark_starting_seconds": round(started - begun, 2),
        "spark_subscriptions": built.subscriptions,
        "spark_building_seconds": round(after_build - started, 2),
        "spark_matching_seconds": round(ended - after_build, 2),
        "spark_same_matches": found == matches,
    }
