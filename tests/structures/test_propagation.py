"""Propagation's clusters, worked out by hand, and how they grow and shrink."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.structures.cases import Workbench, found
from tests.structures.paper_examples import OPINDEX_TABLE_1, code_of

from watchword.structures.structure import BUCKETS, CANDIDATES, PREDICATES

# A is in all events, C in half of them, the others in one: C = 6 is more selective than A = 2, B rarer than both
TRAINING = [{"A": i, "B": 3, "C": 6} if i == 0 else {"A": i % 3, "C": i} if i < 5 else {"A": 2} for i in range(10)]


def clusters(structure: Any, key: int) -> dict[int, list[int]]:
    """Size -> conjunctions of the key's clusters."""
    columns, found_clusters = structure.columns, {}
    k = int(columns.directory[key])
    while k >= 0:
        first = int(columns.slots[k])
        members = columns.conjunction[first : first + int(columns.count[k])].tolist()
        found_clusters[int(columns.size[k])] = sorted(members)
        k = int(columns.next[k])
    return found_clusters


def clusters_of(structure: Any, bench: Workbench, attribute: str, value: int | None = None) -> dict[int, list[int]]:
    dimension, code = code_of(bench, attribute, 0 if value is None else value)
    tokens = int(structure.token[-1])
    return clusters(structure, tokens + dimension if value is None else int(structure.token[dimension]) + code)


def test_clusters_by_access_predicate_and_size() -> None:
    bench = Workbench(OPINDEX_TABLE_1)
    structure = bench.build("propagation", range(6), TRAINING)
    assert clusters_of(structure, bench, "A", 2) == {0: [3]}
    assert clusters_of(structure, bench, "B", 3) == {1: [0], 3: [5]}  # IN: a cluster for each of its values
    assert clusters_of(structure, bench, "B", 6) == {1: [0], 3: [5]}
    assert clusters_of(structure, bench, "B", 9) == {1: [0]}
    assert clusters_of(structure, bench, "C", 6) == {2: [2]}
    assert clusters_of(structure, bench, "C") == {2: [1]}  # no equality: C is rarer than A
    assert clusters_of(structure, bench, "A") == {}
    assert clusters_of(structure, bench, "D") | clusters_of(structure, bench, "E") == {2: [4]}
    assert structure.describe()["placements"] == 1 + 3 + 2 + 1 + 1 + 1


def test_columns_are_checked_until_one_fails() -> None:
    bench = Workbench(["k = 1 AND a = 1 AND b <= 2 AND c <= 3", "k = 1 AND a = 2 AND b <= 2 AND c <= 3", "k = 2"])
    events = [{"k": i, "a": i % 4, "b": 1, "c": 1} for i in range(50)]
    structure = bench.build("propagation", range(3), events)
    assert clusters_of(structure, bench, "k", 1) == {3: [0, 1]}
    matches = structure.match(bench.events([{"k": 1, "a": 1, "b": 2, "c": 3}]))
    assert found(matches) == [[0]]
    assert matches.counts[[BUCKETS, PREDICATES, CANDIDATES]].tolist() == [1, 3 + 1, 1]


def test_a_cluster_grows_with_room_and_closes_its_gaps() -> None:
    bench = Workbench([f"k = 1 AND b <= {i}" for i in range(200)])
    structure = bench.build("propagation", range(1))
    for i in range(1, 200):
        structure.insert(bench.coded([i]))
    assert clusters_of(structure, bench, "k", 1) == {1: list(range(200))}
    assert int(structure.columns.used[1]) < 4 * 200
    structure.delete(np.arange(0, 200, 3))
    left = [i for i in range(200) if i % 3]
    assert clusters_of(structure, bench, "k", 1) == {1: left}
    assert found(structure.match(bench.events([{"k": 1, "b": 150}]))) == [[i for i in left if i >= 150]]
