"""What an index answers, and what the oracle says it should: both as lists of ids, event by event."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
from hypothesis import settings

from watchword.coding.event import flatten
from watchword.index.index import Index
from watchword.language.evaluate import evaluate_flat
from watchword.language.expression import Expression

Event = Mapping[str, Any]

settings.register_profile("thorough", max_examples=3000, deadline=None)
THOROUGH: Final = settings.get_profile("thorough")


def sealed_index(expressions: Iterable[Any], training: Any = None) -> Index:
    """Subscription n has the n-th expression; all are in one segment."""
    index = Index(training=training)
    errors = index.subscribe_many(list(enumerate(expressions)))
    assert errors.num_rows == 0, errors.to_pylist()[:3]
    index.flush()
    assert index.stats()["head"] == 0
    return index


def wanted(expressions: Mapping[Any, Expression], events: Sequence[Event]) -> list[list[Any]]:
    """By the oracle."""
    flat = [flatten(event) for event in events]
    return [sorted(key for key, tree in expressions.items() if evaluate_flat(tree, event) is True) for event in flat]


def matched(index: Index, events: Any, **options: Any) -> list[list[Any]]:
    """By the index, whose events are numbered from 0."""
    return by_event(index.match_batch(events, **options), len(events))


def by_event(table: pa.Table, events: int) -> list[list[Any]]:
    found: defaultdict[Any, list[Any]] = defaultdict(list)
    for event, subscription in zip(table["event"].to_pylist(), table["subscription"].to_pylist(), strict=True):
        found[event].append(subscription)
    assert set(found) <= set(range(events))
    return [sorted(found[event]) for event in range(events)]
