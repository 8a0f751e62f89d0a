"""BE-Tree: the paper's insertion example, its rules for cutting and merging, and that the tree adjusts to events."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.auto.random_cases import event, tree
from tests.structures.betree_trees import (
    Node,
    check_tree,
    conditions_in_blocks,
    dimension_of,
    members,
    outline,
    partitions,
)
from tests.structures.cases import Workbench, found
from tests.structures.test_contract import conjunction, scalars

from watchword.coding.event import Range
from watchword.structures.betree import tree as t
from watchword.structures.betree.conditions import interval
from watchword.structures.betree.directory import add, find, remove
from watchword.structures.betree.structure import BETree
from watchword.structures.structure import CANDIDATES, NODES, PREDICATES

both = pytest.mark.parametrize("name", ["betree", "betree-batch"])
SMALL: dict[str, Any] = {"max_cap": 3, "min_size": 2}


def built(texts: Sequence[Any], name: str = "betree", rows: int | None = None, **parameters: Any) -> tuple[Any, BETree]:
    bench = Workbench(texts)
    structure = bench.build(name, range(len(texts) if rows is None else rows), parameters=parameters)
    check_tree(structure)
    return bench, structure


# The paper gives the attributes that decide; S1 is row 0. Intervals that hold 5 cross the middle of the domain of `a`.
EXAMPLE = [
    "a BETWEEN 2 AND 8 AND b = 1",  # S1
    "c = 1",
    "d = 1 AND e = 1",
    "a BETWEEN 3 AND 7 AND f = 1",  # S4
    "d = 2 AND g = 1",
    "d = 3 AND h = 1",  # S6
    "a BETWEEN 3 AND 9 AND b = 2",
    "a = 1 AND i = 1",  # S8
    "a BETWEEN 1 AND 8 AND b = 3",  # S9
]


@pytest.mark.plain
def test_the_insertion_example_of_figure_3() -> None:
    bench, structure = built(EXAMPLE, rows=3, **SMALL)

    def insert(row: int) -> Node:
        structure.insert(bench.coded([row]))
        check_tree(structure)
        return outline(structure, bench)

    assert outline(structure, bench) == Node({0, 1, 2})
    a = Node({0, 3})
    assert insert(3) == Node({1, 2}, partitions={"a": a})  # the root overflows: cut by `a`
    assert insert(4) == Node({1, 2, 4}, partitions={"a": a})
    d = Node({2, 4, 5})
    assert insert(5) == Node({1}, partitions={"a": a, "d": d})  # again: by `d`
    assert insert(6) == Node({1}, partitions={"a": Node({0, 3, 6}), "d": d})
    clustered = Node({0, 3, 6}, left=Node({7}))
    assert insert(7) == Node({1}, partitions={"a": clustered, "d": d})  # the bucket is split in half
    partitioned = Node({3}, left=Node({7}), partitions={"b": Node({0, 6, 8})})
    assert insert(8) == Node({1}, partitions={"a": partitioned, "d": d})  # a bucket that was split: cut by `b`
    events = [{"a": 5, "b": 3}, {"a": 1, "i": 1, "c": 1}, {"d": 2, "g": 1}, {"a": 7, "f": 1, "b": 1}]
    assert found(structure.match(bench.events(events))) == [[8], [1, 7], [4], [0, 3]]


def test_a_batch_cuts_the_root_by_all_subscriptions() -> None:
    texts = ["a = 1 AND b = 1", "a = 2 AND b = 2", "a = 3 AND b = 3", "a = 4"] + [
        f"b = {i} AND c = 1" for i in range(9)
    ]
    bench, dynamic = built(texts, "betree", **SMALL)
    assert set(outline(dynamic, bench).partitions["a"].members | {3}) >= {3}
    assert set(outline(dynamic, bench).partitions) == {"a", "b"}
    bench, batch = built(texts, "betree-batch", **SMALL)
    assert set(outline(batch, bench).partitions) == {"b"}  # `a` is left to one only
    assert outline(batch, bench).members == {3}


@pytest.mark.plain
@pytest.mark.parametrize(
    ("predicate", "least", "most"),
    [
        ("x < 20", None, 19),
        ("x <= 20", None, 20),
        ("x = 20", 20, 20),
        ("x <> 20", None, None),
        ("x > 20", 21, None),
        ("x >= 20", 20, None),
        ("x IN (30, 10, 20)", 10, 30),
        ("x NOT IN (10, 30)", None, None),
        ("x BETWEEN 10 AND 30", 10, 30),
        ("x >= 10 AND x <= 30", 10, 30),
    ],
)
def test_intervals_of_operators_as_in_table_1(predicate: str, least: int | None, most: int | None) -> None:
    values = [*range(8, 33), -1000, 1000]  # with the smallest and the largest of the domain
    bench, structure = built([predicate, *(f"x BETWEEN {v} AND {v}" for v in values), "x < 5000"])
    d = dimension_of(bench, "x")
    code = {v: interval(structure.stored.conjunctions, 1 + i, d)[0] for i, v in enumerate(values)}
    low, high = interval(structure.stored.conjunctions, 0, d)
    enclosed = [v for v in values if low <= code[v] <= high]
    assert sorted(enclosed) == [
        v for v in sorted(values) if (least is None or v >= least) and (most is None or v <= most)
    ]


@both
def test_a_leaf_without_a_common_dimension_is_extended(name: str) -> None:
    texts = [f"a{i} = 1" for i in range(10)] + [f"b = {i % 2} AND c{i} = 1" for i in range(4)]
    bench, structure = built(texts, name, rows=10, **SMALL)
    root = structure.tree.node[t.ROOT]
    assert (root[t.COUNT], root[t.CAPACITY], root[t.PARTITIONS]) == (10, 12, 0)
    structure.insert(bench.coded(range(10, 14)))
    check_tree(structure)
    root = structure.tree.node[t.ROOT]
    assert (root[t.COUNT], root[t.CAPACITY]) == (10, 12)
    assert list(outline(structure, bench).partitions) == ["b"]
    structure.delete(np.array([0, 1, 2, 3, 4, 5, 6]))
    assert (structure.tree.node[t.ROOT, t.COUNT], structure.tree.node[t.ROOT, t.CAPACITY]) == (3, 3)


def test_equal_subscriptions_end_in_an_extended_leaf_of_an_atomic_bucket() -> None:
    bench, structure = built(["a = 1 AND b = 2"] * 200 + ["a = 5 AND b = 9"], **SMALL)
    a = partitions(structure, t.ROOT)[dimension_of(bench, "a")]
    while structure.tree.node[a, t.LOW] < structure.tree.node[a, t.HIGH]:
        assert not list(members(structure, a))
        a = next(int(half) for half in structure.tree.node[a, [t.LEFT, t.RIGHT]] if half != t.NONE)
    matches = structure.match(bench.events([{"a": 1, "b": 2}, {"a": 1, "b": 3}, {"a": 5, "b": 9}]))
    assert found(matches) == [list(range(200)), [], [200]]
    assert matches.counts[PREDICATES] <= 3  # the key says all, for 200 of them


def test_what_the_key_implies_is_not_evaluated_again() -> None:
    texts = [f"a = 1 AND b = {i}" for i in range(8)] + ["a BETWEEN 1 AND 2 AND c = 1", "a = 2"]
    _, structure = built(texts, max_cap=4, min_size=9)  # cut by `a`, not by `b`
    nodes = range(structure.tree.used[t.NODES_USED])
    packed = [(set(members(structure, c)), conditions_in_blocks(structure, c)) for c in nodes]
    assert ({*range(8)}, 8) in packed


def test_deleting_merges_halves_and_ends_partitions() -> None:
    bench, structure = built(EXAMPLE, **SMALL)
    structure.delete(np.array([7]))  # the left half is empty: it goes, and the bucket counts as cut by its p-node
    check_tree(structure)
    d = Node({2, 4, 5})
    assert outline(structure, bench) == Node(
        {1}, partitions={"a": Node({3}, partitions={"b": Node({0, 6, 8})}), "d": d}
    )
    structure.delete(np.array([0, 6]))  # `b` has fewer than min_size: its p-node ends, then that of `a`
    check_tree(structure)
    assert outline(structure, bench) == Node({1, 3, 8}, partitions={"d": d})  # inserted anew
    structure.delete(np.array([1, 2, 3, 4, 5, 8]))
    check_tree(structure)
    assert outline(structure, bench) == Node(set())
    assert structure.tree.used[t.NODES_LIVE] == 1


def test_an_underflowing_half_is_merged_only_with_an_open_bucket() -> None:
    texts = ["a BETWEEN 3 AND 7", "a = 1", "a = 2", "a = 8", "a = 9"]
    bench, structure = built(texts, **SMALL)
    halves = Node({0}, left=Node({1, 2}), right=Node({3, 4}))
    assert outline(structure, bench) == Node(set(), partitions={"a": halves})
    structure.delete(np.array([1]))  # 4 do not fit in one leaf
    check_tree(structure)
    assert outline(structure, bench).partitions["a"] == Node({0}, left=Node({2}), right=Node({3, 4}))
    structure.delete(np.array([3]))
    check_tree(structure)
    assert outline(structure, bench).partitions["a"] == Node({0, 2, 4})


def everywhere(name: str, texts: Sequence[Any], batch: Sequence[Any], pick: random.Random, **parameters: Any) -> None:
    """Insert and delete at random, with all invariants and all matches after each step."""
    bench = Workbench(texts)
    coded = bench.events(batch)
    right = found(bench.build("scan", range(len(texts))).match(coded))
    begin = len(texts) // 4
    structure, live = bench.build(name, range(begin), parameters=parameters), set(range(begin))
    while begin < len(texts):
        end = min(len(texts), begin + pick.choice([1, 2, 30]))
        structure.insert(bench.coded(range(begin, end)))
        check_tree(structure)
        live |= set(range(begin, end))
        begin = end
        gone = pick.sample(sorted(live), pick.choice([0, 1, len(live) // 8]))
        structure.delete(np.array(gone, np.int64))
        check_tree(structure)
        live -= set(gone)
        if pick.random() < 0.2:
            structure.adapt(coded)
            check_tree(structure)
        assert found(structure.match(coded)) == [sorted(live.intersection(row)) for row in right]
    while live:
        gone = pick.sample(sorted(live), min(len(live), pick.choice([1, 5, 100])))
        structure.delete(np.array(gone, np.int64))
        check_tree(structure)
        live -= set(gone)
    assert structure.tree.used[t.NODES_LIVE] == 1


@both
@pytest.mark.parametrize("seed", range(3))
def test_invariants_under_random_changes(name: str, seed: int) -> None:
    pick = random.Random(seed)
    texts = [conjunction(pick, 8) for _ in range(400)]
    everywhere(
        name, texts, [scalars(pick, 8) for _ in range(10)], pick, max_cap=pick.choice([2, 5]), min_size=2, beta=0.1
    )


@both
def test_invariants_with_any_expressions(name: str) -> None:
    pick = random.Random(9)
    texts = [tree(pick, 2) for _ in range(250)]
    everywhere(name, texts, [event(pick) for _ in range(10)], pick, **SMALL)


def test_large_leaves_change_block_by_block() -> None:
    pick = random.Random(3)
    texts = [f"a = {i % 3} AND b BETWEEN {i % 7} AND {i % 7 + 5}" for i in range(300)]
    everywhere("betree", texts, [{"a": 1, "b": 6}, {"a": 2}], pick, max_cap=1000)


def test_codes_of_any_size() -> None:
    for count in (100, 1000, 40_000):
        texts = [f"a = {i} AND b <= {i}" for i in range(count)]
        bench, structure = built(texts)
        assert structure.tree.lanes.itemsize == {100: 1, 1000: 2, 40_000: 4}[count]
        assert found(structure.match(bench.events([{"a": count - 1, "b": 3}, {"a": 7, "b": 8}]))) == [[count - 1], []]


@both
def test_events_with_several_values(name: str) -> None:
    pick = random.Random(4)
    texts = [conjunction(pick, 6) for _ in range(300)]
    events = [{"a1": [3, 9], "a2": 4}, {"a1": Range(2, 9), "a3": [0, 20]}, {"a0": Range(None, 5), "a5": [7]}]
    bench, structure = built(texts, name, **SMALL)
    coded = bench.events(events)
    assert found(structure.match(coded)) == found(bench.build("scan", range(300)).match(coded))


COMMON = {f"{name}{i}": 1 for name in ("also", "too") for i in range(20)}
EARLIER = [{**COMMON, "cold3": 15, "hot3": 2}] * 10
LATER = [{**COMMON, **{f"hot{j}": 1 for j in range(8)}, "cold3": 15}] * 40


def hot_and_cold() -> list[str]:
    """Each has one of eight dimensions that many have, one of twelve that fewer have, and two that are often true."""
    pick = random.Random(6)
    often = [(f"also{i % 20} >= 0", f"too{i % 20} >= 0") for i in range(320)]
    some = [f"hot{i % 8} = {pick.randint(0, 3)}" for i in range(320)]
    return [f"{some[i]} AND {often[i][0]} AND cold{i % 12} = {i} AND {often[i][1]}" for i in range(320)]


def test_the_tree_adapts_when_events_change() -> None:
    """Dimensions that become common in events no longer lead to expressions that others can lead to as well."""
    bench, structure = built(hot_and_cold(), max_cap=20)
    assert set(outline(structure, bench).partitions) == {f"hot{i}" for i in range(8)}
    before, after = bench.events(EARLIER), bench.events(LATER)
    right = found(structure.match(after))
    structure.adapt(before)
    costly = structure.match(after).counts
    for _ in range(3):  # window by window: a p-node whose loss is not known yet may turn out no better
        assert structure.adapt(after) > 0
        check_tree(structure)
    cheap = structure.match(after)
    assert found(cheap) == right
    assert cheap.counts[CANDIDATES] < costly[CANDIDATES] / 5
    assert cheap.counts[PREDICATES] < costly[PREDICATES] / 5
    restored = BETree.restore(structure.parts())
    assert found(restored.match(after)) == right


def test_training_events_adapt_the_tree_when_it_is_built() -> None:
    bench = Workbench(hot_and_cold())
    coded = bench.events(LATER)
    counts = [
        bench.build("betree", range(320), sample, {"max_cap": 20}).match(coded).counts for sample in (None, LATER)
    ]
    assert counts[1][CANDIDATES] < counts[0][CANDIDATES] / 5


def test_subscriptions_that_change_leave_a_tree_as_good_as_a_new_one() -> None:
    """The paper's last experiment (figure 13): from one workload to another and back, in small steps."""
    pick = random.Random(8)
    first = [conjunction(pick, 20) for _ in range(600)]
    second = [conjunction(pick, 20).replace("a", "b") for _ in range(600)]
    bench, structure = built([*first, *second], rows=600)
    coded = bench.events([scalars(pick, 20) for _ in range(50)])
    for begin in range(0, 600, 30):
        structure.delete(np.array([*range(begin, begin + 30)]))
        structure.insert(bench.coded(range(600 + begin, 630 + begin)))
    check_tree(structure)
    assert len(structure.match(coded).expression) == 0
    old = len(structure.stored.expressions)
    for begin in range(0, 600, 30):
        structure.delete(np.array([*range(600 + begin, 630 + begin)]))
        structure.insert(bench.coded(range(begin, begin + 30)))
    check_tree(structure)
    back, new = structure.match(coded), bench.build("betree", range(600)).match(coded)
    assert [[row - old for row in rows] for rows in found(back)] == found(new)
    assert back.counts[CANDIDATES] <= 1.2 * new.counts[CANDIDATES]
    assert back.counts[NODES] <= 1.2 * new.counts[NODES]


@pytest.mark.plain
def test_a_p_directory_finds_what_was_added_and_not_removed() -> None:
    pick = random.Random(1)
    _, structure = built(["a = 1"])
    kept: dict[int, int] = {}
    tree_ = structure.tree._replace(directory=structure.tree.directory.repeat(32, axis=0))
    for _ in range(600):
        d = pick.randrange(200)
        if d in kept:
            remove(tree_, t.ROOT, d)
            del kept[d]
        else:
            kept[d] = pick.randrange(1000)
            add(tree_, t.ROOT, d, kept[d])
        begin, slots = tree_.node[t.ROOT, [t.DIRECTORY, t.SLOTS]]
        assert all(find(tree_.directory, begin, slots, d) == kept.get(d, t.NONE) for d in range(200))
