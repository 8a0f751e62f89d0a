"""The contract suite, generated from the registry: every structure answers as the oracle does."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.auto.random_cases import event, tree
from tests.index.answers import THOROUGH, Event, matched, wanted
from tests.language.strategies import events, expressions
from tests.structures.cases import Workbench, found

import watchword as ww
from watchword.errors import UnknownStructureError
from watchword.language.expression import Expression
from watchword.structures.conjunctive import Conjunctive
from watchword.structures.registry import structure_class, structures

NAMES = list(structures())
DYNAMIC = [name for name in NAMES if issubclass(structure_class(name), Conjunctive)]
every_structure = pytest.mark.parametrize("name", NAMES)
dynamic_structures = pytest.mark.parametrize("name", DYNAMIC)

some_trees = st.lists(expressions(), min_size=1, max_size=12)
some_events = st.lists(events(), min_size=1, max_size=8)


def index_of(name: str, trees: Sequence[Any], training: Any = None) -> ww.Index:
    index = ww.Index(training=training, structure=name)
    errors = index.subscribe_many(list(enumerate(trees)))
    assert errors.num_rows == 0, errors.to_pylist()[:3]
    index.flush()
    return index


def check(index: ww.Index, trees: dict[int, Expression], batch: Sequence[Event]) -> None:
    right = wanted(trees, batch)
    assert matched(index, batch) == right
    for row, one in enumerate(batch[:3]):
        assert sorted(index.match(one)) == right[row]


@every_structure
def test_an_empty_index_matches_nothing(name: str) -> None:
    index = ww.Index(structure=name)
    index.flush()
    assert index.match({"a": 1}) == []
    assert index.match_batch([{"a": 1}, {}]).num_rows == 0


@every_structure
def test_an_empty_event(name: str) -> None:
    index = index_of(name, ["a = 1", "a IS NULL", "TRUE", "FALSE", "NOT a = 1", "a IS NULL OR b = 2"])
    assert sorted(index.match({})) == [1, 2, 5]
    assert index.match_batch([]).num_rows == 0


@every_structure
def test_duplicates_replacing_and_deleting(name: str) -> None:
    index = index_of(name, ["a = 1 AND b <= 2"] * 5 + ["a = 1 AND b <= 3", "a IN (1, 2)"])
    assert sorted(index.match({"a": 1, "b": 2})) == [0, 1, 2, 3, 4, 5, 6]
    index.subscribe(1, "a = 2")
    assert index.unsubscribe(3)
    assert not index.unsubscribe(3)
    assert sorted(index.match({"a": 1, "b": 2})) == [0, 2, 4, 5, 6]
    index.flush()
    assert sorted(index.match({"a": 1, "b": 2})) == [0, 2, 4, 5, 6]
    assert sorted(index.match({"a": 2})) == [1, 6]


@every_structure
def test_saved_and_opened(name: str, tmp_path: Path) -> None:
    pick = random.Random(7)
    trees = [tree(pick, 2) for _ in range(120)]
    batch = [event(pick) for _ in range(20)]
    index = index_of(name, trees)
    index.save(tmp_path / "index")
    with ww.Index.open(tmp_path / "index") as opened:
        assert opened.stats()["structure"] == name
        check(opened, dict(enumerate(trees)), batch)
        opened.subscribe(0, "TRUE")
        opened.flush()
        assert 0 in opened.match(batch[0])


@every_structure
def test_an_unreadable_event_matches_nothing(name: str) -> None:
    index = index_of(name, ["TRUE", "a IS NULL", "a = 1"])
    errors: list[Any] = []
    found_ids = index.match_batch(pa.array(['{"a": 1}', "{", "{}"]), errors=errors)
    assert sorted(zip(*found_ids.to_pydict().values(), strict=True)) == [(0, 0), (0, 2), (2, 0), (2, 1)]
    assert [row for row, _ in errors] == [1]


@every_structure
@settings(max_examples=25, deadline=None)
@given(some_trees, some_events, st.none() | some_events)
def test_any_expressions_on_any_events(
    name: str, trees: list[Expression], batch: list[Event], training: list[Event] | None
) -> None:
    check(index_of(name, trees, training), dict(enumerate(trees)), batch)


@pytest.mark.long
@every_structure
@THOROUGH
@given(some_trees, some_events, st.none() | some_events)
def test_any_expressions_on_any_events_for_long(
    name: str, trees: list[Expression], batch: list[Event], training: list[Event] | None
) -> None:
    check(index_of(name, trees, training), dict(enumerate(trees)), batch)


def many(name: str, seed: int, depth: int, names: str) -> None:
    pick = random.Random(seed)
    trees = [tree(pick, depth, names) for _ in range(400)]
    batch = [event(pick, names) for _ in range(60)]
    for training in (None, [event(pick, names) for _ in range(50)]):
        check(index_of(name, trees, training), dict(enumerate(trees)), batch)


@every_structure
@pytest.mark.parametrize(("depth", "names"), [(1, "ab"), (2, "abcdefgh")])
def test_many_expressions(name: str, depth: int, names: str) -> None:
    many(name, depth, depth, names)


@pytest.mark.long
@every_structure
@pytest.mark.parametrize("seed", range(300, 330))
def test_many_expressions_for_long(name: str, seed: int) -> None:
    many(name, seed, 1 + seed % 4, "abcdefgh"[: 1 + seed % 8])


def scalars(pick: random.Random, names: int) -> Event:
    return {f"a{pick.randrange(names)}": pick.randint(0, 20) for _ in range(12)}


def conjunction(pick: random.Random, names: int) -> str:
    def one() -> str:
        name, value = f"a{pick.randrange(names)}", pick.randint(0, 20)
        return pick.choice(
            [
                f"{name} = {value}",
                f"{name} <= {value}",
                f"{name} >= {value}",
                f"{name} BETWEEN {value} AND {value + pick.randint(0, 5)}",
                f"{name} IN ({value}, {value + 3}, {value + 4})",
                f"{name} <> {value}",
            ]
        )

    return " AND ".join(one() for _ in range(pick.randint(1, 4)))


@every_structure
def test_many_conjunctions(name: str) -> None:
    pick = random.Random(5)
    texts = [conjunction(pick, 30) for _ in range(1500)]
    batch = [scalars(pick, 30) for _ in range(80)]
    right = found(Workbench(texts).build("scan", range(1500)).match(Workbench(texts).events(batch)))
    for training in (None, batch[:40]):
        assert matched(index_of(name, texts, training), batch) == right


@every_structure
def test_expressions_of_extreme_size(name: str) -> None:
    """More conditions, operands, attributes and codes than fit in a byte or two."""
    many_attributes = " AND ".join(f"b{i} = {i}" for i in range(700))
    many_ranges = " AND ".join(f"b{i} <= {i + 1}" for i in range(300))
    texts = [
        many_attributes,
        many_ranges,
        "b1 IN (" + ", ".join(str(3 * i) for i in range(5000)) + ")",
        "b1 NOT IN (" + ", ".join(str(3 * i) for i in range(5000)) + ")",
        " OR ".join(f"b{i} = {i} AND b{i + 1} = {i + 1}" for i in range(300)),
        *[f"b1 >= {i}" for i in range(0, 3000, 100)],
    ]
    index = index_of(name, texts)
    whole = {f"b{i}": i for i in range(700)}
    assert sorted(index.match(whole)) == [0, 1, 3, 4, 5]
    assert sorted(index.match({**whole, "b299": 301, "b1": 3})) == [2, 4, 5]
    assert sorted(index.match({"b1": 14_997})) == [2, *range(5, 35)]
    assert index.match({"b699": 699}) == []


def check_updates(name: str, trees: Sequence[Any], batch: Sequence[Event], pick: random.Random) -> None:
    bench = Workbench(trees)
    coded = bench.events(batch)
    right = found(bench.build("scan", range(len(trees))).match(coded))
    begin = len(trees) // 3
    structure, live = bench.build(name, range(begin), batch[:10]), set(range(begin))
    while begin < len(trees):
        end = min(len(trees), begin + pick.randint(1, max(1, len(trees) // 3)))
        structure.insert(bench.coded(range(begin, end)))
        live |= set(range(begin, end))
        gone = pick.sample(sorted(live), len(live) // 4)
        structure.delete([*gone])
        live -= set(gone)
        begin = end
        assert found(structure.match(coded)) == [sorted(live.intersection(row)) for row in right]
    restored = structure_class(name).restore(structure.parts())
    assert found(restored.match(coded)) == [sorted(live.intersection(row)) for row in right]
    structure.delete(sorted(live))
    assert found(structure.match(coded)) == [[] for _ in batch]


@dynamic_structures
def test_inserting_and_deleting_conjunctions(name: str) -> None:
    pick = random.Random(11)
    check_updates(name, [conjunction(pick, 12) for _ in range(600)], [scalars(pick, 12) for _ in range(40)], pick)


@dynamic_structures
def test_inserting_and_deleting_anything(name: str) -> None:
    pick = random.Random(12)
    check_updates(name, [tree(pick, 2) for _ in range(200)], [event(pick) for _ in range(30)], pick)


@pytest.mark.long
@dynamic_structures
@pytest.mark.parametrize("seed", range(40))
def test_inserting_and_deleting_for_long(name: str, seed: int) -> None:
    pick = random.Random(seed)
    check_updates(name, [tree(pick, 2) for _ in range(200)], [event(pick) for _ in range(30)], pick)
    check_updates(name, [conjunction(pick, 12) for _ in range(600)], [scalars(pick, 12) for _ in range(40)], pick)


@pytest.mark.plain
@every_structure
def test_a_few_in_plain_python(name: str) -> None:
    texts = ["a = 1 AND b <= 2", "a IN (1, 3) OR b > 5", "a <> 1", "NOT (a = 1 AND b = 2)", "c LIKE 'x%'", "TRUE"]
    index = index_of(name, texts)
    assert sorted(index.match({"a": 1, "b": 2})) == [0, 1, 5]
    assert sorted(index.match({"a": [1, 3], "c": "xy", "b": 7})) == [1, 3, 4, 5]


def test_unknown_names_and_parameters() -> None:
    with pytest.raises(UnknownStructureError, match="no structure 'tree': there are auto"):
        ww.Index(structure="tree")
    with pytest.raises(UnknownStructureError, match="'scan' has no parameter 'size'"):
        ww.Index(structure="scan", size=3)
