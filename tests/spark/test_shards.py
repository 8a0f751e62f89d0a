"""Shards and buckets: which events go where, what is left beside the index, and what `auto` chooses."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.index.answers import wanted
from tests.spark.answers import Shop, as_json, expected, files, offers, rows

import watchword
import watchword.spark as wws
from watchword.coding.attributes import Attributes
from watchword.coding.read_events import read_events
from watchword.language.build import to_expression
from watchword.spark import versions
from watchword.spark.access_keys import keys_of_events
from watchword.spark.match import places_of
from watchword.spark.shards import shards_of
from watchword.spark.strategy import chosen


@pytest.mark.parametrize(("strategy", "visited", "in_vain"), [("shard", 60, 15), ("join", 80, 40)])
def test_an_event_goes_only_where_something_may_wait_for_it(
    spark: Any, colours: Path, strategy: str, visited: int, in_vain: int
) -> None:
    """To the shard that has its colour; to the bucket of its colour, and to that of having one."""
    version = versions.current(colours)
    frame = spark.createDataFrame([(number, f"c{number}") for number in range(60)], "id int, colour string")
    found = wws.match(frame, colours, strategy=strategy, host_bytes=version.bytes // 8)
    assert rows(found) == [(number, number) for number in range(40)]
    cells = read_events([{"colour": f"c{number}"} for number in range(60)], Attributes(["colour"]))
    _, places = places_of(spark, version, strategy, version.bytes // 8)
    visits = places.visits(keys_of_events(cells, ["colour"]))
    assert 40 <= visits[:40].sum() <= visited
    assert visits[40:].sum() <= in_vain


@pytest.fixture(scope="module")
def colours(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of 40 colours each of 8 parts has some."""
    folder = tmp_path_factory.mktemp("colours")
    table = pa.table({"id": list(range(40)), "expression": [f"colour = 'c{number}'" for number in range(40)]})
    wws.build(spark.createDataFrame(table), folder, parts=8)
    return folder


def test_what_matches_leave_beside_the_index_goes_with_its_version(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame([(1, 5)], "id int, x int")
    for number in (1, 2):
        wws.build(spark.createDataFrame([(f"v{number}", "x > 0")], "id string, expression string"), tmp_path)
        for strategy in ("shard", "join"):
            assert rows(wws.match(frame, tmp_path, strategy=strategy)) == [(1, f"v{number}")]
        assert len(list((tmp_path / "keys").iterdir())) == len(list((tmp_path / "buckets").iterdir())) == number
    before = files(tmp_path)
    assert rows(wws.match(frame, tmp_path, strategy="join")) == [(1, "v2")]
    assert files(tmp_path) == before
    wws.remove_old(tmp_path, keep=1)
    assert [folder.name for folder in (tmp_path / "buckets").iterdir()] == ["00000002"]
    assert len(list((tmp_path / "keys").iterdir())) == 1


def test_auto_goes_by_size(shop: Shop) -> None:
    version = versions.current(shop.path)
    assert chosen(version, version.bytes).strategy == "replicate"
    assert chosen(version, version.bytes - 1).strategy == "shard"
    assert chosen(version, 10).strategy == "join"
    assert len(shards_of(version, version.bytes)) == 2
    shards = shards_of(version, version.bytes // 3 + 1)
    assert len(shards) == 3
    assert sorted(part.partition for shard in shards for part in shard.parts) == list(range(4))
    assert len(shards_of(version.only(version.parts[:1]), 1)) == 1
    assert len(shards_of(version.only([]), 1)) == 1


def test_auto_goes_by_what_statistics_know(spark: Any, tmp_path: Path) -> None:
    """An event with two values visits five buckets at most, and every shard."""
    texts = [f"a{number % 50} = {number}" for number in range(1000)]
    wws.build(spark.createDataFrame(pa.table({"id": list(range(1000)), "expression": texts})), tmp_path, parts=8)
    size = versions.current(tmp_path).bytes
    assert "no statistics" in wws.choose(tmp_path, host_bytes=size // 6).reason
    found = wws.statistics(spark.createDataFrame([(0, 1)], "a0 int, a1 int"))
    found.save(tmp_path)
    found.release()
    for hosts, strategy in ((6, "join"), (2, "shard")):
        choice = wws.choose(tmp_path, host_bytes=size // hosts)
        assert (choice.strategy, "one visits" in choice.reason) == (strategy, True), choice
    assert wws.choose(tmp_path, host_bytes=1 << 40).strategy == "replicate"


def test_a_stream_is_sharded_batch_by_batch(spark: Any, shop: Shop, tmp_path: Path) -> None:
    path, index = shop.path, shop.index

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
