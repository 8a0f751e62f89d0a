"""A batch of events against a snapshot: coded once per segment, matched part by part, joined event by event."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from watchword.coding.cells import Cells
from watchword.coding.encode import CodedEvents
from watchword.coding.ranges import starts_of
from watchword.coding.values import I64
from watchword.index.contents import Snapshot
from watchword.index.identifiers import Identifier, integers
from watchword.index.segment import Segment
from watchword.kernel import kernel


@dataclass(slots=True, eq=False)
class CodedBatch:
    """Events as `Index.encode` returns them: read once, coded for every segment of the index at that time."""

    cells: Cells
    ids: pa.Array | None  # of the events; None: they are numbered from 0
    coded: dict[int, tuple[Segment, CodedEvents]] = field(default_factory=dict)  # by id() of the segment

    def __len__(self) -> int:
        return len(self.cells)

    def prepare(self, snapshot: Snapshot) -> None:
        """Code the events for the segments they are not yet coded for."""
        for part in snapshot.sealed:
            if id(part.segment) not in self.coded:
                self.coded[id(part.segment)] = part.segment, part.segment.encode(self.cells, part.local_attribute)

    def part(self, first: int, last: int) -> CodedBatch:
        return CodedBatch(self.cells.part(first, last), None)


class Found(NamedTuple):
    """The subscriptions of event e: ids[starts[e] : starts[e + 1]]."""

    starts: I64
    ids: pa.Array
    candidates: int


def match_coded(snapshot: Snapshot, batch: CodedBatch, id_type: pa.DataType) -> Found:
    batch.prepare(snapshot)
    starts: list[I64] = []
    ids: list[pa.Array] = []
    candidates = 0
    for part in snapshot.sealed:
        segment = part.segment
        offsets, rows, verified = segment.match(batch.coded[id(segment)][1], snapshot.version)
        candidates += verified
        starts.append(offsets)
        ids.append(_take(segment.identifiers.array, rows))
    for head, count in snapshot.heads:
        offsets, slots = head.head.match(batch.cells, count, snapshot.version)
        if len(slots):
            candidates += len(slots)
            starts.append(offsets)
            ids.append(pa.array([head.ids[slot] for slot in slots.tolist()], id_type))
    if len(starts) == 1:
        return Found(starts[0], ids[0], candidates)
    if not starts:
        return Found(np.zeros(len(batch) + 1, np.int64), pa.array([], id_type), candidates)
    order, offsets = _interleave(np.array(starts))
    return Found(offsets, pa.concat_arrays(ids).take(pa.array(order)), candidates)


def match_in_threads(snapshot: Snapshot, batch: CodedBatch, id_type: pa.DataType, threads: int) -> Found:
    bounds = np.linspace(0, len(batch), threads + 1).astype(int).tolist()
    parts = [batch.part(first, last) for first, last in pairwise(bounds)]
    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(lambda part: match_coded(snapshot, part, id_type), parts))
    return Found(
        starts_of(np.concatenate([np.diff(part.starts) for part in found])),
        pa.concat_arrays([part.ids for part in found]),
        sum(part.candidates for part in found),
    )


def to_table(found: Found, events: pa.Array | None) -> pa.Table:
    number = np.repeat(np.arange(len(found.starts) - 1), np.diff(found.starts))
    event = pa.array(number) if events is None else events.take(pa.array(number))
    return pa.table({"event": event, "subscription": found.ids})


def to_list(found: Found) -> list[Identifier]:
    ids: list[Identifier] = found.ids.to_pylist()
    return ids


def event_ids(events: Any, name: str) -> pa.Array:
    """The value of a column or key of every event."""
    if isinstance(events, (pa.Table, pa.RecordBatch)):
        column = events.column(name)
        return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if hasattr(events, "columns"):
        return pa.array(events[name])
    return pa.array([event.get(name) if hasattr(event, "get") else None for event in events])


def _take(ids: pa.Array, rows: np.ndarray[Any, np.dtype[np.uint32]]) -> pa.Array:
    if pa.types.is_int64(ids.type):
        return pa.array(integers(ids)[rows])
    return ids.take(pa.array(rows))


@kernel
def _interleave(starts: I64) -> tuple[I64, I64]:
    """Where the matches of each event stand if all parts' matches are put behind one another."""
    parts, events = starts.shape[0], starts.shape[1] - 1
    before = np.zeros(parts + 1, np.int64)
    for p in range(parts):
        before[p + 1] = before[p] + starts[p, events]
    order, offsets = np.empty(before[parts], np.int64), np.zeros(events + 1, np.int64)
    n = 0
    for e in range(events):
        for p in range(parts):
            for i in range(starts[p, e], starts[p, e + 1]):
                order[n] = before[p] + i
                n += 1
        offsets[e + 1] = n
    return order, offsets
