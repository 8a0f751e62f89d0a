"""The l-nodes packed for matching: blocks of up to 32 members, evaluated side by side.

    l-node --BLOCK--> block --NEXT--> block ...          all but the first are full

    block at words[b]:  next, members, columns, lists, where its lanes begin, any careful?
                        columns:  a dimension each, that many members have; in `lanes` their lows, then their highs
                                  (0 and the type's largest code for members that do not have it)
                        lists:    a dimension each, that few members have; in `lanes` (member, low, high) of each
                        members:  expression, or where only `accept` can tell FLAGGED or UNSURE
                        members:  conjunction

A dimension's word has in its upper bits how many members have it, less one. A condition that the key implies is left
out: the paper calls it subsumed. The others come dimension by dimension, those of most members first, so that memory
is read in one direction and a column of 32 members takes one comparison.

A block that changes is written anew behind the last one; when half of the words are lost, all are written anew.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from watchword.kernel import inlined, lean
from watchword.structures.betree.conditions import interval_at, is_unsure
from watchword.structures.betree.lanes import LANES
from watchword.structures.betree.tree import (
    BLOCK,
    COUNT,
    DIMENSION,
    DIRECTORY,
    ENOUGH,
    HEAD,
    HIGH,
    LANES_USED,
    LEFT,
    LOW,
    NONE,
    OWNER,
    PACKED,
    PARTITION,
    RIGHT,
    ROOT,
    SLOTS,
    STALE,
    STAMP,
    WORDS_LOST,
    WORDS_USED,
    Tree,
    Work,
    grown,
)
from watchword.structures.conjunctions import Conjunctions

# The words at the beginning of a block.
NEXT: Final = 0
MEMBERS: Final = 1
BLOCK_COLUMNS: Final = 2
LISTS: Final = 3
FIRST_LANE: Final = 4
CAREFUL: Final = 5
HEADER: Final = 6

BESIDE: Final = 26  # above this bit: members that have the dimension, less one
DIMENSION_MASK: Final = (1 << BESIDE) - 1
ITEM: Final = 3  # codes of a list's item
FULL_ENOUGH: Final = 6  # a column where at least one in so many members has the dimension

# In place of an expression.
FLAGGED: Final = -1  # the conjunction has flags
UNSURE: Final = -2  # its intervals do not say all


@inlined
def block_words(members: int, columns: int, lists: int) -> int:
    return HEADER + columns + lists + 2 * members


@lean
def drop_partial_block(tree: Tree, c: int) -> None:
    """Before a member comes: the first block is unpacked again unless it is full."""
    block = tree.node[c, BLOCK]
    if block != NONE and tree.words[block + MEMBERS] < LANES:
        tree.unpacked[c] += tree.words[block + MEMBERS]
        tree.node[c, BLOCK] = tree.words[block + NEXT]
        _lose(tree, block)


@lean
def drop_blocks(tree: Tree, c: int) -> None:
    block = tree.node[c, BLOCK]
    while block != NONE:
        _lose(tree, block)
        block = tree.words[block + NEXT]
    tree.node[c, BLOCK] = NONE
    tree.unpacked[c] = tree.node[c, COUNT]


@lean
def _lose(tree: Tree, block: int) -> None:
    words = tree.words
    tree.used[WORDS_LOST] += block_words(words[block + MEMBERS], words[block + BLOCK_COLUMNS], words[block + LISTS])


def pack(tree: Tree, conjunctions: Conjunctions, work: Work, *, everything: bool = False) -> Tree:
    """Pack what has changed: the tree, in larger arrays where they had to grow."""
    if everything or 2 * tree.used[WORDS_LOST] > tree.used[WORDS_USED]:
        _forget_blocks(tree, work.stack if len(work.stack) >= len(tree.node) else np.zeros(len(tree.node), np.int32))
    largest = int(np.iinfo(tree.lanes.dtype).max)
    while _pack_stale(tree, conjunctions, work, largest) != ENOUGH:
        tree = tree._replace(words=grown(tree.words, 2 * len(tree.words)), lanes=grown(tree.lanes, 2 * len(tree.lanes)))
    return tree


@lean
def _forget_blocks(tree: Tree, stack: Any) -> None:
    """All l-nodes are stale, in an order such that those of neighbours become neighbours."""
    used = tree.used
    used[WORDS_USED], used[WORDS_LOST], used[LANES_USED] = 0, 0, 0
    for i in range(used[STALE]):
        tree.queued[tree.stale[i]] = 0
    used[STALE] = 0
    stack[0] = ROOT
    depth = 1
    while depth > 0:
        depth -= 1
        c = stack[depth]
        tree.node[c, BLOCK], tree.unpacked[c] = NONE, tree.node[c, COUNT]
        tree.queued[c] = 1
        tree.stale[used[STALE]] = c
        used[STALE] += 1
        for half in (tree.node[c, LEFT], tree.node[c, RIGHT]):
            if half != NONE:
                stack[depth] = half
                depth += 1
        for at in range(tree.node[c, SLOTS]):
            slot = tree.node[c, DIRECTORY] + at
            if tree.directory[slot, 0] != NONE:
                stack[depth] = tree.directory[slot, 1]
                depth += 1


@lean
def _pack_stale(tree: Tree, conjunctions: Conjunctions, work: Work, largest: int) -> int:
    while tree.used[STALE] > 0:
        c = tree.stale[tree.used[STALE] - 1]
        if tree.node[c, COUNT] > 0 and tree.unpacked[c] > 0:
            mark_key(tree, work, c, 1)
            packed = _pack(tree, conjunctions, work, c, largest)
            mark_key(tree, work, c, 0)
            if not packed:
                return PACKED
        tree.used[STALE] -= 1
        tree.queued[c] = 0
    return ENOUGH


@lean
def mark_key(tree: Tree, work: Work, c: int, mark: int) -> None:
    """Set the key of the l-node where it is looked up by dimension, or (0) take it away."""
    while c != ROOT:
        d = tree.node[c, DIMENSION]
        work.key_low[d], work.key_high[d] = mark * tree.node[c, LOW], mark * tree.node[c, HIGH]
        c = tree.partition[tree.node[c, PARTITION], OWNER]


@inlined
def is_subsumed(work: Work, dimension: int, low: int, high: int) -> bool:
    """Does the key say that the condition holds? Then its bucket lies within it."""
    return work.key_low[dimension] >= low and 0 < work.key_high[dimension] <= high


@lean
def _pack(tree: Tree, conjunctions: Conjunctions, work: Work, c: int, largest: int) -> bool:
    """The unpacked members: first as many as make no full block. False if there is no room."""
    words_before, lanes_before = tree.used[WORDS_USED], tree.used[LANES_USED]
    left = tree.unpacked[c]
    member = tree.node[c, HEAD]
    while left > 0:
        size = (left - 1) % LANES + 1
        block = _write_block(tree, conjunctions, work, member, size, largest)
        if block == NONE:
            tree.used[WORDS_USED], tree.used[LANES_USED] = words_before, lanes_before
            return False
        left -= size
        tree.words[block + NEXT] = tree.used[WORDS_USED] if left > 0 else tree.node[c, BLOCK]
        for _ in range(size):
            member = tree.after[member]
    tree.unpacked[c] = 0
    tree.node[c, BLOCK] = words_before
    return True


@lean
def _write_block(tree: Tree, conjunctions: Conjunctions, work: Work, first: int, size: int, largest: int) -> int:
    """The block of so many members from the first one on; NONE if there is no room."""
    touched, conditions = _count_conditions(tree, conjunctions, work, first, size)
    columns, in_columns = _choose_columns(work, touched, size)
    begin, lanes_begin = tree.used[WORDS_USED], tree.used[LANES_USED]
    words_end = begin + block_words(size, columns, touched - columns)
    lanes_end = lanes_begin + 2 * size * columns + ITEM * (conditions - in_columns)
    if words_end > len(tree.words) or lanes_end + LANES > len(tree.lanes):
        begin = NONE
    else:
        words = tree.words
        words[begin + MEMBERS], words[begin + BLOCK_COLUMNS], words[begin + LISTS] = size, columns, touched - columns
        words[begin + FIRST_LANE], words[begin + CAREFUL] = lanes_begin, 0
        _write_dimensions(tree, work, begin + HEADER, columns, touched, size, largest)
        _write_members(tree, conjunctions, work, first, begin)
        tree.used[WORDS_USED], tree.used[LANES_USED] = words_end, lanes_end
    for i in range(touched):
        work.count[work.touched[i]] = 0
    return begin


@lean
def _count_conditions(tree: Tree, conjunctions: Conjunctions, work: Work, first: int, size: int) -> tuple[int, int]:
    """How many dimensions the members have beside their key, and how many conditions."""
    touched, conditions = 0, 0
    member = first
    for _ in range(size):
        work.state[STAMP] += 1
        for i in range(conjunctions.starts[member], conjunctions.starts[member + 1]):
            d = conjunctions.dimension[i]
            if work.seen[d] == work.state[STAMP]:
                continue
            work.seen[d] = work.state[STAMP]
            if work.key_high[d] > 0:
                low, high = interval_at(conjunctions, member, i)
                if is_subsumed(work, d, low, high):
                    continue
            conditions += 1
            if work.count[d] == 0:
                work.touched[touched] = d
                touched += 1
            work.count[d] += 1
        member = tree.after[member]
    return touched, conditions


@inlined
def _is_column(work: Work, dimension: int, size: int) -> bool:
    return FULL_ENOUGH * work.count[dimension] >= size


@lean
def _choose_columns(work: Work, touched: int, size: int) -> tuple[int, int]:
    """Columns come first among the touched, by falling count. How many, and how many conditions they hold."""
    columns, inside = 0, 0
    for i in range(touched):
        d = work.touched[i]
        if _is_column(work, d, size):
            at = columns
            work.touched[i] = work.touched[columns]
            while at > 0 and work.count[work.touched[at - 1]] < work.count[d]:
                work.touched[at] = work.touched[at - 1]
                at -= 1
            work.touched[at] = d
            columns += 1
            inside += work.count[d]
    return columns, inside


@lean
def _write_dimensions(tree: Tree, work: Work, at: int, columns: int, touched: int, size: int, largest: int) -> None:
    """Their words, columns that hold for everyone, and room for the lists; `begin` says where each one's lanes are."""
    lane = tree.used[LANES_USED]
    for i in range(touched):
        d = work.touched[i]
        tree.words[at + i] = d | (work.count[d] - 1) << BESIDE
        work.begin[d] = lane
        if i < columns:
            for j in range(lane, lane + size):
                tree.lanes[j] = 0
                tree.lanes[j + size] = largest
            lane += 2 * size
        else:
            lane += ITEM * work.count[d]


@lean
def _write_members(tree: Tree, conjunctions: Conjunctions, work: Work, first: int, begin: int) -> None:
    words, lanes = tree.words, tree.lanes
    size = words[begin + MEMBERS]
    members = begin + HEADER + words[begin + BLOCK_COLUMNS] + words[begin + LISTS]
    member = first
    for lane in range(size):
        work.state[STAMP] += 1
        for i in range(conjunctions.starts[member], conjunctions.starts[member + 1]):
            d = conjunctions.dimension[i]
            if work.seen[d] == work.state[STAMP]:
                continue
            work.seen[d] = work.state[STAMP]
            low, high = interval_at(conjunctions, member, i)
            if is_subsumed(work, d, low, high):
                continue
            at = work.begin[d]
            if _is_column(work, d, size):
                lanes[at + lane], lanes[at + size + lane] = low, high
            else:
                lanes[at], lanes[at + 1], lanes[at + 2] = lane, low, high
                work.begin[d] += ITEM
        answer = conjunctions.expression[member]
        if is_unsure(conjunctions, member):
            answer = UNSURE
        elif conjunctions.flags[member] != 0:
            answer = FLAGGED
        words[members + lane], words[members + size + lane] = answer, member
        if answer < 0:
            words[begin + CAREFUL] = 1
        member = tree.after[member]
