"""Clusters of conjunctions of one size, column by column.

    key --directory--> cluster --next--> cluster of the same key and another size --> ...

    a cluster of size 3, with room for 4:      slot      0   1   2   .
      conjunction[slots[k] + slot]                       17  4   9
      column 0 at conditions[k]                          c0  c0  c0      dimension, low, high of each first condition
      column 1 at conditions[k] + room                   c1  c1  c1
      column 2 at conditions[k] + 2 room                 c2  c2  c2

Invariant: the slots before count[k] are taken; (key, size) has one cluster, and a key has another for each size. Cost:
4 bytes per conjunction, and per condition the least that holds a dimension and two codes. A full cluster moves to the
end of the columns with twice the room; a conjunction taken out leaves its slot to the last one.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64
from watchword.kernel import lean
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.expressions import longer

CLUSTERS: Final = 0  # places in `used`
SLOTS: Final = 1
CONDITIONS: Final = 2

Small = npt.NDArray[Any]  # uint8, uint16 or int32: the least that holds all codes


class Columns(NamedTuple):
    directory: I32  # key -> its first cluster, -1
    next: I32
    size: I32
    count: I32
    room: I32
    slots: I64
    conditions: I64
    conjunction: I32
    dimension: Small
    low: Small
    high: Small
    used: I64  # CLUSTERS, SLOTS, CONDITIONS


class Order(NamedTuple):
    """The conditions of some conjunctions, one behind another, each's as its columns have them."""

    condition: I32
    base: int  # the first of all


class Placed(NamedTuple):
    """What goes where: one row per conjunction and key."""

    conjunction: I64
    key: I64
    size: I64


def least_type(largest: int) -> type[np.generic]:
    """The smallest type of column for numbers up to the largest."""
    if largest <= np.iinfo(np.uint8).max:
        return np.uint8
    return np.uint16 if largest <= np.iinfo(np.uint16).max else np.int32


def build_columns(c: Conjunctions, order: Order, placed: Placed, keys: int, codes: I64) -> Columns:
    """Clusters in the order of key and size, without room to grow.

    In a cluster, conjunctions with the same first condition stand together: what comes of it is easily foreseen.
    """
    first = order.condition[c.starts[placed.conjunction] - order.base]
    by_cluster = np.lexsort((c.high[first], c.low[first], c.dimension[first], placed.size, placed.key))
    key, size = placed.key[by_cluster], placed.size[by_cluster]
    begins = np.flatnonzero(np.diff(key, prepend=-1) | np.diff(size, prepend=-1))
    count = np.diff(begins, append=len(key)).astype(np.int32)
    size_of, key_of = size[begins].astype(np.int32), key[begins]
    slots, conditions = starts_of(count), starts_of(count.astype(np.int64) * size_of)
    clusters = len(begins)
    same_key = np.diff(key_of, append=-1) == 0
    directory = np.full(keys, -1, np.int32)
    directory[key_of[::-1]] = np.arange(clusters - 1, -1, -1)
    total = int(conditions[-1])
    code_type = least_type(int(codes.max(initial=0)) - 1)
    columns = Columns(
        directory,
        np.where(same_key, np.arange(1, clusters + 1), -1).astype(np.int32),
        size_of,
        np.zeros(clusters, np.int32),
        count,
        slots[:-1],
        conditions[:-1],
        np.empty(len(key), np.int32),
        np.empty(total, least_type(max(len(codes) - 1, 256))),
        np.empty(total, code_type),
        np.empty(total, code_type),
        np.array([clusters, len(key), total]),
    )
    _fill(c, order, columns, placed.conjunction[by_cluster], np.repeat(np.arange(clusters), count))
    return columns


@lean
def _fill(c: Conjunctions, order: Order, columns: Columns, conjunctions: I64, clusters: I64) -> None:
    for i in range(len(conjunctions)):
        _put(c, order, columns, conjunctions[i], clusters[i])


@lean
def _put(c: Conjunctions, order: Order, columns: Columns, conjunction: int, cluster: int) -> int:
    """Take the next slot, which must be there."""
    slot = np.int64(columns.count[cluster])
    columns.count[cluster] = slot + 1
    columns.conjunction[columns.slots[cluster] + slot] = conjunction
    first, at = c.starts[conjunction] - order.base, columns.conditions[cluster] + slot
    for i in range(columns.size[cluster]):
        condition = order.condition[first + i]
        columns.dimension[at] = c.dimension[condition]
        columns.low[at], columns.high[at] = c.low[condition], c.high[condition]
        at += columns.room[cluster]
    return slot


@lean
def find(columns: Columns, key: int, size: int) -> int:
    """The cluster of a key and size, -1 if there is none."""
    cluster = np.int64(columns.directory[key])
    while cluster >= 0 and columns.size[cluster] != size:
        cluster = np.int64(columns.next[cluster])
    return cluster


@lean
def add(c: Conjunctions, order: Order, columns: Columns, placed: Placed, first: int) -> int:
    """Enter rows of `placed` from `first` on; the one for which there was no room, or their number."""
    for i in range(first, len(placed.key)):
        size, cluster = placed.size[i], find(columns, placed.key[i], placed.size[i])
        if cluster < 0 or columns.count[cluster] == columns.room[cluster]:
            room = 1 if cluster < 0 else 2 * np.int64(columns.room[cluster])
            if (
                (cluster < 0 and columns.used[CLUSTERS] == len(columns.size))
                or columns.used[SLOTS] + room > len(columns.conjunction)
                or columns.used[CONDITIONS] + room * size > len(columns.dimension)
            ):
                return i
            if cluster < 0:
                cluster = columns.used[CLUSTERS]
                columns.used[CLUSTERS] += 1
                columns.size[cluster], columns.count[cluster] = size, 0
                columns.next[cluster] = columns.directory[placed.key[i]]
                columns.directory[placed.key[i]] = cluster
            _move(columns, cluster, room)
        _put(c, order, columns, placed.conjunction[i], cluster)
    return len(placed.key)


@lean
def _move(columns: Columns, cluster: int, room: int) -> None:
    """Give the cluster room at the end of all columns."""
    count, old_room = columns.count[cluster], columns.room[cluster]
    old, new = columns.slots[cluster], columns.used[SLOTS]
    for j in range(count):
        columns.conjunction[new + j] = columns.conjunction[old + j]
    old, new = columns.conditions[cluster], columns.used[CONDITIONS]
    for i in range(columns.size[cluster]):
        for j in range(count):
            columns.dimension[new + i * room + j] = columns.dimension[old + i * old_room + j]
            columns.low[new + i * room + j] = columns.low[old + i * old_room + j]
            columns.high[new + i * room + j] = columns.high[old + i * old_room + j]
    columns.slots[cluster], columns.conditions[cluster] = columns.used[SLOTS], columns.used[CONDITIONS]
    columns.room[cluster] = room
    columns.used[SLOTS] += room
    columns.used[CONDITIONS] += room * columns.size[cluster]


@lean
def take_out(columns: Columns, placed: Placed) -> None:
    for i in range(len(placed.key)):
        cluster = find(columns, placed.key[i], placed.size[i])
        first, last = columns.slots[cluster], np.int64(columns.count[cluster]) - 1
        slot = np.int64(0)
        while columns.conjunction[first + slot] != placed.conjunction[i]:
            slot += 1
        columns.conjunction[first + slot] = columns.conjunction[first + last]
        column = columns.conditions[cluster]
        for _ in range(columns.size[cluster]):
            columns.dimension[column + slot] = columns.dimension[column + last]
            columns.low[column + slot], columns.high[column + slot] = (
                columns.low[column + last],
                columns.high[column + last],
            )
            column += columns.room[cluster]
        columns.count[cluster] = last


def grown(columns: Columns, placed: Placed, row: int) -> Columns:
    """With room for row `row`, and half as much again as there is."""
    clusters, slots, conditions = columns.used.tolist()
    cluster = find(columns, placed.key[row], placed.size[row])
    room = 1 if cluster < 0 else 2 * int(columns.room[cluster])
    more = room * int(placed.size[row])
    return columns._replace(
        next=longer(columns.next, clusters, 1),
        size=longer(columns.size, clusters, 1),
        count=longer(columns.count, clusters, 1),
        room=longer(columns.room, clusters, 1),
        slots=longer(columns.slots, clusters, 1),
        conditions=longer(columns.conditions, clusters, 1),
        conjunction=longer(columns.conjunction, slots, room),
        dimension=longer(columns.dimension, conditions, more),
        low=longer(columns.low, conditions, more),
        high=longer(columns.high, conditions, more),
    )


def trimmed(columns: Columns) -> Columns:
    clusters, slots, conditions = columns.used.tolist()
    return columns._replace(
        **{
            name: getattr(columns, name)[:clusters] for name in ("next", "size", "count", "room", "slots", "conditions")
        },
        conjunction=columns.conjunction[:slots],
        dimension=columns.dimension[:conditions],
        low=columns.low[:conditions],
        high=columns.high[:conditions],
    )
