"""The analytical models of EDBT'12, section 3, against structures built from sets of terms: as in its table 3."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.structures.cases import Workbench

from watchword.structures.structure import NODES
from watchword.structures.terms.models import Model, Times, Weights

SUBSCRIPTIONS = 6_000


def zipf(terms: int) -> list[float]:
    weights = [1 / rank for rank in range(10, terms + 10)]  # without the stop words
    return [weight / sum(weights) for weight in weights]


def uniform(terms: int) -> list[float]:
    return [1 / terms] * terms


DISTRIBUTIONS = {"zipf": zipf, "uniform": uniform}
LENGTHS = {"two": [0.0, 1.0], "three": [0.0, 0.0, 1.0], "web queries": [0.3, 0.35, 0.2, 0.15]}


def drawn(probability: list[float], theta: list[float], seed: int) -> list[list[int]]:
    """Sets of as many distinct terms as their lengths say."""
    pick = random.Random(seed)
    sets = []
    for length in pick.choices(range(1, len(theta) + 1), theta, k=SUBSCRIPTIONS):
        terms: set[int] = set()
        while len(terms) < length:
            terms |= set(pick.choices(range(len(probability)), probability))
        sets.append(sorted(terms))
    return sets


@cache
def case(distribution: str, lengths: str, terms: int) -> tuple[Model, Workbench, list[list[int]]]:
    probability, theta = DISTRIBUTIONS[distribution](terms), LENGTHS[lengths]
    sets = drawn(probability, theta, 3)
    texts = [" AND ".join(f"t{t} = 1" for t in terms) for terms in sets]
    return Model(np.array(probability), np.array(theta), len(sets)), Workbench(texts), sets


def items(probability: list[float], number: int, size: int) -> list[list[int]]:
    pick = random.Random(8)
    return [sorted(set(pick.choices(range(len(probability)), probability, k=size))) for _ in range(number)]


def visited(structure: Any, bench: Workbench, batch: list[list[int]]) -> float:
    events = bench.events([{f"t{t}": 1 for t in terms} for terms in batch])
    return int(structure.match(events).counts[NODES]) / len(batch)


every_distribution = pytest.mark.parametrize("distribution", DISTRIBUTIONS)
every_length = pytest.mark.parametrize("lengths", LENGTHS)


@every_distribution
@every_length
def test_inverted_lists(distribution: str, lengths: str) -> None:
    model, bench, sets = case(distribution, lengths, 400)
    cil, ril = (bench.build(name, range(SUBSCRIPTIONS)) for name in ("cil", "ril"))
    assert model.cil_nodes() == pytest.approx(cil.describe()["postings"], rel=0.02)
    assert model.vocabulary() == pytest.approx(cil.describe()["lists"], rel=0.02)
    assert model.ril_lists() == pytest.approx(ril.describe()["lists"], rel=0.05)
    batch = items(list(model.probability), 200, 25)
    estimated = sum(model.cil_visited(item) for item in batch) / len(batch)
    assert estimated == pytest.approx(visited(cil, bench, batch), rel=0.06)
    estimated = sum(model.ril_visited(item) for item in batch) / len(batch)
    assert estimated == pytest.approx(visited(ril, bench, batch), rel=0.06)
    assert model.ril_postings().sum() == pytest.approx(sum(map(len, sets)), rel=0.05)
    most_frequent = sum(term < 20 for terms in sets for term in terms)
    assert model.cil_postings()[:20].sum() == pytest.approx(most_frequent, rel=0.06)


def test_theorem_1_as_it_is_printed() -> None:
    """Where nearly all nodes are there, it makes no difference that it multiplies a node by its parent."""
    model = Model(np.array(zipf(25)), np.array([0.0, 0.0, 0.0, 1.0]), 10**6)
    assert model.rot_visited(range(10), nested=True) == pytest.approx(model.rot_visited(range(10)), rel=0.001)
    few = Model(np.array(zipf(25)), np.array([0.0, 0.0, 0.0, 1.0]), 100)
    assert few.rot_visited(range(10), nested=True) < 0.9 * few.rot_visited(range(10))


@every_distribution
@every_length
def test_the_nodes_that_an_item_visits(distribution: str, lengths: str) -> None:
    """Table 3: the terms of an item are few of many, so no subscription draws a term twice."""
    model, bench, _ = case(distribution, lengths, 400)
    rot = bench.build("rot", range(SUBSCRIPTIONS), None, {"order": "frequency"})
    batch = items(list(model.probability), 200, 25)
    estimated = sum(model.rot_visited(item) for item in batch) / len(batch)
    assert estimated == pytest.approx(visited(rot, bench, batch), rel=0.05)


@every_distribution
@pytest.mark.parametrize("lengths", ["two", "three"])
def test_the_nodes_of_the_trie(distribution: str, lengths: str) -> None:
    model, bench, _ = case(distribution, lengths, 60)
    rot = bench.build("rot", range(SUBSCRIPTIONS), None, {"order": "frequency"})
    assert model.rot_nodes() == pytest.approx(rot.describe()["nodes"]["all"], rel=0.06)


def test_bytes_and_seconds() -> None:
    model = Model(np.array([0.5, 0.25, 0.125, 0.125]), np.array([0.0, 1.0]), 100)
    weights, times = Weights(counter=1, dictionary=10, posting=4, node=100), Times(1.0, 2.0, 3.0, 4.0)
    assert model.average_length == 2
    assert model.in_subscription().tolist() == [0.75, 1 - 0.75**2, 1 - 0.875**2, 1 - 0.875**2]
    assert model.cil_bytes(weights) == pytest.approx(100 + 40 + 800)
    assert model.ril_key().tolist() == [0.0, 2 * 0.25 * 0.5, 2 * 0.125 * 0.75, 2 * 0.125 * 0.875]
    assert model.ril_bytes(weights) == pytest.approx(30 + 800)
    # {t1, t2}: the first node of each, and the one of both
    assert model.rot_visited([0, 1]) == pytest.approx(3)
    assert model.rot_bytes(weights) == pytest.approx(100 * model.rot_nodes())
    item = [0, 1]
    assert model.cil_seconds(item, times) == 100 + 2 * model.cil_visited(item)
    assert model.ril_seconds(item, times) == pytest.approx(2 * (1 + 2 * model.ril_visited(item)) * 3)
    assert model.rot_seconds(item, times) == pytest.approx(6 + 4 * 3)


def test_deeper_tries_have_more_nodes_until_they_have_all_paths() -> None:
    few = [Model(np.array(zipf(12)), np.array([*[0.0] * k, 1.0]), 10**6).rot_visited(range(6)) for k in range(1, 5)]
    assert all(a < b for a, b in pairwise(few))
