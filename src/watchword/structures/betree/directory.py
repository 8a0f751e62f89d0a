"""The p-directory of a c-node: a hash table dimension -> topmost c-node of its p-node (figure 2a).

    directory[DIRECTORY .. DIRECTORY + SLOTS]: (dimension or NONE, c-node), open addressing, at most 3/4 full

Tables have a power of two of slots. A table that is too small is copied to one twice as large; free ones of each
size are chained through their first slot.
"""

from __future__ import annotations

from typing import Final

from watchword.coding.values import I32
from watchword.kernel import inlined, lean
from watchword.structures.betree.tree import (
    DIMENSION,
    DIRECTORY,
    DIRECTORY_USED,
    NONE,
    PARTITIONS,
    SLOTS,
    TABLES_FREE,
    Tree,
)

SMALLEST: Final = 4


@inlined
def slot_of(dimension: int, slots: int) -> int:
    return ((int(dimension) * 0x9E3779B1) >> 12) & (slots - 1)


@lean
def find(directory: I32, begin: int, slots: int, dimension: int) -> int:
    """The topmost c-node of the dimension's p-node, or NONE."""
    if slots == 0:
        return NONE
    at = slot_of(dimension, slots)
    while directory[begin + at, 0] != NONE:
        if directory[begin + at, 0] == dimension:
            return directory[begin + at, 1]
        at = (at + 1) & (slots - 1)
    return NONE


@lean
def has_room(tree: Tree, c: int) -> bool:
    """Could one more be added, even to a table that must grow?"""
    return tree.used[DIRECTORY_USED] + max(SMALLEST, 2 * tree.node[c, SLOTS]) <= len(tree.directory)


@lean
def add(tree: Tree, c: int, dimension: int, top: int) -> None:
    slots = tree.node[c, SLOTS]
    if 4 * (tree.node[c, PARTITIONS] + 1) > 3 * slots:
        _move(tree, c, max(SMALLEST, 2 * slots))
    _put(tree.directory, tree.node[c, DIRECTORY], tree.node[c, SLOTS], dimension, top)
    tree.node[c, PARTITIONS] += 1


@lean
def _put(directory: I32, begin: int, slots: int, dimension: int, top: int) -> None:
    at = slot_of(dimension, slots)
    while directory[begin + at, 0] != NONE:
        at = (at + 1) & (slots - 1)
    directory[begin + at, 0], directory[begin + at, 1] = dimension, top


@lean
def _move(tree: Tree, c: int, slots: int) -> None:
    directory = tree.directory
    place = TABLES_FREE + _logarithm(slots)
    begin = tree.used[place]
    if begin == NONE:
        begin = tree.used[DIRECTORY_USED]
        tree.used[DIRECTORY_USED] += slots
    else:
        tree.used[place] = directory[begin, 1]
    for at in range(begin, begin + slots):
        directory[at, 0] = NONE
    old, old_slots = tree.node[c, DIRECTORY], tree.node[c, SLOTS]
    for at in range(old, old + old_slots):
        if directory[at, 0] != NONE:
            _put(directory, begin, slots, directory[at, 0], directory[at, 1])
    drop_table(tree, c)
    tree.node[c, DIRECTORY], tree.node[c, SLOTS] = begin, slots


@lean
def drop_table(tree: Tree, c: int) -> None:
    slots = tree.node[c, SLOTS]
    if slots > 0:
        begin, place = tree.node[c, DIRECTORY], TABLES_FREE + _logarithm(slots)
        tree.directory[begin, 0], tree.directory[begin, 1] = NONE, tree.used[place]
        tree.used[place] = begin
        tree.node[c, SLOTS] = 0


@lean
def _logarithm(slots: int) -> int:
    k = 0
    while 1 << k < slots:
        k += 1
    return k


@lean
def remove(tree: Tree, c: int, dimension: int) -> None:
    """Take it out; what was pushed behind it moves back, so that no search stops too early."""
    directory, begin, slots = tree.directory, tree.node[c, DIRECTORY], tree.node[c, SLOTS]
    hole = slot_of(dimension, slots)
    while directory[begin + hole, 0] != dimension:
        hole = (hole + 1) & (slots - 1)
    at = (hole + 1) & (slots - 1)
    while directory[begin + at, 0] != NONE:
        wanted = slot_of(directory[begin + at, DIMENSION], slots)
        if (at - wanted) & (slots - 1) >= (at - hole) & (slots - 1):
            directory[begin + hole, 0] = directory[begin + at, 0]
            directory[begin + hole, 1] = directory[begin + at, 1]
            hole = at
        at = (at + 1) & (slots - 1)
    directory[begin + hole, 0] = NONE
    tree.node[c, PARTITIONS] -= 1
    if tree.node[c, PARTITIONS] == 0:
        drop_table(tree, c)
