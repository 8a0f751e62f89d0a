"""CIL, RIL, ROT and POT on the example of their paper (EDBT'12, table 1, figure 1); their nodes, orders, updates."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.structures.cases import Workbench, found

from watchword.errors import UnknownStructureError
from watchword.structures.structure import BUCKETS, CANDIDATES, NODES, PREDICATES
from watchword.structures.terms.lists import Lists
from watchword.structures.terms.records import words_of
from watchword.structures.terms.trie import (
    CHILDREN,
    CHILDREN_AT,
    LABEL,
    LABEL_AT,
    ONE,
    ROOM,
    SUBSCRIPTIONS,
    SUBSCRIPTIONS_AT,
    Trie,
)

TABLE_1 = [(1, 2, 4), (1, 3), (1, 2, 5), (2, 4), (1, 3, 6)]  # S1 .. S5
ITEM = {"t2": 1, "t4": 1}


def text(terms: Sequence[int]) -> str:
    return " AND ".join(f"t{t} = 1" for t in terms)


def events(*items: Sequence[int]) -> list[dict[str, Any]]:
    return [{f"t{t}": 1 for t in item} for item in items]


# More often t1 than t2 and so on: the sample that gives the terms the ranks of the paper.
SAMPLE = events(*[range(1, last + 1) for last in range(1, 7)])


def built(name: str, sets: Sequence[Sequence[int]] = TABLE_1, **parameters: Any) -> tuple[Any, Workbench]:
    bench = Workbench([text(terms) for terms in sets])
    if name in ("rot", "pot"):
        parameters = {"order": "frequency", **parameters}
    return bench.build(name, range(len(sets)), SAMPLE, parameters), bench


def names_by_number(structure: Any, bench: Workbench) -> list[str]:
    """Term number -> t1, t2, ..."""
    vocabulary = structure.vocabulary
    terms = [""] * int(vocabulary.count[0])
    for d in range(1, len(bench.coding.book.codes)):
        name = bench.coding.names[bench.coding.book.attribute[d]]
        for slot in range(vocabulary.base[d], vocabulary.base[d] + bench.coding.book.codes[d]):
            if vocabulary.term[slot] >= 0:
                terms[vocabulary.term[slot]] = name
    return terms


def list_of(lists: Lists, term: int) -> np.ndarray:
    at, used, _ = lists.dictionary[term]
    return lists.pool.words[at : at + used]


def subscriptions(words: np.ndarray) -> list[str]:
    at, all_of = 0, []
    while at < len(words):
        all_of.append(f"S{words[at] + 1}")
        at += words_of(words[at + 1])
    return all_of


def paths(trie: Trie, names: list[str]) -> dict[str, list[str]]:
    """The path to every node, with its subscriptions: a.b is a compact node, a/b a node and its child."""
    all_of: dict[str, list[str]] = {}

    def visit(slot: int, path: str) -> None:
        row = trie.rows[slot]
        label = trie.labels.words[row[LABEL_AT] : row[LABEL_AT] + row[LABEL]]
        path += ".".join([names[trie.slots.words[slot]], *(names[t] for t in label)])
        at, used = row[SUBSCRIPTIONS_AT], row[SUBSCRIPTIONS]
        all_of[path] = [f"S{at + 1}"] if used == ONE else subscriptions(trie.records.words[at : at + used])
        block = range(row[CHILDREN_AT], row[CHILDREN_AT] + row[ROOM])
        children = [child for child in block if row[CHILDREN] and trie.slots.words[child] >= 0]
        assert len(children) == row[CHILDREN]
        for child in children:
            visit(child, path + "/")

    for slot in trie.first[trie.first >= 0]:
        visit(slot, "")
    return all_of


ROT = {
    "t1": [],
    "t1/t2": [],
    "t1/t2/t4": ["S1"],
    "t1/t2/t5": ["S3"],
    "t1/t3": ["S2"],
    "t1/t3/t6": ["S5"],
    "t2": [],
    "t2/t4": ["S4"],
}
POT = {**{path: ids for path, ids in ROT.items() if not path.startswith("t2")}, "t2.t4": ["S4"]}


def test_the_postings_and_counters_of_cil() -> None:
    cil, bench = built("cil")
    names = names_by_number(cil, bench)
    assert names == ["t1", "t2", "t3", "t4", "t5", "t6"]
    postings = {name: [int(s) + 1 for s in list_of(cil.lists, t)] for t, name in enumerate(names)}
    assert postings == {"t1": [1, 2, 3, 5], "t2": [1, 3, 4], "t3": [2, 5], "t4": [1, 4], "t5": [3], "t6": [5]}
    assert cil.parts().counter.tolist() == [3, 2, 3, 2, 3]
    matches = cil.match(bench.events([ITEM]))
    assert found(matches) == [[3]]
    assert matches.counts[[NODES, BUCKETS, CANDIDATES]].tolist() == [5, 2, 1]
    assert cil.describe()["postings"] == 13


def test_the_counters_of_cil_are_restored() -> None:
    """A few postings are counted up again; after many, all counters are copied."""
    sets = [(1, 2), *[(3, 4)] * 100]
    cil, bench = built("cil", sets)
    batch = bench.events(events((1,), (3, 4), (2,), (1, 2)))
    for _ in range(2):
        assert found(cil.match(batch)) == [[], list(range(1, 101)), [], [0]]
        assert cil._pool[0].own.counter_copy.tolist() == cil.parts().counter.tolist()


def test_the_postings_of_ril() -> None:
    ril, bench = built("ril")
    names = names_by_number(ril, bench)
    postings: dict[str, list[tuple[str, ...]]] = {}
    for t, name in enumerate(names):
        words, at = list_of(ril.lists, t), 0
        while at < len(words):
            after = at + words_of(words[at + 1])
            postings.setdefault(name, []).append((f"S{words[at] + 1}", *(names[w] for w in words[at + 2 : after])))
            at = after
    assert postings == {
        "t3": [("S2", "t1")],
        "t4": [("S1", "t2", "t1"), ("S4", "t2")],
        "t5": [("S3", "t2", "t1")],
        "t6": [("S5", "t3", "t1")],
    }
    matches = ril.match(bench.events([ITEM]))
    assert found(matches) == [[3]]
    assert matches.counts[[NODES, BUCKETS, CANDIDATES]].tolist() == [2, 1, 1]


def test_the_nodes_of_rot_and_pot() -> None:
    rot, bench = built("rot")
    names = names_by_number(rot, bench)
    assert paths(rot.trie, names) == ROT
    assert rot.describe()["nodes"] == {
        "all": 8,
        "leaf": 4,
        "single": 2,  # t1/t3 and t2
        "array": 2,
        "hash": 0,
        "compact": 0,
        "without subscriptions": 3,
        "with one": 5,
        "with records": 0,
    }
    pot, _ = built("pot")
    assert paths(pot.trie, names) == POT
    nodes = pot.describe()["nodes"]
    assert (nodes["all"], nodes["compact"], nodes["single"]) == (7, 1, 1)
    batch = bench.events([ITEM])
    for trie, visited in ((rot, 2), (pot, 1)):
        matches = trie.match(batch)
        assert found(matches) == [[3]]
        assert matches.counts[NODES] == visited
    assert pot.match(batch).counts[PREDICATES] == 1  # t4 of the label


@pytest.mark.parametrize(("name", "nodes"), [("rot", ROT), ("pot", POT)])
def test_the_same_trie_one_by_one(name: str, nodes: dict[str, list[str]]) -> None:
    """Whatever the order of insertion, and back to nothing when all are deleted."""
    for seed in range(8):
        structure, bench = built(name)
        names, rows = names_by_number(structure, bench), list(range(5))
        structure.delete(np.arange(5))
        assert paths(structure.trie, names) == {}
        pick = random.Random(seed)
        pick.shuffle(rows)
        for row in rows:
            structure.insert(bench.coded([row]))
        renamed = {
            path: [f"S{rows[int(s[1:]) - 6] + 1}" for s in ids] for path, ids in paths(structure.trie, names).items()
        }
        assert renamed == nodes
        pick.shuffle(rows)
        structure.delete(np.array([5, 6]))
        structure.delete(np.array([7, 8, 9]))
        assert structure.describe()["nodes"]["all"] == 0


def test_deleting_a_branch_compacts_the_path() -> None:
    pot, bench = built("pot")
    names = names_by_number(pot, bench)
    pot.delete(np.array([0]))  # S1: t1/t2/t4
    assert "t1/t2.t5" in paths(pot.trie, names)
    pot.delete(np.array([1, 4]))
    assert paths(pot.trie, names) == {"t1.t2.t5": ["S3"], "t2.t4": ["S4"]}


@pytest.mark.parametrize(
    ("order", "ranked"),
    [
        ("frequency", ["t3", "t1", "t2", "t4"]),
        ("reverse", ["t4", "t2", "t1", "t3"]),
        ("arrival", ["t3", "t2", "t1", "t4"]),
    ],
)
def test_the_order_of_terms(order: str, ranked: list[str]) -> None:
    sets = [(2, 3), (1, 3), (1, 3), (1, 2, 3), (4, 1)]
    bench = Workbench([text(terms) for terms in sets])
    structure = bench.build("pot", range(5), None, {"order": order})
    assert names_by_number(structure, bench) == ranked


def test_a_random_order_is_always_the_same() -> None:
    sets = [tuple(range(begin, begin + 6)) for begin in range(1, 60, 6)]
    orders = [names_by_number(*built("rot", sets, order=order)) for order in ("random", "random", "arrival")]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])


def test_an_unknown_order() -> None:
    with pytest.raises(UnknownStructureError, match="no order of terms 'size': there are frequency"):
        built("pot", order="size")


@pytest.mark.parametrize("name", ["rot", "pot"])
def test_nodes_grow_from_leaf_to_hash_and_back(name: str) -> None:
    sets = [(1, 2, last) for last in range(3, 90)]
    structure, bench = built(name, sets, array_children=4, order="arrival")
    assert structure.describe()["nodes"]["hash"] == 1
    batch = bench.events(events((1, 2, 5), (1, 2, *range(3, 90)), (1, 7), range(1, 40)))
    right = [[2], list(range(87)), [], list(range(37))]
    assert found(structure.match(batch)) == right
    structure.delete(np.arange(3, 87))
    assert found(structure.match(batch)) == [[n for n in row if n < 3] for row in right]
    for row in range(3, 87):
        structure.insert(bench.coded([row]))
        nodes = structure.describe()["nodes"]
        assert nodes["leaf"] == row + 1
        assert nodes["hash"] == 1
    now = {row: row + 84 for row in range(3, 87)}
    assert found(structure.match(batch)) == [sorted(now.get(n, n) for n in row) for row in right]
    grown = bench.build(name, range(1), None, {"array_children": 4, "order": "arrival"})
    kinds = []
    for row in range(1, 9):
        grown.insert(bench.coded([row]))
        nodes = grown.describe()["nodes"]
        kinds.append((nodes["array"], nodes["hash"]))
    assert kinds == [(0, 0)] + [(1, 0)] * 3 + [(0, 1)] * 4  # the first one begins with t3, all others with t2


@pytest.mark.parametrize("name", ["cil", "ril", "rot", "pot"])
def test_what_comes_and_goes_needs_no_more_memory(name: str) -> None:
    pick = random.Random(3)
    sets = [sorted({pick.randint(1, 40) for _ in range(pick.randint(1, 6))}) for _ in range(400)]
    structure, bench = built(name, sets)

    def used() -> int:
        if name in ("cil", "ril"):
            return int(structure.lists.pool.end[0])
        return sum(int(pool.end[0]) for pool in (structure.trie.slots, structure.trie.labels, structure.trie.records))

    sizes, first = [], 0
    for _ in range(12):
        structure.delete(np.arange(first, first + 400))
        first += 400
        structure.insert(bench.coded(range(400)))
        sizes.append(used())
    assert sizes[-1] == sizes[3]
    batch = bench.events(events(range(1, 20), range(15, 41)))
    assert found(structure.match(batch)) == [
        [first + n for n, terms in enumerate(sets) if set(terms) <= set(item)] for item in (range(1, 20), range(15, 41))
    ]


@pytest.mark.parametrize("name", ["cil", "ril", "rot", "pot"])
def test_more_terms_and_checks_than_a_counter_or_a_record_takes(name: str) -> None:
    long = " AND ".join(f"t{t} = 1" for t in range(600))
    ranges = " AND ".join(f"t{t} > 0" for t in range(600))
    bench = Workbench([long, ranges, "t0 = 1 AND t0 = 1 AND t0 > 0"])
    structure = bench.build(name, range(3))
    whole = {f"t{t}": 1 for t in range(600)}
    batch = bench.events([whole, {**whole, "t5": 2}, {**whole, "t599": 0}, {"t0": 1}])
    assert found(structure.match(batch)) == [[0, 1, 2], [1, 2], [2], [2]]
    structure.insert(bench.coded([0, 1]))
    structure.delete(np.array([0, 1]))
    assert found(structure.match(batch)) == [[2, 3, 4], [2, 4], [2], [2]]


def test_a_range_is_the_presence_of_its_attribute_and_a_check() -> None:
    bench = Workbench(["a = 1 AND b < 5", "b < 5 AND b > 2", "b IN (1, 9)"])
    for name in ("cil", "ril", "rot", "pot"):
        structure = bench.build(name, range(3))
        assert structure.describe()["terms"] == 2  # a = 1, and that there is a b
        batch = bench.events([{"a": 1, "b": 4}, {"b": 9}, {"a": 1}, {"a": [1, 2], "b": [1, 2]}])
        assert found(structure.match(batch)) == [[0, 1], [2], [], [0, 2]]
