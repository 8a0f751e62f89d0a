"""DuckDB and Spark SQL: events joined with subscriptions.

A cross join that evaluates each subscription's own condition needs those conditions in the text of the query, a column
of CASE per subscription, and planners do not bear many thousands. As all subscriptions here are conjunctions, their
predicates are a table, which both engines join by hash: a subscription matches where as many of its predicates hold as
it has.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from watchword.bench.peers.driver import Way, way_name
from watchword.bench.peers.package_peer import Build
from watchword.bench.peers.translate import predicate_table, value_table
from watchword.bench.workloads import Integers, Workload

MATCHES: Final = """
SELECT event, subscription
FROM {events} JOIN predicates USING (attr)
WHERE value BETWEEN lo AND hi
GROUP BY event, subscription, needed
HAVING count(*) = needed
"""
BATCHES: Final = (100, 1000)
SPARK_MEMORY: Final = "8g"


def prepare_duckdb(workload: Workload) -> Build:
    import duckdb

    predicates, values = predicate_table(workload), value_table(workload.events)

    def build() -> list[Way]:
        connection = duckdb.connect(config={"threads": 1})
        for name, table in (("predicates", predicates), ("vals", values)):
            connection.register("given", table)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given ORDER BY attr")

        def match(first: int, end: int) -> Integers:
            some = f"(SELECT * FROM vals WHERE event >= {first} AND event < {end})"
            return _counts(connection.sql(MATCHES.format(events=some)).to_arrow_table(), first, end)

        return [Way(way_name(batch), batch, match) for batch in BATCHES]

    return build


def prepare_spark(workload: Workload) -> Build:
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.driver.memory", SPARK_MEMORY)
        .config("spark.sql.shuffle.partitions", 1)
        .config("spark.ui.enabled", False)
        .config("spark.sql.execution.arrow.pyspark.enabled", True)
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    predicates, values = predicate_table(workload).to_pandas(), value_table(workload.events).to_pandas()

    def build() -> list[Way]:
        for name, table in (("predicates", predicates), ("vals", values)):
            frame = spark.createDataFrame(table).coalesce(1).cache()
            frame.count()
            frame.createOrReplaceTempView(name)

        def match(first: int, end: int) -> Integers:
            some = f"(SELECT * FROM vals WHERE event >= {first} AND event < {end})"
            return _counts(spark.sql(MATCHES.format(events=some)).toArrow(), first, end)

        return [Way(way_name(batch), batch, match) for batch in BATCHES]

    return build


def _counts(matches: pa.Table, first: int, end: int) -> Integers:
    return np.bincount(matches["event"].to_numpy() - first, minlength=end - first)
