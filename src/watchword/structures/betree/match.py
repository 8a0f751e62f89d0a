"""Matching: the l-nodes whose keys an event meets (algorithms 1 and 2), then their members, block by block."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.kernel import inlined, lean, prefetch
from watchword.structures.betree.blocks import (
    BESIDE,
    BLOCK_COLUMNS,
    CAREFUL,
    DIMENSION_MASK,
    FIRST_LANE,
    HEADER,
    ITEM,
    LISTS,
    MEMBERS,
    NEXT,
    UNSURE,
)
from watchword.structures.betree.directory import find
from watchword.structures.betree.lanes import within
from watchword.structures.betree.tree import (
    BLOCK,
    COLUMNS,
    DIMENSION,
    DIRECTORY,
    HIGH,
    LEAST,
    LEFT,
    LOW,
    MOST,
    NONE,
    RIGHT,
    ROOT,
    SLOTS,
    Tree,
)
from watchword.structures.conjunctive import State, Subjects, accept_carefully, enter, leave
from watchword.structures.structure import BUCKETS, CANDIDATES, NODES, PREDICATES, U32

FEW_SLOTS: Final = 32  # a p-directory of no more slots is read through; a larger one is asked for each value
NODES_AHEAD: Final = 6
BLOCKS_AHEAD: Final = 6
LINE: Final = 16  # words of memory that come together


class Paths(NamedTuple):
    """The scratch of one run."""

    open_nodes: I32  # c-nodes to visit; also those visited
    blocks: I32  # the first block of each l-node met, then those behind them
    least: I32  # dimension -> the smallest and largest code, of an event with several on some dimension
    most: I32


@lean
def match_events(
    tree: Tree, subjects: Subjects, events: CodedEvents, first: int, starts: I64, out: U32, state: State, paths: Paths
) -> int:
    counts = state.counts
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + subjects.count > len(out):
            return e
        many = enter(state, events, e)
        candidates = counts[CANDIDATES]
        if many:
            set_bounds(paths, events, e)
            blocks = find_blocks(tree, events, e, paths.least, paths.most, paths, counts)
            members, n = _accept_all(tree, subjects, state, out, n, paths.blocks, blocks)
            forget_bounds(paths, events, e)
        else:
            blocks = find_blocks(tree, events, e, state.value, state.value, paths, counts)
            members, n = _accept_those_that_hold(tree, subjects, state, out, n, paths.blocks, blocks)
        leave(state, events, e, many)
        counts[CANDIDATES] = candidates + members
        counts[BUCKETS] += blocks
        starts[e + 1] = n
    return len(events.starts) - 1


@lean
def set_bounds(paths: Paths, events: CodedEvents, e: int) -> None:
    for i in range(events.starts[e], events.starts[e + 1]):
        d, code = events.dimension[i], events.code[i]
        if code != 0:
            paths.least[d] = code if paths.least[d] == 0 else min(paths.least[d], code)
            paths.most[d] = max(paths.most[d], code)


@lean
def forget_bounds(paths: Paths, events: CodedEvents, e: int) -> None:
    for i in range(events.starts[e], events.starts[e + 1]):
        paths.least[events.dimension[i]], paths.most[events.dimension[i]] = 0, 0


@lean
def find_blocks(tree: Tree, events: CodedEvents, e: int, least: I32, most: I32, paths: Paths, counts: I64) -> int:
    """Collect the first blocks of the l-nodes whose keys the event meets; how many.

    The c-nodes are visited in the order in which they are met, so memory can be asked for the next ones.
    """
    node, directory, words, open_nodes = tree.node, tree.directory, tree.words, paths.open_nodes
    begin, end = events.starts[e], events.starts[e + 1]
    open_nodes[0] = ROOT
    met, blocks, at = 1, 0, 0
    while at < met:
        c = open_nodes[at]
        at += 1
        if at + NODES_AHEAD < met:
            prefetch(node, open_nodes[at + NODES_AHEAD] * COLUMNS)
        d = node[c, DIMENSION]
        if d != NONE:
            if most[d] < node[c, LEAST] or least[d] > node[c, MOST]:
                continue
            middle = (node[c, LOW] + node[c, HIGH]) >> 1
            if node[c, LEFT] != NONE and least[d] <= middle:
                open_nodes[met] = node[c, LEFT]
                met += 1
            if node[c, RIGHT] != NONE and most[d] > middle:
                open_nodes[met] = node[c, RIGHT]
                met += 1
        if node[c, BLOCK] != NONE:
            paths.blocks[blocks] = node[c, BLOCK]
            prefetch(words, node[c, BLOCK])
            blocks += 1
        slots, table = node[c, SLOTS], node[c, DIRECTORY]
        if slots == 0:
            continue
        if slots <= FEW_SLOTS:
            for slot in range(table, table + slots):
                of = directory[slot, 0]
                if of != NONE and least[of] != 0:
                    open_nodes[met] = directory[slot, 1]
                    met += 1
        else:
            before = NONE
            for i in range(begin, end):
                of = events.dimension[i]
                if of == before or events.code[i] == 0:
                    continue  # another code of the same dimension, or a value that a later one replaced
                before = of
                top = find(directory, table, slots, of)
                if top != NONE:
                    open_nodes[met] = top
                    met += 1
    counts[NODES] += met
    return blocks


@lean
def _accept_those_that_hold(
    tree: Tree, subjects: Subjects, state: State, out: U32, n: int, blocks: I32, count: int
) -> tuple[int, int]:
    """Evaluate all members of these l-nodes; how many there were, and where the next expression goes."""
    words, lanes, value = tree.words, tree.lanes, state.value
    candidates, predicates, asked, i = 0, 0, 0, 0
    while i < count:
        while asked < count and asked < i + BLOCKS_AHEAD:
            after = _ask_for(words, lanes, blocks[asked])
            if after != NONE:
                blocks[count] = after
                count += 1
            asked += 1
        block = blocks[i]
        i += 1
        size = int(words[block + MEMBERS])
        lists = block + HEADER + words[block + BLOCK_COLUMNS]
        members = lists + words[block + LISTS]
        lane = words[block + FIRST_LANE]
        alive = (1 << size) - 1
        candidates += size
        for column in range(block + HEADER, lists):
            word = words[column]
            predicates += (word >> BESIDE) + 1
            alive &= within(lanes, lane, lane + size, value[word & DIMENSION_MASK])
            lane += 2 * size
            if alive == 0:
                break
        if alive != 0:
            for item in range(lists, members):
                word = words[item]
                predicates += (word >> BESIDE) + 1
                code = value[word & DIMENSION_MASK]
                for _ in range((word >> BESIDE) + 1):
                    if code < lanes[lane + 1] or code > lanes[lane + 2]:
                        alive &= ~(1 << int(lanes[lane]))
                    lane += ITEM
        if alive != 0:
            if words[block + CAREFUL]:
                n = _accept_carefully(words, members, size, alive, subjects, state, out, n)
            else:
                for j in range(size):
                    out[n] = words[members + j]  # in the place of the next one unless it holds
                    n += alive >> j & 1
    state.counts[PREDICATES] += predicates
    return candidates, n


@inlined
def _ask_for(words: I32, lanes: Any, block: int) -> int:
    """Have memory bring all of a block; the one after it, whose header is asked for too."""
    after = words[block + NEXT]
    if after != NONE:
        prefetch(words, after)
    columns, lists = words[block + BLOCK_COLUMNS], words[block + LISTS]
    for word in range(LINE, HEADER + columns + lists + words[block + MEMBERS], LINE):
        prefetch(words, block + word)
    lane = words[block + FIRST_LANE]
    last = lane + 2 * columns * words[block + MEMBERS] + 2 * ITEM * lists
    for code in range(lane, last, LINE * 4 // lanes.itemsize):
        prefetch(lanes, code)
    return after


@lean
def _accept_carefully(
    words: I32, members: int, size: int, alive: int, subjects: Subjects, state: State, out: U32, n: int
) -> int:
    for j in range(size):
        if alive >> j & 1:
            if words[members + j] >= 0:
                out[n] = words[members + j]
                n += 1
            else:
                verify = words[members + j] == UNSURE
                n = accept_carefully(subjects, state, out, n, words[members + size + j], verify)
    return n


@lean
def _accept_all(
    tree: Tree, subjects: Subjects, state: State, out: U32, n: int, blocks: I32, count: int
) -> tuple[int, int]:
    """Verify all members of these l-nodes, for an event with several codes on a dimension."""
    words, candidates = tree.words, 0
    for i in range(count):
        block = blocks[i]
        while block != NONE:
            size = words[block + MEMBERS]
            conjunctions = block + HEADER + words[block + BLOCK_COLUMNS] + words[block + LISTS] + size
            for j in range(conjunctions, conjunctions + size):
                n = accept_carefully(subjects, state, out, n, words[j], True)
            candidates += size
            block = words[block + NEXT]
    return candidates, n
