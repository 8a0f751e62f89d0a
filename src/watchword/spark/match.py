"""`match`: a DataFrame of events in, a DataFrame of matches out.

replicate   events --mapInArrow--> every task: its events x all parts of the version --> event id, subscription,
shard       events --where something may wait for them--> a task for a shard: its events x its parts ------> version
join        events --where something may wait for them--> a task for some buckets: its events x their indexes ->
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from watchword.errors import EventError, WatchwordError
from watchword.spark import versions
from watchword.spark.buckets import make_buckets
from watchword.spark.key_filter import filter_file, write_filters
from watchword.spark.match_batches import BadEventFinder, Matcher
from watchword.spark.routing import FilledBuckets, Filters, Places, Router, routed
from watchword.spark.shards import shards_of, together
from watchword.spark.strategy import STRATEGIES, bytes_of_host, chosen
from watchword.spark.versions import Version

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

OUTPUTS: Final = ("pairs", "arrays")
_log: Final = logging.getLogger(__name__)


def match(
    events: DataFrame,
    path: str | Path,
    event_id: str = "id",
    json: str | None = None,
    strategy: str = "auto",
    *,
    output: str = "pairs",
    errors: str | None = None,
    version: int | None = None,
    tenant: str = "tenant",
    host_bytes: int | None = None,
) -> DataFrame:
    """Every match of the events with the index at `path`: the event's id under its own name, subscription, version.

    An event is a row: its columns, records, lists and maps are its attributes, or `json` names the column that holds
    it as JSON text. `output`: "pairs", a row for every match, or "arrays", a row for every event with all of its
    subscriptions. `errors`: the name of one more column, with the reason why an event could not be read; such an event
    has one row, without a subscription. Without it bad events match nothing. `version`: an earlier one.

    An index with tenants needs theirs in the events too, in the column that `tenant` names.

    `strategy`: "replicate" maps the whole index in every worker, "shard" a part of it, to which a copy of each event
    goes that may match something there, "join" an index of a bucket of access keys, which is made beside the index at
    the first join of a version; for "arrays" the last two need ids of events that differ. "auto" takes what `choose`
    says: it replicates what fits into `host_bytes` (half of the memory of this host if not given).

    On a streaming DataFrame every task takes the version that is in force when it begins, so a new version counts from
    the next micro-batch on, and an event is matched with one version, which its rows name.
    """
    check_options(strategy, output)
    used = versions.current(path) if version is None else versions.version(path, version)
    scoped = used.tenant_attribute is not None
    check_columns(events, event_id, json, errors, output, tenant if scoped else None)
    limit = host_bytes or bytes_of_host()
    if strategy == "auto":
        choice = chosen(used, limit)
        strategy = choice.strategy
        _log.info("%s: %s", strategy, choice.reason)
    if events.isStreaming and strategy != "replicate":
        raise EventError("a streaming DataFrame is sharded or joined by wws.stream, where a batch has one version")
    rows, names, of_tenant = numbered(events), tuple(events.columns), tenant if scoped else None
    places: Mapping[int, Version] | None = None
    if strategy != "replicate":
        places, visited = places_of(events.sparkSession, used, strategy, limit)
        router = Router(used, names, json, of_tenant, output == "arrays", visited)
        rows = routed(rows, router, places, f"c{events.columns.index(event_id)}")
    matcher = Matcher(
        path=used.path,
        version=None if events.isStreaming and version is None else used,
        names=names,
        event_id=event_id,
        json=json,
        tenant=of_tenant,
        arrays=output == "arrays",
        errors=errors,
        places=places,
    )
    found = rows.mapInArrow(matcher, schema(events, event_id, used, output, errors))
    return together(found, event_id, errors) if places is not None and output == "arrays" else found


def places_of(spark: SparkSession, version: Version, strategy: str, limit: int) -> tuple[Mapping[int, Version], Places]:
    """The parts of a version, or what is made of them, by place, and what says which an event visits."""
    if strategy == "join":
        count, filled, names = make_buckets(spark, version)
        return filled, FilledBuckets(count, tuple(filled), names)
    shards = shards_of(version, limit)
    write_filters(spark, version)
    files = tuple(tuple(filter_file(version, part) for part in shard.parts) for shard in shards)
    return dict(enumerate(shards)), Filters(files)


def bad_events(events: DataFrame, path: str | Path, event_id: str = "id", json: str | None = None) -> DataFrame:
    """The events that cannot be read: the event's id under its own name, and the reason. Nothing is matched."""
    check_columns(events, event_id, json, "reason", "pairs")
    finder = BadEventFinder(versions.current(path), tuple(events.columns), event_id, json)
    from pyspark.sql import types as t

    id_type = events.schema[event_id].dataType
    found = t.StructType([t.StructField(event_id, id_type), t.StructField("reason", t.StringType())])
    return numbered(events).mapInArrow(finder, found)


def check_options(strategy: str, output: str) -> None:
    if strategy not in STRATEGIES:
        raise WatchwordError(f"there is no strategy {strategy!r}; there are {', '.join(STRATEGIES)}")
    if output not in OUTPUTS:
        raise WatchwordError(f"there is no output {output!r}; there are {', '.join(OUTPUTS)}")


def check_columns(
    events: DataFrame, event_id: str, json: str | None, errors: str | None, output: str, tenant: str | None = None
) -> None:
    for name in (event_id, json, tenant):
        if name is not None and events.columns.count(name) != 1:
            raise EventError(f"events need one column {name!r}; there are {', '.join(events.columns[:20])}")
    taken = {"subscription", "subscriptions", "version"}
    if event_id in taken or errors in {*taken, event_id}:
        raise EventError("the event id and the errors need names of their own, beside subscription and version")


def numbered(events: DataFrame) -> DataFrame:
    """The columns under names that Spark cannot take for anything else."""
    return events.toDF(*(f"c{number}" for number in range(len(events.columns))))


def schema(events: DataFrame, event_id: str, version: Version, output: str, errors: str | None) -> Any:
    from pyspark.sql import types as t

    one: Any = t.LongType() if version.id_type == "bigint" else t.StringType()
    fields = [
        t.StructField(event_id, events.schema[event_id].dataType),
        t.StructField("subscription", one) if output == "pairs" else t.StructField("subscriptions", t.ArrayType(one)),
        t.StructField("version", t.LongType()),
    ]
    if errors is not None:
        fields.append(t.StructField(errors, t.StringType()))
    return t.StructType(fields)
