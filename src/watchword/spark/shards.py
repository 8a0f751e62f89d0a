"""Shards: the parts of an index divided over workers, each of which maps only its own.

    shard 0: parts 0, 3, 5     event 17 --> a row for shard 0 --> task of shard 0 --> its matches there
    shard 1: parts 1, 2, 4     event 18 --> a row for shard 1 --> task of shard 1 --> its matches there

An event visits the shards in which a subscription waits for something that it has. Ids are spread over parts by their
hash, so with many subscriptions of all kinds that is every shard, and what moves is the events times their number.
Every match is in one shard, so nothing has to be compared afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from watchword.spark.versions import Part, Version

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def shards_of(version: Version, limit: int) -> tuple[Version, ...]:
    """The parts in groups of about the same size, each at most `limit` if the parts allow it, and two at least."""
    count = max(1, min(len(version.parts), max(2, -(-version.bytes // limit))))
    groups: list[list[Part]] = [[] for _ in range(count)]
    sizes = [0] * count
    for part in sorted(version.parts, key=lambda part: -part.bytes):
        smallest = sizes.index(min(sizes))
        groups[smallest].append(part)
        sizes[smallest] += part.bytes
    return tuple(version.only(group) for group in groups)


def together(found: DataFrame, event_id: str, errors: str | None) -> DataFrame:
    """One row per event again."""
    from pyspark.sql import functions as F  # noqa: N812

    every = F.when(F.count("subscriptions") > 0, F.flatten(F.collect_list("subscriptions")))
    columns = [every.alias("subscriptions"), F.first("version").alias("version")]
    if errors is not None:
        columns.append(F.max(errors).alias(errors))
    quoted = "`" + event_id.replace("`", "``") + "`"
    return found.groupBy(quoted).agg(*columns)
