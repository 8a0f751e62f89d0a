"""The two phases of cutting an l-node that is too full: by dimension (algorithm 5), by interval (algorithm 6).

Both are done step by step with a stack of c-nodes, since a kernel returns when it lacks room, and goes on later.
"""

from __future__ import annotations

from typing import Final

from watchword.kernel import lean
from watchword.structures.betree.conditions import interval
from watchword.structures.betree.directory import find, has_room
from watchword.structures.betree.nodes import (
    contracted,
    depth_of,
    enclose,
    is_leaf_bucket,
    link,
    new_node,
    new_partition,
    nodes_left,
    partition_left,
    reckon,
    unlink,
)
from watchword.structures.betree.tree import (
    CAPACITY,
    COUNT,
    DIMENSION,
    DIRECTORY,
    ENOUGH,
    ENTRIES,
    GAIN,
    HEAD,
    HIGH,
    LEFT,
    LOW,
    NODES,
    NONE,
    OPEN,
    OWNER,
    PARTITION,
    PARTITION_ROWS,
    RIGHT,
    ROOT,
    SIZE,
    SLOT_ROWS,
    SLOTS,
    STAMP,
    Rules,
    Tree,
    Work,
)
from watchword.structures.conjunctions import Conjunctions

TAKEN: Final = -(1 << 30)


@lean
def is_overflowed(tree: Tree, c: int) -> bool:
    return tree.node[c, COUNT] > tree.node[c, CAPACITY]


@lean
def push(work: Work, c: int) -> None:
    work.stack[work.state[OPEN]] = c
    work.state[OPEN] += 1


@lean
def cut(tree: Tree, rules: Rules, conjunctions: Conjunctions, work: Work, c: int) -> int:
    """Space clustering: split the bucket if it can be, then partition what is left; what it lacks."""
    if not is_overflowed(tree, c):
        return ENOUGH
    if c != ROOT and is_leaf_bucket(tree, c) and tree.node[c, LOW] < tree.node[c, HIGH]:
        if nodes_left(tree) < 2:
            return NODES
        _split(tree, rules, conjunctions, c)
        for side in (LEFT, RIGHT):
            half = tree.node[c, side]
            if half != NONE and is_overflowed(tree, half):
                push(work, half)
    return _partition(tree, rules, conjunctions, work, c)


@lean
def _split(tree: Tree, rules: Rules, conjunctions: Conjunctions, c: int) -> None:
    member = tree.node[c, HEAD]
    while member != NONE:
        after = tree.after[member]
        low, high = interval(conjunctions, member, tree.node[c, DIMENSION])
        half = half_for(tree, rules, c, low, high)
        if half != NONE:
            unlink(tree, member)
            link(tree, member, half)
            enclose(tree, half, low, high)
        member = after
    tree.node[c, CAPACITY] = min(tree.node[c, CAPACITY], contracted(tree.node[c, COUNT], rules.max_cap))


@lean
def half_for(tree: Tree, rules: Rules, c: int, low: int, high: int) -> int:
    """The half of the bucket that encloses the interval, made if there is none yet; NONE if neither does."""
    first, last = tree.node[c, LOW], tree.node[c, HIGH]
    middle = (first + last) >> 1
    if high <= middle < last:
        if tree.node[c, LEFT] == NONE:
            tree.node[c, LEFT] = new_node(tree, rules, c, tree.node[c, PARTITION], first, middle)
        return tree.node[c, LEFT]
    if low > middle:
        if tree.node[c, RIGHT] == NONE:
            tree.node[c, RIGHT] = new_node(tree, rules, c, tree.node[c, PARTITION], middle + 1, last)
        return tree.node[c, RIGHT]
    return NONE


@lean
def _partition(tree: Tree, rules: Rules, conjunctions: Conjunctions, work: Work, c: int) -> int:
    """Space partitioning: a p-node for the next best dimension, until the l-node is no longer too full.

    One that had been extended goes on to max_cap: what was extended for want of a common dimension is small again as
    soon as there are some.
    """
    if not is_overflowed(tree, c):
        return ENOUGH
    touched, total = _count(tree, conjunctions, work, c)
    lack = ENOUGH if total <= len(work.entries) else ENTRIES
    if lack == ENOUGH:
        _enter(tree, conjunctions, work, c, touched)
    depth, active = depth_of(tree, c), touched
    while lack == ENOUGH and tree.node[c, COUNT] > rules.max_cap:
        best, active = _best(work, rules, active)
        if best == NONE:
            break
        lack = _lack(tree, c)
        if lack == ENOUGH:
            _move_to_partition(tree, rules, conjunctions, work, c, best, depth)
    for i in range(touched):
        work.count[work.touched[i]] = 0
    if lack == ENOUGH:
        tree.node[c, CAPACITY] = _capacity(tree, rules, c)
    return lack


@lean
def _count(tree: Tree, conjunctions: Conjunctions, work: Work, c: int) -> tuple[int, int]:
    """Count members by dimension. How many dimensions were touched, and the length of their lists.

    A dimension that the key uses, or that has a p-node here already, gets a count that never wins.
    """
    touched, total = 0, 0
    up = c
    while up != ROOT:
        touched = _touch(work, tree.node[up, DIMENSION], touched, TAKEN)
        up = tree.partition[tree.node[up, PARTITION], OWNER]
    member = tree.node[c, HEAD]
    while member != NONE:
        work.state[STAMP] += 1
        for i in range(conjunctions.starts[member], conjunctions.starts[member + 1]):
            d = conjunctions.dimension[i]
            if work.seen[d] == work.state[STAMP]:
                continue
            work.seen[d] = work.state[STAMP]
            if work.count[d] == 0:
                taken = find(tree.directory, tree.node[c, DIRECTORY], tree.node[c, SLOTS], d) != NONE
                touched = _touch(work, d, touched, TAKEN if taken else 0)
                total += 1
            if work.count[d] >= 0:
                work.count[d] += 1
                total += 1
        member = tree.after[member]
    return touched, total


@lean
def _touch(work: Work, dimension: int, touched: int, count: int) -> int:
    work.count[dimension] = count
    work.touched[touched] = dimension
    return touched + 1


@lean
def _enter(tree: Tree, conjunctions: Conjunctions, work: Work, c: int, touched: int) -> None:
    """List the members of each dimension, each list with NONE at its end."""
    at = 0
    for i in range(touched):
        d = work.touched[i]
        if work.count[d] > 0:
            at += work.count[d]
            work.begin[d] = at
            work.entries[at] = NONE
            at += 1
    member = tree.node[c, HEAD]
    while member != NONE:
        work.state[STAMP] += 1
        for i in range(conjunctions.starts[member], conjunctions.starts[member + 1]):
            d = conjunctions.dimension[i]
            if work.count[d] > 0 and work.seen[d] != work.state[STAMP]:
                work.seen[d] = work.state[STAMP]
                work.begin[d] -= 1
                work.entries[work.begin[d]] = member
        member = tree.after[member]


@lean
def _best(work: Work, rules: Rules, active: int) -> tuple[int, int]:
    """The dimension of most members: in the optimistic approach its rank is what it gains. Of equals, the smallest.

    Dimensions with fewer than min_size members go behind the active ones: counts only shrink.
    """
    best, most = NONE, 0
    i = 0
    while i < active:
        d = work.touched[i]
        count = work.count[d]
        if count < rules.min_size:
            active -= 1
            work.touched[i], work.touched[active] = work.touched[active], d
            continue
        if count > most or (count == most and d < best):
            best, most = d, count
        i += 1
    return best, active


@lean
def _move_to_partition(
    tree: Tree, rules: Rules, conjunctions: Conjunctions, work: Work, c: int, dimension: int, depth: int
) -> None:
    top = new_partition(tree, rules, c, dimension, work.codes[dimension])
    at, moved = work.begin[dimension], 0
    while work.entries[at] != NONE:
        member = work.entries[at]
        at += 1
        if tree.home[member] != c:
            continue  # another p-node has it by now
        low, high = interval(conjunctions, member, dimension)
        unlink(tree, member)
        link(tree, member, top)
        enclose(tree, top, low, high)
        moved += 1
        work.state[STAMP] += 1
        for i in range(conjunctions.starts[member], conjunctions.starts[member + 1]):
            d = conjunctions.dimension[i]
            if work.seen[d] != work.state[STAMP]:
                work.seen[d] = work.state[STAMP]
                work.count[d] -= 1
    p = tree.node[top, PARTITION]
    reckon(tree, c, 0, moved)
    tree.partition[p, SIZE], tree.rank[p, GAIN] = moved, moved * (depth + 1)
    if is_overflowed(tree, top):
        push(work, top)


@lean
def _lack(tree: Tree, c: int) -> int:
    if nodes_left(tree) < 1:
        return NODES
    if not partition_left(tree):
        return PARTITION_ROWS
    return ENOUGH if has_room(tree, c) else SLOT_ROWS


@lean
def _capacity(tree: Tree, rules: Rules, c: int) -> int:
    """Extended when no dimension is shared by enough members; by a 32nd where that is more than max_cap, so that the
    search for one, which costs the size of the l-node, is not repeated for every few members more.
    """
    count, capacity = tree.node[c, COUNT], tree.node[c, CAPACITY]
    if count > capacity:
        return contracted(max(count, capacity + (capacity >> 5)), rules.max_cap)
    return contracted(count, rules.max_cap)
