"""From a file of subscriptions to an index."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

import watchword
from watchword.cli.events import read_events
from watchword.cli.progress import Progress
from watchword.cli.refused import Refused
from watchword.cli.subscriptions import Subscriptions, read_subscriptions

if TYPE_CHECKING:
    from watchword.index.index import Index

TRAINING_EVENTS: Final = 10_000  # enough for the statistics


def load_index(
    name: str, refused: Refused, training: str | None = None, analyzers: Mapping[str, str] | None = None
) -> Index:
    with Progress(f"loading {name}") as progress:
        subscriptions = read_subscriptions(name)
        progress.update(None, f"{len(subscriptions.table):,} subscriptions")
        index = watchword.Index(training=None if training is None else _sample(training), analyzers=analyzers)
        subscribe(index, subscriptions, refused)
        index.flush()
    return index


def subscribe(index: Index, subscriptions: Subscriptions, refused: Refused) -> None:
    errors = index.subscribe_many(subscriptions.table)
    rows = errors["row"].to_pylist()
    reasons = [
        subscriptions.reasons.get(row, reason) for row, reason in zip(rows, errors["reason"].to_pylist(), strict=True)
    ]
    refused.add("subscription", rows, errors["id"].to_pylist(), reasons)


def _sample(name: str) -> Any:
    """The first events of a file, as the index takes them for its statistics."""
    batch = next(read_events(name, TRAINING_EVENTS), None)
    if batch is None or isinstance(batch.events, pa.Table):
        return None if batch is None else batch.events
    events = []
    for text in batch.events.to_pylist():
        with suppress(ValueError, TypeError, RecursionError):
            event = json.loads(text)
            if isinstance(event, dict):
                events.append(event)
    return events
