"""What Spark matches is what `Index.match_batch` matches: for every form of event and every partitioning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.spark.answers import FORMS, PARTITIONS, as_columns, as_json, expected, offers, rows, subscriptions

import watchword
import watchword.spark as wws

BAD = ["{", "[1]", "null", '{"price": NaN}', "3"]


@pytest.fixture(scope="module")
def index() -> watchword.Index:
    built = watchword.Index()
    built.subscribe_many(subscriptions())
    # what the shop's wishes do not have: attributes below a record, and absence
    for number, text in enumerate(("offer.brand = 'Nordvik'", "offer.seller.country = 'DE'", "model IS NULL")):
        built.subscribe(f"more{number}", text)
    return built


@pytest.fixture(scope="module")
def path(spark: Any, tmp_path_factory: pytest.TempPathFactory, index: watchword.Index) -> Path:
    folder = tmp_path_factory.mktemp("index")
    more = [(f"more{number}", index.expression(f"more{number}")) for number in range(3)]
    table = pa.concat_tables(
        [subscriptions(), pa.table({"id": [row[0] for row in more], "expression": [row[1] for row in more]})]
    )
    built = wws.build(spark.createDataFrame(table), folder, parts=3)
    assert (built.version, built.subscriptions, built.refused) == (1, len(index), 0)
    return folder


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("form", list(FORMS))
def test_every_form_of_event(spark: Any, path: Path, index: watchword.Index, form: str, partitions: int) -> None:
    table = FORMS[form](offers())
    json = "event" if form == "json" else None
    events = spark.createDataFrame(table).repartition(partitions)
    found = rows(wws.match(events, path, json=json))
    assert found == expected(index, table, json)
    assert len(found) > 100


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("shape", ["empty", "most of them empty", "skewed", "one of bad events"])
def test_every_shape_of_partition(spark: Any, path: Path, index: watchword.Index, shape: str, partitions: int) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    events: list[Any] = offers()
    where: Any = F.lit(0)
    if shape == "empty":
        events = []
    elif shape == "skewed":
        where = F.when(F.col("id") < len(events) - 5, 0).otherwise(partitions - 1)
    elif shape == "one of bad events":
        events = events[:100] + BAD
        where = F.when(F.col("id") < 100, 0).otherwise(partitions - 1)
    table = as_json(events) if events else as_json(offers()).slice(0, 0)
    frame = spark.createDataFrame(table, "id long, event string").repartitionById(partitions, where.cast("int"))
    found = wws.match(frame, path, json="event", errors="reason")
    assert rows(found.where("reason is null")) == expected(index, table, "event")
    bad = found.where("reason is not null").toArrow()
    assert sorted(bad["id"].to_pylist()) == (list(range(100, 105)) if "bad" in shape else [])
    assert bad["subscription"].null_count == len(bad)


def test_a_row_per_event_with_its_subscriptions(spark: Any, path: Path, index: watchword.Index) -> None:
    table = as_json([*offers()[:50], "{", {"brand": "none"}])
    found = wws.match(spark.createDataFrame(table), path, json="event", output="arrays", errors="reason").toArrow()
    assert sorted(found["id"].to_pylist()) == list(range(52))
    by_id = {row["id"]: row for row in found.to_pylist()}
    assert by_id[50]["subscriptions"] is None
    assert "not JSON" in by_id[50]["reason"]
    pairs = [(number, found) for number, row in by_id.items() for found in row["subscriptions"] or []]
    assert sorted(pairs) == expected(index, table, "event")


def test_names_with_dots_and_signs_are_attributes(spark: Any, tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2], "seller.country": ["DE", "FR"], "a `b`": [1, 2]})
    wanted = pa.table({"id": [7, 8], "expression": ["seller.country = 'DE'", '"a `b`" = 2']})
    wws.build(spark.createDataFrame(wanted), tmp_path)
    assert rows(wws.match(spark.createDataFrame(table), tmp_path)) == [(1, 7), (2, 8)]


def test_a_text_that_is_no_text_is_a_bad_event(spark: Any, path: Path, index: watchword.Index) -> None:
    table = as_json(offers()[:20])
    frame = spark.createDataFrame(table).selectExpr(
        "id", "case when id = 7 then cast(unhex('7B22FF') as string) else event end as event"
    )
    found = wws.match(frame.coalesce(1), path, json="event", errors="reason")
    assert found.where("reason is not null").select("id").toArrow()["id"].to_pylist() == [7]
    others = [pair for pair in expected(index, table, "event") if pair[0] != 7]
    assert rows(found.where("reason is null")) == others


def test_a_column_that_cannot_be_read_says_so(spark: Any, tmp_path: Path) -> None:
    wws.build(spark.createDataFrame(pa.table({"id": [1], "expression": ["body = 'x'"]})), tmp_path)
    events = spark.createDataFrame([(1, bytearray(b"x"))], "id int, body binary")
    with pytest.raises(Exception, match="column 'body'"):
        wws.match(events, tmp_path).toArrow()


def test_the_event_keeps_the_name_and_type_of_its_id(spark: Any, path: Path) -> None:
    frame = spark.createDataFrame(as_columns(offers()[:20]).drop(["id"])).selectExpr("*", "uuid() as `order.id`")
    found = wws.match(frame, path, event_id="order.id")
    assert found.dtypes == [("order.id", "string"), ("subscription", "string"), ("version", "bigint")]
    assert found.count() > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"event_id": "nope"}, "need one column 'nope'; there are id, event"),
        ({"json": "nope"}, "need one column 'nope'"),
        ({"strategy": "best"}, "no strategy 'best'; there are auto, replicate"),
        ({"output": "json"}, "no output 'json'; there are pairs, arrays"),
        ({"errors": "version"}, "names of their own"),
        ({"version": 9}, "has no version 9; it has 1"),
    ],
)
def test_wrong_use(spark: Any, path: Path, arguments: dict[str, Any], said: str) -> None:
    events = spark.createDataFrame(as_json(offers()[:1]))
    with pytest.raises(watchword.WatchwordError, match=said):
        wws.match(events, path, **arguments)
