"""Inverted lists: for every (attribute, value), and partition of the conjunctions, the conjunctions that ask for it.

    dimension d, code v --> token[d] + v --> row of the directory --partition--> list l
    list l:  entry[start[l] : start[l] + length[l]], with room for room[l]

    entry:   conjunction << 1 | 1 where the list's code makes a condition true, conjunction << 1 where it breaks one

Invariant: the entries of a list ascend, and a conjunction stands in it at most once. Cost: one entry per code that a
condition is true of (a range costs its width), 16 bytes per list, and 4 per token and partition. A new conjunction is
the last of all, so it goes to the end of its lists; a full list moves to the end of `entry` with twice the room.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.coded import Conditions
from watchword.coding.encode import CodedEvents
from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean, prefetch
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.expressions import longer
from watchword.structures.inverted.choose import EXCLUDED, INCLUDED, LEFT_OUT, run, runs, width
from watchword.structures.structure import U32

SIZES: Final = 256  # a size is a byte
LIST_BYTES: Final = 16
FIRST_ROOM: Final = 4

LISTS: Final = 0  # places in `used`
ENTRIES: Final = 1


class Lists(NamedTuple):
    codes: I64  # dimension -> how many
    token: I64  # dimension -> its first token; behind the last one, the token of conjunctions of size 0
    partition: I32  # size -> its partition, -1
    directory: I32  # token * partitions + partition -> list, -1
    start: I64
    length: I32
    room: I32
    entry: U32
    used: I64  # LISTS, ENTRIES


class Indexed(NamedTuple):
    """What is enumerated of the conjunctions."""

    use: U8  # condition -> LEFT_OUT, INCLUDED, EXCLUDED
    size: U8  # conjunction -> its INCLUDED conditions


@lean
def count_entries(c: Conjunctions, sets: Conditions, codes: I64, indexed: Indexed, first: int, last: int) -> int:
    total = last - first  # each may be of size 0
    for i in range(c.starts[first], c.starts[last]):
        if indexed.use[i] == INCLUDED:
            total += width(c, sets, i)
        elif indexed.use[i] == EXCLUDED:
            total += codes[c.dimension[i]] - 1 - width(c, sets, i)
    return total


def partitions_of(lists: Lists) -> int:
    return int(lists.partition.max(initial=0)) + 1


def partition_by(size: U8, sized: bool) -> I32:
    """A partition for each size that occurs; the same for all sizes if not `sized`."""
    partition = np.full(SIZES, -1 if sized else 0, np.int32)
    if sized:
        occurring = np.unique(size)
        partition[occurring] = np.arange(len(occurring))
    return partition


def build_lists(c: Conjunctions, sets: Conditions, codes: I64, indexed: Indexed, partition: I32) -> Lists:
    """All lists as long as they must be, and nothing between them."""
    token = starts_of(codes)
    partitions = int(partition.max(initial=0)) + 1
    change = np.zeros((int(token[-1]) + 2) * partitions, np.int32)
    _count_changes(c, sets, codes, token, indexed, partition, partitions, change)
    lengths = change.reshape(-1, partitions)
    np.cumsum(lengths, axis=0, out=lengths)
    wanted = change[:-partitions] > 0
    directory = np.where(wanted, np.cumsum(wanted, dtype=np.int32) - np.int32(1), np.int32(-1))
    room = change[:-partitions][wanted]
    starts = starts_of(room)
    entries, used = np.empty(int(starts[-1]), np.uint32), np.array([len(room), starts[-1]])
    lists = Lists(codes, token, partition, directory, starts[:-1], np.zeros_like(room), room, entries, used)
    add(c, sets, indexed, lists, partitions, 0, len(indexed.size), True)
    return lists


@lean
def _count_changes(
    c: Conjunctions,
    sets: Conditions,
    codes: I64,
    token: I64,
    indexed: Indexed,
    partition: I32,
    partitions: int,
    change: I32,
) -> None:
    """Where the lists of neighbouring tokens grow longer and shorter: their sums are the lengths."""
    for conjunction in range(len(indexed.size)):
        p = partition[indexed.size[conjunction]]
        if indexed.size[conjunction] == 0:
            change[token[-1] * partitions + p] += 1
            change[(token[-1] + 1) * partitions + p] -= 1
        for i in range(c.starts[conjunction], c.starts[conjunction + 1]):
            base = token[c.dimension[i]]
            for k in range(runs(c, sets, i, indexed.use[i])):
                low, high = run(c, sets, codes, i, indexed.use[i], k)
                if low <= high:
                    change[(base + low) * partitions + p] += 1
                    change[(base + high + 1) * partitions + p] -= 1


@lean
def add(
    c: Conjunctions,
    sets: Conditions,
    indexed: Indexed,
    lists: Lists,
    partitions: int,
    first: int,
    last: int,
    has_room: bool,
) -> int:
    """Enter conjunctions first .. last - 1; the one for which there was no room, or `last`."""
    for conjunction in range(first, last):
        p = lists.partition[indexed.size[conjunction]]
        if not has_room:
            new, more = needed(c, sets, indexed, lists, partitions, conjunction)
            if lists.used[LISTS] + new > len(lists.start) or lists.used[ENTRIES] + more > len(lists.entry):
                return conjunction
        if indexed.size[conjunction] == 0:
            _push(lists, lists.token[-1] * partitions + p, conjunction << 1 | 1)
        for i in range(c.starts[conjunction], c.starts[conjunction + 1]):
            use = indexed.use[i]
            entry = conjunction << 1 | (1 if use == INCLUDED else 0)
            base = lists.token[c.dimension[i]]
            for k in range(runs(c, sets, i, use)):
                low, high = run(c, sets, lists.codes, i, use, k)
                for t in range(base + low, base + high + 1):
                    _push(lists, t * partitions + p, entry)
    return last


@lean
def _push(lists: Lists, row: int, entry: int) -> None:
    number = np.int64(lists.directory[row])
    if number < 0:
        number = lists.used[LISTS]
        lists.used[LISTS] += 1
        lists.directory[row] = number
        lists.start[number], lists.length[number] = lists.used[ENTRIES], 0
        lists.room[number] = FIRST_ROOM
        lists.used[ENTRIES] += FIRST_ROOM
    length = lists.length[number]
    if length == lists.room[number]:
        old, new = lists.start[number], lists.used[ENTRIES]
        for j in range(length):
            lists.entry[new + j] = lists.entry[old + j]
        lists.start[number], lists.room[number] = new, 2 * length
        lists.used[ENTRIES] += 2 * length
    lists.entry[lists.start[number] + length] = entry
    lists.length[number] = length + 1


@lean
def needed(
    c: Conjunctions, sets: Conditions, indexed: Indexed, lists: Lists, partitions: int, conjunction: int
) -> tuple[int, int]:
    """How many lists and entries at most the conjunction takes."""
    p = lists.partition[indexed.size[conjunction]]
    last = lists.directory[lists.token[-1] * partitions + p]
    new, more = 1, FIRST_ROOM if last < 0 else 2 * np.int64(lists.length[last])
    for i in range(c.starts[conjunction], c.starts[conjunction + 1]):
        base = lists.token[c.dimension[i]]
        for k in range(runs(c, sets, i, indexed.use[i])):
            low, high = run(c, sets, lists.codes, i, indexed.use[i], k)
            for t in range(base + low, base + high + 1):
                number = lists.directory[t * partitions + p]
                if number < 0:
                    new += 1
                    more += FIRST_ROOM
                elif lists.length[number] == lists.room[number]:
                    more += 2 * np.int64(lists.length[number])
    return new, more


@lean
def ask_ahead(lists: Lists, partitions: int, events: CodedEvents, e: int) -> None:
    """Ask memory for all lists of the event together: each is a chain of three places."""
    first, last = events.starts[e], events.starts[e + 1]
    for i in range(first, last):
        prefetch(lists.directory, (lists.token[events.dimension[i]] + events.code[i]) * partitions)
    for i in range(first, last):
        row = (lists.token[events.dimension[i]] + events.code[i]) * partitions
        for p in range(partitions):
            number = np.int64(lists.directory[row + p])
            if number >= 0:
                prefetch(lists.start, number)
                prefetch(lists.length, number)
    for i in range(first, last):
        row = (lists.token[events.dimension[i]] + events.code[i]) * partitions
        for p in range(partitions):
            number = np.int64(lists.directory[row + p])
            if number >= 0:
                prefetch(lists.entry, lists.start[number])


@lean
def remove(
    c: Conjunctions, sets: Conditions, indexed: Indexed, lists: Lists, partitions: int, conjunctions: I64
) -> None:
    for conjunction in conjunctions:
        p = lists.partition[indexed.size[conjunction]]
        if indexed.size[conjunction] == 0:
            _take_out(lists, lists.token[-1] * partitions + p, conjunction)
        for i in range(c.starts[conjunction], c.starts[conjunction + 1]):
            if indexed.use[i] == LEFT_OUT:
                continue
            base = lists.token[c.dimension[i]]
            for k in range(runs(c, sets, i, indexed.use[i])):
                low, high = run(c, sets, lists.codes, i, indexed.use[i], k)
                for t in range(base + low, base + high + 1):
                    _take_out(lists, t * partitions + p, conjunction)


@lean
def _take_out(lists: Lists, row: int, conjunction: int) -> None:
    number = lists.directory[row]
    low = lists.start[number]
    end = low + lists.length[number]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if np.int64(lists.entry[middle]) >> 1 < conjunction:
            low = middle + 1
        else:
            high = middle
    for j in range(low, end - 1):
        lists.entry[j] = lists.entry[j + 1]
    lists.length[number] -= 1


def with_partitions(lists: Lists, size: U8) -> Lists:
    """With partitions for these sizes too."""
    missing = np.setdiff1d(size, np.flatnonzero(lists.partition >= 0))
    if len(missing) == 0:
        return lists
    old = partitions_of(lists) if (lists.partition >= 0).any() else 0
    partition = lists.partition.copy()
    partition[missing] = np.arange(old, old + len(missing))
    rows = int(lists.token[-1]) + 1
    directory = np.full((rows, old + len(missing)), -1, np.int32)
    directory[:, :old] = lists.directory.reshape(rows, -1)[:, :old]
    return lists._replace(partition=partition, directory=directory.reshape(-1))


def with_room(lists: Lists, new: int, more: int) -> Lists:
    """With room for so many lists and entries, and half as many as there are."""
    count, entries = lists.used.tolist()
    return lists._replace(
        start=longer(lists.start, count, new),
        length=longer(lists.length, count, new),
        room=longer(lists.room, count, new),
        entry=longer(lists.entry, entries, more),
    )
