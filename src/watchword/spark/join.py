"""Join: subscriptions and events meet in buckets of access keys; no process holds more than a bucket.

    parts ---> id, expression, the buckets it waits in --explode--+
                                                                  +--same bucket--> an index of these subscriptions,
    events --> the event, the buckets it visits ---------explode--+                 made on the spot, x these events

A pair may meet in several buckets; it counts in the first one that both have. For subscriptions beyond the memory of
any host: every match reads and parses them anew, so wherever a part fits into memory, the other strategies are faster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from watchword.index.index import Index
from watchword.spark.join_sides import SubscriptionReader, Visitor
from watchword.spark.match_batches import match_rows, unreadable
from watchword.spark.tenants import own_ids, with_tenant
from watchword.spark.versions import Version

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BUCKETS: Final = 64
EVENTS: Final = 1_000  # at a time
REASON: Final = "reason"


@dataclass(frozen=True, slots=True)
class Join:
    """What is joined, and how the events are read."""

    version: Version
    names: tuple[str, ...]
    event_id: str
    json: str | None
    tenant: str | None
    arrays: bool
    errors: str | None
    buckets: int = BUCKETS

    def run(self, numbered: DataFrame, event_type: Any) -> DataFrame:
        """The matches of events whose columns are numbered."""
        from pyspark.sql import functions as F  # noqa: N812
        from pyspark.sql import types as t

        spark = numbered.sparkSession
        id_type = "string" if self.tenant is not None else self.version.id_type
        folders = spark.createDataFrame([(str(folder),) for folder in self.version.folders()], "folder string")
        reader = SubscriptionReader(self.buckets)
        waiting = folders.repartition(max(1, len(self.version.parts))).mapInArrow(
            reader, f"id {id_type}, expression string, waits array<int>"
        )
        visits = t.StructType([*numbered.schema.fields, t.StructField("visits", t.ArrayType(t.IntegerType()))])
        visitor = Visitor(self.version, self.names, self.json, self.tenant)
        visiting = numbered.mapInArrow(visitor.with_buckets(self.buckets), visits)
        own_type: Any = t.LongType() if self.version.id_type == "bigint" else t.StringType()
        found = t.StructType(
            [t.StructField("event", event_type), t.StructField("subscription", own_type),
             t.StructField(REASON, t.StringType())]
        )  # fmt: skip
        pairs = (
            visiting.select("*", F.explode("visits").alias("bucket"))
            .groupBy("bucket")
            .cogroup(waiting.select("*", F.explode("waits").alias("bucket")).groupBy("bucket"))
            .applyInArrow(bucket_matcher(self), found)
        )
        return self._shaped(pairs)

    def _shaped(self, pairs: DataFrame) -> DataFrame:
        """As `match` puts it out."""
        from pyspark.sql import functions as F  # noqa: N812

        subscription, reason = F.col("subscription"), F.col(REASON)
        if self.arrays:
            every = F.when(F.max(reason).isNull(), F.collect_list(subscription)).alias("subscriptions")
            grouped = pairs.groupBy("event").agg(every, F.max(reason).alias(REASON))
        else:
            grouped = pairs.where(subscription.isNotNull() | (reason.isNotNull() if self.errors else F.lit(False)))
        columns = [
            F.col("event").alias(self.event_id),
            F.col("subscriptions" if self.arrays else "subscription"),
            F.lit(self.version.number).cast("bigint").alias("version"),
        ]
        return grouped.select(*columns, *([reason.alias(self.errors)] if self.errors else []))


def bucket_matcher(job: Join) -> Callable[[pa.Table, pa.Table], pa.Table]:
    def matches(events: pa.Table, subscriptions: pa.Table) -> pa.Table:
        return match_bucket(job, events, subscriptions)

    return matches


def match_bucket(job: Join, events: pa.Table, subscriptions: pa.Table) -> pa.Table:
    """All pairs of one bucket that count here, and what must be said once of each event."""
    names, event_name = list(job.names), job.names.index(job.event_id)
    own_type = pa.int64() if job.version.id_type == "bigint" else pa.string()
    event_type = events.schema.field(event_name).type
    schema = pa.schema([("event", event_type), ("subscription", own_type), (REASON, pa.string())])
    if len(events) == 0:
        return schema.empty_table()
    bucket = events["bucket"][0].as_py()
    tables = []
    with Index() as index:
        index.subscribe_many(subscriptions.select(["id", "expression"]))
        index.flush()
        for batch in events.combine_chunks().to_batches(EVENTS):
            rows = pa.RecordBatch.from_arrays(batch.columns[: len(names)], names)
            if job.tenant is not None and job.version.tenant_attribute is not None:
                scoped = with_tenant(rows, job.tenant, job.version.tenant_attribute, job.json)
            else:
                scoped = rows
            found = match_rows(index, scoped, job.json)
            event, ids = _first_meetings(found.event, found.subscription, bucket, batch.column("visits"), subscriptions)
            ids = own_ids(ids, job.version.id_type) if job.tenant is not None else ids
            errors = {row: _reason(job, rows.slice(row, 1), reason) for row, reason in found.errors}
            said, reasons = _said_once(batch.column("visits"), bucket, errors, job)
            tables.append(
                pa.table(
                    [
                        batch.column(event_name).take(pa.array(np.concatenate([event, said]))),
                        pa.concat_arrays([ids.cast(own_type), pa.nulls(len(said), own_type)]),
                        pa.array([None] * len(event) + reasons, pa.string()),
                    ],
                    schema=schema,
                )
            )
    return pa.concat_tables(tables)


def _first_meetings(
    event: npt.NDArray[np.int64], ids: pa.Array, bucket: int, visits: pa.Array, subscriptions: pa.Table
) -> tuple[npt.NDArray[np.int64], pa.Array]:
    """The pairs that have met in no bucket before this one."""
    if len(ids) == 0:
        return event, ids
    known = subscriptions["id"].combine_chunks()
    row = pc.index_in(ids.cast(known.type), known).to_numpy(zero_copy_only=False)
    several = (pc.list_value_length(subscriptions["waits"]).to_numpy() > 1)[row]
    keep = np.ones(len(event), np.bool_)
    visited: dict[int, set[int]] = {}
    waits = subscriptions["waits"].combine_chunks()
    for pair in np.flatnonzero(several).tolist():
        here = int(event[pair])
        if here not in visited:
            visited[here] = set(visits[here].as_py())
        keep[pair] = min(visited[here].intersection(waits[int(row[pair])].as_py())) == bucket
    return event[keep], ids.filter(pa.array(keep))


def _reason(job: Join, event: pa.RecordBatch, reason: str) -> str:
    """The reason as it is for the event without its tenant: the places in a text are others."""
    if job.json is None or job.tenant is None:
        return reason
    return next((own for _, own in unreadable(Index(), event, job.json)), reason)


def _said_once(
    visits: pa.Array, bucket: int, errors: dict[int, str], job: Join
) -> tuple[npt.NDArray[np.int64], list[str | None]]:
    """Rows without a subscription, in the first bucket of an event: of bad events, and with arrays of all."""
    here = np.asarray(pc.list_element(visits, 0)) == bucket
    rows = [row for row in np.flatnonzero(here).tolist() if job.arrays or row in errors]
    return np.array(rows, np.int64), [errors.get(row) for row in rows]
