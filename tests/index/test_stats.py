"""What `stats` says of costly subscriptions."""

from __future__ import annotations

from typing import Any

import pytest
from tests.index.answers import sealed_index
from tests.structures.cases import Workbench

from watchword.structures.auto.structure import Auto
from watchword.structures.structure import CANDIDATES

TEXTS = [
    "brand = 'x' AND price <= 10",  # matches
    "brand = 'x' AND price <= 1",  # a candidate of every event with brand x, never true
    "brand = 'y' AND price <= 1",  # a candidate of none
    "price IS NULL",  # always a candidate
    "price > 5 AND price < 3 AND brand = 'x'",  # unsatisfiable for one price, not for a list of prices
    "FALSE",
]
EVENTS = [{"brand": "x", "price": price} for price in (5, 7, 9)] + [{"brand": "z", "price": 0}]


def costly(**options: Any) -> dict[str, Any]:
    index = sealed_index(TEXTS)
    found: dict[str, Any] = index.stats(**options)["costly"]
    return found


def test_without_events_nothing_is_said_of_matching() -> None:
    assert costly()["never_matching"] is None
    assert costly()["always_candidates"]["ids"] == [3]
    assert costly()["unsatisfiable"] == {"count": 1, "ids": [5]}


def test_what_is_a_candidate_but_never_matches() -> None:
    never = costly(events=EVENTS)["never_matching"]
    assert never["events"] == 4
    assert set(never["ids"]) >= {1, 3}
    assert not {0, 2, 5} & set(never["ids"])
    assert never["count"] == len(never["ids"])
    assert never["ids"][0] == 3  # found for all four events


def test_training_events_are_the_sample() -> None:
    index = sealed_index(TEXTS, training=EVENTS)
    never = index.stats()["costly"]["never_matching"]
    assert never["events"] == 4
    assert 1 in never["ids"]


@pytest.mark.parametrize("count", [40, 4000])
def test_candidates_are_those_that_matching_counts(count: int) -> None:
    """In lists of records, and in blocks."""
    bench = Workbench([f"k = 1 AND a{n % 50} = {n % 9} AND b <= {n % 7}" for n in range(count)])
    structure, _ = Auto.build(bench.given(range(count)), {})
    events = bench.events([{"k": 1, "b": 3, "a1": 4, "a2": 2}, {"k": 1}, {"k": 2}, {}])
    counted = structure.match(events).counts[CANDIDATES]
    assert counted > 0
    assert structure.candidates_of(events).sum() == counted
