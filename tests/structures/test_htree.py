"""H-Tree: the example of the paper's Table I and Fig. 3, wide ranges, conversion, insertion and deletion."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.structures.cases import Workbench, found

from watchword.errors import LimitError
from watchword.structures.htree.cells import new_cells, set_cells_of_conjunction, set_cells_of_event
from watchword.structures.htree.structure import HTree
from watchword.structures.structure import BUCKETS, CANDIDATES

TABLE_1 = [
    (0.0, 0.1, 0.2, 0.3),
    (0.2, 0.3, 0.8, 0.9),
    (0.2, 0.3, 0.1, 0.2),
    (0.7, 0.8, 0.3, 0.4),
    (0.5, 0.6, 0.4, 0.5),
    (0.1, 0.2, 0.8, 0.9),
    (0.4, 0.5, 0.6, 0.7),
    (0.9, 1.0, 0.9, 1.0),
    (0.6, 0.7, 0.5, 0.6),
    (0.8, 0.9, 0.3, 0.4),
]
TEXTS = [f"a1 BETWEEN {a} AND {b} AND a2 BETWEEN {c} AND {d}" for a, b, c, d in TABLE_1]
# Not in the structure, it only gives codes: values lie between 0 and 1, and a1, whose ranges have fewer of its codes,
# is chosen before a2, as in the paper's figure.
DOMAIN = "a1 IN (0, 0.97, 0.98, 0.99, 1) AND a2 IN (0, 1)"
EXAMPLE = {"n_ind": 2, "n_cel": 4, "conversion": False}
E1 = {"a1": 0.24, "a2": 0.82}


def in_order(bench: Workbench, structure: HTree, *names: str) -> list[int]:
    """The levels of these attributes: the paper's example has a1 before a2."""
    dimension = structure.domains.dimension.tolist()
    return [dimension.index(int(bench.coding.book.plain[bench.coding.names.index(name)])) for name in names]


def cells_by_level(structure: HTree, fill: Any) -> list[list[int]]:
    cells = new_cells(structure.domains)
    fill(structure.domains, cells)
    return [sorted(row[:count].tolist()) for row, count in zip(cells.cell, cells.count, strict=True)]


def cells_of_event(bench: Workbench, structure: HTree, event: dict[str, Any]) -> list[list[int]]:
    segments = np.zeros(len(structure.domains.dimension), np.int64)
    events = bench.events([event])
    return cells_by_level(structure, lambda domains, cells: set_cells_of_event(domains, events, 0, cells, segments))


def cells_of(structure: HTree, conjunction: int) -> list[list[int]]:
    stored = structure.stored
    held = (stored.conjunctions, stored.expressions.coded.conditions, conjunction)
    return cells_by_level(structure, lambda domains, cells: set_cells_of_conjunction(domains, *held, cells))


def held_in(structure: HTree) -> dict[int, list[int]]:
    """bucketID -> the conjunctions in it."""
    buckets = structure.parts().buckets
    rows = zip(structure.tree.path.tolist(), buckets.start.tolist(), buckets.size.tolist(), strict=False)
    return {path: sorted(buckets.front[a : a + size, 0].tolist()) for path, a, size in rows if size}


def test_the_buckets_of_table_1() -> None:
    bench = Workbench([*TEXTS, DOMAIN])
    structure = bench.build("htree", range(10), parameters=EXAMPLE)
    assert in_order(bench, structure, "a1", "a2") == [0, 1]
    # by the centres: s3 has 0.75 and 0.35, so cells 2 and 0, and bucket 2 * 4 + 0
    assert held_in(structure) == {0: [0, 2], 2: [1, 5], 5: [4], 6: [6], 8: [3, 9], 9: [8], 10: [7]}
    described = structure.describe()
    assert (described["possible buckets"], described["buckets"], described["longest bucket"]) == (16, 7, 2)
    assert described["buckets per conjunction"] == 1


def test_the_event_of_the_example_checks_four_buckets() -> None:
    bench = Workbench([*TEXTS, DOMAIN])
    structure = bench.build("htree", range(10), parameters=EXAMPLE)
    cells = cells_of_event(bench, structure, E1)
    assert cells == [[0, 3], [2, 3]]
    assert sorted(4 * a + b for a, b in product(*cells)) == [2, 3, 14, 15]
    matches = structure.match(bench.events([E1]))
    assert found(matches) == [[1]]
    # of the four only b2 has anything in it: s1 and s5
    assert (matches.counts[BUCKETS], matches.counts[CANDIDATES]) == (1, 2)


def test_the_chain_of_each_bucket_of_the_example() -> None:
    """With an attribute left out, subscriptions are in the other three buckets that e1 checks."""
    texts = [*TEXTS, "a1 BETWEEN 0.2 AND 0.3", "a2 BETWEEN 0.8 AND 0.9", "b = 1", DOMAIN]
    bench = Workbench(texts)
    structure = bench.build("htree", range(13), parameters=EXAMPLE)
    held = held_in(structure)
    assert {path: held[path] for path in (2, 3, 14, 15)} == {2: [1, 5], 3: [10], 14: [11], 15: [12]}
    matches = structure.match(bench.events([E1]))
    assert found(matches) == [[1, 10, 11]]
    assert (matches.counts[BUCKETS], matches.counts[CANDIDATES]) == (4, 5)


def grid(*more: str) -> tuple[Workbench, HTree]:
    """x has the constants 0, 1, ... 100, their place is their value; beside them what is asked for."""
    texts = [*more, *(f"x = {value}" for value in range(101))]
    bench = Workbench(texts)
    return bench, bench.build("htree", range(len(texts)), parameters={"n_ind": 1, "n_cel": 4, "conversion": False})


def test_three_rules_for_the_cell_of_a_range() -> None:
    """Fig. 2: centres in the first or last segment, then the nearer of two centres; no range at all: the last cell."""
    _, structure = grid(
        "x BETWEEN 0 AND 20",
        "x BETWEEN 80 AND 99",
        "x BETWEEN 26 AND 46",
        "x BETWEEN 30 AND 48",
        "x BETWEEN 40 AND 60",
        "y = 1",
    )
    assert [cells_of(structure, c)[0] for c in range(6)] == [[0], [2], [0], [1], [1], [3]]


def test_wide_ranges_are_split() -> None:
    """Over several buckets, of which a value sees one; over all of the domain it is no constraint."""
    bench, structure = grid("x BETWEEN 10 AND 60", "x >= 30", "x <= 74", "x >= 0", "x BETWEEN 10 AND 90", "x <> 50")
    assert [cells_of(structure, c)[0] for c in range(6)] == [[0, 2], [0, 2], [0, 2], [3], [3], [3]]
    matches = structure.match(bench.events([{"x": 60}, {"x": 61}, {"x": 29}, {"x": 5}]))
    seen = [[c for c in row if c < 6] for row in found(matches)]
    assert seen == [[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [0, 2, 3, 4, 5], [2, 3, 5]]


def test_a_set_is_split_too() -> None:
    bench, structure = grid("x IN (10, 60)", "x IN (10, 99)")
    assert [cells_of(structure, c)[0] for c in range(2)] == [[0, 2], [3]]
    assert found(structure.match(bench.events([{"x": 60}])))[0] == [0, 62]


@pytest.mark.parametrize(("n_spl", "cells"), [(4, [[0, 2], [0, 2]]), (3, [[3], [0, 2]]), (1, [[3], [3]])])
def test_no_more_buckets_than_asked_for(n_spl: int, cells: list[list[int]]) -> None:
    texts = ["x BETWEEN 1 AND 6 AND y BETWEEN 1 AND 6", *(f"x = {v} AND y = {v}" for v in range(11))]
    parameters = {"n_ind": 2, "n_cel": 4, "n_spl": n_spl, "conversion": False}
    bench = Workbench(texts)
    structure = bench.build("htree", range(12), parameters=parameters)
    assert cells_of(structure, 0) == cells
    assert found(structure.match(bench.events([{"x": 6, "y": 1}, {"x": 7, "y": 1}]))) == [[0], []]


def test_popular_attributes_with_narrow_ranges_are_indexed() -> None:
    texts = [f"popular = {i} AND wide <= {90 + i % 10} AND rare{i % 8} = {i}" for i in range(64)]
    texts += [f"often BETWEEN {i} AND {i + 2}" for i in range(60)]
    bench = Workbench(texts)
    structure = bench.build("htree", range(124), parameters={"n_ind": 2})
    assert in_order(bench, structure, "popular", "often") == [0, 1]


def skewed(conversion: bool, training: bool) -> tuple[Workbench, HTree]:
    """Constants that grow as powers do: most of them are near to 0."""
    texts = [f"x BETWEEN {1.02**i} AND {1.02 ** (i + 1)}" for i in range(400)]
    bench = Workbench(texts)
    sample = [{"x": 1.02 ** (i + 0.5)} for i in range(400)] if training else None
    parameters = {"n_ind": 1, "n_cel": 8, "conversion": conversion}
    return bench, bench.build("htree", range(400), sample, parameters)


def test_conversion_evens_out_the_buckets() -> None:
    sizes = {}
    for conversion, training in ((False, False), (True, False), (True, True)):
        bench, structure = skewed(conversion, training)
        sizes[conversion, training] = [len(held) for _, held in sorted(held_in(structure).items())]
        assert found(structure.match(bench.events([{"x": 1.02**7.5}, {"x": 0.5}]))) == [[7], []]
    assert max(sizes[False, False]) > 300
    for converted in (sizes[True, False], sizes[True, True]):
        assert len(converted) == 7
        # an inner cell takes two half segments, those at the ends a whole one more: 400 in 8 segments
        assert converted == pytest.approx([75, 50, 50, 50, 50, 50, 75], abs=4)


def test_conversion_follows_the_sample() -> None:
    """Where values are frequent, cells are narrow."""
    texts = [f"x = {i}" for i in range(100)]
    bench = Workbench(texts)
    structure = bench.build("htree", range(100), [{"x": i % 10} for i in range(1000)], {"n_ind": 1, "n_cel": 4})
    held = held_in(structure)
    assert held[0] == [0, 1, 2, 3]
    assert held[1] == [4, 5]
    assert held[2] == list(range(6, 100))


def test_deletion_takes_out_of_every_bucket() -> None:
    bench = Workbench([*TEXTS, DOMAIN, "a1 BETWEEN 0.1 AND 0.3 AND a2 BETWEEN 0.1 AND 0.7"])
    structure = bench.build("htree", [*range(10), 11], parameters=EXAMPLE)
    before = held_in(structure)
    assert in_order(bench, structure, "a1", "a2") == [0, 1]
    assert before[0] == [0, 2, 10]
    assert before[2] == [1, 5, 10]
    structure.delete([10, 1, 7])
    assert held_in(structure) == {0: [0, 2], 2: [5], 5: [4], 6: [6], 8: [3, 9], 9: [8]}
    assert found(structure.match(bench.events([E1]))) == [[]]


def test_insertion_gives_the_buckets_of_a_build() -> None:
    bench = Workbench([*TEXTS, DOMAIN])
    built = bench.build("htree", range(10), parameters=EXAMPLE)
    grown = bench.build("htree", range(2), parameters=EXAMPLE)
    for first in range(2, 10, 2):
        grown.insert(bench.coded(range(first, first + 2)))
    assert held_in(grown) == held_in(built)
    assert found(grown.match(bench.events([E1]))) == [[1]]


@pytest.mark.parametrize("parameters", [{"n_ind": 0}, {"n_cel": 1}, {"n_spl": 0}, {"n_ind": 40}, {"n_cel": 100}])
def test_numbers_that_cannot_be(parameters: dict[str, int]) -> None:
    with pytest.raises(LimitError, match="htree"):
        Workbench(["a = 1"]).build("htree", [0], parameters=parameters)


@pytest.mark.parametrize(("n_ind", "n_cel"), [(1, 2), (3, 3), (10, 10), (2, 31)])
def test_other_numbers_find_the_same(n_ind: int, n_cel: int) -> None:
    pick = np.random.default_rng(3)
    texts = []
    for low, width in zip(
        pick.integers(0, 50, (300, 4)).tolist(), pick.integers(0, 30, (300, 4)).tolist(), strict=True
    ):
        ranges = (f"a{i} BETWEEN {a} AND {a + b}" for i, (a, b) in enumerate(zip(low, width, strict=True)))
        texts.append(" AND ".join(ranges))
    bench = Workbench(texts)
    events = bench.events(
        [dict(zip(("a0", "a1", "a2", "a3"), row, strict=True)) for row in pick.integers(0, 80, (60, 4)).tolist()]
    )
    structure = bench.build("htree", range(300), parameters={"n_ind": n_ind, "n_cel": n_cel})
    assert found(structure.match(events)) == found(bench.build("scan", range(300)).match(events))
