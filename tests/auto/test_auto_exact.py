"""Random expressions on random events through the whole path, from text to matches: every answer is the oracle's."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.auto.random_cases import event, tree
from tests.index.answers import THOROUGH, Event, matched, sealed_index, wanted
from tests.language.strategies import events, expressions

from watchword.language.expression import Expression

Batch = Sequence[Event]


def check(trees: list[Expression], batch: Batch, training: Batch | None) -> None:
    index = sealed_index(trees, training)
    right = wanted(dict(enumerate(trees)), batch)
    assert matched(index, batch) == right
    for row, one in enumerate(batch[:2]):
        assert sorted(index.match(one)) == right[row]


some_trees = st.lists(expressions(), min_size=1, max_size=12)
some_events = st.lists(events(), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(some_trees, some_events, st.none() | some_events)
def test_any_expressions_on_any_events(trees: list[Expression], batch: Batch, training: Batch | None) -> None:
    check(trees, batch, training)


@pytest.mark.long
@THOROUGH
@given(some_trees, some_events, st.none() | some_events)
def test_any_expressions_on_any_events_for_long(trees: list[Expression], batch: Batch, training: Batch | None) -> None:
    check(trees, batch, training)


def many(seed: int, depth: int, names: str) -> None:
    """Few attributes and few values: groups under one code are large, and all kinds of blocks come."""
    pick = random.Random(seed)
    trees = [tree(pick, depth, names) for _ in range(400)]
    batch = [event(pick, names) for _ in range(60)]
    check(trees, batch, None)
    check(trees, batch, [event(pick, names) for _ in range(50)])


@pytest.mark.parametrize(("depth", "names"), [(1, "ab"), (2, "abcdefgh"), (3, "abcde"), (4, "ab")])
def test_many_expressions(depth: int, names: str) -> None:
    many(depth, depth, names)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 220))
def test_many_expressions_for_long(seed: int) -> None:
    many(seed, 1 + seed % 4, "abcdefgh"[: 1 + seed % 8])
