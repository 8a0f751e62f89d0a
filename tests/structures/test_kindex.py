"""The k-index of OpIndex, Figure 2, and its walk over the lists."""

from __future__ import annotations

from tests.structures.cases import Workbench, found
from tests.structures.paper_examples import OPINDEX_TABLE_1, entries_of

from watchword.structures.structure import BUCKETS, CANDIDATES, PREDICATES


def subscriptions_of(index: object, bench: Workbench, size: int, attribute: str, value: int) -> list[int]:
    """As the paper numbers them, from 1."""
    return [(entry >> 1) + 1 for entry in entries_of(index, bench, attribute, value, size)]


def test_figure_2_of_opindex() -> None:
    bench = Workbench(OPINDEX_TABLE_1)
    index = bench.build("kindex", range(6))
    figure = {
        1: {"A": {2: [4]}},
        2: {
            "A": {2: [1, 2], **{v: [2] for v in (1, 3, 4, 5, 6, 7, 8)}},
            "B": {3: [1], 6: [1], 9: [1]},
            "C": {v: [2] for v in range(2, 20)},
            "D": {v: [5] for v in range(12, 20)},
            "E": {v: [5] for v in range(1, 10)},
        },
        3: {"B": {v: [3] for v in range(1, 5)}, "C": {6: [3]}, "E": {v: [3] for v in range(3, 13)}},
        4: {
            "B": {3: [6], 6: [6]},
            "C": {v: [6] for v in range(1, 5)},
            "D": {v: [6] for v in range(10, 20)},
            "E": {v: [6] for v in range(1, 8)},
        },
    }
    for size, lists in figure.items():
        for attribute in "ABCDE":
            for value in range(1, 20):
                wanted = lists.get(attribute, {}).get(value, [])
                assert subscriptions_of(index, bench, size, attribute, value) == wanted, (size, attribute, value)
    assert index.describe()["sizes"] == {"1": 1, "2": 3, "3": 1, "4": 1}


def test_the_walk_meets_or_skips() -> None:
    bench = Workbench(OPINDEX_TABLE_1)
    index = bench.build("kindex", range(6))
    # size 1: (A, 2) has 4. Size 2: (A, 2) has 1 2, (B, 6) has 1, (C, 4) has 2: they meet at 1, then at 2. Size 3: none
    matches = index.match(bench.events([{"A": 2, "B": 6, "C": 4}]))
    assert found(matches) == [[0, 1, 3]]
    assert matches.counts[[BUCKETS, CANDIDATES]].tolist() == [1 + 3, 3]
    # OpIndex, example 5: the lists of size 2 have 1, 2 and 5, that of size 3 is alone, and size 4 is too large
    matches = index.match(bench.events([{"B": 6, "C": 3, "E": 9}]))
    assert found(matches) == [[]]
    assert matches.counts[[BUCKETS, CANDIDATES]].tolist() == [3 + 1, 0]


def test_lists_skip_to_the_kth() -> None:
    bench = Workbench([*(f"a = 1 AND c = {i}" for i in range(100)), "a = 1 AND b = 2"])
    index = bench.build("kindex", range(101))
    matches = index.match(bench.events([{"a": 1, "b": 2}]))
    assert found(matches) == [[100]]
    assert matches.counts[PREDICATES] == 2 + 1 + 2  # both lists opened, the one of a skips 100 entries, both end


def test_not_in_rejects_and_is_weak_until_verified() -> None:
    bench = Workbench(["a NOT IN (1, 2) AND b = 3", "b = 3", "a NOT IN (1)", "a IN (1, 2, 5, 7, 8, 9)"])
    index = bench.build("kindex", range(4))
    assert index.indexed.size.tolist() == [1, 1, 0, 1]
    assert entries_of(index, bench, "a", 1, 1) == [0 << 1, 3 << 1 | 1]
    assert entries_of(index, bench, "a", 5, 1) == [3 << 1 | 1]
    assert entries_of(index, bench, "a", 1, 0) == [2 << 1]
    matches = index.match(bench.events([{"a": 1, "b": 3}]))
    assert found(matches) == [[1, 3]]
    assert matches.counts[CANDIDATES] == 2  # 0 and 2 are rejected, not verified
    matches = index.match(bench.events([{"b": 3}]))
    assert found(matches) == [[1]]
    assert matches.counts[CANDIDATES] == 3  # without a value of a, 0 and 2 are found, and fail
    assert found(index.match(bench.events([{"a": [1, 7], "b": 3}, {"a": [7, 8], "b": 3}]))) == [[1, 3], [0, 1, 2, 3]]
    assert index.always_candidates().tolist() == [2]


def test_new_sizes_get_partitions() -> None:
    bench = Workbench(["a = 1", "a = 1 AND b = 1", "a = 1 AND b = 1 AND c = 1", "a <> 1", "a IN (2, 4, 6, 8)"])
    index = bench.build("kindex", [0])
    for row in (2, 3, 1):
        index.insert(bench.coded([row]))
    assert index.describe()["sizes"] == {"0": 1, "1": 1, "2": 1, "3": 1}
    assert found(index.match(bench.events([{"a": 1, "b": 1, "c": 1}, {"a": 2}]))) == [[0, 1, 3], [2]]


def test_many_predicates_stand_in_one_partition() -> None:
    bench = Workbench([" AND ".join(f"x{i} = 1" for i in range(n)) for n in (40, 50)])
    index = bench.build("kindex", range(2))
    assert index.indexed.size.tolist() == [32, 32]
    event = {f"x{i}": 1 for i in range(45)}
    assert found(index.match(bench.events([event, {**event, **{f"x{i}": 1 for i in range(50)}}]))) == [[0], [0, 1]]
