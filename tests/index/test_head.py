"""The head against the oracle: every answer exact, at every moment of its life."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.language.strategies import TEXTS, predicates, ranges, trees

from watchword.coding.attributes import Attributes
from watchword.coding.cells import Cells
from watchword.coding.event import Range
from watchword.coding.read_events import read_events
from watchword.index.event_from_cells import event_from_cells
from watchword.index.head import Head
from watchword.language import construct
from watchword.language.evaluate import evaluate, evaluate_flat
from watchword.language.expression import And, Expression, Not, Operator, Or, Predicate, Truth
from watchword.language.sql import parse
from watchword.language.table_rows import from_expressions, to_expression
from watchword.text.settings import DEFAULT

Event = Mapping[str, object]

NAMES = ["a", "b", "seller.country"]
NUMBERS: list[object] = [
    *(0, 1, 2, 3, -1, 0.0, -0.0, 0.5, 1.0, 2.5, float("nan"), float("inf"), -float("inf"), 1e300),
    *(2**53, 2**53 + 1, 2.0**53, 2**63 - 1, 2.0**63, -(2**63), 2**64, 2**70, 10**400, -(10**400)),
    *(Decimal("0.1"), Decimal("2.5"), Decimal("1e30"), Decimal("-1e-400")),
]
SCALARS: list[object] = [
    *NUMBERS,
    *TEXTS,
    True,
    False,
    dt.datetime(2020, 1, 1),
    dt.datetime(2020, 1, 2, 12),
    pd.Timestamp("2020-01-01 00:00:00.000000001"),
]

leaves = st.one_of(
    *(predicates(name, family) for name in NAMES for family in ("number", "text", "boolean", "time", "text", "number")),
    st.sampled_from([Truth(True), Truth(False), Truth(None)]),
)
scalars = st.sampled_from(SCALARS)
values = st.one_of(
    scalars,
    scalars,
    st.lists(scalars | st.none(), max_size=3),
    st.sets(scalars | st.none(), max_size=3),
    ranges(),
    st.sampled_from([Range(pd.Timestamp("2020-01-01 00:00:00.000000001"), None), Range(Decimal("0.1"), 10**400)]),
)
events = st.dictionaries(st.sampled_from(NAMES), values, max_size=3)


def head_of(expressions: Iterable[Expression]) -> tuple[Head, Attributes]:
    attributes = Attributes()
    head = Head(attributes, DEFAULT)
    for slot, expression in enumerate(expressions):
        assert head.append(expression) == slot
    return head, attributes


def answers(head: Head, cells: Cells, count: int | None = None, version: int = 1) -> list[list[int]]:
    offsets, slots = head.match(cells, len(head) if count is None else count, version)
    assert offsets.dtype == np.int64
    assert slots.dtype == np.int32
    return [slots[offsets[e] : offsets[e + 1]].tolist() for e in range(len(cells))]


def wanted(expressions: Sequence[Expression], event: Event) -> list[int]:
    return [slot for slot, expression in enumerate(expressions) if evaluate(expression, event) is True]


@settings(max_examples=150, deadline=None)
@given(st.lists(trees(leaves), min_size=1, max_size=8), st.lists(events, min_size=1, max_size=6))
def test_every_answer_is_the_oracles(expressions: list[Expression], batch: list[Event]) -> None:
    head, attributes = head_of(expressions)
    assert answers(head, read_events(batch, attributes)) == [wanted(expressions, event) for event in batch]


@settings(max_examples=100, deadline=None)
@given(st.lists(predicates("a", "number"), min_size=1, max_size=20), st.lists(st.sampled_from(NUMBERS), min_size=1))
def test_numbers_compare_exactly(expressions: list[Expression], numbers: list[object]) -> None:
    head, attributes = head_of(expressions + [Not(expression) for expression in expressions])
    batch = [{"a": number} for number in numbers]
    both = expressions + [Not(expression) for expression in expressions]
    assert answers(head, read_events(batch, attributes)) == [wanted(both, event) for event in batch]


signs = st.text("ab%_é!", max_size=7)


@settings(max_examples=200, deadline=None)
@given(st.lists(signs, min_size=1, max_size=6), st.lists(st.text("abé%", max_size=8), min_size=1, max_size=6))
@example(["%_a", "%a_%b", "%é%é", "_%_", "!%%", "%!_"], ["ééa", "aab", "éaéb", "é", "%a", "a_"])
def test_like(patterns: list[str], texts: list[str]) -> None:
    kept = [pattern for pattern in patterns if not pattern.replace("!!", "").endswith("!")]
    expressions = [
        construct.like("a", Operator.LIKE, pattern, "!", negated) for pattern in kept for negated in (False, True)
    ]
    head, attributes = head_of(expressions)
    batch = [{"a": text} for text in texts]
    assert answers(head, read_events(batch, attributes)) == [wanted(expressions, event) for event in batch]


@settings(max_examples=100, deadline=None)
@given(trees(leaves), events)
def test_an_event_comes_back_from_its_cells(expression: Expression, event: Event) -> None:
    attributes = Attributes(NAMES)
    flat = event_from_cells(read_events([event], attributes), 0, attributes.names)
    assert evaluate_flat(expression, flat) is evaluate(expression, event)


@pytest.mark.plain
def test_small_life() -> None:
    attributes = Attributes()
    head = Head(attributes, DEFAULT)
    expressions = [
        parse("model = 'iphone5s' AND color = 'silver' AND price <= 580"),
        parse("price IN (550, 551.5) OR tags LIKE '%sale_'"),
        parse("NOT (price BETWEEN 1 AND 100 OR color <> 'silver')"),
        parse("rating IS NULL AND model RLIKE '^iph'"),
        parse("model ILIKE 'IPHONE%' AND price > 1000"),
        parse("seller.country IS NOT NULL"),
    ]
    for expression in expressions:
        head.append(expression)
    batch: list[Event] = [
        {"model": "iphone5s", "color": "silver", "price": 550},
        {"model": "iphone5s", "tags": ["new", "sales"], "price": 1e6, "rating": None},
        {"seller": {"country": "NO"}, "rating": 3, "price": Range(551, 552)},
        {},
    ]
    assert answers(head, read_events(batch, attributes)) == [wanted(expressions, event) for event in batch]
    assert len(head) == 6
    assert head.expression(2) == expressions[2]


def test_a_deleted_slot_is_gone_from_its_version_on() -> None:
    head, attributes = head_of([parse("a = 1"), parse("a >= 1"), parse("a IS NOT NULL")])
    cells = read_events([{"a": 1}], attributes)
    head.delete(1, 5)
    assert answers(head, cells, version=4) == [[0, 1, 2]]
    assert answers(head, cells, version=5) == [[0, 2]]
    head.delete(0, 6)
    assert answers(head, cells, version=5) == [[0, 2]]
    assert answers(head, cells, version=7) == [[2]]


def test_slots_beyond_the_count_are_not_there() -> None:
    head, attributes = head_of([parse("a = 1"), parse("a IS NULL"), parse("a = 1 OR a IS NULL"), parse("TRUE")])
    cells = read_events([{"a": 1}, {}], attributes)
    assert [answers(head, cells, count) for count in range(5)] == [
        [[], []],
        [[0], []],
        [[0], [1]],
        [[0, 2], [1, 2]],
        [[0, 2, 3], [1, 2, 3]],
    ]


def test_growth_keeps_everything() -> None:
    expressions = [
        parse(f"name{n % 700} = 'value {n}' AND n IN ({n}, {n + 0.5}, {n + 1}) OR s LIKE 'x{n}%'") for n in range(3000)
    ]
    head, attributes = head_of([])
    head.append_table(from_expressions(expressions))
    for n in range(0, 3000, 3):
        head.delete(n, 1)
    batch = [{f"name{n % 700}": f"value {n}", "n": n} for n in range(0, 3000, 31)] + [{"s": "x29"}, {"s": "x299"}]
    matched = answers(head, read_events(batch, attributes))
    assert matched[:-2] == [[n] if n % 3 else [] for n in range(0, 3000, 31)]
    assert matched[-2:] == [[2, 29], [2, 29, 299]]
    table = head.table([5, 2999])
    assert [to_expression(table, row) for row in range(2)] == [expressions[5], expressions[2999]]


def test_many_matches_of_many_events() -> None:
    head, attributes = head_of([parse(f"a >= {n}") for n in range(500)])
    batch = [{"a": n} for n in range(-1, 500)]
    assert answers(head, read_events(batch, attributes)) == [list(range(n + 1)) for n in range(-1, 500)]


def test_long_lists_of_either_kind_of_key() -> None:
    numbers = tuple(range(0, 6000, 2))
    head, attributes = head_of(
        [
            Predicate("a", Operator.IN, numbers[:1000]),
            Predicate("a", Operator.IN, numbers),
            Predicate("a", Operator.IN, numbers, negated=True),
        ]
    )
    batch = [{"a": 4.0}, {"a": 5}, {"a": 5998}, {"a": [1, 2]}, {"a": {1, 2}}, {"a": "4"}]
    assert answers(head, read_events(batch, attributes)) == [[0, 1], [2], [1], [0, 1], [0, 1, 2], []]


def test_deep_nesting() -> None:
    expression: Expression = parse("a = 1")
    for depth in range(5000):
        expression = Not(expression) if depth % 3 == 0 else And((expression, parse("b < 2")))
        expression = Or((parse("b = 7"), expression)) if depth % 3 == 1 else expression
    head, attributes = head_of([expression])
    batch = [{"a": a, "b": b} for a in (1, 2) for b in (1, 2, 7)]
    assert answers(head, read_events(batch, attributes)) == [wanted([expression], event) for event in batch]


def test_an_event_that_could_not_be_read_matches_nothing() -> None:
    head, attributes = head_of([parse("a IS NULL"), parse("a RLIKE 'x'")])
    cells = read_events([{"a": b"bytes"}, {}, 3, {"a": "xx"}], attributes)
    assert answers(head, cells) == [[], [0], [], [1]]


def test_events_read_before_or_after_an_attribute_came() -> None:
    head, attributes = head_of([parse("a = 1")])
    early = read_events([{"a": 1, "b": 2}], attributes)
    head.append(parse("b = 2"))
    assert answers(head, early, count=1) == [[0]]
    assert answers(head, read_events([{"a": 1, "b": 2}], attributes), count=1) == [[0]]
    attributes.add(["c"])
    assert answers(head, read_events([{"b": 2, "c": 3}], attributes)) == [[1]]


def test_of_an_attribute_that_comes_twice_the_last_value_counts() -> None:
    expressions = [parse("a = 1"), parse("a = 2"), parse("a = 3"), parse("a <> 3 AND b = 1"), parse("a RLIKE '2'")]
    head, attributes = head_of(expressions)
    twice = read_events([{"a": [1, 3], "b": 1}], attributes)
    twice.attribute[-1] = twice.attribute[0]  # the list, and then a scalar
    assert answers(head, twice) == [[0]]
    assert event_from_cells(twice, 0, attributes.names) == {"a": 1}


def test_empty_batch_and_empty_head() -> None:
    head, attributes = head_of([])
    assert answers(head, read_events([], attributes)) == []
    assert answers(head, read_events([{"a": 1}, {}], attributes)) == [[], []]


def test_matching_while_another_thread_appends_and_deletes() -> None:
    head, attributes = head_of([])
    expressions = [parse(f"k{n % 40} = {n % 10} OR a{n} <= {n} OR b = {n % 3}") for n in range(2500)]
    done = threading.Event()
    published = [0]
    wrong: list[object] = []

    def write() -> None:
        for n, expression in enumerate(expressions):
            head.append(expression)
            if n % 5 == 4:
                head.delete(n - 2, n)
            published[0] = n + 1
        done.set()

    def read(seed: int) -> None:
        while True:
            finished, count = done.is_set(), published[0]
            version = count - 1
            event = {f"k{seed}": seed % 10, "b": 1, "a7": 3}
            cells = read_events([event], attributes)
            expected = [
                n
                for n in range(count)
                if ((n % 40 == seed and n % 10 == seed % 10) or n % 3 == 1 or n == 7)
                and not (n % 5 == 2 and n + 2 <= version)
            ]
            found = answers(head, cells, count, max(version, 0))[0]
            if found != expected:
                wrong.append((count, found, expected))
            if finished:
                return

    threads = [threading.Thread(target=read, args=(seed,)) for seed in (3, 17)] + [threading.Thread(target=write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
