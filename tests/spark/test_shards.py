"""Replicated, sharded or joined, the answer is the same; `auto` goes by size."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.index.answers import wanted
from tests.spark.answers import FORMS, PARTITIONS, as_json, expected, offers, rows, subscriptions

import watchword
import watchword.spark as wws
from watchword.language.build import to_expression
from watchword.spark import versions
from watchword.spark.shards import shards_of
from watchword.spark.strategy import chosen


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


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("strategy", ["shard", "join"])
def test_the_answer_is_the_same(
    spark: Any, path: Path, index: watchword.Index, strategy: str, form: str, partitions: int
) -> None:
    table = FORMS[form](offers())
    json = "event" if form == "json" else None
    events = spark.createDataFrame(table).repartition(partitions)
    found = wws.match(events, path, json=json, strategy=strategy, host_bytes=versions.current(path).bytes // 3)
    assert rows(found) == expected(index, table, json)


@pytest.mark.parametrize("events", [0, 60])
@pytest.mark.parametrize("strategy", ["shard", "join"])
def test_bad_and_missing_events(spark: Any, path: Path, index: watchword.Index, strategy: str, events: int) -> None:
    table = as_json([*offers(), "{", "null"]).slice(len(offers()) + 2 - events)
    frame = spark.createDataFrame(table, "id long, event string")
    found = wws.match(frame, path, json="event", strategy=strategy, errors="reason")
    assert rows(found.where("reason is null")) == expected(index, table, "event")
    assert found.where("reason is not null").count() == min(events, 2)


def test_a_row_per_event(spark: Any, path: Path) -> None:
    frame = spark.createDataFrame(as_json([*offers()[:50], "{", {"brand": "none"}]))
    both = [
        wws.match(frame, path, json="event", strategy=strategy, output="arrays", errors="reason").toArrow().to_pylist()
        for strategy in ("replicate", "shard", "join")
    ]
    for found in both:
        for row in found:
            row["subscriptions"] = row["subscriptions"] and sorted(row["subscriptions"])
        found.sort(key=lambda row: row["id"])
    assert both[0] == both[1] == both[2]


def test_auto_goes_by_size(path: Path) -> None:
    version = versions.current(path)
    assert chosen(version, version.bytes).strategy == "replicate"
    assert chosen(version, version.bytes - 1).strategy == "shard"
    assert chosen(version, 10).strategy == "join"
    assert len(shards_of(version, version.bytes)) == 2
    shards = shards_of(version, version.bytes // 3 + 1)
    assert len(shards) == 3
    assert sorted(part.partition for shard in shards for part in shard.parts) == list(range(5))
    assert len(shards_of(version.only(version.parts[:1]), 1)) == 1
    assert len(shards_of(version.only([]), 1)) == 1


def test_a_stream_is_sharded_batch_by_batch(spark: Any, path: Path, index: watchword.Index, tmp_path: Path) -> None:
    spark.createDataFrame(as_json(offers())).write.parquet(str(tmp_path / "in"))
    events = spark.readStream.schema("id long, event string").parquet(str(tmp_path / "in"))
    with pytest.raises(watchword.EventError, match=r"sharded or joined by wws\.stream"):
        wws.match(events, path, json="event", strategy="shard")
    query = wws.stream(events, path, tmp_path / "out", tmp_path / "checkpoint", json="event", strategy="shard",
                       trigger={"availableNow": True})  # fmt: skip
    query.awaitTermination()
    assert rows(wws.read_matches(spark, tmp_path / "out")) == expected(index, as_json(offers()), "event")


def test_a_join_of_every_kind_of_predicate(spark: Any, tmp_path: Path) -> None:
    """Each expression waits where some event that it is true of comes by."""

    texts = [
        "x = 3", "x = 3.0", "x IN (1, 3) AND t = 'a'", "x <> 3", "NOT x = 3", "x IS NULL", "x IS NOT NULL", "TRUE",
        "FALSE", "NULL", "t LIKE 'a%' OR x < 2", "t = 'a' OR t = 'b' OR x = 7", "l = 'a'", "l <> 'a'", "b = TRUE",
        "d = DATE '2024-05-01'", "x = 2.5", "x BETWEEN 2 AND 3 AND NOT (t = 'a' OR l = 'b')", "t = '' OR t ILIKE 'B'",
        "(x = 3 OR t = 'a') AND (x = 3 OR l = 'a')", "x = 9007199254740993", "s.t = 'a'", "NOT (x = 3 AND t = 'a')",
    ]  # fmt: skip
    events: list[dict[str, Any]] = [
        {"x": 3.0, "t": "a", "l": ["a", "b"]}, {"x": 2.5, "t": "b", "l": []}, {"x": 7.0, "b": True}, {"l": ["c", None]},
        {"d": dt.datetime(2024, 5, 1), "t": ""}, {"s": {"t": "a"}}, {}, {"x": 1.0, "b": False}, {"x": float("nan")},
    ]  # fmt: skip
    names = ("x", "t", "l", "b", "d", "s")
    table = pa.Table.from_pylist([
        {"id": number, **{name: event.get(name) for name in names}} for number, event in enumerate(events)
    ])  # fmt: skip
    wws.build(spark.createDataFrame(pa.table({"id": list(range(len(texts))), "expression": texts})), tmp_path, parts=2)
    trees = {number: to_expression(text) for number, text in enumerate(texts)}
    expect = [(event, one) for event, found in enumerate(wanted(trees, events)) for one in found]
    for strategy in ("replicate", "join"):
        assert rows(wws.match(spark.createDataFrame(table), tmp_path, strategy=strategy)) == expect
    exact = spark.createDataFrame([(1, 9007199254740993), (2, 9007199254740992)], "id int, x long")
    assert (1, 20) in rows(wws.match(exact, tmp_path, strategy="join"))
    assert (2, 20) not in rows(wws.match(exact, tmp_path, strategy="join"))
