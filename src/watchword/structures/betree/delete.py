"""Deletion: out of the l-node, then up through what has become too small (sections 4.2 and 4.3).

underflow: an l-node of fewer than min_size members, whose c-node has neither halves nor p-nodes
  of a half           its members move to the bucket that it is a half of, if that has no p-nodes and the other
                      half can be merged too: both halves are gone then (merge rule)
  of a topmost c-node its p-node ends, and its members are inserted anew
a node without members and without nodes below it is removed, and so on upwards
"""

from __future__ import annotations

from typing import Final

from watchword.coding.values import I64
from watchword.kernel import lean
from watchword.structures.betree.nodes import (
    contracted,
    depth_of,
    free_node,
    free_partition,
    is_leaf_bucket,
    is_top,
    link,
    reckon,
    unlink,
)
from watchword.structures.betree.tree import (
    CAPACITY,
    COUNT,
    HEAD,
    LEFT,
    NONE,
    OPERATIONS,
    OWNER,
    PARTITION,
    PARTITIONS,
    RIGHT,
    ROOT,
    UP,
    Rules,
    Tree,
)

GONE: Final = -2  # in place of the member before


@lean
def delete(tree: Tree, rules: Rules, conjunctions: I64, evicted: I64) -> int:
    """Take these out. Those that must be inserted anew are written to `evicted`, which has room for all; how many."""
    count = 0
    for i in range(len(conjunctions)):
        if tree.home[conjunctions[i]] == NONE:
            continue  # evicted before
        c = take_out(tree, conjunctions[i])
        count = shrink(tree, rules, c, evicted, count)
    left = 0
    for i in range(len(conjunctions)):
        tree.before[conjunctions[i]] = GONE
    for i in range(count):
        if tree.before[evicted[i]] != GONE:
            evicted[left] = evicted[i]
            left += 1
    for i in range(len(conjunctions)):
        tree.before[conjunctions[i]] = NONE
    return left


@lean
def take_out(tree: Tree, conjunction: int) -> int:
    """Out of its l-node, and of what the p-nodes above know; whose it was."""
    c = unlink(tree, conjunction)
    reckon(tree, c, -1, -depth_of(tree, c))
    up = c
    while up != ROOT:
        p = tree.node[up, PARTITION]
        tree.rank[p, OPERATIONS] += 1
        up = tree.partition[p, OWNER]
    return c


@lean
def shrink(tree: Tree, rules: Rules, c: int, evicted: I64, count: int) -> int:
    """Deal with the underflow of an l-node, and with those that follow from it; how many are evicted by now."""
    while c != ROOT and is_leaf_bucket(tree, c) and tree.node[c, COUNT] < rules.min_size:
        up = tree.node[c, UP]
        if is_top(tree, c):
            count = evict(tree, c, evicted, count)
            free_partition(tree, tree.node[c, PARTITION])
        elif not _merge(tree, rules, up):
            if tree.node[c, COUNT] > 0:
                break
            _remove_half(tree, up, c)
        c = up
    tree.node[c, CAPACITY] = min(tree.node[c, CAPACITY], contracted(tree.node[c, COUNT], rules.max_cap))
    return count


@lean
def evict(tree: Tree, c: int, evicted: I64, count: int) -> int:
    """Empty an l-node."""
    while tree.node[c, COUNT] > 0:
        evicted[count] = tree.node[c, HEAD]
        take_out(tree, evicted[count])
        count += 1
    return count


@lean
def _merge(tree: Tree, rules: Rules, up: int) -> bool:
    """Move the members of both halves up, if nothing is below them and they fit."""
    if tree.node[up, PARTITIONS] > 0:
        return False
    members = tree.node[up, COUNT]
    for side in (LEFT, RIGHT):
        half = tree.node[up, side]
        if half != NONE:
            if not is_leaf_bucket(tree, half):
                return False
            members += tree.node[half, COUNT]
    if members > rules.max_cap:
        return False
    for side in (LEFT, RIGHT):
        half = tree.node[up, side]
        if half != NONE:
            while tree.node[half, COUNT] > 0:
                member = tree.node[half, HEAD]
                unlink(tree, member)
                link(tree, member, up)
            _remove_half(tree, up, half)
    return True


@lean
def _remove_half(tree: Tree, up: int, half: int) -> None:
    side = LEFT if tree.node[up, LEFT] == half else RIGHT
    tree.node[up, side] = NONE
    free_node(tree, half)
