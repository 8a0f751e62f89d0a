"""What a task of a match does: Arrow batches of events through the kernels, Arrow batches of matches out.

batch of events --cut by how many matches they have--> Index.match_batch --> pairs, 100,000 at a time
      |                                                                 or --> one row per event, an array of ids
      +-- an event that cannot be read --> a row with the reason, or nothing
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from watchword.errors import WatchwordError
from watchword.index.index import Index
from watchword.spark import versions
from watchword.spark.opened import opened
from watchword.spark.tenants import own_ids, with_tenant
from watchword.spark.versions import Version

PAIRS: Final = 100_000  # of a batch on its way to Spark: larger ones are not faster, smaller ones are
MATCHES: Final = 1_000_000  # at a time in memory
FIRST_EVENTS: Final = 512  # until it is known how many matches events have


class Found(NamedTuple):
    event: npt.NDArray[np.int64]  # ascending
    subscription: pa.Array
    errors: list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Matcher:
    """Batches of events in, batches of matches out."""

    path: str
    version: Version | None  # None: the one in force when the task begins
    names: tuple[str, ...]  # of the columns, which come numbered: Spark takes a dot in a name for a record
    event_id: str
    json: str | None
    tenant: str | None  # the column that has it
    arrays: bool
    errors: str | None
    shards: tuple[Version, ...] = ()  # if there are some, one more column says which of them an event visits

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        version = self.version or versions.current(self.path)
        size = FIRST_EVENTS
        for columns in batches:
            batch = pa.RecordBatch.from_arrays(columns.columns[: len(self.names)], list(self.names))
            for number, part, events in self._visits(version, columns, batch):
                index = opened(part)
                first = 0
                while first < events.num_rows:
                    some = events.slice(first, size)
                    found = self._found(index, some, version)
                    # an event visits several shards, but is bad only once
                    yield from self._written(some.column(self.event_id), found, version, number == 0 or self.arrays)
                    first += len(some)
                    size = _next_size(len(some), len(found.event))

    def _visits(
        self, version: Version, columns: pa.RecordBatch, batch: pa.RecordBatch
    ) -> Iterator[tuple[int, Version, pa.RecordBatch]]:
        """Which events meet which parts of the version."""
        if not self.shards:
            yield 0, version, batch
            return
        visited = columns.column(len(self.names))
        for number in pc.unique(visited).to_pylist():
            yield number, self.shards[number], batch.filter(pc.equal(visited, number))

    def _found(self, index: Index, events: pa.RecordBatch, version: Version) -> Found:
        if version.tenant_attribute is None or self.tenant is None:
            return match_rows(index, events, self.json)
        found = match_rows(index, with_tenant(events, self.tenant, version.tenant_attribute, self.json), self.json)
        errors = [(row, self._reason(events.slice(row, 1), reason)) for row, reason in found.errors]
        return Found(found.event, own_ids(found.subscription, version.id_type), errors)

    def _reason(self, event: pa.RecordBatch, reason: str) -> str:
        """The reason as it is for the event without its tenant: the places in a text are others."""
        if self.json is None:
            return reason
        return next((own for _, own in unreadable(Index(), event, self.json)), reason)

    def _written(self, ids: pa.Array, found: Found, version: Version, with_bad: bool) -> Iterator[pa.RecordBatch]:
        if self.arrays:
            yield self._arrays(ids, found, version)
            return
        for first in range(0, len(found.event), PAIRS):
            event = pa.array(found.event[first : first + PAIRS])
            yield self._batch(ids.take(event), found.subscription.slice(first, PAIRS), None, version)
        if self.errors is not None and with_bad and found.errors:
            rows, reasons = zip(*found.errors, strict=True)
            nothing = pa.nulls(len(rows), found.subscription.type)
            yield self._batch(ids.take(pa.array(rows)), nothing, pa.array(reasons, pa.string()), version)

    def _arrays(self, ids: pa.Array, found: Found, version: Version) -> pa.RecordBatch:
        starts = np.zeros(len(ids) + 1, np.int32)
        np.cumsum(np.bincount(found.event, minlength=len(ids)), out=starts[1:])
        reasons: list[str | None] = [None] * len(ids)
        for row, reason in found.errors:
            reasons[row] = reason
        bad = pa.array([reason is not None for reason in reasons]) if found.errors else None
        lists = pa.ListArray.from_arrays(pa.array(starts), _plain(found.subscription), mask=bad)
        return self._batch(ids, lists, pa.array(reasons, pa.string()), version)

    def _batch(self, ids: pa.Array, found: pa.Array, reasons: pa.Array | None, version: Version) -> pa.RecordBatch:
        number = pa.array(np.full(len(ids), version.number, np.int64))
        columns = [_plain(ids), _plain(found), number]
        names = [self.event_id, "subscriptions" if self.arrays else "subscription", "version"]
        if self.errors is not None:
            columns.append(pa.nulls(len(ids), pa.string()) if reasons is None else reasons)
            names.append(self.errors)
        return pa.RecordBatch.from_arrays(columns, names)


@dataclass(frozen=True, slots=True)
class BadEventFinder:
    """Batches of events in; out, the ids of those that cannot be read, and why. Nothing is matched."""

    version: Version
    names: tuple[str, ...]
    event_id: str
    json: str | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # an index without subscriptions reads as little as can be: whether JSON is JSON is seen all the same
        index = Index() if self.json is not None else opened(self.version)
        for columns in batches:
            batch = pa.RecordBatch.from_arrays(columns.columns, list(self.names))
            bad = unreadable(index, batch, self.json)
            if bad:
                rows, reasons = zip(*bad, strict=True)
                ids = _plain(batch.column(self.event_id).take(pa.array(rows)))
                yield pa.RecordBatch.from_arrays([ids, pa.array(reasons, pa.string())], [self.event_id, "reason"])


def unreadable(index: Index, events: pa.RecordBatch, json: str | None) -> list[tuple[int, str]]:
    try:
        return sorted(index.encode(events, json=json).cells.errors.items())
    except (WatchwordError, pa.ArrowException) as error:
        index.encode(events.slice(0, 0), json=json)  # as in `match_rows`
        if len(events) == 1:
            return [(0, str(error))]
    middle = len(events) // 2
    right = unreadable(index, events.slice(middle), json)
    return unreadable(index, events.slice(0, middle), json) + [(row + middle, reason) for row, reason in right]


def _plain(array: pa.Array) -> pa.Array:
    """Texts with offsets of 32 bits, as Spark has them."""
    return array.cast(pa.string()) if pa.types.is_large_string(array.type) else array


def _next_size(events: int, matches: int) -> int:
    """As many events as have about a million matches; not many more than last time, for they may differ."""
    return max(1, min(8 * events, MATCHES * events // max(matches, 1)))


def match_rows(index: Index, events: pa.RecordBatch, json: str | None) -> Found:
    errors: list[tuple[int, str]] = []
    try:
        table = index.match_batch(events, json=json, errors=errors)
    except (WatchwordError, pa.ArrowException):
        index.match_batch(events.slice(0, 0), json=json)  # a column that nothing can be read from: that is for all
        return _match_halves(index, events, json)
    return Found(_numbers(table["event"]), _whole(table["subscription"]), errors)


def _match_halves(index: Index, events: pa.RecordBatch, json: str | None) -> Found:
    """Some event makes the batch unreadable: find it by halving. The others match."""
    if len(events) > 1:
        middle = len(events) // 2
        left = match_rows(index, events.slice(0, middle), json)
        right = match_rows(index, events.slice(middle), json)
        event = np.concatenate([left.event, right.event + middle])
        errors = left.errors + [(row + middle, reason) for row, reason in right.errors]
        return Found(event, pa.concat_arrays([left.subscription, right.subscription]), errors)
    try:
        index.match_batch(events, json=json, errors=[])
    except (WatchwordError, pa.ArrowException) as error:
        nothing = index.match_batch([], errors=[])["subscription"]
        return Found(np.zeros(0, np.int64), _whole(nothing), [(0, str(error))])
    return match_rows(index, events, json)


def _numbers(column: Any) -> npt.NDArray[np.int64]:
    return _whole(column).to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]


def _whole(column: Any) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
