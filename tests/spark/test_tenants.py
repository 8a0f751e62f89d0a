"""Tenants: a subscription meets the events of its tenant and no others, whatever anyone writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.spark.answers import rows

import watchword
import watchword.spark as wws

SUBSCRIPTIONS = "tenant string, id int, expression string"
WISHES = [
    ("acme", 1, "price < 5"),
    ("acme", 2, "TRUE"),
    ("o'hara", 1, "price > 5 -- and no more"),
    ("o'hara", 3, "price IS NULL OR price = 3"),
]
EVENTS = [(1, "acme", 3), (2, "o'hara", 3), (3, "o'hara", 9), (4, "nobody", 3), (5, None, 3), (6, "acme", None)]
MATCHES = [(1, 1), (1, 2), (2, 3), (3, 1), (6, 2)]


@pytest.fixture
def path(spark: Any, tmp_path: Path) -> Path:
    wws.build(spark.createDataFrame(WISHES, SUBSCRIPTIONS), tmp_path / "index", parts=2)
    return tmp_path / "index"


@pytest.mark.parametrize("strategy", ["replicate", "shard", "join"])
def test_events_as_columns(spark: Any, path: Path, strategy: str) -> None:
    events = spark.createDataFrame(EVENTS, "id int, of string, price int")
    found = wws.match(events, path, tenant="of", strategy=strategy)
    assert found.dtypes[1] == ("subscription", "bigint")
    assert rows(found) == MATCHES


@pytest.mark.parametrize("strategy", ["replicate", "shard", "join"])
def test_events_as_json(spark: Any, path: Path, strategy: str) -> None:
    texts = [(number, of, json.dumps({} if price is None else {"price": price})) for number, of, price in EVENTS]
    bad = [(7, "acme", "{"), (8, "acme", "[1]"), (9, "acme", None), (10, "acme", ' {"price" 3}'), (11, "acme", " { } ")]
    events = spark.createDataFrame(texts + bad, "id int, tenant string, event string")
    found = wws.match(events, path, json="event", strategy=strategy, errors="reason")
    assert rows(found.where("reason is null")) == [*MATCHES, (11, 2)]
    refused = {row.id: row.reason for row in found.where("reason is not null").collect()}
    assert refused.keys() == {7, 8, 9, 10}
    plain = wws.bad_events(events, path, json="event").collect()
    assert refused == {row.id: row.reason for row in plain}


def test_nobody_speaks_of_other_tenants(spark: Any, tmp_path: Path) -> None:
    given = [("acme", 1, "x = 1) OR (TRUE"), ("acme", 2, "tenant = 'other' OR x = 2"), (None, 3, "TRUE"),
             ("a\0b", 4, "TRUE"), ("acme", None, "TRUE"), ("other", 1, "x = 1")]  # fmt: skip
    built = wws.build(spark.createDataFrame(given, SUBSCRIPTIONS), tmp_path)
    assert (built.subscriptions, built.refused) == (2, 4)
    refused = built.errors.toArrow()
    assert refused.column_names == ["tenant", "id", "expression", "reason"]
    assert next(row for row in refused.to_pylist() if row["id"]) | {"reason": ""} == {
        "tenant": "acme", "id": "1", "expression": "x = 1) OR (TRUE", "reason": "",
    }  # fmt: skip
    events = spark.createDataFrame([(1, "acme", 1), (2, "other", 1), (3, "other", 2)], "id int, tenant string, x int")
    assert rows(wws.match(events, tmp_path)) == [(2, 1)]


def test_changes_have_tenants_too(spark: Any, path: Path) -> None:
    made = [("unsubscribe", "acme", 1, None), ("replace", "o'hara", 1, "price = 3"), ("subscribe", "nobody", 1, "TRUE")]
    wws.update(spark.createDataFrame(made, "op string, " + SUBSCRIPTIONS), path)
    events = spark.createDataFrame(EVENTS, "id int, tenant string, price int")
    assert rows(wws.match(events, path)) == [(1, 2), (2, 1), (2, 3), (4, 1), (6, 2)]
    with pytest.raises(watchword.SubscriptionIdError, match="has tenants"):
        wws.update(spark.createDataFrame([("subscribe", 1, "TRUE")], "op string, id int, expression string"), path)


def test_events_need_the_column(spark: Any, path: Path) -> None:
    with pytest.raises(watchword.EventError, match="need one column 'tenant'"):
        wws.match(spark.createDataFrame([(1, 2)], "id int, price int"), path)
