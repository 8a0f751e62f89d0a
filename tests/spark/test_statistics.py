"""Counts on Spark are those of plain Python, and a build uses the sample that they leave."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from tests.spark.answers import FORMS, as_json, offers, subscriptions

import watchword
import watchword.spark as wws
from watchword.coding.event import flatten
from watchword.spark import versions


@pytest.mark.parametrize("form", ["json", "columns"])
def test_counts(spark: Any, form: str) -> None:
    table = FORMS[form](offers())
    frame = spark.createDataFrame(table).repartition(3)
    found = wws.statistics(frame, json="event" if form == "json" else None, least=3, terms=20)
    events = [flatten(offer) for offer in offers()]
    assert found.events == len(events)
    present = Counter(name for event in events for name in event)
    counted = {row.attribute: row.events for row in found.attributes.collect()}
    assert {name: count for name, count in counted.items() if name != "id"} == present
    terms = Counter(term for event in events for term in terms_of(event))
    assert {(row.attribute, row.term): row.events for row in found.terms.collect()} == {
        term: count for term, count in terms.items() if count >= 3
    }
    top = sorted(terms, key=lambda term: (-terms[term], term))[:20]
    pairs = Counter(pair for event in events for pair in combinations(top, 2) if set(pair) <= terms_of(event))
    assert {
        ((row.attribute_1, row.term_1), (row.attribute_2, row.term_2)): row.events for row in found.pairs.collect()
    } == {pair: count for pair, count in pairs.items() if count >= 3}
    prices = sorted(event["price"] for event in events)  # type: ignore[type-var]
    values = {row.attribute: row["values"] for row in found.quantiles.collect()}["price"]
    assert (values[0], values[-1]) == (prices[0], prices[-1])
    assert abs(prices.index(values[5]) - len(prices) // 2) <= 2
    found.release()


def terms_of(event: dict[str, Any]) -> set[tuple[str, str]]:
    return {
        (name, one)
        for name, value in event.items()
        for one in (value if isinstance(value, list) else [value])
        if isinstance(one, str)
    }


def test_a_build_reads_the_saved_sample(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(as_json([*offers(), "{"]))
    found = wws.statistics(frame, json="event")
    assert found.events == len(offers())
    found.save(tmp_path)
    found.release()
    assert wws.load_statistics(spark, tmp_path, "attributes").where("attribute = 'price'").count() == 1
    wws.build(spark.createDataFrame(subscriptions()), tmp_path)
    part = watchword.Index.open(versions.current(tmp_path).folders()[0])
    cells = part._training_cells()
    assert cells is not None
    assert len(cells) == len(offers()) + 1


def test_no_events(spark: Any) -> None:
    found = wws.statistics(spark.createDataFrame([], "id int, x string"))
    assert (found.events, found.attributes.count(), found.pairs.count()) == (0, 0, 0)
    with pytest.raises(watchword.EventError, match="need one column 'event'"):
        wws.statistics(spark.createDataFrame([], "id int"), json="event")
