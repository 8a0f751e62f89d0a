"""`watchword build` and `watchword match` with `--engine spark`: files and folders in, folders out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from watchword.cli.engine import kind_of_table, read_table, refuse_wrong_names, tell_refused, write_table, written
from watchword.cli.files import FileError, Kind, refuse_to_replace
from watchword.cli.progress import Progress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Events(NamedTuple):
    frame: DataFrame
    event_id: str
    json: str | None


@contextmanager
def spark_session(master: str, memory: str, settings: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    import watchword.spark as wws

    with wws.session(master, memory=memory, settings=settings) as spark:
        yield spark


def build_on_spark(
    subscriptions: str, out: Path, training: str | None, errors: str | None, force: bool, master: str, memory: str
) -> dict[str, Any]:
    begun = time.perf_counter()
    if errors is not None:
        refuse_wrong_names(errors, None, force)
    refuse_to_replace(out, force)
    with Progress(f"building {out} on Spark"), spark_session(master, memory) as spark:
        import watchword.spark as wws

        sample = None if training is None else read_events(spark, training, None, None)
        built = wws.build(
            read_subscriptions(spark, subscriptions),
            out,
            None if sample is None else sample.frame.drop(*([sample.event_id] if sample.json else [])),
            json=None if sample is None else sample.json,
        )
        told = tell_refused("subscription", built.errors, built.refused, errors, force)
    return {
        "subscriptions": built.subscriptions,
        "refused_subscriptions": built.refused,
        "version": built.version,
        "bytes": built.bytes,
        "seconds": round(time.perf_counter() - begun, 3),
        "out": str(out),
        "errors": told,
    }


class Matching(NamedTuple):
    """What `watchword match --engine spark` was asked for."""

    events: str
    subscriptions: str | None
    saved: Path | None
    out: str
    errors: str | None
    json: str | None
    id: str | None
    strategy: str
    force: bool


def match_on_spark(asked: Matching, master: str, memory: str) -> dict[str, Any]:
    begun = time.perf_counter()
    refuse_wrong_names(asked.out, asked.errors, asked.force)
    kind_of_table(asked.events)
    if asked.id is None:
        raise FileError("rows have no numbers on Spark: name the column or key that names an event by --id")
    with Progress("matching on Spark"), spark_session(master, memory) as spark, TemporaryDirectory() as scratch:
        import watchword.spark as wws

        summary: dict[str, Any] = {}
        index = asked.saved
        if index is None:
            index = Path(scratch, "index")
            built = wws.build(read_subscriptions(spark, asked.subscriptions or ""), index)
            tell_refused("subscription", built.errors, built.refused, None, asked.force)
            summary["refused_subscriptions"] = built.refused
        events = read_events(spark, asked.events, asked.id, asked.json)
        counts = _write_matches(events, index, asked)
        bad = wws.bad_events(events.frame, index, events.event_id, events.json)
        bad = bad.withColumnRenamed(events.event_id, "id")
        told = tell_refused("event", bad, counts["bad_events"], asked.errors, asked.force)
        subscriptions = wws.current(index).subscriptions
        strategy, why = asked.strategy, None
        if strategy == "auto":
            strategy, why = astuple(wws.choose(index))
    seconds = time.perf_counter() - begun
    return {
        "subscriptions": subscriptions,
        **summary,
        **counts,
        "strategy": strategy if why is None else f"{strategy}: {why}",
        "seconds": round(seconds, 3),
        "events_per_second": round(counts["events"] / seconds),
        "out": asked.out,
        "errors": told,
    }


def _write_matches(events: Events, index: Path, asked: Matching) -> dict[str, int]:
    """One pass: the matches to their folder, everything counted on the way."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812

    import watchword.spark as wws

    came, found = Observation(), Observation()
    frame = events.frame.observe(came, F.count(F.lit(1)).alias("events"))
    reason = "reason of watchword" if events.event_id != "reason of watchword" else "reason"
    matches = wws.match(frame, index, events.event_id, events.json, asked.strategy, errors=reason)
    matches = matches.observe(found, F.count(reason).alias("bad"), F.count("subscription").alias("matches"))
    named = matches.where(F.col(reason).isNull()).drop(reason).withColumnRenamed(events.event_id, "event")
    with written(asked.out, asked.force) as folder:
        write_table(named, folder, kind_of_table(asked.out))
    return {"events": came.get["events"], "bad_events": found.get["bad"], "matches": found.get["matches"]}


def read_subscriptions(spark: SparkSession, name: str) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    kind = kind_of_table(name)
    table = read_table(spark, name)
    if kind is Kind.CSV:  # ids stay text: an id such as 007 must not become the number 7
        path = str(Path(name).absolute())
        return spark.read.csv(path, header=True, multiLine=True, escape='"')
    if kind is Kind.JSONL:
        # integers if all ids are, else text
        ids = F.get_json_object("value", "$.id")
        integers = ids.rlike("^-?[0-9]{1,18}$") & ~F.col("value").rlike('"id"\\s*:\\s*"')
        id_type = "bigint" if table.where(ids.isNotNull() & ~integers).isEmpty() else "string"
        expression = F.get_json_object("value", "$.expression").alias("expression")
        return table.select(ids.cast(id_type).alias("id"), expression)
    return table


def read_events(spark: SparkSession, name: str, id: str | None, json: str | None) -> Events:
    from pyspark.sql import functions as F  # noqa: N812

    table = read_table(spark, name)
    if kind_of_table(name) is not Kind.JSONL:
        for column in (id, json):
            if column is not None and column not in table.columns:
                raise FileError(f"{name}: no column {column}; it has {', '.join(table.columns)}")
        return Events(table, id or table.columns[0], json)
    if json is not None:
        raise FileError(f"{name}: every line is an event as JSON already; --json is for tables")
    key = (id or "").replace("'", "\\'")
    named = F.get_json_object("value", f"$['{key}']").alias("event")
    return Events(table.select(named, F.col("value")), "event", "value")
