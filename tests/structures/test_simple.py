"""Simple: a list of all conjunctions, compared up to the first condition that fails."""

from __future__ import annotations

from tests.structures.cases import Workbench, found

from watchword.structures.structure import CANDIDATES, PREDICATES

TEXTS = ["a = 1 AND b <= 50 AND c <= 50", "a = 2", "b >= 0 AND c IN (1, 3)", "a <= 9 AND b = 7"]
GRID = [f"{name} = {value}" for name in "abc" for value in range(60)]


def test_each_conjunction_is_compared_until_a_condition_fails() -> None:
    bench = Workbench([*TEXTS, *GRID])
    structure = bench.build("simple", range(4))
    matches = structure.match(bench.events([{"a": 1, "b": 7, "c": 70}]))
    assert found(matches) == [[3]]
    # a = 1, then one of the others, and all three where both guards hold; the other rows fail at once, the last holds
    assert matches.counts[CANDIDATES] == 4
    assert matches.counts[PREDICATES] in (6, 9)


def test_the_condition_that_holds_least_often_is_the_first() -> None:
    bench = Workbench([*TEXTS, *GRID])
    structure = bench.build("simple", range(184))
    names = bench.coding.names
    attribute = bench.coding.book.attribute
    first = [names[attribute[d]] for d in structure.lists.front[:4, 1].tolist()]
    assert first == ["a", "a", "c", "b"]
    assert structure.lists.back[:4, 3].tolist() == [1, 0, 1, 0], "a third condition; a set"


def test_the_list_grows_and_shrinks() -> None:
    bench = Workbench([*TEXTS, *GRID])
    structure = bench.build("simple", range(4))
    structure.insert(bench.coded(range(4, 184)))
    structure.delete([0, 3, 100])
    assert structure.describe()["compared"] == 181
    first = int(structure.lists.start[0])
    assert 0 not in structure.lists.front[first : first + 181, 0]
    events = bench.events([{"a": 1, "b": 7, "c": 3}])
    right = found(bench.build("scan", range(184)).match(events))[0]
    assert found(structure.match(events)) == [[c for c in right if c not in (0, 3, 100)]]
