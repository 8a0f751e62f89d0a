"""Self-adjustment to events (section 5): what a window of them evaluates in vain decides what is inserted anew.

    rank of a p-node      beta * gain - gamma * loss, over all that is below it: also its score for insertions
            l-node        the same over its members
            expression    the same of a member alone
    gain                  predicates that the key covers, of each member
    loss                  predicates evaluated for an event until one is false, and visits that find nothing: the mean

A node whose rank falls below theta is recycled: all below it are inserted anew, and so are single expressions (the
policies of recycling and reinserting). What is inserted anew explores: it avoids, at the root, the dimension that it
was found by, and prefers p-nodes of high rank per expression; others exploit the highest rank. What finds no other
place that way returns. A node is judged when its window is full: insertions, deletions and visits of at least
rank_window of the expressions below it. Before that its rank stays.

The window counts on lists of its own: the tree changes only when the events are over.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.kernel import inlined, lean
from watchword.structures.betree.blocks import is_subsumed, mark_key
from watchword.structures.betree.conditions import interval_at
from watchword.structures.betree.delete import shrink, take_out
from watchword.structures.betree.insert import insert
from watchword.structures.betree.match import Paths, find_blocks, forget_bounds, set_bounds
from watchword.structures.betree.nodes import depth_of, is_top
from watchword.structures.betree.tree import (
    COUNT,
    DIMENSION,
    GAIN,
    HEAD,
    LEAST,
    LOSS,
    MOST,
    NODES_USED,
    NONE,
    OPERATIONS,
    OWNER,
    PARTITION,
    PARTITIONS_USED,
    ROOT,
    SIZE,
    Rules,
    Tree,
    Work,
)
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.structure import COUNTS, NODES


class Window(NamedTuple):
    """What the events of a window have cost."""

    visits: I64  # c-node -> events that came to it
    in_vain: I64  # c-node -> predicates evaluated for members that did not hold
    wasted: I64  # conjunction -> the same
    empty: I64  # p-node -> events that found nothing below it
    found: I64  # p-node -> the last event that found something, counted from 1
    counts: I64


def adapt(
    tree: Tree, rules: Rules, conjunctions: Conjunctions, work: Work, paths: Paths, events: CodedEvents
) -> tuple[Tree, Work, int]:
    """The tree adjusted to the events, and how many conjunctions were inserted anew."""
    nodes, partitions = int(tree.used[NODES_USED]), int(tree.used[PARTITIONS_USED])
    window = Window(*(np.zeros(n, np.int64) for n in (nodes, nodes, len(tree.home), partitions, partitions, COUNTS)))
    _watch(tree, conjunctions, work, paths, events, window)
    events_seen = max(1, len(events.starts) - 1)
    _rank(tree, window, events_seen, rules)
    victims, avoid = np.empty(len(tree.home), np.int64), np.full(len(tree.home), NONE, np.int32)
    chosen = _choose(tree, rules, window, events_seen, victims, avoid)
    homeless = _take_out_all(tree, rules, victims[:chosen])
    tree, work = insert(tree, rules, conjunctions, work, homeless, avoid[homeless])
    back = _take_out_all(tree, rules, homeless[tree.home[homeless] == ROOT])
    tree, work = insert(tree, rules, conjunctions, work, back)
    return tree, work, len(homeless)


def _take_out_all(tree: Tree, rules: Rules, victims: I64) -> I64:
    """Take them out; they, and what becomes homeless with them."""
    homeless = np.empty(len(tree.home), np.int64)
    return homeless[: _take_out(tree, rules, victims, homeless)]


@lean
def _watch(
    tree: Tree, conjunctions: Conjunctions, work: Work, paths: Paths, events: CodedEvents, window: Window
) -> None:
    for e in range(len(events.starts) - 1):
        set_bounds(paths, events, e)
        before = window.counts[NODES]
        find_blocks(tree, events, e, paths.least, paths.most, paths, window.counts)
        met = window.counts[NODES] - before
        for i in range(met):
            c = paths.open_nodes[i]
            if _is_met(tree, paths, c):
                window.visits[c] += 1
                _evaluate_members(tree, conjunctions, work, paths, window, c, e + 1)
        for i in range(met):
            c = paths.open_nodes[i]
            if c != ROOT and is_top(tree, c):
                p = tree.node[c, PARTITION]
                tree.rank[p, OPERATIONS] += 1
                window.empty[p] += window.found[p] != e + 1
        forget_bounds(paths, events, e)


@inlined
def _is_met(tree: Tree, paths: Paths, c: int) -> bool:
    d = tree.node[c, DIMENSION]
    return d == NONE or (paths.most[d] >= tree.node[c, LEAST] and paths.least[d] <= tree.node[c, MOST])


@lean
def _evaluate_members(
    tree: Tree, conjunctions: Conjunctions, work: Work, paths: Paths, window: Window, c: int, event: int
) -> None:
    mark_key(tree, work, c, 1)
    any_holds = False
    member = tree.node[c, HEAD]
    while member != NONE:
        evaluated, holds = 0, True
        for i in range(conjunctions.starts[member], conjunctions.starts[member + 1]):
            d = conjunctions.dimension[i]
            low, high = interval_at(conjunctions, member, i)
            if is_subsumed(work, d, low, high):
                continue
            evaluated += 1
            if paths.most[d] < low or paths.least[d] > high or paths.least[d] == 0:
                holds = False
                break
        if holds:
            any_holds = True
        else:
            window.in_vain[c] += evaluated
            window.wasted[member] += evaluated
        member = tree.after[member]
    mark_key(tree, work, c, 0)
    while any_holds and c != ROOT and window.found[tree.node[c, PARTITION]] != event:
        window.found[tree.node[c, PARTITION]] = event
        c = tree.partition[tree.node[c, PARTITION], OWNER]


@lean
def _rank(tree: Tree, window: Window, events: int, rules: Rules) -> None:
    """The losses of all p-nodes whose window is full."""
    for p in range(len(window.empty)):
        if _is_full(tree, rules, p):
            tree.rank[p, LOSS] = 0.0
    for p in range(len(window.empty)):
        if tree.partition[p, SIZE] > 0:
            _lose(tree, rules, p, window.empty[p] / events)
    for c in range(1, len(window.in_vain)):
        if tree.node[c, COUNT] > 0:
            _lose(tree, rules, tree.node[c, PARTITION], window.in_vain[c] / events)


@lean
def _is_full(tree: Tree, rules: Rules, p: int) -> bool:
    size = tree.partition[p, SIZE]
    return size > 0 and tree.rank[p, OPERATIONS] >= rules.rank_window * size


@lean
def _lose(tree: Tree, rules: Rules, p: int, loss: float) -> None:
    if loss == 0.0:
        return
    while True:
        if _is_full(tree, rules, p):
            tree.rank[p, LOSS] += loss
        owner = tree.partition[p, OWNER]
        if owner == ROOT:
            return
        p = tree.node[owner, PARTITION]


@lean
def _choose(tree: Tree, rules: Rules, window: Window, events: int, victims: I64, avoid: I32) -> int:
    """The members to be inserted anew, how many; and by member the dimension that it should avoid then."""
    count = 0
    for c in range(1, len(window.visits)):
        if tree.node[c, COUNT] <= 0:
            continue
        covered = rules.beta * depth_of(tree, c)
        members, loss = tree.node[c, COUNT], rules.gamma * window.in_vain[c] / events
        judged = window.visits[c] >= rules.rank_window * members
        whole = judged and covered * members - loss < rules.theta
        above = _judge_above(tree, rules, c)
        dimension = _first_dimension(tree, c)
        member = tree.node[c, HEAD]
        while member != NONE:
            alone = judged and covered - rules.gamma * window.wasted[member] / events < rules.theta
            if whole or above or alone:
                victims[count], avoid[member] = member, dimension
                count += 1
            member = tree.after[member]
    for p in range(len(window.empty)):
        if _is_full(tree, rules, p):
            tree.rank[p, OPERATIONS] = 0.0
    return count


@lean
def _judge_above(tree: Tree, rules: Rules, c: int) -> bool:
    """Is some p-node above to be recycled?"""
    while c != ROOT:
        p = tree.node[c, PARTITION]
        rank = rules.beta * tree.rank[p, GAIN] - rules.gamma * tree.rank[p, LOSS]
        if _is_full(tree, rules, p) and rank < rules.theta:
            return True
        c = tree.partition[p, OWNER]
    return False


@lean
def _first_dimension(tree: Tree, c: int) -> int:
    """That of the p-node at the root."""
    dimension = NONE
    while c != ROOT:
        dimension = tree.node[c, DIMENSION]
        c = tree.partition[tree.node[c, PARTITION], OWNER]
    return dimension


@lean
def _take_out(tree: Tree, rules: Rules, victims: I64, homeless: I64) -> int:
    count = 0
    for i in range(len(victims)):
        if tree.home[victims[i]] != NONE:
            homeless[count] = victims[i]
            c = take_out(tree, victims[i])
            count = shrink(tree, rules, c, homeless, count + 1)
    return count
