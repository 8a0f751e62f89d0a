"""Gryphon's tree: its nodes on a small example, worked out by hand, and after insertions one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.structures.cases import Workbench, found
from tests.structures.paper_examples import code_of

from watchword.structures.structure import NODES, PREDICATES

EXAMPLE = ["a = 1 AND b = 2", "a = 1 AND b <= 5", "a = 3", "b = 2"]


def test_the_tree_of_the_drawing() -> None:
    bench = Workbench(EXAMPLE)
    gryphon = bench.build("gryphon", range(4))
    described = gryphon.describe()
    assert (described["states"], described["tests"], described["depth"]) == (6, 3, 2)
    a, one = code_of(bench, "a", 1)
    b, two = code_of(bench, "b", 2)
    tests, states = gryphon.tree.tests, gryphon.tree.states
    first = states.first_test[0]
    second = tests.star[first]
    assert (tests.dimension[first], tests.dimension[second], tests.star[second]) == (a, b, -1)
    assert (tests.equalities[first], tests.first_range[first], tests.equalities[second]) == (2, -1, 1)
    under_a_1 = tests.first_equality[first]
    assert (states.low[under_a_1], states.high[under_a_1], states.first_row[under_a_1]) == (one, one, -1)
    below = states.first_test[under_a_1]
    assert (tests.dimension[below], tests.equalities[below]) == (b, 1)
    assert states.low[tests.first_equality[below]] == two
    assert states.high[tests.first_range[below]] == code_of(bench, "b", 5)[1]


def test_an_event_follows_results_and_stars() -> None:
    bench = Workbench(EXAMPLE)
    matches = bench.build("gryphon", range(4)).match(bench.events([{"a": 1, "b": 2}]))
    assert found(matches) == [[0, 1, 3]]
    # the root, a = 1, both states below it, and b = 2 by the star; 2 results of a, 1 of b, 2 of b below a
    assert matches.counts[[NODES, PREDICATES]].tolist() == [5, 5]


def test_the_tree_of_equalities_checks_the_rest() -> None:
    bench = Workbench(EXAMPLE)
    gryphon = bench.build("gryphon-eq", range(4))
    described = gryphon.describe()
    assert (described["name"], described["states"], described["tests"]) == ("gryphon-eq", 5, 3)
    matches = gryphon.match(bench.events([{"a": 1, "b": 2}, {"a": 1, "b": 6}]))
    assert found(matches) == [[0, 1, 3], []]
    # root, a = 1, b = 2 below it, b = 2 by the star; then the root and a = 1
    assert matches.counts[NODES] == 4 + 2


def test_long_star_chains_and_many_equalities_are_hashed() -> None:
    bench = Workbench([f"x{i} = {j}" for i in range(40) for j in range(40)])
    gryphon = bench.build("gryphon", range(1600))
    assert gryphon.tree.states.tests[0] == 40
    assert gryphon.tree.used[2] == 1600 + 40
    matches = gryphon.match(bench.events([{"x3": 7, "x30": 39}]))
    assert found(matches) == [[3 * 40 + 7, 30 * 40 + 39]]
    assert matches.counts[[NODES, PREDICATES]].tolist() == [3, 0]


@pytest.mark.parametrize("name", ["gryphon", "gryphon-eq"])
def test_inserted_one_by_one_it_is_the_same_tree(name: str) -> None:
    pick = random.Random(3)
    texts = [
        " AND ".join(f"x{pick.randrange(30)} {pick.choice(['=', '=', '<='])} {pick.randrange(30)}" for _ in range(3))
        for _ in range(600)
    ]
    bench = Workbench(texts)
    whole, grown = bench.build(name, range(600)), bench.build(name, range(600), parameters={})
    grown.delete(np.arange(600))
    grown.insert(bench.coded(range(600)))
    events = bench.events([{f"x{i}": pick.randrange(30) for i in range(30)} for _ in range(20)])
    wanted, got = whole.match(events), grown.match(events)
    assert found(got) == [[n + 600 for n in row] for row in found(wanted)]
    assert got.counts[NODES] == wanted.counts[NODES]
    assert grown.describe()["states"] == whole.describe()["states"]  # those of the deleted rows are used again


def test_the_rarest_attribute_first() -> None:
    texts = [f"common = 1 AND rare{i} = 1" for i in range(50)]
    bench = Workbench(texts)
    event = bench.events([{"common": 1, "other": 1}, {"common": 1, "rare7": 1}])
    frequent, rare = bench.build("gryphon", range(50)), bench.build("gryphon", range(50), None, {"rarest_first": True})
    assert frequent.describe()["depth"] == 2
    assert rare.describe()["depth"] == 1
    assert found(frequent.match(event)) == found(rare.match(event)) == [[], [7]]
    assert frequent.match(event).counts[NODES] == 2 + 3
    assert rare.match(event).counts[NODES] == 1 + 2
