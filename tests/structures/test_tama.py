"""Tama: cells of several levels, what they cover too much of, and the counters."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from tests.structures.cases import Workbench, found

from watchword.errors import LimitError
from watchword.structures.conjunctions import VERIFY
from watchword.structures.structure import BUCKETS, CANDIDATES, PREDICATES
from watchword.structures.tama import Tama, finest_cell

GRID = [f"x = {value}" for value in range(100)]


def dimension_of(bench: Workbench, name: str) -> int:
    return int(bench.coding.book.plain[bench.coding.names.index(name)])


def cells_with(bench: Workbench, structure: Tama, conjunction: int, name: str = "x") -> list[tuple[int, int]]:
    """The level and cell of each entry of a conjunction."""
    d, lists = dimension_of(bench, name), structure.lists
    found_in = []
    for heap in range(1, 2 << int(structure.levels.depth[d])):
        number = int(structure.levels.base[d]) + heap
        first = int(lists.start[number])
        if conjunction in lists.front[first : first + int(lists.size[number]), 0]:
            level = heap.bit_length() - 1
            found_in.append((level, heap - (1 << level)))
    return found_in


def finest(bench: Workbench, structure: Tama, value: Any) -> int:
    events, d = bench.events([{"x": value}]), dimension_of(bench, "x")
    code = int(events.code[events.dimension.tolist().index(d)])
    return int(finest_cell(structure.levels, d, code)) - (1 << int(structure.levels.depth[d]))


def test_a_range_is_cut_into_cells_of_all_levels() -> None:
    bench = Workbench(["x BETWEEN 20 AND 75", *GRID])
    structure = bench.build("tama", range(101), parameters={"discretization_level": 3})
    assert int(structure.levels.depth[dimension_of(bench, "x")]) == 3
    low, high = finest(bench, structure, 20), finest(bench, structure, 75)
    cells = cells_with(bench, structure, 0)
    covered = [leaf for level, cell in cells for leaf in range(cell << 3 - level, (cell + 1) << 3 - level)]
    assert sorted(covered) == list(range(low, high + 1)), "each of its finest cells once"
    assert len(cells) < len(covered)


def test_a_coarse_level_finds_too_much_and_verification_takes_it_out() -> None:
    texts = ["x BETWEEN 20 AND 75", *GRID]
    bench = Workbench(texts)
    coarse = bench.build("tama", range(101), parameters={"discretization_level": 2})
    assert coarse.stored.conjunctions.flags[0] & VERIFY
    assert finest(bench, coarse, 19) == finest(bench, coarse, 20)
    wrong = coarse.match(bench.events([{"x": 19}]))
    assert found(wrong) == [[20]]
    coarse_candidates = int(wrong.counts[CANDIDATES])
    assert coarse_candidates > 20, "all of its cell, and the range"

    fine = bench.build("tama", range(101), parameters={"discretization_level": 13})
    assert fine.stored.conjunctions.flags[0] & VERIFY == 0, "a cell per code"
    right = fine.match(bench.events([{"x": 19}]))
    assert found(right) == [[20]]
    assert int(right.counts[CANDIDATES]) == 1


def test_no_more_levels_than_codes_need() -> None:
    bench = Workbench([*GRID, "y = 1", "x >= 0"])
    structure = bench.build("tama", range(102))
    # 100 constants have 206 codes with the gaps between them, y has 7
    assert int(structure.levels.depth[dimension_of(bench, "x")]) == 8
    assert int(structure.levels.depth[dimension_of(bench, "y")]) == 3


def test_the_counters_of_an_event() -> None:
    texts = ["x BETWEEN 1 AND 5 AND y = 2", "x = 3", "x >= 3 AND x <= 9 AND y >= 2", "y = 9"]
    bench = Workbench(texts)
    structure = bench.build("tama", range(4))
    assert structure.needed.tolist() == [2, 1, 3, 1]
    matches = structure.match(bench.events([{"x": 3, "y": 2}]))
    assert found(matches) == [[0, 1, 2]]
    assert matches.counts[PREDICATES] == 6, "all conditions but y = 9, each once"
    assert matches.counts[BUCKETS] <= 2 + sum(structure.levels.depth[1:].tolist())
    again = structure.match(bench.events([{"x": 3, "y": 2}, {"x": 3}, {"y": 9}]))
    assert found(again) == [[0, 1, 2], [1], [3]], "counters are as they were"


def test_counters_after_many_and_after_few() -> None:
    """They are copied or counted back up: both leave them as before."""
    texts = [f"x >= {i} AND y >= {i}" for i in range(400)]
    bench = Workbench(texts)
    structure = bench.build("tama", range(400))
    events = bench.events([{"x": 399, "y": 399}, {"x": 1}, {"x": 1, "y": 0}, {"x": 399, "y": 10}])
    assert found(structure.match(events)) == [list(range(400)), [], [0], list(range(11))]


def test_a_conjunction_of_more_than_255_conditions() -> None:
    bench = Workbench([" AND ".join(f"a{i} = 1" for i in range(300)), "a0 = 1"])
    structure = bench.build("tama", [1])
    assert structure.needed.dtype == np.uint8
    structure.insert(bench.coded([0]))
    assert structure.needed.tolist() == [1, 300]
    event = {f"a{i}": 1 for i in range(300)}
    assert found(structure.match(bench.events([event, {**event, "a7": 2}]))) == [[0, 1], [0]]


def test_deletion_takes_out_of_every_list() -> None:
    bench = Workbench(["x BETWEEN 20 AND 75", *GRID])
    structure = bench.build("tama", range(101))
    entries = int(structure.lists.size.sum())
    own = len(cells_with(bench, structure, 0))
    assert own > 1
    structure.delete([0])
    assert cells_with(bench, structure, 0) == []
    assert int(structure.lists.size.sum()) == entries - own


def test_a_level_that_cannot_be_and_lists_that_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Workbench(["x BETWEEN 20 AND 75", *GRID])
    with pytest.raises(LimitError, match="discretization_level of 0 to"):
        bench.build("tama", range(3), parameters={"discretization_level": 60})
    monkeypatch.setattr(import_module("watchword.structures.tama"), "MOST_ENTRIES", 100)
    with pytest.raises(LimitError, match="choose a smaller discretization_level"):
        bench.build("tama", range(101))
