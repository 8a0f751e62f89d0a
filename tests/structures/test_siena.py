"""Siena: constraints listed by attribute and operator, and the counters."""

from __future__ import annotations

from tests.structures.cases import Workbench, found

from watchword.structures.siena import AT_LEAST, AT_MOST, EQUAL, OPERATORS, RANGE, TYPES, Siena
from watchword.structures.structure import BUCKETS, CANDIDATES, PREDICATES

TEXTS = [
    "price <= 580 AND model = 'iphone5s' AND color = 'silver'",
    "price >= 100 AND price <= 300",
    "price BETWEEN 200 AND 400 AND color = 'silver'",
    "model IN ('iphone3', 'iphone5s')",
    "price > 500",
    "model = 'iphone4'",
]


def listed(bench: Workbench, structure: Siena, name: str, operator: int) -> list[list[int]]:
    """The conjunctions under an operator of an attribute, for each type that has any."""
    d = int(bench.coding.book.plain[bench.coding.names.index(name)])
    lists, held = structure.lists, []
    for kind in range(TYPES):
        number = (d * TYPES + kind) * OPERATORS + operator
        first = int(lists.start[number])
        rows = slice(first, first + int(lists.size[number]))
        bounds = lists.back[rows, 0].tolist()
        assert bounds == sorted(bounds)
        if bounds:
            held.append(lists.front[rows, 0].tolist())
    return held


def test_constraints_stand_under_their_operators() -> None:
    bench = Workbench(TEXTS)
    structure = bench.build("siena", range(6))
    assert listed(bench, structure, "price", AT_MOST) == [[1, 0]]
    assert listed(bench, structure, "price", AT_LEAST) == [[1, 4]]
    assert listed(bench, structure, "price", RANGE) == [[2]]
    assert listed(bench, structure, "price", EQUAL) == []
    assert [sorted(row) for row in listed(bench, structure, "model", EQUAL)] == [[0, 3, 3, 5]], "a set, item by item"
    assert structure.describe()["constraints"] == {"equal": 6, "at least": 2, "at most": 2, "range": 1}


def test_the_counters_of_an_event() -> None:
    bench = Workbench(TEXTS)
    structure = bench.build("siena", range(6))
    assert structure.needed.tolist() == [3, 2, 2, 1, 1, 1], "a range and a set count once"
    event = {"price": 250, "model": "iphone5s", "color": "red"}
    matches = structure.match(bench.events([event]))
    assert found(matches) == [[1, 3]]
    # price <= 580, <= 300, >= 100, and 200 to 400; the model of two. 0 and 2 lack the color
    assert matches.counts[PREDICATES] == 6
    assert matches.counts[BUCKETS] == 4
    assert matches.counts[CANDIDATES] == 2
    again = structure.match(bench.events([event, {**event, "color": "silver"}, {}]))
    assert found(again) == [[1, 3], [0, 1, 2, 3], []], "counters are as they were"


def test_a_value_of_another_type_satisfies_nothing() -> None:
    bench = Workbench(["a <= 5", "a >= 'b'", "a <> 3", "a IS NOT NULL", "a = TRUE"])
    structure = bench.build("siena", range(5))
    events = bench.events([{"a": 4}, {"a": "c"}, {"a": True}, {"a": float("nan")}])
    assert found(structure.match(events)) == found(bench.build("scan", range(5)).match(events))
    assert len(listed(bench, structure, "a", AT_MOST)) > 1, "not null: a constraint for each type"


def test_insertion_keeps_the_lists_sorted() -> None:
    texts = [f"x >= {(7 * i) % 50} AND x <= {60 - i} AND y BETWEEN {i % 9} AND {20 + i}" for i in range(50)]
    bench = Workbench(texts)
    built, grown = bench.build("siena", range(50)), bench.build("siena", range(7))
    for first in range(7, 50, 13):
        grown.insert(bench.coded(range(first, min(50, first + 13))))
    for name in "xy":
        for operator in range(OPERATORS):
            assert listed(bench, grown, name, operator) == listed(bench, built, name, operator)
    grown.delete([3, 4])
    assert listed(bench, grown, "x", AT_MOST)[0] == [
        c for c in listed(bench, built, "x", AT_MOST)[0] if c not in (3, 4)
    ]


def test_counters_after_many_and_after_few() -> None:
    texts = [f"x >= {i} AND y >= {i}" for i in range(400)]
    bench = Workbench(texts)
    structure = bench.build("siena", range(400))
    events = bench.events([{"x": 399, "y": 399}, {"x": 1}, {"x": 1, "y": 0}, {"x": 399, "y": 10}])
    assert found(structure.match(events)) == [list(range(400)), [], [0], list(range(11))]
