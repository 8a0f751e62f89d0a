"""A batch of events against a snapshot: coded once per segment, matched part by part, joined event by event."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise, repeat
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from watchword.coding.attributes import Attributes
from watchword.coding.cells import Cells
from watchword.coding.encode import CodedEvents
from watchword.coding.ranges import starts_of
from watchword.coding.read_events import read_events
from watchword.coding.values import I64
from watchword.errors import EventError
from watchword.index.contents import Snapshot
from watchword.index.identifiers import Identifier, integers
from watchword.index.segment import Segment
from watchword.index.several_texts import match_several_texts
from watchword.kernel import lean
from watchword.room import room
from watchword.structures.structure import CANDIDATES, COUNTS, U32

_COLUMNS: Final = (pa.Table, pa.RecordBatch, pa.Array, pa.ChunkedArray)


@dataclass(slots=True, eq=False)
class CodedBatch:
    """Events as `Index.encode` returns them: read once, coded for every segment of the index at that time."""

    cells: Cells
    ids: pa.Array | None  # of the events; None: they are numbered from 0
    known: int  # attributes when the cells were read: those of later ones are missing
    read_again: Callable[[], Cells] | None = None
    coded: dict[int, tuple[Segment, CodedEvents]] = field(default_factory=dict)  # by id() of the segment

    def __len__(self) -> int:
        return len(self.cells)

    def prepare(self, snapshot: Snapshot, attributes: int) -> None:
        """Code the events for the segments they are not yet coded for, read again if attributes have come."""
        if attributes > self.known and self.read_again is not None:
            self.cells, self.known, self.coded = self.read_again(), attributes, {}
        for part in snapshot.sealed:
            if id(part.segment) not in self.coded:
                self.coded[id(part.segment)] = part.segment, part.segment.encode(self.cells, part.local_attribute)

    def part(self, first: int, last: int) -> CodedBatch:
        coded = {
            key: (segment, events._replace(starts=events.starts[first : last + 1], several=events.several[first:last]))
            for key, (segment, events) in self.coded.items()
        }
        return CodedBatch(self.cells.part(first, last), None, self.known, None, coded)


def read_batch(
    events: Any, attributes: Attributes, id: str | None = None, json: str | None = None, *, keep: bool = False
) -> CodedBatch:
    """With `keep`, the events stay at hand, to be read again for attributes that come later."""
    if not isinstance(events, _COLUMNS) and not hasattr(events, "columns") and isinstance(events, Iterator):
        events = list(events)
    known = len(attributes)
    cells = read_events(events, attributes, json=json)
    again = partial(read_events, events, attributes, json=json) if keep else None
    return CodedBatch(cells, None if id is None else _event_ids(events, id), known, again)


class Found(NamedTuple):
    """All matches: match i is of event[i], and of the subscription ids[i]. Ordered by event."""

    event: I64
    ids: pa.Array
    counts: I64  # what structures count (COUNT_NAMES)


def match_one(snapshot: Snapshot, event: Cells) -> tuple[list[Identifier], I64]:
    """The ids for a single event, and what structures count. Few steps, for each finds its code out of the cache."""
    ids: list[Identifier] = []
    counts = np.zeros(COUNTS, np.int64)
    for segment, local_attribute in snapshot.sealed:
        starts, rows, counted = segment.match(segment.encode(event, local_attribute), snapshot.version)
        _, rows = match_several_texts(segment, event, local_attribute, starts, rows, snapshot.version)
        counts += counted
        found = segment.identifiers.listed(rows)
        ids = ids + found if ids else found
    for head, count in snapshot.heads:
        if count == 0:
            continue
        _, slots = head.head.match(event, count, snapshot.version)
        counts[CANDIDATES] += len(slots)
        ids += [head.ids[slot] for slot in slots.tolist()]
    return ids, counts


class _PartFound(NamedTuple):
    """What one segment or head found: of event e the ids at rows[starts[e] : starts[e + 1]]."""

    starts: I64
    rows: U32
    ids: pa.Array


class _Piece(NamedTuple):
    """What was found for neighbouring events, part by part."""

    starts: I64  # of the matches of all parts together
    parts: list[_PartFound]
    counts: I64


def match_coded(snapshot: Snapshot, batch: CodedBatch, id_type: pa.DataType, threads: int = 1) -> Found:
    """The batch has been read with all attributes of the snapshot known."""
    threads = min(threads, len(batch))
    if threads <= 1:
        return _written([_find(snapshot, id_type, batch)], id_type, map)
    bounds = np.linspace(0, len(batch), threads + 1).astype(int).tolist()
    with ThreadPoolExecutor(threads) as pool:
        find = partial(_find, snapshot, id_type)
        pieces = list(pool.map(find, [batch.part(first, last) for first, last in pairwise(bounds)]))
        return _written(pieces, id_type, pool.map)


def _find(snapshot: Snapshot, id_type: pa.DataType, batch: CodedBatch) -> _Piece:
    batch.prepare(snapshot, batch.known)
    parts: list[_PartFound] = []
    counts = np.zeros(COUNTS, np.int64)
    for sealed in snapshot.sealed:
        segment = sealed.segment
        starts, rows, counted = segment.match(batch.coded[id(segment)][1], snapshot.version)
        starts, rows = match_several_texts(segment, batch.cells, sealed.local_attribute, starts, rows, snapshot.version)
        counts += counted
        parts.append(_PartFound(starts, rows, segment.identifiers.array))
    for head, count in snapshot.heads:
        starts, slots = head.head.match(batch.cells, count, snapshot.version)
        if len(slots):
            counts[CANDIDATES] += len(slots)
            ids = pa.array([head.ids[slot] for slot in slots.tolist()], id_type)
            parts.append(_PartFound(starts, np.arange(len(slots), dtype=np.uint32), ids))
    total = np.zeros(len(batch) + 1, np.int64)
    for part in parts:
        total += part.starts
    return _Piece(total, parts, counts)


def _written(pieces: list[_Piece], id_type: pa.DataType, each: Callable[..., Iterator[Any]]) -> Found:
    """The matches of all pieces one behind the other, of each piece event by event. `each` runs a step for each."""
    places = starts_of(np.array([piece.starts[-1] for piece in pieces]))
    events = starts_of(np.array([len(piece.starts) - 1 for piece in pieces]))
    event = room(int(places[-1]), np.int64)
    counts = np.sum([piece.counts for piece in pieces], axis=0)
    if not pa.types.is_int64(id_type):
        list(each(_number_events, [piece.starts for piece in pieces], places, events, repeat(event)))
        return Found(event, pa.concat_arrays(each(partial(_taken_ids, id_type), pieces)), counts)
    ids = room(len(event), np.int64)

    def write(piece: _Piece, place: int, first_event: int) -> None:
        _number_events(piece.starts, place, first_event, event)
        if len(piece.parts) == 1:
            _gather_ids(piece.parts[0].rows, integers(piece.parts[0].ids), place, ids)
            return
        at = piece.starts[:-1] + place
        for part in piece.parts:
            _place_ids(part.starts, part.rows, integers(part.ids), at, ids)

    list(each(write, pieces, places, events))
    return Found(event, pa.array(ids), counts)


def _taken_ids(id_type: pa.DataType, piece: _Piece) -> pa.Array:
    """Ids that are texts, event by event."""
    taken = [part.ids.take(pa.array(part.rows)) for part in piece.parts]
    if len(taken) == 1:
        return taken[0]
    order = np.empty(int(piece.starts[-1]), np.int64)
    at = piece.starts[:-1].copy()
    before = 0
    for part in piece.parts:
        _place_numbers(part.starts, before, at, order)
        before += len(part.rows)
    return pa.concat_arrays([*taken, pa.array([], id_type)]).take(pa.array(order))


# Kernels, unlike NumPy's own loops, let other threads run meanwhile.
@lean
def _gather_ids(rows: U32, ids: I64, place: int, out: I64) -> None:
    """Write the ids of all matches, which are in their order already."""
    matches = out[place : place + len(rows)]
    for i in range(len(rows)):
        matches[i] = ids[rows[i]]


@lean
def _place_ids(starts: I64, rows: U32, ids: I64, at: I64, out: I64) -> None:
    """Write the ids of one part; `at`: where the next match of each event goes."""
    for e in range(len(starts) - 1):
        some = rows[starts[e] : starts[e + 1]]
        matches = out[at[e] : at[e] + len(some)]
        for i in range(len(some)):
            matches[i] = ids[some[i]]
        at[e] += len(some)


@lean
def _place_numbers(starts: I64, before: int, at: I64, out: I64) -> None:
    """As above, of the numbers before, before + 1, ..."""
    for e in range(len(starts) - 1):
        place = at[e]
        for i in range(starts[e], starts[e + 1]):
            out[place] = before + i
            place += 1
        at[e] = place


@lean
def _number_events(starts: I64, place: int, first_event: int, out: I64) -> None:
    """The number of its event for each match, the first of them at `place`."""
    for e in range(len(starts) - 1):
        out[place + starts[e] : place + starts[e + 1]] = first_event + e


def to_table(found: Found, events: pa.Array | None) -> pa.Table:
    number = pa.array(found.event)
    return pa.table({"event": number if events is None else events.take(number), "subscription": found.ids})


def _event_ids(events: Any, name: str) -> pa.Array:
    """The value of a column or key of every event."""
    try:
        if isinstance(events, (pa.Table, pa.RecordBatch)):
            column = events.column(name)
            return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        if isinstance(events, (pa.Array, pa.ChunkedArray)):
            raise EventError("texts have no columns: give a table, `json` its column of texts and `id` that of the ids")
        if hasattr(events, "columns"):
            return pa.array(events[name])
        return pa.array([event.get(name) if isinstance(event, Mapping) else None for event in events])
    except KeyError:
        raise EventError(f"there is no column {name!r} to name the events by") from None
    except pa.ArrowException as error:
        raise EventError(
            f"the values of {name!r} cannot name the events, for they are of several types: {error}"
        ) from None
