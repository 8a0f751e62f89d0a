"""What is true of an event waits for something that the event has: else shards and buckets would miss matches."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.auto.random_cases import event, tree
from tests.index.answers import Event, wanted

from watchword.coding.attributes import Attributes
from watchword.coding.event import Range, flatten
from watchword.coding.read_events import read_events
from watchword.language.build import to_expression
from watchword.language.expression import Expression
from watchword.language.table_rows import from_expressions
from watchword.spark.access_keys import NOTHING_COUNTED, Frequencies, Keys, keys_of_events, keys_of_table, name_keys
from watchword.spark.buckets import waits_of
from watchword.spark.key_filter import filter_of, possible
from watchword.spark.routing import FilledBuckets

NAMES = "abcde"


def keys(
    trees: list[Expression], batch: Sequence[Event], frequencies: Frequencies = NOTHING_COUNTED
) -> tuple[Keys, Keys]:
    table = from_expressions(trees)
    return keys_of_table(table, frequencies), keys_of_events(read_events(batch, Attributes(table.names)), table.names)


def of(found: Keys, row: int) -> set[int]:
    return set(found.keys[found.starts[row] : found.starts[row + 1]].tolist())


@pytest.mark.plain
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long), pytest.param(3, marks=pytest.mark.long)])
def test_no_match_is_missed(seed: int) -> None:
    pick = random.Random(seed)
    trees = [tree(pick, pick.randint(0, 4), NAMES) for _ in range(300)]
    every = [event(pick, NAMES) for _ in range(120)]
    # events on Spark hold no ranges: neither Arrow nor JSON has them
    batch = [one for one in every if not any(isinstance(value, Range) for value in flatten(one).values())]
    shares = np.random.default_rng(seed).random(len(NAMES))
    order = np.argsort(name_keys(list(NAMES)))
    counted = Frequencies(name_keys(list(NAMES))[order], shares[order], 0.1, 0.5)
    right = wanted(dict(enumerate(trees)), batch)
    assert sum(map(len, right)) > 1000
    for frequencies in (NOTHING_COUNTED, counted):
        waiting, having = keys(trees, batch, frequencies)
        starts, buckets = waits_of(waiting, 16)
        visits = FilledBuckets(16, tuple(set(buckets.tolist())), Path()).visits(having)
        part = filter_of(np.unique(waiting.keys), bool(waiting.anything.any()), NAMES)
        for number, found in enumerate(right):
            for row in found:
                assert waiting.anything[row] or of(waiting, row) & of(having, number), (trees[row], batch[number])
                assert visits[number, buckets[starts[row] : starts[row + 1]]].any()
            assert not found or possible(part, having)[number]


@pytest.mark.parametrize(
    ("text", "waits", "anything"),
    [
        ("x = 3 AND y < 4", ["x=3"], False),
        ("x = 3.0", ["x=3"], False),
        ("y < 4 AND (x = 3 OR y = 'a')", ["x=3", "y=a"], False),
        ("NOT (x <> 3 OR x = 4)", ["x"], False),
        ("NOT (x IS NULL OR x = 4)", ["x"], False),
        ("NOT (x IS NOT NULL AND y = 'a')", ["y"], True),
        ("x IS NULL AND y LIKE 'a%'", ["y"], False),
        ("x IS NULL", [], True),
        ("NULL", [], False),
        ("TRUE OR x = 3", ["x=3"], True),
        ("x = 3 AND FALSE", [], False),
    ],
)
def test_what_expressions_wait_for(text: str, waits: list[str], anything: bool) -> None:
    values: dict[str, Event] = {"x=3": {"x": 3}, "y=a": {"y": "a"}}
    found, _ = keys([to_expression(text)], [])
    names = dict(zip(name_keys(["x", "y"]).tolist(), ["x", "y"], strict=True))
    for name, one in values.items():
        own = keys_of_events(read_events([one], Attributes("xy")), ["x", "y"])
        names[int(own.keys[1])] = name
    assert (sorted(names[key] for key in of(found, 0)), bool(found.anything[0])) == (waits, anything)


def test_the_rarest_keys_are_taken() -> None:
    common, rare = (name_keys([name])[0] for name in ("x", "y"))
    order = np.argsort([common, rare])
    counted = Frequencies(np.array([common, rare])[order], np.array([0.9, 0.0001])[order], 0.01, 0.5)
    expression = to_expression("x = 3 AND y < 4")
    assert of(keys([expression], [])[0], 0) != {int(rare)}
    assert of(keys([expression], [], counted)[0], 0) == {int(rare)}


def test_a_filter_lets_few_pass_that_have_nothing_in_it() -> None:
    chance = np.random.default_rng(1)
    held, others = (chance.integers(0, 2**63, 100_000).astype(np.uint64) for _ in range(2))
    one = filter_of(np.unique(held), False, [])
    starts = np.arange(len(held) + 1)
    assert possible(one, Keys(starts, held, starts[:0] > 0)).all()
    assert possible(one, Keys(starts, others, starts[:0] > 0)).mean() < 0.02
    assert not possible(filter_of(held[:0], False, []), Keys(starts, held, starts[:0] > 0)).any()
