"""Insertion: down the best p-nodes to the smallest bucket that encloses (algorithms 3 and 4), then cuts."""

from __future__ import annotations

import numpy as np

from watchword.coding.values import I32, I64
from watchword.kernel import lean
from watchword.structures.betree.conditions import interval
from watchword.structures.betree.cutting import cut, half_for, is_overflowed, push
from watchword.structures.betree.directory import find
from watchword.structures.betree.nodes import depth_of, enclose, is_leaf_bucket, link, nodes_left, reckon
from watchword.structures.betree.tree import (
    AT,
    DIMENSION,
    DIRECTORY,
    END,
    ENOUGH,
    ENTRIES,
    GAIN,
    LOSS,
    NODES,
    NONE,
    OPEN,
    OPERATIONS,
    OWNER,
    PARTITION,
    ROOT,
    SIZE,
    SLOTS,
    Rules,
    Tree,
    Work,
    with_conjunctions,
    with_room,
)
from watchword.structures.conjunctions import Conjunctions


def insert(
    tree: Tree, rules: Rules, conjunctions: Conjunctions, work: Work, pending: I64, avoid: I32 | None = None
) -> tuple[Tree, Work]:
    """Insert these conjunctions one after another; the tree and the work, in larger arrays where they had to grow."""
    most_open = len(conjunctions.expression) // rules.max_cap + 64
    work = work._replace(
        pending=pending,
        avoid=np.full(len(pending), NONE, np.int32) if avoid is None else avoid,
        stack=work.stack if len(work.stack) >= most_open else np.zeros(2 * most_open, np.int32),
    )
    work.state[AT], work.state[END] = 0, len(pending)
    tree = with_conjunctions(tree, len(conjunctions.expression))
    return cut_and_insert(tree, rules, conjunctions, work)


def insert_together(tree: Tree, rules: Rules, conjunctions: Conjunctions, work: Work, all_of: I64) -> tuple[Tree, Work]:
    """Build a new tree with all conjunctions in the root's l-node, and only then cut it.

    The root's p-nodes are then chosen by all of them, not by the first few to come (BE-B of section 7.2).
    """
    tree, work = insert(tree, rules, conjunctions, work, all_of[:0])
    _link_to_root(tree, work, all_of)
    return cut_and_insert(tree, rules, conjunctions, work)


def cut_and_insert(tree: Tree, rules: Rules, conjunctions: Conjunctions, work: Work) -> tuple[Tree, Work]:
    while True:
        lack = _run(tree, rules, conjunctions, work)
        if lack == ENOUGH:
            return tree, work
        if lack == ENTRIES:
            work = work._replace(entries=np.zeros(4 * len(work.entries), np.int32))
        else:
            tree = with_room(tree, lack)


@lean
def _run(tree: Tree, rules: Rules, conjunctions: Conjunctions, work: Work) -> int:
    """Go on until all is done, or something is lacking: the tree is whole then too."""
    while True:
        while work.state[OPEN] > 0:
            work.state[OPEN] -= 1
            c = work.stack[work.state[OPEN]]
            lack = cut(tree, rules, conjunctions, work, c)
            if lack != ENOUGH:
                push(work, c)
                return lack
        if work.state[AT] == work.state[END]:
            return ENOUGH
        if nodes_left(tree) < 1:
            return NODES
        at = work.state[AT]
        _insert(tree, rules, conjunctions, work, work.pending[at], work.avoid[at])
        work.state[AT] += 1


@lean
def _insert(tree: Tree, rules: Rules, conjunctions: Conjunctions, work: Work, conjunction: int, avoid: int) -> None:
    c = ROOT
    while tree.node[c, SLOTS] > 0:
        top = _best_partition(tree, rules, conjunctions, c, conjunction, avoid)
        if top == NONE:
            break
        c = _smallest_bucket(tree, rules, conjunctions, conjunction, top)
    link(tree, conjunction, c)
    reckon(tree, c, 1, depth_of(tree, c))
    up = c
    while up != ROOT:
        p = tree.node[up, PARTITION]
        tree.rank[p, OPERATIONS] += 1
        up = tree.partition[p, OWNER]
    if is_overflowed(tree, c):
        push(work, c)


@lean
def _best_partition(tree: Tree, rules: Rules, conjunctions: Conjunctions, c: int, conjunction: int, avoid: int) -> int:
    """Of the p-nodes here that the conjunction has a condition for, the one of highest score (its topmost c-node).

    A dimension that the path to c uses has no p-node here. One that explores (`avoid`) takes the p-node that ranks
    best per expression, and at the root none of the dimension that it comes from.
    """
    best, highest = NONE, 0.0
    begin, slots = tree.node[c, DIRECTORY], tree.node[c, SLOTS]
    for i in range(conjunctions.starts[conjunction], conjunctions.starts[conjunction + 1]):
        d = conjunctions.dimension[i]
        if d == avoid and c == ROOT:
            continue
        top = find(tree.directory, begin, slots, d)
        if top != NONE:
            p = tree.node[top, PARTITION]
            score = rules.beta * tree.rank[p, GAIN] - rules.gamma * tree.rank[p, LOSS]
            if avoid != NONE:
                score /= max(1, tree.partition[p, SIZE])
            if best == NONE or score > highest:
                best, highest = top, score
    return best


@lean
def _smallest_bucket(tree: Tree, rules: Rules, conjunctions: Conjunctions, conjunction: int, top: int) -> int:
    low, high = interval(conjunctions, conjunction, tree.node[top, DIMENSION])
    c = top
    enclose(tree, c, low, high)
    while not is_leaf_bucket(tree, c):
        half = half_for(tree, rules, c, low, high)
        if half == NONE:
            break
        c = half
        enclose(tree, c, low, high)
    return c


@lean
def _link_to_root(tree: Tree, work: Work, conjunctions: I64) -> None:
    for i in range(len(conjunctions)):
        link(tree, conjunctions[i], ROOT)
    push(work, ROOT)
