"""Tasks in which subscriptions come and go.

A paper's structure inserts and deletes by itself. One that does not (`auto`) is changed as an `Index` changes it: by
its head, its marks and its merges.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Final

import numpy as np
import pyarrow as pa

from watchword.bench.check import check_ids
from watchword.bench.harness.coded import Coded, found
from watchword.bench.harness.settings import Settings
from watchword.bench.harness.trial import Trial
from watchword.bench.measure import seconds
from watchword.coding.values import I64
from watchword.index.index import Index
from watchword.structures.conjunctive import Conjunctive
from watchword.structures.registry import structure_class

STEPS: Final = 10  # in which all subscriptions are replaced


class Standing(ABC):
    """Subscriptions, by their rows in the workload, that can be changed while events are matched."""

    def __init__(self, coded: Coded) -> None:
        self.coded = coded

    @abstractmethod
    def insert(self, rows: I64) -> float:
        """Seconds."""

    @abstractmethod
    def delete(self, rows: I64) -> float: ...

    @abstractmethod
    def match(self, events: int) -> float: ...

    @abstractmethod
    def matched(self, events: int) -> list[I64]:
        """Rows that hold, event by event."""

    def check(self, name: str, rows: I64) -> None:
        """What is found is what holds of these rows."""
        for event, ids in enumerate(self.matched(len(self.coded.expected))):
            check_ids(f"{name}, event {event}, updated", ids, np.intersect1d(self.coded.expected[event], rows))


class InStructure(Standing):
    def __init__(self, coded: Coded, trial: Trial, rows: I64) -> None:
        super().__init__(coded)
        self.structure: Any = coded.build(trial.structure, trial.parameters, rows, training=trial.training)[0]
        self.row_of = rows
        self.number_of = np.full(len(coded), -1, np.int64)
        self.number_of[rows] = np.arange(len(rows))

    def insert(self, rows: I64) -> float:
        more = self.coded.coded(rows)
        self.number_of[rows] = np.arange(len(self.row_of), len(self.row_of) + len(rows))
        self.row_of = np.append(self.row_of, rows)
        return seconds(lambda: self.structure.insert(more))

    def delete(self, rows: I64) -> float:
        numbers = self.number_of[rows]
        return seconds(lambda: self.structure.delete(numbers))

    def match(self, events: int) -> float:
        some = self.coded.some(0, events)
        return seconds(lambda: self.structure.match(some))

    def matched(self, events: int) -> list[I64]:
        return [self.row_of[numbers] for numbers in found(self.structure.match(self.coded.some(0, events)))]


class InIndex(Standing):
    def __init__(self, coded: Coded, trial: Trial, rows: I64) -> None:
        super().__init__(coded)
        training = coded.workload.to_train if trial.training else None
        self.index = Index(training=training, structure=trial.structure, **trial.parameters)
        self.index.subscribe_many(self._table(rows))
        self.index.flush()

    def _table(self, rows: I64) -> pa.Table:
        texts = self.coded.workload.subscriptions["expression"].take(pa.array(rows))
        return pa.table({"id": pa.array(rows), "expression": texts})

    def insert(self, rows: I64) -> float:
        pairs = list(zip(*self._table(rows).to_pydict().values(), strict=True))

        def subscribe() -> None:
            for row, text in pairs:
                self.index.subscribe(row, text)

        return seconds(subscribe)

    def delete(self, rows: I64) -> float:
        ids = rows.tolist()
        return seconds(lambda: [self.index.unsubscribe(row) for row in ids])

    def match(self, events: int) -> float:
        coded = self.index.encode(self._events(events), json=self.coded.json)
        return seconds(lambda: self.index.match_batch(coded))

    def matched(self, events: int) -> list[I64]:
        pairs = self.index.match_batch(self._events(events), json=self.coded.json)
        event, row = (pairs[name].to_numpy() for name in ("event", "subscription"))
        return [np.sort(row[event == number]) for number in range(events)]

    def _events(self, events: int) -> pa.Table:
        return self.coded.workload.events.slice(0, events)


def standing(coded: Coded, trial: Trial, rows: I64) -> Standing:
    own = issubclass(structure_class(trial.structure), Conjunctive)
    return (InStructure if own else InIndex)(coded, trial, rows)


def update(coded: Coded, trial: Trial, settings: Settings) -> list[dict[str, Any]]:
    """In each pass some subscriptions come and as many old ones go."""
    rounds = settings.passes + 1  # the first one warms up
    each = max(1, min(settings.updates, len(coded) // (3 * rounds)))
    begin = len(coded) - each * rounds
    subscriptions = standing(coded, trial, np.arange(begin))
    rows = []
    for number in range(rounds):
        inserting = subscriptions.insert(np.arange(begin + number * each, begin + (number + 1) * each))
        deleting = subscriptions.delete(np.arange(number * each, (number + 1) * each))
        rows.append({"insert_seconds": inserting, "delete_seconds": deleting, "updates": each, "subscriptions": begin})
    subscriptions.check(trial.structure, np.arange(each * rounds, len(coded)))
    return rows[1:]


def shift(coded: Coded, trial: Trial, settings: Settings) -> list[dict[str, Any]]:
    """The second half of the subscriptions replaces the first, step by step, and then the first the second."""
    half = len(coded) // 2
    halves = [np.arange(half), np.arange(half, 2 * half)]
    subscriptions = standing(coded, trial, halves[0])
    subscriptions.match(1)
    pieces = [np.array_split(rows, STEPS) for rows in halves]
    first = min(4, coded.event_count)
    for_one = subscriptions.match(first) / first
    events = int(np.clip(settings.seconds / settings.passes / for_one, first, coded.event_count))
    rows: list[dict[str, Any]] = []
    for step in range(2 * STEPS + 1):
        changes = {}
        if step:
            going, coming = (pieces[side][(step - 1) % STEPS] for side in ((0, 1) if step <= STEPS else (1, 0)))
            changes = {"delete_seconds": subscriptions.delete(going), "insert_seconds": subscriptions.insert(coming)}
        for _ in range(settings.passes):
            matching = {"events": events, "batches": 1, "match_seconds": subscriptions.match(events)}
            rows.append(
                {"step": 100 / STEPS * step, "updates": half // STEPS, "subscriptions": half, **matching, **changes}
            )
    subscriptions.check(trial.structure, halves[0])
    return rows
