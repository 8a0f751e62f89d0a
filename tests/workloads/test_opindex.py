"""OpIndex's generator: sizes, operators, and the distributions of attributes and operands of its section 7.1."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from tests.workloads.checks import conjunctions, is_well_made, match_share
from tests.workloads.statistics import has_share, is_drawn_by

from watchword.workloads import OpIndex, opindex

SMALL: dict[str, Any] = {"subscriptions": 6000, "events": 500, "training": 100}


@pytest.mark.parametrize("name", opindex.profiles)
def test_every_row_of_table_3(name: str) -> None:
    wanted = opindex.profiles[name].variants[-1]
    workload = is_well_made(opindex, OpIndex(**{**vars(wanted), "subscriptions": 300, "events": 40, "training": 30}))
    assert max(map(len, conjunctions(workload))) == wanted.subscription_size
    assert max(map(len, workload.records())) <= wanted.event_size


def test_sizes_and_operators() -> None:
    workload = opindex(OpIndex(**SMALL))
    subscriptions = conjunctions(workload)
    assert is_drawn_by([len(one) - 1 for one in subscriptions], [1.0] * 4)
    assert is_drawn_by([len(event) - 1 for event in workload.records()], [1.0] * 20)
    found = [predicate for one in subscriptions for predicate in one]
    used = Counter(predicate.operator for predicate in found)
    assert set(used) == {"=", "<=", ">="}
    for operator, share in (("=", 0.4), ("<=", 0.3), (">=", 0.3)):
        assert has_share(used[operator], len(found), share)
    assert all(len({predicate.attribute for predicate in one}) == len(one) for one in subscriptions)


@pytest.mark.parametrize("zipf", [0.0, 0.6, 1.0])
def test_attributes_and_operands_follow_their_law(zipf: float) -> None:
    parameters = OpIndex(**SMALL, dimensions=2000, zipf=zipf)
    workload = opindex(parameters)
    subscriptions = conjunctions(workload)
    by_rank = [rank**-zipf for rank in range(1, 2001)]
    first = [int(one[0].attribute[1:]) for one in subscriptions]  # later ones cannot repeat it
    assert is_drawn_by(first, by_rank)
    operands = [int(predicate.operands[0]) - 1 for one in subscriptions for predicate in one]
    assert is_drawn_by(operands, by_rank[:50])
    assert is_drawn_by([value - 1 for event in workload.records() for value in event.values()], by_rank[:50])
    assert is_drawn_by([int(next(iter(event))[1:]) for event in workload.records()], by_rank)


def test_predicates_match_as_often_as_analysed() -> None:
    """Section 5.1, Lemma 6: with a third of each operator, 1 / 3 + 2 / (3 sigma)."""
    parameters = OpIndex(subscriptions=10_000, events=200, training=10, dimensions=1, subscription_size=1,
                         event_size=1, equality=1 / 3)  # fmt: skip
    # a subscription's share of the values is uniform, so the mean of 10,000 is this near
    assert match_share(opindex(parameters)) == pytest.approx(1 / 3 + 2 / 150, abs=0.015)
