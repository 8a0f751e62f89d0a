"""Run as a program: `connect_job.py FOLDER` builds, matches, updates and counts under Spark Connect, and says what."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from tests.spark.answers import as_json, matches_and_bad, offers, subscriptions

import watchword.spark as wws


def main(folder: str) -> None:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    spark: Any = SparkSession.builder.remote("local[2]").getOrCreate()
    index = Path(folder, "index")
    built = wws.build(spark.createDataFrame(subscriptions()), index, parts=2)
    events = spark.createDataFrame(as_json([*offers(), "{"]))
    told: dict[str, Any] = {"session": type(spark).__module__, "built": [built.subscriptions, built.refused]}
    for strategy in ("replicate", "shard", "join"):
        matches, bad = matches_and_bad(wws.match(events, index, json="event", strategy=strategy, errors="reason"))
        told[strategy] = [matches, [row["id"] for row in bad]]
    counted = wws.statistics(events, json="event")
    counted.save(index)
    counted.release()
    told["events"] = counted.events
    change = spark.createDataFrame([("unsubscribe", "s7", None)], "op string, id string, expression string")
    told["updated"] = wws.update(change, index).subscriptions
    Path(folder, "told.json").write_text(json.dumps(told))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
