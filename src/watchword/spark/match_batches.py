"""What a task of a match does: Arrow batches of events through the kernels, Arrow batches of matches out.

batch of events --cut by how many matches they have--> Index.match_batch --> pairs, 100,000 at a time
      |                                                                 or --> one row per event, an array of ids
      +-- an event that cannot be read --> a row with the reason, or nothing

Events that come routed to shards or buckets meet the parts of their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from watchword.coding.values import I32, I64
from watchword.errors import WatchwordError
from watchword.index.index import Index
from watchword.kernel import kernel
from watchword.spark import versions
from watchword.spark.buckets import several_of
from watchword.spark.opened import opened
from watchword.spark.tenants import own_ids, with_tenant
from watchword.spark.versions import Version

PAIRS: Final = 100_000  # of a batch on its way to Spark: larger ones are not faster, smaller ones are
MATCHES: Final = 250_000  # at a time in memory
FIRST_EVENTS: Final = 512  # until it is known how many matches events have


class Found(NamedTuple):
    event: I64  # ascending
    subscription: pa.Array
    errors: list[tuple[int, str]]


class Visit(NamedTuple):
    """Events that meet parts of a version."""

    parts: Version
    events: pa.RecordBatch
    bad: list[tuple[int, str]]  # of routed events: those that could not be read, which match nothing here
    places: pa.Array | None = None  # of routed events: which they visit
    place: int = 0


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
    places: Mapping[int, Version] | None = None  # parts of the version, where events come routed to them

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        version = self.version or versions.current(self.path)
        size = FIRST_EVENTS
        for columns in batches:
            for visit in self._visits(version, columns):
                ids = visit.events.column(self.event_id)
                if visit.bad:
                    nothing = pa.array([], _id_type(version))
                    yield from self._written(ids, Found(np.zeros(0, np.int64), nothing, visit.bad), version)
                    continue
                index = opened(visit.parts)
                first = 0
                while first < visit.events.num_rows:
                    some = visit.events.slice(first, size)
                    found = self._found(index, some, version, visit, first)
                    yield from self._written(ids.slice(first, size), found, version)
                    first += len(some)
                    size = _next_size(len(some), len(found.event))

    def _visits(self, version: Version, columns: pa.RecordBatch) -> Iterator[Visit]:
        """Which events meet which parts of the version."""
        events = pa.RecordBatch.from_arrays(columns.columns[: len(self.names)], list(self.names))
        if self.places is None:
            yield Visit(version, events, [])
            return
        places, reasons, place = columns.columns[len(self.names) :]
        readable = pc.is_null(reasons)
        for number in pc.unique(place).to_pylist():
            here = pc.equal(place, number)
            good, bad = pc.and_(here, readable), pc.and_(here, pc.invert(readable))
            if pc.any(good).as_py():
                parts = self.places.get(number, version.only([]))  # where nothing waits, arrays tell of no matches
                yield Visit(parts, events.filter(good), [], places.filter(good), number)
            if pc.any(bad).as_py():
                told = list(enumerate(reasons.filter(bad).to_pylist()))
                yield Visit(version, events.filter(bad), told)

    def _found(self, index: Index, events: pa.RecordBatch, version: Version, visit: Visit, first: int) -> Found:
        scoped = events
        if version.tenant_attribute is not None and self.tenant is not None:
            scoped = with_tenant(events, self.tenant, version.tenant_attribute, self.json)
        found = match_rows(index, scoped, self.json)
        if visit.places is not None:
            found = first_meetings(found, visit.places.slice(first, len(events)), visit.place, visit.parts)
        if scoped is events:
            return found
        errors = [
            (row, own_reason(reason, events.slice(row, 1), self.json, self.tenant)) for row, reason in found.errors
        ]
        return Found(found.event, own_ids(found.subscription, version.id_type), errors)

    def _written(self, ids: pa.Array, found: Found, version: Version) -> Iterator[pa.RecordBatch]:
        if self.arrays:
            yield self._arrays(ids, found, version)
            return
        for first in range(0, len(found.event), PAIRS):
            event = pa.array(found.event[first : first + PAIRS])
            yield self._batch(ids.take(event), found.subscription.slice(first, PAIRS), None, version)
        if self.errors is not None and found.errors:
            rows, reasons = zip(*found.errors, strict=True)
            nothing = pa.nulls(len(rows), _id_type(version))
            yield self._batch(ids.take(pa.array(rows)), nothing, pa.array(reasons, pa.string()), version)

    def _arrays(self, ids: pa.Array, found: Found, version: Version) -> pa.RecordBatch:
        subscriptions = _plain(found.subscription) if len(found.event) else pa.array([], _id_type(version))
        starts = np.zeros(len(ids) + 1, np.int32)
        np.cumsum(np.bincount(found.event, minlength=len(ids)), out=starts[1:])
        reasons: list[str | None] = [None] * len(ids)
        for row, reason in found.errors:
            reasons[row] = reason
        bad = pa.array([reason is not None for reason in reasons]) if found.errors else None
        lists = pa.ListArray.from_arrays(pa.array(starts), subscriptions, mask=bad)
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


def own_reason(reason: str, event: pa.RecordBatch, json: str | None, tenant: str | None) -> str:
    """The reason as it is for the event without its tenant: the places in a text are others."""
    if json is None or tenant is None:
        return reason
    return next((own for _, own in unreadable(Index(), event, json)), reason)


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


def _id_type(version: Version) -> pa.DataType:
    return pa.int64() if version.id_type == "bigint" else pa.string()


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


def _numbers(column: Any) -> I64:
    return _whole(column).to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]


def first_meetings(found: Found, places: pa.Array, place: int, parts: Version) -> Found:
    """The pairs that meet nowhere before this place."""
    several = several_of(parts.folders()[0]) if parts.parts else None
    if several is None or len(found.event) == 0:
        return found
    row = pc.fill_null(pc.index_in(found.subscription, several.ids), -1).to_numpy(zero_copy_only=False)
    visited = places.offsets.to_numpy().astype(np.int64), places.values.to_numpy()
    keep = _is_first(found.event, row, visited, (several.starts, several.waits), place)
    return Found(found.event[keep], found.subscription.filter(pa.array(keep)), found.errors)


@kernel
def _is_first(
    event: I64, row: I32, visited: tuple[I64, I32], waits: tuple[I64, I32], place: int
) -> npt.NDArray[np.bool_]:
    """Both lists ascend: is `place` the first that is in both?"""
    out = np.ones(len(event), np.bool_)
    for pair in range(len(event)):
        if row[pair] >= 0:
            a, b = visited[0][event[pair]], waits[0][row[pair]]
            while visited[1][a] != waits[1][b]:
                if visited[1][a] < waits[1][b]:
                    a += 1
                else:
                    b += 1
            out[pair] = visited[1][a] == place
    return out


def _whole(column: Any) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
