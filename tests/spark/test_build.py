"""Building on Spark: versions, bad rows, duplicates, failed tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.spark.answers import as_columns, as_json, expected, files, offers, rows, subscriptions

import watchword
import watchword.spark as wws
from watchword.spark import versions


def frame(spark: Any, rows: list[tuple[Any, ...]], columns: str = "id string, expression string") -> Any:
    return spark.createDataFrame(rows, columns)


def test_bad_rows_come_back_with_reasons_and_the_others_go_in(spark: Any, tmp_path: Path) -> None:
    given = [("a", "price > 1"), ("b", "price >"), (None, "price > 1"), ("c", None), ("d", "price < 9")]
    built = wws.build(frame(spark, given), tmp_path, parts=2)
    assert (built.version, built.subscriptions, built.refused) == (1, 2, 3)
    refused = {row["id"]: row for row in built.errors.toArrow().to_pylist()}
    assert refused.keys() == {"b", None, "c"}
    assert "at position 7" in refused["b"]["reason"]
    assert refused["b"]["expression"] == "price >"
    assert "id is missing" in refused[None]["reason"]
    assert rows(wws.match(frame(spark, [(1, 5)], "id int, price int"), tmp_path)) == [(1, "a"), (1, "d")]


def test_of_one_id_the_last_good_version_counts(spark: Any, tmp_path: Path) -> None:
    given = [(1, "x = 2", 2), (1, "x = 1", 1), (1, "x =", 3), (2, "x = 1", None), (2, "x = 2", 0), (3, "x = 3", 1),
             (3, "x = 3", 1)]  # fmt: skip
    built = wws.build(frame(spark, given, "id int, expression string, version int"), tmp_path)
    assert (built.subscriptions, built.refused) == (3, 1)
    events = frame(spark, [(x, x) for x in (1, 2, 3)], "id int, x int")
    assert rows(wws.match(events, tmp_path)) == [(2, 1), (2, 2), (3, 3)]


def test_rows_of_one_id_without_an_order_are_refused(spark: Any, tmp_path: Path) -> None:
    given = [("a", "x = 1"), ("a", "x = 2"), ("b", "x = 1"), ("b", "x = 1"), ("c", "x = 1")]
    built = wws.build(frame(spark, given), tmp_path)
    assert (built.subscriptions, built.refused) == (2, 2)
    refused = built.errors.toArrow()
    assert refused["id"].to_pylist() == ["a", "a"]
    assert "same id and version" in refused["reason"][0].as_py()


def test_no_subscriptions_make_an_empty_version(spark: Any, tmp_path: Path) -> None:
    assert wws.build(frame(spark, [], "id int, expression string"), tmp_path).subscriptions == 0
    events = frame(spark, [(1, '{"x": 1}'), (2, "{")], "id int, event string")
    for strategy in ("replicate", "shard", "join"):
        found = wws.match(events, tmp_path, json="event", strategy=strategy, output="arrays", errors="reason")
        assert {row["id"]: row["subscriptions"] for row in found.toArrow().to_pylist()} == {1: [], 2: None}
    assert wws.match(events, tmp_path, json="event").count() == 0


def test_every_build_is_a_version_and_earlier_ones_stay(spark: Any, tmp_path: Path) -> None:
    events = frame(spark, [(1, 5)], "id int, price int")
    for number in (1, 2, 3):
        assert wws.build(frame(spark, [(f"v{number}", "price > 0")]), tmp_path).version == number
    assert rows(wws.match(events, tmp_path)) == [(1, "v3")]
    assert rows(wws.match(events, tmp_path, version=1)) == [(1, "v1")]
    assert wws.match(events, tmp_path, version=2).toArrow()["version"].to_pylist() == [2]
    assert wws.remove_old(tmp_path, keep=2) == [1]
    assert rows(wws.match(events, tmp_path, version=2)) == [(1, "v2")]
    with pytest.raises(watchword.StorageError, match="has no version 1; it has 2, 3"):
        wws.match(events, tmp_path, version=1)
    assert len(list((tmp_path / "builds").iterdir())) == 2


@pytest.mark.parametrize("form", [as_columns, as_json])
def test_training_events_serve_the_statistics(spark: Any, tmp_path: Path, form: Any) -> None:
    training = spark.createDataFrame(form(offers()))
    json = "event" if form is as_json else None
    wws.build(spark.createDataFrame(subscriptions()), tmp_path, training, json=json, parts=2)
    index = watchword.Index()
    index.subscribe_many(subscriptions())
    assert rows(wws.match(training, tmp_path, json=json)) == expected(index, form(offers()), json)
    part = watchword.Index.open(versions.current(tmp_path).folders()[0])
    assert part._training_cells() is not None


def test_a_build_that_fails_leaves_nothing(spark: Any, tmp_path: Path) -> None:
    wws.build(frame(spark, [("a", "price > 0")]), tmp_path)
    before = files(tmp_path)
    broken = frame(spark, [("b", "price > 0")]).selectExpr(
        "id", "case when id = 'b' then raise_error('gone') else expression end as expression"
    )
    with pytest.raises(Exception, match="gone"):
        wws.build(broken, tmp_path, parts=1)
    assert files(tmp_path) == before
    assert rows(wws.match(frame(spark, [(1, 5)], "id int, price int"), tmp_path)) == [(1, "a")]


def test_what_fails_after_the_version_is_there_leaves_it_whole(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = versions.publish

    def publish(*arguments: Any) -> Any:
        real(*arguments)
        raise OSError("no space left")

    monkeypatch.setattr(versions, "publish", publish)
    with pytest.raises(OSError, match="no space left"):
        wws.build(frame(spark, [("a", "price > 0")]), tmp_path)
    assert rows(wws.match(frame(spark, [(1, 5)], "id int, price int"), tmp_path)) == [(1, "a")]


def test_leftovers_of_killed_builds_go_and_builds_at_work_stay(spark: Any, tmp_path: Path) -> None:
    wws.build(frame(spark, [("a", "price > 0")]), tmp_path)
    left = tmp_path / "builds" / "0123456789abcdef" / "part-00000-killed"
    left.mkdir(parents=True)
    with versions.building(tmp_path) as at_work:
        assert wws.remove_old(tmp_path) == []
        assert at_work.is_dir()
    assert not left.parent.exists()
    assert rows(wws.match(frame(spark, [(1, 5)], "id int, price int"), tmp_path)) == [(1, "a")]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("key string, expression string", "needs one column 'id'; it has key, expression"),
        ("id string, query string", "needs one column 'expression'"),
        ("id double, expression string", "ids must be texts or integers, not double"),
    ],
)
def test_wrong_columns(spark: Any, tmp_path: Path, columns: str, said: str) -> None:
    with pytest.raises(watchword.WatchwordError, match=said):
        wws.build(frame(spark, [], columns), tmp_path)
    assert not any(tmp_path.iterdir())


def test_what_is_no_index_of_spark_says_so(spark: Any, tmp_path: Path) -> None:
    events = frame(spark, [(1, 5)], "id int, price int")
    with pytest.raises(watchword.StorageError, match="there is no index in"):
        wws.match(events, tmp_path)
    watchword.Index().save(tmp_path / "one")
    with pytest.raises(watchword.StorageError, match="is an index of one process"):
        wws.match(events, tmp_path / "one")
    wws.build(frame(spark, [("a", "price > 0")]), tmp_path / "many")
    with pytest.raises(watchword.StorageError, match="is an index that Spark built"):
        watchword.Index.open(tmp_path / "many")


def test_a_changed_part_is_found(spark: Any, tmp_path: Path) -> None:
    wws.build(frame(spark, [("a", "price > 0")]), tmp_path)
    part = versions.current(tmp_path).folders()[0]
    (part / "CURRENT").write_text("{}")
    with pytest.raises(Exception, match="is not the one that version 1 names"):
        wws.match(frame(spark, [(1, 5)], "id int, price int"), tmp_path).toArrow()


def test_schema_of_columns_beyond_names(spark: Any, tmp_path: Path) -> None:
    assert pa.types.is_string(
        wws.build(frame(spark, [("a", "x >")]), tmp_path).errors.toArrow().schema.field("id").type
    )
