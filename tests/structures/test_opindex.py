"""OpIndex against its paper: Table 1 with Examples 2, 4 and 5, Figures 4 and 5, Algorithms 1 and 2, section 6."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.structures.cases import Workbench, found

import watchword as ww
from watchword.coding.codebook import Codebook
from watchword.errors import LimitError, UnknownStructureError
from watchword.structures.opindex.lists import FREE_SLOT, ROW_SLOTS, Lists, signature_bit
from watchword.structures.opindex.predicates import AT_LEAST, AT_MOST, EQUAL, LISTS
from watchword.structures.opindex.structure import OpIndex
from watchword.structures.structure import BUCKETS, CANDIDATES, NODES, PREDICATES

NAMES = "ABCDE"
TABLE_1 = [
    " AND ".join(f"{name} = 0" for name in NAMES),  # not subscribed: it gives the attributes their order
    "A = 2 AND B IN (3, 6, 9)",
    "A <= 8 AND C >= 2",
    "C = 6 AND B <= 4 AND E BETWEEN 3 AND 12",
    "A = 2",
    "D >= 12 AND E <= 9",
    "B IN (3, 6) AND C <= 4 AND D >= 10 AND E <= 7",
]
EXAMPLE_5 = {"B": 6, "C": 3, "E": 9}
SMALL = {"b": 2, "w": 4}


def built(
    rows: Sequence[int] = range(1, 7), trees: Sequence[str] = TABLE_1, **parameters: int
) -> tuple[Any, Workbench]:
    bench = Workbench(trees)
    return bench.build("opindex", rows, parameters=parameters or SMALL), bench


def pivots(structure: OpIndex, bench: Workbench, lists: Lists | None = None) -> dict[str, list[int]]:
    """Pivot attribute -> its subscriptions as numbers of the structure, by slot."""
    lists = structure.counted if lists is None else lists
    shown = {}
    for dimension in np.flatnonzero(lists.first_row >= 0).tolist():
        row = int(lists.first_row[dimension])
        first = int(lists.slot_starts[row])
        subjects = lists.subject[first : first + int(lists.slot_count[row])]
        shown[name_of(bench, dimension)] = [
            subject for subject in subjects.tolist() if subject >= FREE_SLOT + ROW_SLOTS
        ]
    return shown


def counters(structure: OpIndex, bench: Workbench, pivot: str) -> list[int]:
    lists = structure.counted
    row = int(lists.first_row[1 + bench.coding.names.index(pivot)])
    first = int(lists.slot_starts[row])
    needed: list[int] = lists.need[first : first + int(lists.slot_count[row])].tolist()
    return needed


def name_of(bench: Workbench, dimension: int) -> str:
    return "" if dimension == 0 else bench.coding.names[bench.coding.book.attribute[dimension]]


def operand_of(book: Codebook, dimension: int, code: int) -> float:
    step = 2 if book.number_ordered[dimension] else 1
    return float(book.numbers[book.number_starts[dimension] + (code - book.number_base[dimension]) // step])


def segment(
    structure: OpIndex, bench: Workbench, pivot: str, number: int, operator: int
) -> list[tuple[str, float, int]]:
    """The entries of one segment: attribute, operand, slot."""
    lists, base = structure.counted, structure.rewriting.domain.base
    row = int(lists.first_row[1 + bench.coding.names.index(pivot)])
    cell = (row * lists.b + number) * LISTS + operator
    begin, end = lists.runs[2 * cell : 2 * cell + 2].tolist()
    entries = []
    for key, slot in zip(lists.key[begin:end].tolist(), lists.tail[begin:end].tolist(), strict=True):
        dimension = int(np.searchsorted(base, key, side="right")) - 1
        operand = operand_of(bench.coding.book, dimension, key - int(base[dimension]))
        entries.append((name_of(bench, dimension), operand, slot))
    return entries


def segments_of(structure: OpIndex, bench: Workbench) -> dict[tuple[str, int, int], list[tuple[str, float, int]]]:
    """All segments that have entries, with subscriptions in place of slots."""
    shown = {}
    for pivot, subscriptions in pivots(structure, bench).items():
        row = int(structure.counted.first_row[1 + bench.coding.names.index(pivot)])
        first = int(structure.counted.slot_starts[row])
        assert len(subscriptions) > 0 or pivot
        for number in range(structure.counted.b):
            for operator in range(LISTS):
                entries = segment(structure, bench, pivot, number, operator)
                named = [(a, o, int(structure.counted.subject[first + slot])) for a, o, slot in entries]
                if named:
                    shown[pivot, number, operator] = sorted(named)
    return shown


def signatures_of(structure: OpIndex, bench: Workbench) -> dict[tuple[str, int, int], int]:
    shown = {}
    for pivot in pivots(structure, bench):
        row = int(structure.counted.first_row[1 + bench.coding.names.index(pivot)])
        for number in range(structure.counted.b):
            for operator in range(LISTS):
                cell = (row * structure.counted.b + number) * LISTS + operator
                if structure.counted.signature[cell]:
                    shown[pivot, number, operator] = int(structure.counted.signature[cell])
    return shown


def test_example_2_the_pivot_attributes_of_table_1() -> None:
    """By their frequency in the subscriptions, 3 3 3 2 3; of equal ones the first named (Figure 4)."""
    structure, bench = built()
    assert pivots(structure, bench) == {"A": [0, 1, 3], "C": [2], "D": [4, 5]}


def test_pivot_attributes_by_a_log_of_events() -> None:
    bench = Workbench(TABLE_1)
    log = [{"A": 1, "C": 1, "D": 1}] * 5 + [{"A": 1, "B": 1}] * 2 + [{"E": 1}]
    structure = bench.build("opindex", range(1, 7), log, SMALL)
    # A 7, B 2, C 5, D 5, E 1
    assert pivots(structure, bench) == {"A": [3], "B": [0], "C": [1], "E": [2, 4, 5]}


def test_figure_5_counters() -> None:
    """IN is one predicate of which one holds, BETWEEN is two."""
    structure, bench = built()
    assert counters(structure, bench, "A") == [2, 2, 1]
    assert counters(structure, bench, "C") == [4]
    assert counters(structure, bench, "D") == [2, 4]


def test_example_4_the_lists_of_figure_5() -> None:
    """Segment 1 has A, C and E, segment 0 has B and D; entries are sorted by attribute and operand."""
    structure, bench = built()
    ace, bd = 1, 0
    of_a = {(n, o): segment(structure, bench, "A", n, o) for n in (ace, bd) for o in range(LISTS)}
    assert of_a == {
        (ace, EQUAL): [("A", 2, 0), ("A", 2, 2)],
        (ace, AT_MOST): [("A", 8, 1)],
        (ace, AT_LEAST): [("C", 2, 1)],
        (bd, EQUAL): [("B", 3, 0), ("B", 6, 0), ("B", 9, 0)],
        (bd, AT_MOST): [],
        (bd, AT_LEAST): [],
    }
    of_c = {(n, o): segment(structure, bench, "C", n, o) for n in (ace, bd) for o in range(LISTS)}
    assert of_c == {
        (ace, EQUAL): [("C", 6, 0)],
        (ace, AT_MOST): [("E", 12, 0)],
        (ace, AT_LEAST): [("E", 3, 0)],
        (bd, EQUAL): [],
        (bd, AT_MOST): [("B", 4, 0)],
        (bd, AT_LEAST): [],
    }
    of_d = {(n, o): segment(structure, bench, "D", n, o) for n in (ace, bd) for o in range(LISTS)}
    assert of_d == {
        (ace, EQUAL): [],
        (ace, AT_MOST): [("C", 4, 1), ("E", 7, 1), ("E", 9, 0)],
        (ace, AT_LEAST): [],
        (bd, EQUAL): [("B", 3, 1), ("B", 6, 1)],
        (bd, AT_MOST): [],
        (bd, AT_LEAST): [("D", 10, 1), ("D", 12, 0)],
    }


def test_signatures_have_a_bit_for_every_entry() -> None:
    """An equality selects it by attribute and operand, the other operators by attribute (section 4.2)."""
    structure, _ = built()
    lists, base = structure.counted, structure.rewriting.domain.base
    for cell, signature in enumerate(lists.signature.tolist()):
        wanted = 0
        for key in lists.key[lists.runs[2 * cell] : lists.runs[2 * cell + 1]].tolist():
            dimension = int(np.searchsorted(base, key, side="right")) - 1
            wanted |= int(signature_bit(key if cell % LISTS == EQUAL else dimension, 4))
        assert signature == wanted
        assert signature < 1 << 4


def test_example_5_only_the_lists_of_c_are_searched() -> None:
    structure, bench = built()
    matches = structure.match(bench.events([EXAMPLE_5]))
    assert found(matches) == [[]]
    # of S3's four predicates E >= 3 and E <= 12 hold: S2 and S5 are not looked at although some of theirs do
    assert matches.counts[PREDICATES] == 2
    left = structure._pool[-1].own[0]
    assert left.bytes[0] == 4 - 2
    assert matches.counts[CANDIDATES] == 0
    # B asks one segment that has a list, C and E three each, and a signature may only skip some
    assert 3 <= matches.counts[BUCKETS] <= 6


def test_what_table_1_matches() -> None:
    structure, bench = built()
    batch = [
        {"A": 2, "B": 6},
        {"A": 2, "B": 6, "C": 2},
        {"A": 9, "B": 3, "C": 4, "D": 10, "E": 7},
        {"B": 4, "C": 6, "E": 12},
        {"D": 12, "E": 9},
    ]
    assert found(structure.match(bench.events(batch))) == [[0, 3], [0, 1, 3], [5], [2], [4]]


def test_signatures_let_segments_be_skipped() -> None:
    """OpIndex-BS searches every list that has entries at all."""
    pick = random.Random(3)
    trees = [
        " AND ".join(f"a{a} {pick.choice(('=', '<=', '>='))} {pick.randint(0, 50)}" for a in pick.sample(range(200), 3))
        for _ in range(2000)
    ]
    bench = Workbench(trees)
    batch = [{f"a{a}": pick.randint(0, 50) for a in pick.sample(range(200), 20)} for _ in range(50)]
    events = bench.events(batch)
    with_segments = bench.build("opindex", range(2000)).match(events)
    one_segment = bench.build("opindex-bs", range(2000)).match(events)
    assert found(with_segments) == found(one_segment) == found(bench.build("scan", range(2000)).match(events))
    assert with_segments.counts[PREDICATES] == one_segment.counts[PREDICATES]
    assert with_segments.counts[BUCKETS] < one_segment.counts[BUCKETS] / 8


def test_inserting_and_deleting_leaves_what_building_makes() -> None:
    structure, bench = built([4], b=2, w=4)
    whole, _ = built([4, 3, 2, 6, 5, 1])
    structure.rewriting.frequency[:] = whole.rewriting.frequency
    for row in (3, 2, 6, 5, 1):
        structure.insert(bench.coded([row]))
    assert segments_of(structure, bench) == segments_of(whole, bench)
    assert signatures_of(structure, bench) == signatures_of(whole, bench)
    structure.delete(np.array([1, 3]))  # S3 and S6
    part, _ = built([4, 2, 5, 1])
    renumbered = {0: 0, 2: 1, 4: 2, 5: 3}
    part_frequency = part.rewriting.frequency
    assert part_frequency.shape == structure.rewriting.frequency.shape
    left = segments_of(structure, bench)
    assert {key: [(a, o, renumbered[s]) for a, o, s in entries] for key, entries in left.items()} == {
        ("A", 1, EQUAL): [("A", 2, 0), ("A", 2, 3)],
        ("A", 1, AT_MOST): [("A", 8, 1)],
        ("A", 1, AT_LEAST): [("C", 2, 1)],
        ("A", 0, EQUAL): [("B", 3, 3), ("B", 6, 3), ("B", 9, 3)],
        ("D", 1, AT_MOST): [("E", 9, 2)],
        ("D", 0, AT_LEAST): [("D", 12, 2)],
    }
    assert set(signatures_of(structure, bench)) == set(left)


def test_a_given_up_slot_is_taken_again() -> None:
    structure, bench = built()
    structure.delete(np.array([1]))
    structure.insert(bench.coded([2]))
    assert pivots(structure, bench)["A"] == [0, 6, 3]
    assert counters(structure, bench, "A") == [2, 2, 1]
    assert found(structure.match(bench.events([{"A": 1, "C": 2}]))) == [[6]]


def test_runs_grow_by_moving() -> None:
    """One subscription after another; what they leave behind stays within a small multiple of what is used."""
    texts = [f"a = {i % 40} AND b <= {i}" for i in range(3000)]
    bench = Workbench(texts)
    structure = bench.build("opindex", range(2))
    for i in range(2, 3000):
        structure.insert(bench.coded([i]))
    lists = structure.counted
    assert np.sum(lists.runs[1::2] - lists.runs[::2]) == 6000
    assert lists.used[2] < 6 * 6000
    assert lists.used[1] < 3 * 3000
    events = bench.events([{"a": 3, "b": 1000}, {"a": 39, "b": 0}])
    assert found(structure.match(events)) == found(bench.build("scan", range(3000)).match(events))


def test_a_pivot_attribute_with_more_subscriptions_than_a_row_holds() -> None:
    count = ROW_SLOTS + 20
    bench = Workbench([f"a = {i}" for i in range(count)])
    structure = bench.build("opindex", range(ROW_SLOTS - 5))
    structure.insert(bench.coded(range(ROW_SLOTS - 5, count)))
    at_once = bench.build("opindex", range(count))
    assert structure.counted.used[0] == at_once.counted.used[0] == 2
    events = bench.events([{"a": i} for i in (0, ROW_SLOTS - 6, ROW_SLOTS - 1, ROW_SLOTS, count - 1, count)])
    wanted = [[0], [ROW_SLOTS - 6], [ROW_SLOTS - 1], [ROW_SLOTS], [count - 1], []]
    assert found(structure.match(events)) == found(at_once.match(events)) == wanted
    structure.delete(np.array([ROW_SLOTS, 0]))
    assert found(structure.match(events)) == [[], [ROW_SLOTS - 6], [ROW_SLOTS - 1], [], [count - 1], []]


def test_clauses_clear_bits() -> None:
    """Section 6.1: the smallest clause's attributes are the pivots, of equal clauses the rarer ones'."""
    cnf = "(A = 1 OR B = 2) AND (C = 3 OR D <= 4) AND (A = 5 OR E = 6 OR F >= 7)"
    bench = Workbench([cnf, "E = 1 AND C = 4", "C > 5"])
    structure = bench.build("opindex", range(3))
    assert sorted(pivots(structure, bench, structure.clausal)) == ["A", "B"]
    assert structure.clausal.need[structure.clausal.subject > FREE_SLOT + ROW_SLOTS].tolist() == [0b111, 0b111]
    batch: list[dict[str, Any]] = [
        {"A": 1, "C": 3, "E": 6},
        {"A": 1, "B": 2, "D": 0, "F": 9},
        {"A": 1, "C": 3},
        {"A": 5, "C": 3, "B": 1},
        {"B": [1, 2], "C": [3, 8], "F": [1, 7]},
    ]
    matches = structure.match(bench.events(batch))
    assert found(matches) == [[0], [0], [], [], [0, 2]]


def test_large_normal_forms_need_no_verifying() -> None:
    """Twelve clauses of three are half a million conjunctions, or three times 36 predicates."""
    text = " AND ".join(f"(a{i} = 1 OR b{i} >= 2 OR c{i} < 3)" for i in range(12))
    bench = Workbench([text, "a0 = 1"])
    structure = bench.build("opindex", range(2))
    described = structure.describe()
    assert sum(described["by clauses"][f"predicates {name}"] for name in ("=", "<=", ">=")) == 3 * 36
    assert structure.always_candidates().tolist() == []
    holds = {f"a{i}": 1 for i in range(12)}
    matches = structure.match(bench.events([holds, {**holds, "a7": 2}, {**holds, "a7": 2, "b7": 2}]))
    assert found(matches) == [[0, 1], [1], [0, 1]]
    structure.delete(np.array([0]))
    assert found(structure.match(bench.events([holds]))) == [[1]]


def test_prefixes_go_through_a_trie() -> None:
    texts = ["s LIKE 'b%'", "s LIKE 'ba%' AND n = 1", "s LIKE 'bar%'", "s LIKE 'c%'", "s LIKE '%r'", "s RLIKE 'a.*z'"]
    bench = Workbench(texts)
    structure = bench.build("opindex", range(2))
    for i in range(2, 6):
        structure.insert(bench.coded([i]))
    assert structure.describe()["trie nodes"] == 5
    assert structure.rewriting.trie.deepest == 3
    batch: list[dict[str, Any]] = [
        {"s": "bar", "n": 1},
        {"s": "barz"},
        {"s": "b"},
        {"s": "car"},
        {"s": "a"},
        {"s": ["ba", "cz"], "n": 1},
    ]
    matches = structure.match(bench.events(batch))
    assert found(matches) == [[0, 1, 2, 4], [0, 2, 5], [0], [3, 4], [], [0, 1, 3]]
    alone = structure.match(bench.events([{"s": "barz"}]))
    assert alone.counts[NODES] == 3  # b, ba, bar
    assert alone.counts[PREDICATES] == 3  # b%, bar%, a.*z; and ba% is not of a pivot that the event has
    structure.delete(np.array([0, 2]))
    assert found(structure.match(bench.events([{"s": "barz"}]))) == [[5]]


@pytest.mark.parametrize("name", ["opindex", "opindex-bs"])
def test_what_is_counted_alone_decides(name: str) -> None:
    """Sets with gaps, several types on an attribute, NaN, and values of the wrong type."""
    texts = [
        "a <> 5",
        "a NOT IN (1, 5, 9) AND b = 1",
        "a NOT BETWEEN 2 AND 4",
        "NOT (a <= 5)",
        "a >= 5",
        "a IS NOT NULL",
        "b < 'm' AND b > 'c'",
        "b >= 3",
        "b <> 'k'",
        "c NOT IN ('x', 'y')",
        "a NOT IN (" + ", ".join(map(str, range(0, 200, 2))) + ")",
        " AND ".join(f"a <> {i}" for i in range(300)),
    ]
    bench = Workbench(texts)
    structure = bench.build(name, range(len(texts)))
    values: list[Any] = [*range(11), 4.5, 250, 301.5, float("nan"), "d", "k", "z", True, None, [], [1, 7], [5, "d"]]
    batch: list[dict[str, Any]] = [{"a": value, "b": other, "c": "z"} for value in values for other in (1, 3, "d", "k")]
    events = bench.events(batch)
    assert found(structure.match(events)) == found(bench.build("scan", range(len(texts))).match(events))


def test_prefixes_denied_twice_have_the_empty_set_too() -> None:
    """So they are no nodes of the trie: they could cross the interval of a shorter prefix."""
    texts = ["NOT s NOT LIKE 'b%'", "s LIKE 'b%'", "NOT s NOT LIKE 'ba%'", "f = 1", "NOT (i = 1 AND f NOT LIKE 'a%')"]
    bench = Workbench(texts)
    structure = bench.build("opindex", range(5))
    assert structure.describe()["trie nodes"] == 1
    values: list[Any] = ["a", "ab", "b", "ba", "c", 1, 2.5, frozenset()]
    batch = [{"s": value, "f": value} for value in values]
    events = bench.events(batch)
    assert found(structure.match(events)) == found(bench.build("scan", range(5)).match(events))


def test_parameters_that_are_refused() -> None:
    """Before the memory is asked for, with what helps."""
    bench = Workbench(TABLE_1)
    with pytest.raises(LimitError, match="a smaller b"):
        bench.build("opindex", range(1, 7), parameters={"b": 1 << 27})
    for wrong in ({"b": 0}, {"w": 0}, {"w": 65}):
        with pytest.raises(UnknownStructureError, match="w from 1 to 64"):
            bench.build("opindex", range(1, 7), parameters=wrong)


def test_described() -> None:
    index = ww.Index(structure="opindex-bs")
    index.subscribe_many(list(enumerate(TABLE_1[1:])))
    index.flush()
    assert index.match(EXAMPLE_5) == []
    structure, _ = built()
    described = structure.describe()
    assert described["counted"] == {
        "pivot attributes": 3,
        "subscriptions": 6,
        "lists": 9,
        "segments": 11,
        "predicates =": 8,
        "predicates <=": 6,
        "predicates >=": 4,
    }
