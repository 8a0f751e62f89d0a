"""Overlapping cells: which of them a condition is stored in, and which an event looks into (H-Tree, section III-C).

    segments   |  0  |  1  |  2  |  3  |          n_cel equal parts of an indexed attribute's domain
    cell 0     |___________|                      two neighbouring segments each
    cell 1           |___________|
    cell 2                 |___________|
    cell 3     no constraint on the attribute

A range inside one segment is stored in the cell whose centre is nearer to its own; a range over two segments in the
cell of these two; a wider one, or a set, is split over several cells that do not overlap, as the paper splits a range
wider than a segment into small ones. Of them all only those count where a value is true: an event looks into the two
cells of its segment (one at either end), and into the last.

Invariant: if a condition holds for a code, then the code's segment is in exactly one of the cells the condition is
stored in. A conjunction gets at most n_spl buckets: beyond, its attribute with most cells counts as having no
constraint; so does one whose segments reach from the first to the last. Positions never fall from code to code, so
segments are compared, never positions: rounding cannot part a range from its values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.coding.coded import Conditions
from watchword.coding.encode import CodedEvents
from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64
from watchword.kernel import lean
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.selectivity import F64


class Domains(NamedTuple):
    """The indexed attributes, one a level, and the numbers that the paper names."""

    dimension: I32
    level_of: I32  # dimension -> its level, -1 where it is not indexed
    code_starts: I64  # level -> its codes in `position`
    position: F64
    n_cel: int
    n_spl: int


class Cells(NamedTuple):
    """The cells of a conjunction or an event, level by level."""

    cell: I32  # level x n_cel
    count: I64


def new_cells(domains: Domains) -> Cells:
    levels = len(domains.dimension)
    return Cells(np.zeros((levels, domains.n_cel), np.int32), np.zeros(levels, np.int64))


@lean
def segment_of(domains: Domains, level: int, code: int) -> int:
    place = domains.position[domains.code_starts[level] + code] * domains.n_cel
    return min(int(place), domains.n_cel - 1)


@lean
def set_cells_of_event(domains: Domains, events: CodedEvents, e: int, cells: Cells, segments: I64) -> None:
    """`segments`: room for a number per level."""
    none = domains.n_cel - 1
    segments[:] = 0
    for i in range(events.starts[e], events.starts[e + 1]):
        level = domains.level_of[events.dimension[i]]
        if level >= 0 and events.code[i] > 0:
            segments[level] |= 1 << segment_of(domains, level, events.code[i])
    for level in range(len(segments)):
        count = 0
        for cell in range(none):
            if segments[level] >> cell & 3:
                cells.cell[level, count] = cell
                count += 1
        cells.cell[level, count] = none
        cells.count[level] = count + 1


@lean
def set_cells_of_conjunction(
    domains: Domains, conjunctions: Conjunctions, conditions: Conditions, c: int, cells: Cells
) -> int:
    """How many buckets the conjunction is stored in: one for each choice of a cell on every level.

    Of several conditions on an attribute one gives the cells: each may be true of another value of a list.
    """
    none = domains.n_cel - 1
    for level in range(len(cells.count)):
        cells.cell[level, 0], cells.count[level] = none, 1
    for i in range(conjunctions.starts[c], conjunctions.starts[c + 1]):
        level = domains.level_of[conjunctions.dimension[i]]
        if level < 0:
            continue
        segments = _segments_of(domains, conjunctions, conditions, i, level)
        few = _cells_in(segments, domains.n_cel)
        if few > 0 and (cells.cell[level, 0] == none or few < cells.count[level]):
            cells.count[level] = few
            _cover(segments, domains.n_cel, cells.cell, level)
            if few == 1:
                _take_nearest(domains, conjunctions, i, level, cells.cell)
    return _limit_buckets(cells, domains.n_spl, none)


@lean
def _segments_of(domains: Domains, conjunctions: Conjunctions, conditions: Conditions, i: int, level: int) -> int:
    """The segments of the codes that satisfy condition i, as bits."""
    number = conjunctions.set_of[i]
    if number < 0:
        return _bits(domains, level, conjunctions.low[i], conjunctions.high[i])
    segments = 0
    for interval in range(conditions.set_starts[number], conditions.set_starts[number + 1]):
        segments |= _bits(domains, level, conditions.set_low[interval], conditions.set_high[interval])
    return segments


@lean
def _bits(domains: Domains, level: int, low: int, high: int) -> int:
    first, last = segment_of(domains, level, low), segment_of(domains, level, high)
    return (np.int64(2) << last) - (np.int64(1) << first)


@lean
def _cells_in(segments: int, n_cel: int) -> int:
    """The fewest cells that have all these segments; 0 where they reach from the first to the last."""
    if segments & 1 and segments >> (n_cel - 1):
        return 0
    count, s = 0, 0
    while s < n_cel:
        if segments >> s & 1:
            count += 1
            s += 1
        s += 1
    return count


@lean
def _cover(segments: int, n_cel: int, cell: I32, level: int) -> None:
    """Cells of two segments each, from the end that leaves no cell over the border of the domain."""
    count = 0
    if segments >> (n_cel - 1):
        s = n_cel - 1
        while s >= 0:
            if segments >> s & 1:
                cell[level, count] = s - 1
                count += 1
                s -= 1
            s -= 1
    else:
        s = 0
        while s < n_cel:
            if segments >> s & 1:
                cell[level, count] = s
                count += 1
                s += 1
            s += 1


@lean
def _take_nearest(domains: Domains, conjunctions: Conjunctions, i: int, level: int, cell: I32) -> None:
    """Of a condition inside one segment: the cell whose centre is nearer to the condition's."""
    low, high = conjunctions.low[i], conjunctions.high[i]
    segment = segment_of(domains, level, low)
    if segment == segment_of(domains, level, high):
        first = domains.code_starts[level]
        centre = (domains.position[first + low] + domains.position[first + high]) / 2 * domains.n_cel
        nearest = segment - 1 if centre - segment < 0.5 else segment
        cell[level, 0] = max(0, min(nearest, domains.n_cel - 2))


@lean
def _limit_buckets(cells: Cells, n_spl: int, none: int) -> int:
    while True:
        buckets, widest = 1, 0
        for level in range(len(cells.count)):
            buckets *= cells.count[level]
            if cells.count[level] > cells.count[widest]:
                widest = level
        if buckets <= n_spl:
            return buckets
        cells.cell[widest, 0], cells.count[widest] = none, 1


def bucket_paths(domains: Domains, conjunctions: Conjunctions, conditions: Conditions, numbers: I64) -> tuple[I64, I64]:
    """The buckets of these conjunctions by the paper's bucketID, and the conjunction of each."""
    buckets = np.empty(len(numbers), np.int64)
    cells = new_cells(domains)
    _count_buckets(domains, conjunctions, conditions, numbers, cells, buckets)
    starts = starts_of(buckets)
    paths = np.empty(starts[-1], np.int64)
    _fill_paths(domains, conjunctions, conditions, numbers, cells, starts, paths)
    return paths, np.repeat(numbers, buckets)


@lean
def _count_buckets(
    domains: Domains, conjunctions: Conjunctions, conditions: Conditions, numbers: I64, cells: Cells, buckets: I64
) -> None:
    for i in range(len(numbers)):
        buckets[i] = set_cells_of_conjunction(domains, conjunctions, conditions, numbers[i], cells)


@lean
def _fill_paths(
    domains: Domains,
    conjunctions: Conjunctions,
    conditions: Conditions,
    numbers: I64,
    cells: Cells,
    starts: I64,
    paths: I64,
) -> None:
    for i in range(len(numbers)):
        set_cells_of_conjunction(domains, conjunctions, conditions, numbers[i], cells)
        for number in range(starts[i + 1] - starts[i]):
            path, rest = 0, number
            for level in range(len(cells.count)):
                path = path * domains.n_cel + cells.cell[level, rest % cells.count[level]]
                rest //= cells.count[level]
            paths[starts[i] + number] = path
