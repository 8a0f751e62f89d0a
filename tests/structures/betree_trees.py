"""A BE-Tree's arrays as nested nodes to compare, and a walk through them that checks what must hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tests.structures.cases import Workbench

from watchword.structures.betree import blocks
from watchword.structures.betree import tree as t
from watchword.structures.betree.conditions import interval
from watchword.structures.betree.directory import find
from watchword.structures.betree.lanes import LANES
from watchword.structures.betree.structure import BETree


@dataclass
class Node:
    """A c-node: the members of its l-node, the halves of its bucket, its p-nodes by dimension."""

    members: set[int]
    left: Node | None = None
    right: Node | None = None
    partitions: dict[Any, Node] = field(default_factory=dict)


def members(structure: BETree, c: int) -> Iterator[int]:
    member = int(structure.tree.node[c, t.HEAD])
    while member != t.NONE:
        yield member
        member = int(structure.tree.after[member])


def partitions(structure: BETree, c: int) -> dict[int, int]:
    """Dimension -> topmost c-node."""
    begin, slots = structure.tree.node[c, [t.DIRECTORY, t.SLOTS]]
    table = structure.tree.directory[begin : begin + slots]
    return {int(d): int(top) for d, top in table if d != t.NONE}


def dimension_of(bench: Workbench, name: str) -> int:
    return int(bench.coding.book.plain[list(bench.coding.names).index(name)])


def outline(structure: BETree, bench: Workbench, c: int = t.ROOT) -> Node:
    names = {dimension_of(bench, name): name for name in bench.coding.names}
    row = structure.tree.node[c]
    left, right = (None if row[s] == t.NONE else outline(structure, bench, int(row[s])) for s in (t.LEFT, t.RIGHT))
    below = {names[d]: outline(structure, bench, top) for d, top in partitions(structure, c).items()}
    return Node(set(members(structure, c)), left, right, below)


def check_tree(structure: BETree) -> None:
    """All that must hold, of every node that the root leads to; and nothing else is in use."""
    seen: list[int] = []
    size, gain = _check_node(structure, t.ROOT, {}, seen)
    tree = structure.tree
    assert sorted(seen) == np.flatnonzero(tree.node[: tree.used[t.NODES_USED], t.COUNT] != t.NONE).tolist()
    assert len(seen) == tree.used[t.NODES_LIVE]
    sizes = tree.partition[: tree.used[t.PARTITIONS_USED], t.SIZE]
    assert (sizes != t.NONE).sum() == tree.used[t.PARTITIONS_LIVE]
    assert size == (tree.home != t.NONE).sum()
    assert gain >= 0
    assert tree.used[t.STALE] == 0
    lost = tree.used[t.WORDS_USED] - sum(_block_words(structure, c) for c in seen)
    assert lost == tree.used[t.WORDS_LOST]


def _check_node(structure: BETree, c: int, key: dict[int, tuple[int, int]], seen: list[int]) -> tuple[int, int]:
    """How many members are at or below it, and how many predicates their keys cover."""
    tree, conjunctions = structure.tree, structure.stored.conjunctions
    row = tree.node[c]
    seen.append(c)
    here = list(members(structure, c))
    assert len(here) == row[t.COUNT] <= row[t.CAPACITY]
    assert row[t.CAPACITY] % structure.rules.max_cap == 0
    assert all(tree.home[member] == c for member in here)
    assert sorted(here) == sorted(_in_blocks(structure, c))
    for member in here:
        for d, (low, high) in key.items():
            first, last = interval(conjunctions, member, d)
            assert low <= first <= last <= high
    below = partitions(structure, c)
    assert len(below) == row[t.PARTITIONS]
    assert not set(below) & set(key), "a dimension comes twice on the path"
    halves = [int(row[side]) for side in (t.LEFT, t.RIGHT) if row[side] != t.NONE]
    if c != t.ROOT and not here and not below:
        assert halves, "an empty node"
    size, gain = len(here), len(here) * len(key)
    for d, top in below.items():
        assert find(tree.directory, row[t.DIRECTORY], row[t.SLOTS], d) == top
        p = tree.node[top, t.PARTITION]
        assert tuple(tree.partition[p, :3]) == (d, top, c)
        whole = (1, int(structure.codes[d]) - 1)
        assert tuple(tree.node[top, [t.LOW, t.HIGH]]) == whole
        inside = _check_node(structure, top, {**key, d: whole}, seen)
        assert inside == (tree.partition[p, t.SIZE], tree.rank[p, t.GAIN])
        size, gain = size + inside[0], gain + inside[1]
    if c != t.ROOT:
        d, low, high = (int(number) for number in row[[t.DIMENSION, t.LOW, t.HIGH]])
        middle = (low + high) // 2
        for half in halves:
            bounds = (low, middle) if half == row[t.LEFT] else (middle + 1, high)
            assert tuple(tree.node[half, [t.DIMENSION, t.LOW, t.HIGH]]) == (d, *bounds)
            assert tree.node[half, t.UP] == c
            inside = _check_node(structure, half, {**key, d: bounds}, seen)
            size, gain = size + inside[0], gain + inside[1]
        at_home = [*here, *(member for top in below.values() for member in _all_members(structure, top))]
        if halves or below:
            _check_smallest(structure, at_home, d, low, middle, high)
        for member in _all_members(structure, c):
            first, last = interval(conjunctions, member, d)
            assert row[t.LEAST] <= first <= last <= row[t.MOST]
    return size, gain


def _check_smallest(structure: BETree, at_home: list[int], d: int, low: int, middle: int, high: int) -> None:
    """No half of a bucket that was cut encloses those that stayed."""
    for member in at_home:
        first, last = interval(structure.stored.conjunctions, member, d)
        assert low == high or first <= middle < last


def _all_members(structure: BETree, c: int) -> Iterator[int]:
    yield from members(structure, c)
    row = structure.tree.node[c]
    for below in (row[t.LEFT], row[t.RIGHT], *partitions(structure, c).values()):
        if below != t.NONE:
            yield from _all_members(structure, int(below))


def _blocks(structure: BETree, c: int) -> Iterator[Any]:
    """The words of each block of an l-node, and of all behind it."""
    assert structure.tree.unpacked[c] == 0
    block = structure.tree.node[c, t.BLOCK]
    while block != t.NONE:
        yield structure.tree.words[block:]
        block = structure.tree.words[block + blocks.NEXT]


def _in_blocks(structure: BETree, c: int) -> Iterator[int]:
    for number, words in enumerate(_blocks(structure, c)):
        size = int(words[blocks.MEMBERS])
        assert size == LANES or number == 0, "only the first block is not full"
        at = blocks.HEADER + words[blocks.BLOCK_COLUMNS] + words[blocks.LISTS] + size
        yield from (int(word) for word in words[at : at + size])


def _block_words(structure: BETree, c: int) -> int:
    return sum(
        int(blocks.block_words(*words[[blocks.MEMBERS, blocks.BLOCK_COLUMNS, blocks.LISTS]]))
        for words in _blocks(structure, c)
    )


def conditions_in_blocks(structure: BETree, c: int) -> int:
    """How many conditions the blocks of an l-node hold: those that its key does not imply."""
    count = 0
    for words in _blocks(structure, c):
        dimensions = words[blocks.HEADER :][: words[blocks.BLOCK_COLUMNS] + words[blocks.LISTS]]
        count += int(((dimensions >> blocks.BESIDE) + 1).sum())
    return count
