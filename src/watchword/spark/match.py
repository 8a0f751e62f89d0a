"""`match`: a DataFrame of events in, a DataFrame of matches out.

events --mapInArrow--> every task: its events x the parts of the version --> event id, subscription, version
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from watchword.errors import EventError, WatchwordError
from watchword.spark import versions
from watchword.spark.join import Join
from watchword.spark.match_batches import BadEventFinder, Matcher
from watchword.spark.shards import chosen, shards_of, together, visiting
from watchword.spark.versions import Version

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

STRATEGIES: Final = ("auto", "replicate", "shard", "join")
OUTPUTS: Final = ("pairs", "arrays")


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
    goes, "join" holds none of it and exchanges both by their access keys; for "arrays" the last two need ids of events
    that differ. "auto" replicates what fits into `host_bytes` (half of the memory of this host if not given), shards
    what does not, and joins where not even a part does.

    On a streaming DataFrame every task takes the version that is in force when it begins, so a new version counts from
    the next micro-batch on, and an event is matched with one version, which its rows name.
    """
    check_options(strategy, output)
    used = versions.current(path) if version is None else versions.version(path, version)
    scoped = used.tenant_attribute is not None
    check_columns(events, event_id, json, errors, output, tenant if scoped else None)
    limit = host_bytes or os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    strategy = chosen(strategy, used, limit)
    shards = shards_of(used, limit) if strategy == "shard" else ()
    if events.isStreaming and strategy != "replicate":
        raise EventError("a streaming DataFrame is sharded or joined by wws.stream, where a batch has one version")
    if strategy == "join":
        job = Join(
            version=used,
            names=tuple(events.columns),
            event_id=event_id,
            json=json,
            tenant=tenant if scoped else None,
            arrays=output == "arrays",
            errors=errors,
        )
        return job.run(numbered(events), events.schema[event_id].dataType)
    matcher = Matcher(
        path=used.path,
        version=None if events.isStreaming and version is None else used,
        names=tuple(events.columns),
        event_id=event_id,
        json=json,
        tenant=tenant if scoped else None,
        arrays=output == "arrays",
        errors=errors,
        shards=shards,
    )
    rows = numbered(events)
    if shards:
        rows = visiting(rows, f"c{events.columns.index(event_id)}", len(shards))
    found = rows.mapInArrow(matcher, schema(events, event_id, used, output, errors))
    return together(found, event_id, errors) if shards and output == "arrays" else found


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
