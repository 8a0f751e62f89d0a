"""SIFT on the subscriptions of OpIndex, Table 1: lists, counters, what an event counts, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.structures.cases import Workbench, found
from tests.structures.paper_examples import OPINDEX_TABLE_1, entries_of

from watchword.errors import LimitError
from watchword.structures.structure import BUCKETS, CANDIDATES, PREDICATES

WIDE = [f"x BETWEEN {i} AND {i + 200}" for i in range(300)]


def test_a_list_for_every_attribute_and_value() -> None:
    bench = Workbench(OPINDEX_TABLE_1)
    sift = bench.build("sift", range(6))
    wanted = {
        ("A", 2): [0, 1, 3],
        ("A", 8): [1],
        ("A", 9): [],
        ("B", 3): [0, 2, 5],
        ("B", 4): [2],
        ("B", 6): [0, 5],
        ("B", 9): [0],
        ("C", 1): [5],
        ("C", 6): [1, 2],
        ("D", 11): [5],
        ("D", 12): [4, 5],
        ("E", 7): [2, 4, 5],
        ("E", 12): [2],
        ("E", 13): [],
    }
    for (attribute, value), conjunctions in wanted.items():
        assert [entry >> 1 for entry in entries_of(sift, bench, attribute, value)] == conjunctions


def test_counters_start_at_the_number_of_predicates_and_come_back() -> None:
    bench = Workbench(OPINDEX_TABLE_1)
    sift = bench.build("sift", range(6))
    assert sift.indexed.size.tolist() == [2, 2, 3, 1, 2, 4]
    matches = sift.match(bench.events([{"B": 6, "C": 3, "E": 9}]))
    # B = 6 counts for subscriptions 1 and 6, C = 3 for 2 and 6, E = 9 for 3 and 5: none is complete
    assert found(matches) == [[]]
    assert matches.counts[[BUCKETS, PREDICATES, CANDIDATES]].tolist() == [3, 6, 0]
    assert sift._pool[-1].own.tolist() == [2, 2, 3, 1, 2, 4]
    matches = sift.match(bench.events([{"A": 2, "B": 6, "C": 4}]))
    assert found(matches) == [[0, 1, 3]]
    assert matches.counts[[PREDICATES, CANDIDATES]].tolist() == [3 + 2 + 2, 3]
    assert sift._pool[-1].own.tolist() == [2, 2, 3, 1, 2, 4]


def test_negations_are_enumerated_and_need_no_verifying() -> None:
    bench = Workbench(["a NOT IN (1, 2) AND b = 3", "a = 1", "a = 5"])
    sift = bench.build("sift", range(3))
    assert [entry >> 1 for entry in entries_of(sift, bench, "a", 5)] == [0, 2]
    matches = sift.match(bench.events([{"b": 3}, {"a": 1, "b": 3}, {"a": 4, "b": 3}]))
    assert found(matches) == [[], [1], [0]]
    assert matches.counts[CANDIDATES] == 2


def test_a_dimension_twice_counts_its_narrower_condition() -> None:
    bench = Workbench(["x >= 3 AND x <= 5 AND y = 1", "x = 4", "x = 9", "x = 12"])
    sift = bench.build("sift", range(4))
    assert sift.indexed.size.tolist() == [2, 1, 1, 1]
    events = bench.events([{"x": 4, "y": 1}, {"x": 2, "y": 1}, {"x": [2, 9], "y": 1}])
    assert found(sift.match(events)) == [[0, 1], [], [0, 2]]


def test_one_of_many_predicates_is_not_counted_but_holds() -> None:
    bench = Workbench([" AND ".join(f"x{i} = 1" for i in range(300))])
    sift = bench.build("sift", [0])
    assert sift.indexed.size.tolist() == [255]
    event = {f"x{i}": 1 for i in range(300)}
    assert found(sift.match(bench.events([event, {**event, "x299": 2}, {**event, "x0": 2}]))) == [[0], [], []]


@pytest.mark.parametrize("name", ["sift", "kindex"])
def test_wide_ranges_are_refused_before_memory_is_taken(name: str) -> None:
    bench = Workbench(WIDE)
    with pytest.raises(LimitError, match=r"need [\d,]+ bytes, and most_bytes is 100,000; take a structure"):
        bench.build(name, range(300), parameters={"most_bytes": 100_000})
    assert bench.build(name, range(300)).describe()["entries"] == 300 * 401


@pytest.mark.parametrize("name", ["sift", "kindex"])
def test_a_refused_insertion_changes_nothing(name: str) -> None:
    bench = Workbench(WIDE)
    structure = bench.build(name, range(20), parameters={"most_bytes": 100_000})
    with pytest.raises(LimitError, match="most_bytes"):
        structure.insert(bench.coded(range(20, 300)))
    structure.insert(bench.coded([20]))
    assert found(structure.match(bench.events([{"x": 210}]))) == [list(range(10, 21))]


def test_full_lists_move_and_keep_their_order() -> None:
    bench = Workbench([f"a = {i % 3} AND b <= {i}" for i in range(300)])
    sift = bench.build("sift", range(10))
    for i in range(10, 300):
        sift.insert(bench.coded([i]))
    assert [entry >> 1 for entry in entries_of(sift, bench, "a", 1)] == list(range(1, 300, 3))
    assert len(sift.lists.entry) < 4 * sift.describe()["entries"]
    sift.delete(np.arange(0, 300, 2))
    assert [entry >> 1 for entry in entries_of(sift, bench, "a", 1)] == list(range(1, 300, 6))
