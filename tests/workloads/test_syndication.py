"""Web syndication: lengths, sizes of items, and the terms' distributions (EDBT'12 section 4.2 and its Table 4)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from tests.workloads.checks import conjunctions, is_well_made
from tests.workloads.statistics import has_mean, is_drawn_by

from watchword.workloads import Syndication, syndication
from watchword.workloads.query_lengths import PROBABILITIES
from watchword.workloads.syndication import Terms, frequencies

SMALL: dict[str, Any] = {"subscriptions": 4000, "events": 300, "training": 50}


@pytest.mark.parametrize("name", ["length", "terms", "visited"])
def test_the_figures(name: str) -> None:
    for wanted in (syndication.profiles[name].variants[0], syndication.profiles[name].variants[-1]):
        parameters = Syndication(
            **{**vars(wanted), "subscriptions": 50, "events": 9, "training": 8, "vocabulary": 5000}
        )
        for one in conjunctions(is_well_made(syndication, parameters)):
            assert len({predicate.attribute for predicate in one}) == len(one)
            assert len(one) == wanted.length or wanted.length is None
            assert {(predicate.operator, predicate.operands) for predicate in one} == {("=", ("1",))}


def test_the_largest_vocabulary() -> None:
    assert syndication.defaults.vocabulary == 1_500_000
    workload = syndication(Syndication(subscriptions=100, events=20, training=10, terms=Terms.UNIFORM))
    terms = [int(predicate.attribute[1:]) for one in conjunctions(workload) for predicate in one]
    assert max(terms) > 1_000_000


def test_lengths_are_those_of_web_queries() -> None:
    assert sum(PROBABILITIES) == pytest.approx(1)
    assert PROBABILITIES @ np.arange(1, 13) == pytest.approx(2.2, abs=1e-9)
    lengths = [len(one) for one in conjunctions(syndication(Syndication(**SMALL, vocabulary=20_000)))]
    assert has_mean(lengths, 2.2)
    assert max(lengths) <= 12


def test_items_have_25_to_36_distinct_terms() -> None:
    items = syndication(Syndication(**SMALL, vocabulary=20_000)).records()
    assert is_drawn_by([len(item) - 25 for item in items], [1.0] * 12)
    assert all(set(item.values()) == {1} for item in items)


def test_real_frequencies_go_through_the_published_ranks() -> None:
    """And add up to the terms of ten million subscriptions, nearly: the ranks between are not published."""
    often = frequencies(470_000)
    published = {1: 138_090, 10: 60_469, 1_000: 4_967, 10_000: 251, 470_000: 1}
    for rank, occurrences in published.items():
        assert often[rank - 1] == pytest.approx(occurrences)
    assert (np.diff(often) < 0).all()
    assert often.sum() == pytest.approx(10_000_000 * 2.2, rel=0.07)


@pytest.mark.parametrize("terms", ["real", "uniform", "inverse"])
def test_terms_of_subscriptions(terms: Any) -> None:
    real = frequencies(3000)
    weights = {"real": real, "uniform": np.ones(3000), "inverse": real[::-1]}[terms]
    workload = syndication(Syndication(**SMALL, vocabulary=3000, terms=terms))
    assert is_drawn_by([int(one[0].attribute[1:]) for one in conjunctions(workload)], weights)
    items = workload.records()
    assert is_drawn_by([int(next(iter(item))[1:]) for item in items], real)
    assert Counter(name for item in items for name in item)["t0"] > 30
