"""What Spark matches is what `Index.match_batch` matches: every strategy, form of event and partitioning."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pytest
from tests.spark.answers import FORMS, Shop, as_columns, as_json, expected, matches_and_bad, offers, rows

import watchword
import watchword.spark as wws
from watchword.spark import versions

BAD: Final[list[Any]] = ["{", "[1]", "null", '{"price": NaN}', "3"]
STRATEGIES: Final = ["replicate", "shard", "join"]
SHAPES: Final = ["even", "empty", "most of them empty", "skewed", "one of bad events"]


def match(events: Any, path: Path, strategy: str, **options: Any) -> Any:
    """Sharded, three parts of four do not fit one host."""
    size = versions.current(path).bytes
    return wws.match(events, path, strategy=strategy, host_bytes=size // 2, **options)


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_form_of_event(spark: Any, shop: Shop, form: str, strategy: str) -> None:
    table = FORMS[form](offers())
    json = "event" if form == "json" else None
    found = rows(match(spark.createDataFrame(table).repartition(2), shop.path, strategy, json=json))
    assert found == expected(shop.index, table, json)
    assert len(found) > 100


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_partitions_of_every_kind_at_once(spark: Any, shop: Shop, strategy: str) -> None:
    """Of five partitions one has most events, one nothing but bad ones, one a single event, and two are empty."""
    from pyspark.sql import functions as F  # noqa: N812

    table = as_json([*offers(), *BAD])
    where = F.when(F.col("id") >= len(offers()), 3).when(F.col("id") == 7, 1).otherwise(0)
    frame = spark.createDataFrame(table).repartitionById(5, where.cast("int"))
    found = match(frame, shop.path, strategy, json="event", errors="reason")
    check(found, shop, table, bad=len(BAD))


@pytest.mark.long
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("partitions", [1, 2, 7])
@pytest.mark.parametrize(("strategy", "form"), list(product(STRATEGIES, FORMS)))
def test_all_of_it(spark: Any, shop: Shop, strategy: str, form: str, partitions: int, shape: str) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    bad = BAD if shape == "one of bad events" and form == "json" else []
    table = FORMS[form](offers() if form != "json" else [*offers(), *bad])
    frame = spark.createDataFrame(table)
    where = {
        "even": F.pmod(F.col("id"), F.lit(partitions)),
        "most of them empty": F.lit(0),
        "skewed": F.when(F.col("id") < len(offers()) - 5, 0).otherwise(partitions - 1),
        "one of bad events": F.when(F.col("id") < len(offers()), 0).otherwise(partitions - 1),
    }
    if shape == "empty":
        table, frame = table.slice(0, 0), frame.where("id < 0").repartition(partitions)
    else:
        frame = frame.repartitionById(partitions, where[shape].cast("int"))
    json = "event" if form == "json" else None
    check(match(frame, shop.path, strategy, json=json, errors="reason"), shop, table, json, bad=len(bad))


def check(found: Any, shop: Shop, events: pa.Table, json: str | None = "event", *, bad: int) -> None:
    """The matches, and the last events as bad ones, each once."""
    matches, told = matches_and_bad(found)
    assert matches == expected(shop.index, events, json)
    assert [row["id"] for row in told] == list(range(len(events) - bad, len(events)))
    assert all(row["subscription"] is None and row["reason"] for row in told)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_row_per_event_with_its_subscriptions(spark: Any, shop: Shop, strategy: str) -> None:
    table = as_json([*offers()[:50], "{", {"brand": "none"}])
    frame = spark.createDataFrame(table)
    found = match(frame, shop.path, strategy, json="event", output="arrays", errors="reason").toArrow()
    assert sorted(found["id"].to_pylist()) == list(range(52))
    by_id = {row["id"]: row for row in found.to_pylist()}
    assert by_id[50]["subscriptions"] is None
    assert "not JSON" in by_id[50]["reason"]
    pairs = [(number, found) for number, row in by_id.items() for found in row["subscriptions"] or []]
    assert sorted(pairs) == expected(shop.index, table, "event")


def test_names_with_dots_and_signs_are_attributes(spark: Any, tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2], "seller.country": ["DE", "FR"], "a `b`": [1, 2]})
    wanted = pa.table({"id": [7, 8], "expression": ["seller.country = 'DE'", '"a `b`" = 2']})
    wws.build(spark.createDataFrame(wanted), tmp_path)
    assert rows(wws.match(spark.createDataFrame(table), tmp_path)) == [(1, 7), (2, 8)]


@pytest.mark.parametrize("strategy", ["replicate", "shard"])
def test_a_text_that_is_no_text_is_a_bad_event(spark: Any, shop: Shop, strategy: str) -> None:
    table = as_json(offers()[:20])
    frame = spark.createDataFrame(table).selectExpr(
        "id", "case when id = 7 then cast(unhex('7B22FF') as string) else event end as event"
    )
    matches, told = matches_and_bad(match(frame.coalesce(1), shop.path, strategy, json="event", errors="reason"))
    assert [row["id"] for row in told] == [7]
    assert matches == [pair for pair in expected(shop.index, table, "event") if pair[0] != 7]


def test_a_column_that_cannot_be_read_says_so(spark: Any, tmp_path: Path) -> None:
    wws.build(spark.createDataFrame(pa.table({"id": [1], "expression": ["body = 'x'"]})), tmp_path)
    events = spark.createDataFrame([(1, bytearray(b"x"))], "id int, body binary")
    with pytest.raises(Exception, match="column 'body'"):
        wws.match(events, tmp_path).toArrow()


def test_the_event_keeps_the_name_and_type_of_its_id(spark: Any, shop: Shop) -> None:
    frame = spark.createDataFrame(as_columns(offers()[:20]).drop(["id"])).selectExpr("*", "uuid() as `order.id`")
    found = wws.match(frame, shop.path, event_id="order.id")
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
def test_wrong_use(spark: Any, shop: Shop, arguments: dict[str, Any], said: str) -> None:
    events = spark.createDataFrame(as_json(offers()[:1]))
    with pytest.raises(watchword.WatchwordError, match=said):
        wws.match(events, shop.path, **arguments)
