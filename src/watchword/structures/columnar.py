"""Columnar scan: every conjunction against 64 events at once, without an index (the SCAN that all papers compare with).

    events      0 1 2 ... 63 side by side: one row per dimension (`lanes.py`)
    size 2      column 0: a 2..2 | b 3..3 | a 1..4 | ...   most selective condition of each conjunction
                column 1: c 1..4 | d 1..2 | b 6..6 | ...
    size 3      ...

    conjunction  column 0 --> mask of 64 events --column 1--> fewer --> ... --> matches of each event

Invariant: conjunctions stand by their number of conditions, those in the order of their selectivity. Cost: 3 to 12
bytes per condition; one load and two comparisons per conjunction and 64 events, and as many more as its conditions
leave some of the 64 events in. So a batch is cheap, and one event costs as much as 64. Events with several codes on a
dimension go one by one.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.kernel import inlined, lean
from watchword.structures.clusters.columns import Columns
from watchword.structures.clusters.structure import ClusterIndex
from watchword.structures.conjunctive import Scratch, State, Subjects, accept, enter, leave
from watchword.structures.event_values import some_code_in
from watchword.structures.lanes import LANES, lanes_within, lowest_lane
from watchword.structures.structure import BUCKETS, PREDICATES, U32


class _Tile(NamedTuple):
    """Up to LANES events, and the conjunctions found for each. Only what is written to takes memory."""

    table: npt.NDArray[Any]  # dimension * LANES + lane -> code, 0 where the event has none or several
    found: I32  # lane * conjunctions + i
    count: I64  # lane -> how many are found


class Columnar(ClusterIndex):
    name: ClassVar[str] = "scan-columnar"
    by_access: ClassVar[bool] = False

    def _own_scratch(self) -> _Tile:
        table = np.zeros(self.dimensions * LANES, self.columns.low.dtype)
        return _Tile(table, np.empty(LANES * self.stored.count, np.int32), np.zeros(LANES, np.int64))

    def always_candidates(self) -> I64:
        return np.unique(self.stored.trimmed().expression).astype(np.int64)

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        return _scan(self.stored.subjects(), self.columns, events, first, starts, out, scratch.state, scratch.own)


@lean
def _scan(
    subjects: Subjects,
    columns: Columns,
    events: CodedEvents,
    first: int,
    starts: I64,
    out: U32,
    state: State,
    tile: _Tile,
) -> int:
    number = len(events.starts) - 1
    while first < number:
        last = min(first + LANES, number)
        _lay_out(events, first, last, tile)
        _scan_tile(columns, len(subjects.expression), state, tile)
        _clear(events, first, last, tile)
        for e in range(first, last):
            n = starts[e]
            if n + subjects.count > len(out):
                return e
            many = enter(state, events, e)
            if many:
                n = _scan_for_one(subjects, columns, state, out, n)
            else:
                begin = (e - first) * len(subjects.expression)
                for i in range(begin, begin + tile.count[e - first]):
                    n = accept(subjects, state, out, n, tile.found[i], False)
            leave(state, events, e, many)
            starts[e + 1] = n
        first = last
    return number


@lean
def _lay_out(events: CodedEvents, first: int, last: int, tile: _Tile) -> None:
    for e in range(first, last):
        if events.several[e] == 0:
            for i in range(events.starts[e], events.starts[e + 1]):
                tile.table[events.dimension[i] * LANES + e - first] = events.code[i]
    for lane in range(LANES):
        tile.count[lane] = 0


@lean
def _clear(events: CodedEvents, first: int, last: int, tile: _Tile) -> None:
    for e in range(first, last):
        for i in range(events.starts[e], events.starts[e + 1]):
            tile.table[events.dimension[i] * LANES + e - first] = 0


@lean
def _scan_tile(columns: Columns, conjunctions: int, state: State, tile: _Tile) -> None:
    """Find the conjunctions of all events of the tile. A condition's low code is 1 at least: no lane without a code."""
    table, dimension, low, high = tile.table, columns.dimension, columns.low, columns.high
    checked = 0
    for k in range(columns.used[0]):
        room, size = np.int64(columns.room[k]), np.int64(columns.size[k])
        for slot in range(columns.count[k]):
            at = columns.conditions[k] + slot
            mask = lanes_within(table, np.int64(dimension[at]) * LANES, low[at], high[at])
            left = size - 1
            while left > 0 and mask != 0:
                at += room
                mask &= lanes_within(table, np.int64(dimension[at]) * LANES, low[at], high[at])
                left -= 1
            checked += size - left
            if mask != 0:
                _note(tile, columns.conjunction[columns.slots[k] + slot], conjunctions, mask)
    state.counts[PREDICATES] += checked * LANES
    state.counts[BUCKETS] += columns.used[0]


@inlined
def _note(tile: _Tile, conjunction: int, conjunctions: int, mask: np.uint64) -> None:
    while mask != 0:
        lane = lowest_lane(mask)
        tile.found[lane * conjunctions + tile.count[lane]] = conjunction
        tile.count[lane] += 1
        mask &= mask - np.uint64(1)


@lean
def _scan_for_one(subjects: Subjects, columns: Columns, state: State, out: U32, n: int) -> int:
    """The matches of an event with several codes on some dimension."""
    checked = 0
    for k in range(columns.used[0]):
        room, size = columns.room[k], columns.size[k]
        for slot in range(columns.count[k]):
            at, left = columns.conditions[k] + slot, size
            while left > 0 and some_code_in(state, columns.dimension[at], columns.low[at], columns.high[at]):
                at += room
                left -= 1
            checked += size - left + (1 if left > 0 else 0)
            if left == 0:
                n = accept(subjects, state, out, n, columns.conjunction[columns.slots[k] + slot], True)
    state.counts[PREDICATES] += checked
    return n
