"""The whole API against a dict of expressions and the oracle, in any order of calls.

The head is sealed after a few subscriptions and segments merge at once, so that every call meets every state.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.index.answers import THOROUGH, Event, by_event, matched, wanted
from tests.language.strategies import ATTRIBUTES, NUMBERS, TEXTS, events, expressions

from watchword.errors import ExpressionError, SubscriptionIdError
from watchword.index.index import Index
from watchword.language.build import to_expression
from watchword.language.evaluate import evaluate
from watchword.language.expression import Expression
from watchword.language.render import to_sql

BAD = ["x =", "x = 1 AND", "", "x LIKE 'a' ESCAPE 'bc'", "(x = 1", "x RLIKE '('"]
batches = st.lists(events(), max_size=5)
json_scalars = st.sampled_from([n for n in NUMBERS if n != 1e300]) | st.sampled_from(TEXTS) | st.booleans()
json_values = json_scalars | st.none() | st.lists(json_scalars | st.none(), max_size=3)
json_batches = st.lists(st.dictionaries(st.sampled_from(ATTRIBUTES), json_values, max_size=4), max_size=5)
numbers = st.integers(0, 9)  # of ids
rows = st.lists(st.tuples(numbers, expressions() | st.sampled_from(BAD)), max_size=10)


@pytest.fixture(autouse=True)
def small_heads() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("watchword.index.maintenance.HEAD_SLOTS", 4)
        patch.setattr("watchword.index.index.HEAD_SLOTS", 4)
        patch.setattr("watchword.index.maintenance.GROWTH", 2)
        yield


class IndexMachine(RuleBasedStateMachine):
    def identifier(self, number: int) -> Any:
        return f"s{number}"

    def __init__(self) -> None:
        super().__init__()
        self.index = Index()
        self.model: dict[Any, Expression] = {}
        self.saved: dict[Any, Expression] | None = None
        self.folder = Path(tempfile.mkdtemp(prefix="watchword-test-"))

    def teardown(self) -> None:
        self.index.close()
        shutil.rmtree(self.folder)

    # --- updates ----------------------------------------------------------------------------------------------

    @rule(number=numbers, tree=expressions(), as_text=st.booleans())
    def subscribe(self, number: int, tree: Expression, as_text: bool) -> None:
        self.index.subscribe(self.identifier(number), to_sql(tree) if as_text else tree)
        self.model[self.identifier(number)] = tree

    @rule(number=numbers, text=st.sampled_from(BAD))
    def subscribe_badly(self, number: int, text: str) -> None:
        with pytest.raises(ExpressionError):
            self.index.subscribe(self.identifier(number), text)

    @rule(rows=rows, as_table=st.booleans())
    def subscribe_many(self, rows: list[tuple[int, Any]], as_table: bool) -> None:
        pairs = [(self.identifier(number), source) for number, source in rows]
        if as_table:
            texts = [source if isinstance(source, str) else to_sql(source) for _, source in pairs]
            table = pa.table({"id": [identifier for identifier, _ in pairs], "expression": texts})
            errors = self.index.subscribe_many(table)
        else:
            errors = self.index.subscribe_many(pairs)
        assert errors["row"].to_pylist() == [row for row, (_, source) in enumerate(pairs) if isinstance(source, str)]
        self.model |= {identifier: source for identifier, source in pairs if not isinstance(source, str)}

    @rule(number=numbers)
    def unsubscribe(self, number: int) -> None:
        was_there = self.model.pop(self.identifier(number), None) is not None
        assert self.index.unsubscribe(self.identifier(number)) is was_there

    # --- matching ---------------------------------------------------------------------------------------------

    @rule(batch=batches, threads=st.sampled_from([1, 2]))
    def match_batch(self, batch: list[Event], threads: int) -> None:
        assert matched(self.index, batch, threads=threads) == wanted(self.model, batch)

    @rule(batch=batches)
    def match_with_ids(self, batch: list[Event]) -> None:
        named = [{**event, "name": f"event {row}"} for row, event in enumerate(batch)]
        table = self.index.match_batch(named, id="name")
        rows = [int(name.split()[1]) for name in table["event"].to_pylist()]
        assert rows == sorted(rows)
        numbered = pa.table({"event": pa.array(rows, pa.int64()), "subscription": table["subscription"]})
        assert by_event(numbered, len(batch)) == wanted(self.model, batch)

    @rule(batch=json_batches, threads=st.sampled_from([1, 2]))
    def match_json(self, batch: list[Event], threads: int) -> None:
        texts = pa.array([json.dumps(event) for event in batch], pa.string())
        assert matched(self.index, texts, threads=threads) == wanted(self.model, batch)

    @rule(event=events())
    def match(self, event: Event) -> None:
        assert sorted(self.index.match(event)) == wanted(self.model, [event])[0]

    @rule(batch=batches)
    def match_twice(self, batch: list[Event]) -> None:
        coded = self.index.encode(batch)
        self.index.flush()
        right = wanted(self.model, batch)
        assert matched(self.index, coded) == right
        assert matched(self.index, coded, threads=2) == right

    # --- asking -----------------------------------------------------------------------------------------------

    @rule(number=numbers, event=events())
    def explain(self, number: int, event: Event) -> None:
        identifier = self.identifier(number)
        if identifier in self.model:
            assert self.index.explain(identifier, event).value is evaluate(self.model[identifier], event)
            assert to_expression(self.index.expression(identifier)) == to_expression(to_sql(self.model[identifier]))
            return
        with pytest.raises(SubscriptionIdError, match=re.escape(repr(identifier))):
            self.index.explain(identifier, event)
        with pytest.raises(SubscriptionIdError, match=re.escape(repr(identifier))):
            self.index.expression(identifier)

    @invariant()
    def holds_what_the_model_holds(self) -> None:
        assert len(self.index) == len(self.model)
        assert [self.identifier(n) in self.index for n in range(10)] == [
            self.identifier(n) in self.model for n in range(10)
        ]

    # --- upkeep -----------------------------------------------------------------------------------------------

    @rule()
    def flush(self) -> None:
        self.index.flush()
        stats = self.index.stats()
        assert stats["head"] == 0
        assert stats["subscriptions"] == len(self.model)

    @rule()
    def save(self) -> None:
        self.index.save(self.folder)
        self.saved = dict(self.model)

    @precondition(lambda self: self.saved is not None)
    @rule()
    def reopen(self) -> None:
        """Go on with what was saved."""
        assert self.saved is not None
        self.index.close()
        self.index = Index.open(self.folder)
        self.model = dict(self.saved)

    @precondition(lambda self: self.saved is not None)
    @rule(batch=batches)
    def open_beside(self, batch: list[Event]) -> None:
        assert self.saved is not None
        with Index.open(self.folder, verify=False) as other:
            assert matched(other, batch) == wanted(self.saved, batch)


class IntegerIdMachine(IndexMachine):
    def identifier(self, number: int) -> Any:
        return (number - 5) << 60


class LongMachine(IndexMachine):
    pass


TestTexts = IndexMachine.TestCase
TestTexts.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestIntegers = IntegerIdMachine.TestCase
TestIntegers.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
TestForLong = pytest.mark.long(LongMachine.TestCase)
TestForLong.settings = settings(THOROUGH, max_examples=400, stateful_step_count=60)
