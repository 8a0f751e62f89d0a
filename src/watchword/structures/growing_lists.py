"""Many lists of rows in one pool, each with room to grow: buckets, and the lists of an attribute's constraints.

    list l:  start[l] --> front: | c . . . | c . . . |  room  |     the rows of a list stand side by side;
             size[l]      back:  | . . . . | . . . . |        |     row r is front[r] and back[r]
             room[l]

`front` has what is read of every row, its column 0 the conjunction; `back` what is read of few.

Invariant: the rows of a list are start .. start + size, and room for others begins at start + room; `used` is the end
of all rooms. Cost: a list that has no more room moves to the end of the pool and gets half as much again as it needs,
so that adding a row costs O(1) on average. A list that had no rows gets what it needs: nothing is wasted by a build.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64
from watchword.kernel import lean

Mask = npt.NDArray[np.bool_]


class Lists(NamedTuple):
    start: I64
    size: I32
    room: I32
    front: I32  # rows x columns
    back: I32
    used: int


def new_lists(lists: int, front: int, back: int) -> Lists:
    """Empty lists, whose rows have so many columns."""
    return Lists(
        np.zeros(lists, np.int64),
        np.zeros(lists, np.int32),
        np.zeros(lists, np.int32),
        np.empty((0, front), np.int32),
        np.empty((0, back), np.int32),
        0,
    )


def trimmed(lists: Lists, count: int) -> Lists:
    """The first `count` lists, without the room behind what is used."""
    used = slice(lists.used)
    return Lists(
        lists.start[:count], lists.size[:count], lists.room[:count], lists.front[used], lists.back[used], lists.used
    )


def with_lists(lists: Lists, count: int) -> Lists:
    """At least `count` lists: the new ones are empty."""
    known = len(lists.start)
    if count <= known:
        return lists
    start, size, room = (_larger(array, known, count) for array in lists[:3])
    start[known:], size[known:], room[known:] = 0, 0, 0
    return lists._replace(start=start, size=size, room=room)


def with_room(lists: Lists, touched: I64, more: npt.NDArray[np.integer]) -> Lists:
    """Room for so many more rows in each of the lists `touched`, which are different ones."""
    size, room = lists.size[touched].astype(np.int64), lists.room[touched]
    needed = size + more
    full = needed > room
    moving, needed = touched[full], needed[full]
    wanted = np.where(size[full] > 0, needed + (needed >> 1), needed)
    starts = lists.used + starts_of(wanted)
    end = int(starts[-1])
    front, back = (_larger(rows, lists.used, end) for rows in (lists.front, lists.back))
    _move(lists, moving, starts, front, back)
    lists.start[moving], lists.room[moving] = starts[:-1], wanted
    return lists._replace(front=front, back=back, used=end)


def _larger(array: npt.NDArray[np.integer], used: int, needed: int) -> npt.NDArray[np.integer]:
    """The array, or a copy of what is used of it with room to grow."""
    if needed <= len(array):
        return array
    grown = np.empty((max(needed, len(array) + (len(array) >> 1)), *array.shape[1:]), array.dtype)
    grown[:used] = array[:used]
    return grown


@lean
def _move(lists: Lists, moving: I64, starts: I64, front: I32, back: I32) -> None:
    for i in range(len(moving)):
        first = lists.start[moving[i]]
        for r in range(lists.size[moving[i]]):
            for column in range(front.shape[1]):
                front[starts[i] + r, column] = front[first + r, column]
            for column in range(back.shape[1]):
                back[starts[i] + r, column] = back[first + r, column]


@lean
def add_rows(lists: Lists, list_of: I64, front: I32, back: I32) -> None:
    """Row i goes behind the rows of list_of[i], where there is room."""
    for i in range(len(list_of)):
        row = lists.start[list_of[i]] + lists.size[list_of[i]]
        lists.size[list_of[i]] += 1
        for column in range(front.shape[1]):
            lists.front[row, column] = front[i, column]
        for column in range(back.shape[1]):
            lists.back[row, column] = back[i, column]


@lean
def drop_rows(lists: Lists, touched: I64, going: Mask) -> None:
    """Take the rows of the conjunctions that go out of these lists. The others keep their order."""
    for i in range(len(touched)):
        first = lists.start[touched[i]]
        kept = first
        for row in range(first, first + lists.size[touched[i]]):
            if going[lists.front[row, 0]]:
                continue
            for column in range(lists.front.shape[1]):
                lists.front[kept, column] = lists.front[row, column]
            for column in range(lists.back.shape[1]):
                lists.back[kept, column] = lists.back[row, column]
            kept += 1
        lists.size[touched[i]] = kept - first


def going_of(conjunctions: I64, count: int) -> Mask:
    """Conjunction -> does it go?"""
    going = np.zeros(count, bool)
    going[conjunctions] = True
    return going
