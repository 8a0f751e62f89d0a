"""Incremental builds: what changed is new, the rest is shared, and every version answers as it did."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.spark.answers import Shop as Built
from tests.spark.answers import as_json, expected, files, offers, rows, subscriptions

import watchword
import watchword.spark as wws
from watchword.cli.shop import Shop
from watchword.spark import versions

CHANGES = "op string, id string, expression string"


@pytest.fixture
def path(shop: Built, tmp_path: Path) -> Path:
    """A copy: an index may be moved."""
    return shutil.copytree(shop.path, tmp_path / "index")


def answers(spark: Any, path: Path, version: int | None = None) -> list[tuple[Any, Any]]:
    events = spark.createDataFrame(as_json(offers()))
    return rows(wws.match(events, path, json="event", version=version))


def changes(seed: int, known: list[str]) -> Iterator[tuple[str, str, str | None]]:
    chance = random.Random(seed)
    texts = Shop(100 + seed).expressions(200)
    for number, one in enumerate(chance.sample(known, 300)):
        if number < 150:
            yield "unsubscribe", one, None
        else:
            yield "replace", one, texts[number % len(texts)]
    for number, text in enumerate(texts):
        yield "subscribe", f"new{seed}-{number}", text


def test_versions_follow_an_index_that_is_changed_likewise(spark: Any, path: Path) -> None:
    index = watchword.Index()
    index.subscribe_many(subscriptions())
    ids = list(subscriptions()["id"].to_pylist())
    table = as_json(offers())
    before = {1: expected(index, table, "event")}
    for number in (2, 3):
        made = list(changes(number, ids))
        for op, one, text in made:
            if op == "unsubscribe":
                index.unsubscribe(one)
            else:
                index.subscribe(one, text or "")
        gone = {one for op, one, _ in made if op == "unsubscribe"}
        ids = [one for one in ids if one not in gone]
        built = wws.update(spark.createDataFrame(made, CHANGES), path)
        assert (built.version, built.subscriptions, built.refused) == (number, len(index), 0)
        before[number] = expected(index, table, "event")
        assert answers(spark, path) == before[number]
    for number, wanted in before.items():
        assert answers(spark, path, number) == wanted


def test_unchanged_parts_and_segments_are_shared(spark: Any, path: Path) -> None:
    old = versions.current(path)
    wws.update(spark.createDataFrame([("unsubscribe", "s7", None)], CHANGES), path)
    new = versions.current(path)
    changed = [(a, b) for a, b in zip(old.parts, new.parts, strict=True) if a != b]
    assert len(changed) == 1
    before, after = (Path(path, part.folder) for part in changed[0])
    segments = {file.stat().st_ino for file in before.glob("segment-*")}
    assert segments == {file.stat().st_ino for file in after.glob("segment-*")}
    assert files(before) != files(after)
    assert watchword.Index.open(before, verify=True).expression("s7")


def test_changes_of_one_id_happen_in_the_order_of_their_versions(spark: Any, path: Path) -> None:
    made = [("subscribe", "a", "x = 2", 2), ("unsubscribe", "a", None, 3), ("subscribe", "a", "x = 4", 4),
            ("subscribe", "b", "x = 1", 1), ("replace", "b", "x =", 2), ("subscribe", "c", "x = 1", 1),
            ("unsubscribe", "c", None, 2), ("unsubscribe", "nobody", None, 1)]  # fmt: skip
    built = wws.update(spark.createDataFrame(made, CHANGES + ", version int"), path)
    assert built.refused == 1
    events = spark.createDataFrame([(x, x) for x in (1, 2, 4)], "id int, x int")
    found = [pair for pair in rows(wws.match(events, path)) if pair[1] in ("a", "b", "c", "nobody")]
    assert found == [(1, "b"), (4, "a")]


def test_bad_changes_come_back_and_change_nothing(spark: Any, path: Path) -> None:
    made = [("drop", "s1", None), (None, "s2", "x = 1"), ("subscribe", None, "x = 1"), ("replace", "s3", "x ="),
            ("unsubscribe", "s4", None), ("subscribe", "s4", "x = 1")]  # fmt: skip
    built = wws.update(spark.createDataFrame(made, CHANGES), path)
    assert (built.version, built.subscriptions, built.refused) == (2, len(subscriptions()), 6)
    assert answers(spark, path) == answers(spark, path, 1)
    reasons = {row["reason"] for row in built.errors.toArrow().to_pylist()}
    assert len(reasons) == 5


def test_all_can_go_and_come_back(spark: Any, path: Path) -> None:
    gone = spark.createDataFrame(subscriptions()).selectExpr("'unsubscribe' as op", "id", "expression")
    assert wws.update(gone, path).subscriptions == 0
    assert answers(spark, path) == []
    back = spark.createDataFrame(subscriptions()).selectExpr("'subscribe' as op", "id", "expression")
    wws.update(back, path)
    assert answers(spark, path) == answers(spark, path, 1)


def test_changes_of_a_version_that_is_no_longer_in_force_fail(spark: Any, path: Path) -> None:
    class Frame:
        """Another build ends while this one reads its rows."""

        def __getattr__(self, name: str) -> Any:
            return getattr(frame, name)

        def select(self, *columns: Any) -> Any:
            wws.build(spark.createDataFrame(subscriptions()), path, parts=4)
            return frame.select(*columns)

    frame = spark.createDataFrame([("unsubscribe", "s7", None)], CHANGES)
    with pytest.raises(watchword.StorageError, match="since version 1"):
        wws.update(Frame(), path)  # type: ignore[arg-type]
    assert versions.numbers(path) == [1, 2]
    assert len(list((path / "builds").iterdir())) == 2


def test_ids_of_another_type_are_refused(spark: Any, path: Path) -> None:
    with pytest.raises(watchword.SubscriptionIdError, match="are string, not bigint"):
        wws.update(spark.createDataFrame([("unsubscribe", 7, None)], "op string, id int, expression string"), path)


def test_old_versions_go_when_they_are_told_to(spark: Any, tmp_path: Path) -> None:
    table = pa.table({"id": list(range(100)), "expression": ["x > 0"] * 100})
    wws.build(spark.createDataFrame(table), tmp_path, parts=2)
    made = [("unsubscribe", number, None) for number in range(0, 100, 2)]
    built = wws.update(spark.createDataFrame(made, "op string, id int, expression string"), tmp_path)
    assert built.subscriptions == 50
    assert wws.remove_old(tmp_path, keep=1) == [1]
    events = spark.createDataFrame([(1, 1)], "id int, x int")
    assert rows(wws.match(events, tmp_path)) == [(1, number) for number in range(1, 100, 2)]
