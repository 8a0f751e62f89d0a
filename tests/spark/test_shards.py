"""Sharded or replicated, the answer is the same; `auto` goes by size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.spark.answers import FORMS, as_json, expected, offers, rows, subscriptions

import watchword
import watchword.spark as wws
from watchword.spark import versions
from watchword.spark.shards import chosen, shards_of


@pytest.fixture(scope="module")
def path(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    wws.build(spark.createDataFrame(subscriptions()), folder, parts=5)
    return folder


@pytest.fixture(scope="module")
def index() -> watchword.Index:
    built = watchword.Index()
    built.subscribe_many(subscriptions())
    return built


@pytest.mark.parametrize(
    "partitions", [2, pytest.param(1, marks=pytest.mark.long), pytest.param(7, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("form", list(FORMS))
def test_the_answer_is_the_same(spark: Any, path: Path, index: watchword.Index, form: str, partitions: int) -> None:
    table = FORMS[form](offers())
    json = "event" if form == "json" else None
    events = spark.createDataFrame(table).repartition(partitions)
    found = wws.match(events, path, json=json, strategy="shard", host_bytes=versions.current(path).bytes // 3)
    assert rows(found) == expected(index, table, json)


@pytest.mark.parametrize("events", [0, 1, 60])
def test_bad_and_missing_events(spark: Any, path: Path, index: watchword.Index, events: int) -> None:
    table = as_json([*offers(), "{", "null"]).slice(len(offers()) + 2 - events)
    frame = spark.createDataFrame(table, "id long, event string")
    found = wws.match(frame, path, json="event", strategy="shard", errors="reason")
    assert rows(found.where("reason is null")) == expected(index, table, "event")
    assert found.where("reason is not null").count() == min(events, 2)


def test_a_row_per_event(spark: Any, path: Path) -> None:
    frame = spark.createDataFrame(as_json([*offers()[:50], "{", {"brand": "none"}]))
    both = [
        wws.match(frame, path, json="event", strategy=strategy, output="arrays", errors="reason").toArrow().to_pylist()
        for strategy in ("replicate", "shard")
    ]
    for found in both:
        for row in found:
            row["subscriptions"] = row["subscriptions"] and sorted(row["subscriptions"])
    assert sorted(both[0], key=lambda row: row["id"]) == sorted(both[1], key=lambda row: row["id"])


def test_auto_goes_by_size(path: Path) -> None:
    version = versions.current(path)
    assert chosen("auto", version, version.bytes) == "replicate"
    assert chosen("auto", version, version.bytes - 1) == "shard"
    assert chosen("replicate", version, 1) == "replicate"
    assert len(shards_of(version, version.bytes)) == 2
    shards = shards_of(version, version.bytes // 3 + 1)
    assert len(shards) == 3
    assert sorted(part.partition for shard in shards for part in shard.parts) == list(range(5))
    assert len(shards_of(version.only(version.parts[:1]), 1)) == 1
    assert len(shards_of(version.only([]), 1)) == 1


def test_a_stream_is_sharded_batch_by_batch(spark: Any, path: Path, index: watchword.Index, tmp_path: Path) -> None:
    spark.createDataFrame(as_json(offers())).write.parquet(str(tmp_path / "in"))
    events = spark.readStream.schema("id long, event string").parquet(str(tmp_path / "in"))
    with pytest.raises(watchword.EventError, match=r"sharded by wws\.stream"):
        wws.match(events, path, json="event", strategy="shard")
    query = wws.stream(events, path, tmp_path / "out", tmp_path / "checkpoint", json="event", strategy="shard",
                       trigger={"availableNow": True})  # fmt: skip
    query.awaitTermination()
    assert rows(wws.read_matches(spark, tmp_path / "out")) == expected(index, as_json(offers()), "event")
