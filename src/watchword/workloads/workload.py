"""What a generator makes: subscriptions as SQL text, events to match them with, and others to train with."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from watchword.errors import WatchwordError


class WorkloadError(WatchwordError, ValueError):
    """Parameters from which no workload can be made, or data that is no source of one."""


class EventsForm(enum.StrEnum):
    """How a table holds events."""

    JSON = "json"  # a column `event` of JSON texts
    MAP = "map"  # columns that map names of attributes to values
    COLUMNS = "columns"  # a column per attribute


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """What every generator has; each adds its paper's."""

    subscriptions: int = 1_000_000
    events: int = 1_000
    training: int = 1_000  # a separate sample of events
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("subscriptions", "events", "training", "seed"):
            self.check(name, at_least=0)

    def check(self, name: str, *, at_least: float | None = None, at_most: float | None = None) -> None:
        value = getattr(self, name)
        for bound, word, wrong in (
            (at_least, "least", at_least is not None and value < at_least),
            (at_most, "most", at_most is not None and value > at_most),
        ):
            if wrong:
                raise WorkloadError(f"{type(self).__name__}.{name} must be at {word} {bound:,}, not {value:,}")


@dataclass(frozen=True)
class Workload:
    name: str
    parameters: Mapping[str, Any]
    subscriptions: pa.Table  # columns id (int64) and expression (SQL text)
    events: pa.Table
    training: pa.Table  # a separate sample of events, in the same form
    events_form: EventsForm

    @property
    def to_match(self) -> pa.Table | pa.ChunkedArray:
        """The events as `Index.match_batch` takes them."""
        return self._taken(self.events)

    @property
    def to_train(self) -> pa.Table | pa.ChunkedArray:
        """The sample as `Index(training=...)` takes it."""
        return self._taken(self.training)

    def records(self) -> list[dict[str, Any]]:
        """The events as dicts without what they lack."""
        if self.events_form is EventsForm.JSON:
            return [json.loads(text) for text in self.events["event"].to_pylist()]
        rows = self.events.to_pylist()
        if self.events_form is EventsForm.MAP:
            return [{name: value for pairs in row.values() for name, value in pairs or ()} for row in rows]
        return [{name: value for name, value in row.items() if value is not None} for row in rows]

    def _taken(self, events: pa.Table) -> pa.Table | pa.ChunkedArray:
        return events["event"] if self.events_form is EventsForm.JSON else events
