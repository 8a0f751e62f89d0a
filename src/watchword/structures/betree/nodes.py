"""Making and freeing nodes, and moving members between l-nodes."""

from __future__ import annotations

from watchword.kernel import lean
from watchword.structures.betree.blocks import drop_blocks, drop_partial_block
from watchword.structures.betree.directory import add, drop_table, remove
from watchword.structures.betree.tree import (
    BLOCK,
    CAPACITY,
    COUNT,
    DIMENSION,
    DIRECTORY,
    GAIN,
    HEAD,
    HIGH,
    LEAST,
    LEFT,
    LOSS,
    LOW,
    MOST,
    NODES_FREE,
    NODES_LIVE,
    NODES_USED,
    NONE,
    OPERATIONS,
    OWNER,
    PARTITION,
    PARTITIONS,
    PARTITIONS_FREE,
    PARTITIONS_LIVE,
    PARTITIONS_USED,
    RIGHT,
    ROOT,
    SIZE,
    SLOTS,
    STALE,
    TOP,
    UP,
    Rules,
    Tree,
)


@lean
def nodes_left(tree: Tree) -> int:
    """How many c-nodes there is room for: at least."""
    return len(tree.node) - tree.used[NODES_USED] + (tree.used[NODES_FREE] != NONE)


@lean
def partition_left(tree: Tree) -> bool:
    return tree.used[PARTITIONS_FREE] != NONE or tree.used[PARTITIONS_USED] < len(tree.partition)


@lean
def new_node(tree: Tree, rules: Rules, up: int, partition: int, low: int, high: int) -> int:
    c = tree.used[NODES_FREE]
    if c == NONE:
        c = tree.used[NODES_USED]
        tree.used[NODES_USED] += 1
    else:
        tree.used[NODES_FREE] = tree.node[c, UP]
    tree.used[NODES_LIVE] += 1
    row = tree.node[c]
    row[DIMENSION], row[LOW], row[HIGH] = tree.partition[partition, DIMENSION], low, high
    row[LEAST], row[MOST] = high + 1, low - 1
    row[LEFT], row[RIGHT], row[BLOCK], row[HEAD] = NONE, NONE, NONE, NONE
    row[DIRECTORY], row[SLOTS], row[PARTITIONS], row[COUNT] = 0, 0, 0, 0
    row[UP], row[PARTITION], row[CAPACITY] = up, partition, rules.max_cap
    tree.unpacked[c] = 0
    return c


@lean
def free_node(tree: Tree, c: int) -> None:
    """Its l-node is empty. COUNT says that it is free."""
    drop_table(tree, c)
    tree.node[c, COUNT], tree.node[c, UP] = NONE, tree.used[NODES_FREE]
    tree.used[NODES_FREE] = c
    tree.used[NODES_LIVE] -= 1


@lean
def new_partition(tree: Tree, rules: Rules, owner: int, dimension: int, codes: int) -> int:
    """A p-node with a topmost c-node, whose bucket is the whole domain; that c-node."""
    p = tree.used[PARTITIONS_FREE]
    if p == NONE:
        p = tree.used[PARTITIONS_USED]
        tree.used[PARTITIONS_USED] += 1
    else:
        tree.used[PARTITIONS_FREE] = tree.partition[p, OWNER]
    tree.used[PARTITIONS_LIVE] += 1
    tree.partition[p, DIMENSION] = dimension
    top = new_node(tree, rules, owner, p, 1, codes - 1)
    tree.partition[p, TOP], tree.partition[p, OWNER], tree.partition[p, SIZE] = top, owner, 0
    tree.rank[p, GAIN], tree.rank[p, LOSS], tree.rank[p, OPERATIONS] = 0.0, 0.0, 0.0
    add(tree, owner, dimension, top)
    return top


@lean
def free_partition(tree: Tree, p: int) -> None:
    """And its topmost c-node, which is empty."""
    remove(tree, tree.partition[p, OWNER], tree.partition[p, DIMENSION])
    free_node(tree, tree.partition[p, TOP])
    tree.partition[p, SIZE], tree.partition[p, OWNER] = NONE, tree.used[PARTITIONS_FREE]
    tree.used[PARTITIONS_FREE] = p
    tree.used[PARTITIONS_LIVE] -= 1


@lean
def make_stale(tree: Tree, c: int) -> None:
    if not tree.queued[c]:
        tree.queued[c] = 1
        tree.stale[tree.used[STALE]] = c
        tree.used[STALE] += 1


@lean
def link(tree: Tree, conjunction: int, c: int) -> None:
    """Put it in front of the members of the l-node."""
    head = tree.node[c, HEAD]
    tree.after[conjunction], tree.before[conjunction], tree.home[conjunction] = head, NONE, c
    if head != NONE:
        tree.before[head] = conjunction
    tree.node[c, HEAD] = conjunction
    tree.node[c, COUNT] += 1
    drop_partial_block(tree, c)
    tree.unpacked[c] += 1
    make_stale(tree, c)


@lean
def unlink(tree: Tree, conjunction: int) -> int:
    """Take it out of its l-node; whose that was."""
    c, after, before = tree.home[conjunction], tree.after[conjunction], tree.before[conjunction]
    if before == NONE:
        tree.node[c, HEAD] = after
    else:
        tree.after[before] = after
    if after != NONE:
        tree.before[after] = before
    tree.home[conjunction] = NONE
    tree.node[c, COUNT] -= 1
    drop_blocks(tree, c)
    make_stale(tree, c)
    return c


@lean
def is_leaf_bucket(tree: Tree, c: int) -> bool:
    """Neither split nor partitioned: halves are made only where there are expressions for them."""
    return tree.node[c, LEFT] == NONE and tree.node[c, RIGHT] == NONE and tree.node[c, PARTITIONS] == 0


@lean
def is_top(tree: Tree, c: int) -> bool:
    return tree.partition[tree.node[c, PARTITION], TOP] == c


@lean
def enclose(tree: Tree, c: int, low: int, high: int) -> None:
    """The bucket has an expression with this interval."""
    tree.node[c, LEAST] = min(tree.node[c, LEAST], low)
    tree.node[c, MOST] = max(tree.node[c, MOST], high)


@lean
def owner_of(tree: Tree, c: int) -> int:
    """The c-node above the p-node that c is below; NONE for the root."""
    return NONE if c == ROOT else tree.partition[tree.node[c, PARTITION], OWNER]


@lean
def depth_of(tree: Tree, c: int) -> int:
    """How many dimensions the key of the l-node has: the predicates of each member that it covers."""
    depth = 0
    while c != ROOT:
        depth += 1
        c = owner_of(tree, c)
    return depth


@lean
def reckon(tree: Tree, c: int, members: int, gain: int) -> None:
    """So many members more below all p-nodes above c, with so many predicates more that their keys cover."""
    while c != ROOT:
        p = tree.node[c, PARTITION]
        tree.partition[p, SIZE] += members
        tree.rank[p, GAIN] += gain
        c = tree.partition[p, OWNER]


@lean
def contracted(count: int, max_cap: int) -> int:
    """The capacity of an l-node by its size (section 4.2)."""
    return max(1, (count + max_cap - 1) // max_cap) * max_cap
