"""Every form that entries are stored in, and every shape of expression, with the answers of the oracle.

Each directed test says which form it is about and asks the statistics whether it came about.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from tests.index.answers import Event, matched, sealed_index, wanted

from watchword.coding.event import Range
from watchword.index.index import Index
from watchword.language.build import to_expression
from watchword.language.expression import And, Expression, Not, Operator, Or, Predicate


def check(trees: Sequence[Expression], events: Sequence[Event]) -> Index:
    index = sealed_index(trees)
    assert matched(index, events) == wanted(dict(enumerate(trees)), events)
    return index


def sql(*texts: str) -> list[Expression]:
    return [to_expression(text) for text in texts]


def structure(index: Index) -> dict[str, Any]:
    (segment,) = index.stats()["segments"]
    described: dict[str, Any] = segment["structure"]
    return described


def values(pick: random.Random, names: str, most: int) -> dict[str, Any]:
    """Scalars mostly, some lists, sets and ranges; some attributes missing."""

    def one() -> Any:
        number = pick.randint(-1, most)
        kind = pick.random()
        if kind < 0.75:
            return number + pick.choice([0, 0, 0.5])
        if kind < 0.85:
            return [number, pick.randint(0, most)]
        return {number, pick.randint(0, most)} if kind < 0.95 else Range(number, number + 2)

    return {name: one() for name in names if pick.random() < 0.8}


def test_many_under_one_key_become_bitmaps() -> None:
    pick = random.Random(1)
    trees = sql(
        *(
            f"kind = 'shoe' AND size = {pick.randint(0, 5)} AND price <= {pick.randint(0, 99) / 8} AND color <> {n % 4}"
            for n in range(1500)
        )
    )
    events = [{"kind": "shoe"} | values(pick, "", 0) for _ in range(2)] + [
        {"kind": "shoe", "size": pick.randint(0, 5), "price": price, "color": color}
        for price in [*range(10), 2.5, [1, 8], {3, 7}, Range(4, None), "text", float("nan")]
        for color in (1, 7, None, [1, 2], {1, 2})
    ]
    index = check(trees, events)
    assert structure(index)["blocks"]["bitmap"] > 0
    assert structure(index)["entries_in_blocks"]["bitmap"] > 1000


def test_bitmaps_with_programs_sets_and_repeated_entries() -> None:
    pick = random.Random(2)
    trees = sql(
        *(
            f"k = {n % 2} AND (a = {pick.randint(0, 3)} OR b >= {pick.randint(0, 3)}) AND NOT (c = 1 AND d < {n % 5})"
            for n in range(300)
        ),
        *(f"k IN (0, 1) AND a IN ({n % 3}, {n % 5 + 2}) AND b <> {n % 4}" for n in range(300)),
        *(f"k = 1 AND a = {n % 3} AND d IS NULL AND (b = 1 OR b = {n % 7})" for n in range(100)),
    )
    events = [values(pick, "kabcd", 4) | {"k": n % 2} for n in range(60)] + [{"k": [0, 1], "a": {0, 1, 2}, "b": 3}]
    index = check(trees, events)
    assert structure(index)["blocks"]["bitmap"] > 0


def test_intervals_alone_become_ranges() -> None:
    trees = sql(*(f"x BETWEEN {n % 97} AND {n % 97 + n % 13}" for n in range(1500)), *(f"x >= {n}" for n in range(700)))
    pick = random.Random(3)
    index = check(trees, [values(pick, "x", 110) for _ in range(80)] + [{"x": 5}, {"x": -5}, {"x": 1e9}, {}])
    assert structure(index)["entries_in_blocks"]["ranges"] > 500


def conjunctions(pick: random.Random, names: int, size: int) -> list[Expression]:
    """Intervals of several attributes each, hardly two alike."""

    def interval(name: int) -> str:
        low = pick.randint(0, 900)
        return f"a{name} BETWEEN {low} AND {low + pick.randint(30, 600)}"

    return sql(*(" AND ".join(map(interval, pick.sample(range(names), size))) for _ in range(1500)))


def test_many_different_conjunctions_become_blocks_of_records() -> None:
    pick = random.Random(4)
    trees = conjunctions(pick, names=20, size=8)
    index = check(trees, [{f"a{n}": pick.randint(300, 1000) for n in range(20)} for _ in range(15)])
    assert structure(index)["entries_in_blocks"]["records"] > 500


def test_few_under_each_key_become_lists() -> None:
    pick = random.Random(5)
    trees = conjunctions(pick, names=200, size=3) + sql(*(f"a{n % 200} = {n} AND b <= {n}" for n in range(600)))
    events = [{f"a{n}": pick.randint(0, 1500) for n in range(200)} | {"b": 300} for _ in range(15)]
    index = check(trees, [*events, *({f"a{n % 200}": n, "b": n + n % 3 - 1} for n in range(0, 600, 7))])
    assert set(structure(index)["blocks"].values()) == {0}


def test_wide_words() -> None:
    """More than 65,535 distinct constants on one attribute."""
    count = 70_000
    index = sealed_index(f"x = {3 * n} AND y <= {n % 7}" for n in range(count))
    assert structure(index)["word_bits"] == 32
    numbers = [0, 3, 4, 3 * 32_767, 3 * 32_768, 3 * 65_535, 3 * 65_536, 3 * 65_537, 3 * (count - 1), 3 * count]
    found = matched(index, [{"x": number, "y": y} for number in numbers for y in (2, 6)])
    assert found == [
        [number // 3] if number % 3 == 0 and number < 3 * count and y <= number // 3 % 7 else []
        for number in numbers
        for y in (2, 6)
    ]
    lists = [{"x": numbers, "y": [0, 9]}, {"x": Range(3 * 65_534, 3 * 65_538, high_open=True), "y": 0}]
    assert matched(index, lists) == [
        sorted(number // 3 for number in numbers if number % 3 == 0 and number < 3 * count),
        [65_534, 65_535, 65_536, 65_537],
    ]


@pytest.mark.parametrize("operator", ["=", "<=", ">"])
def test_thousands_of_constants_on_one_attribute(operator: str) -> None:
    trees = sql(*(f"x {operator} {n / 4}" for n in range(3000)))
    check(trees, [{"x": x} for x in (-1, 0, 0.1, 0.25, 7, 7.25, 499.9, 749.75, 800, 2**60, [1, 700], {3, 4.5})])


def test_lists_with_more_values_than_are_entered_one_by_one() -> None:
    even = tuple(range(0, 2600, 2))
    trees: list[Expression] = [
        Predicate("x", Operator.IN, even),
        Predicate("x", Operator.IN, even, negated=True),
        And((Predicate("x", Operator.IN, even), Predicate("y", Operator.EQUAL, (1,)))),
        Or((Predicate("x", Operator.IN, even[:1300]), Predicate("y", Operator.IN, even))),
        Not(Predicate("x", Operator.IN, tuple(f"t{n}" for n in even))),
        Predicate("x", Operator.IN, tuple(range(2000))),
    ]
    values: list[Any] = [0, 1, 2598, 2600, 7.5, "t4", "t5", [1, 2], [1, 3], {1, 2}, Range(1, 1), Range(1, 2), None]
    check(trees, [{"x": x, "y": y} for x in values for y in (1, 2)])


def test_conjunctions_of_hundreds_of_predicates() -> None:
    names = [f"a{n}" for n in range(250)]
    long_and = [Predicate(name, Operator.GREATER_EQUAL, (n % 5,)) for n, name in enumerate(names)]
    trees: list[Expression] = [
        And(tuple(long_and)),
        And((*long_and[:199], Or(tuple(long_and[199:])))),
        And((*long_and[:220], Not(And(tuple(long_and[220:]))))),
        And(tuple(Or((one, Predicate("z", Operator.EQUAL, (1,)))) for one in long_and)),
        And(tuple(Predicate("a1", Operator.EQUAL, (n,), negated=True) for n in range(240))),
        And(tuple(Predicate(name, Operator.IN, (0, 2, 4)) for name in names[:40])),
    ]
    full = {name: n % 5 for n, name in enumerate(names)}
    check(trees, [full, full | {"a7": 0}, full | {"a230": -1}, {**full, "z": 1, "a3": [0, 9]}, {"z": 1}, {"a1": 240}])


def test_disjunctions_of_hundreds_of_branches() -> None:
    trees: list[Expression] = [
        Or(tuple(to_expression(f"x = {n} AND y >= {n % 9}") for n in range(300))),
        Or(tuple(to_expression(f"x{n} = 1") for n in range(300))),
        And((to_expression("y < 4"), Or(tuple(to_expression(f"x < {-n} OR x > {n + 50}") for n in range(150))))),
        Or(tuple(to_expression(f"NOT (x = {n} OR y = {n})") for n in range(300))),
    ]
    check(trees, [{"x": x, "y": y} for x in (-3, 7, 299, [7, 299], {1, 2}) for y in (0, 3, 8)] + [{"x299": 1}, {}])


def test_one_attribute_several_times() -> None:
    """On a list different elements may satisfy the predicates: they must not become one interval."""
    trees = sql(
        "x >= 3 AND x <= 5",
        "x BETWEEN 3 AND 5",
        "x > 5 AND x < 3",
        "x = 1 AND x = 2",
        "x = 1 AND x <> 2",
        "x IN (1, 2) AND x IN (2, 3) AND NOT x = 4",
        "NOT (x < 3 OR x > 5)",
        "x >= 3 AND (x <= 5 OR y = 1) AND x <> 4",
        "x < 3 OR x >= 3",
        "NOT x < 3 AND NOT x >= 3",
    )
    some: list[Any] = [1, 2, 3, 4, 4.5, 5, 6, [], [2, 6], [1, 2], [4], [3, None], {1, 2}, {2, 6}, {4, 9}, set()]
    some += [Range(4, 9), Range(1, 2), Range(3, 5), Range(None, 9), Range(5, 9, low_open=True), "text", None]
    check(trees, [{"x": x, "y": y} for x in some for y in (0, 1)] + [{}])


def test_constants_and_absence() -> None:
    trees = sql(
        *("TRUE", "FALSE", "NULL", "NOT TRUE", "NOT NULL", "TRUE OR x = 1", "FALSE AND x = 1", "NULL OR x = 1"),
        *("x IS NULL", "x IS NOT NULL", "x IS NULL AND y IS NULL", "x IS NULL OR y = 1", "NOT x IS NULL"),
        *("x IS NULL AND x IS NOT NULL", "x = NULL", "x IS NULL AND x = 1", "x <> 1 OR x IS NULL"),
        *("x = 1 AND FALSE", "x > 5 AND x < 5", "x BETWEEN 5 AND 1", "NOT x BETWEEN 5 AND 1", "x LIKE '%'"),
    )
    events: list[Event] = [{}, {"x": 1}, {"x": None, "y": 1}, {"x": [], "y": None}, {"x": set()}, {"x": "1", "y": 1}]
    index = check(trees, [*events, {"x": [None]}, {"x": {2, None}}, {"z": 1}])
    costly = index.stats()["costly"]
    assert set(costly["always_candidates"]["ids"]) >= {0, 8, 10}
    assert set(costly["unsatisfiable"]["ids"]) >= {1, 3}


def test_only_expressions_that_can_never_be_true() -> None:
    index = check(sql("FALSE", "NULL", "x = 1 AND FALSE"), [{}, {"x": 1}])
    assert index.stats()["costly"]["unsatisfiable"]["count"] == 3


def test_numbers_of_every_size() -> None:
    constants: list[Any] = [-(2**63), -1, 0, 0.1, 1, 2**53, 2**53 + 1, 2**63 - 1, 2.0**63, 1e300]
    operators = (Operator.EQUAL, Operator.LESS, Operator.LESS_EQUAL, Operator.GREATER, Operator.GREATER_EQUAL)
    trees = [Predicate("x", operator, (constant,)) for constant in constants for operator in operators]
    numbers = [*constants, 2**53 - 1, 2**53 + 2, float(2**53), 2**64, 10**400, -(10**400), float("inf"), float("nan")]
    check([*trees, *map(Not, trees)], [{"x": number} for number in numbers] + [{"x": numbers}, {"x": set(numbers)}])


def test_duplicates_match_together() -> None:
    trees = sql("a = 1 AND b = 2", "b = 2 AND a = 1", "a = 1.0 AND b = 2", "a = 1 OR b = 2", "b = 2 OR a = 1") * 40
    index = check(trees, [{"a": 1, "b": 2}, {"a": 1}, {"b": 2}, {}])
    assert index.stats()["segments"][0]["expressions"] == 2
    assert index.stats()["duplicates"] == 198


@pytest.mark.plain
def test_small() -> None:
    """The whole path with a handful of every shape, also with the kernels as plain Python."""
    trees = sql(
        *(f"a = 1 AND b <= {n} AND k <> {n % 3}" for n in range(40)),
        *(f"x BETWEEN {n} AND {n + 2}" for n in range(6)),
        *("a = 1 OR NOT (b < 3 AND c IS NULL)", "c LIKE 'a%b%'", "c ILIKE 'Ab%'", "TRUE", "a <> 1", "FALSE"),
    )
    events: list[Event] = [{"k": 1, "a": 1, "b": 7.5, "x": [1, 5]}, {"a": {1, 2}, "c": "aabb", "b": 1}, {"c": "abc"}]
    index = check(trees, events)
    assert structure(index)["blocks"]["bitmap"] > 0
