"""The arrays of a BE-Tree: nodes as rows, with lists of free ones (section 4.1).

    node        a c-node in a row: its bucket, its halves, its p-directory, its l-node; row 0 is the root
    partition   a p-node in a row: its dimension, its topmost c-node, the c-node it belongs to, the size of its subtree
    rank        beside each p-node: what it gains and loses, for its score (section 5)
    directory   hash tables dimension -> topmost c-node, one for each c-node that has p-nodes
    after ...   the members of each l-node as a list through all conjunctions: after, before, and home (their c-node)
    words ...   the l-nodes again, packed for matching: `blocks.py`

Every array but those of the conjunctions has `used` rows; what was freed is chained through UP, or OWNER.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.values import I32, I64, U8
from watchword.structures.betree.lanes import LANES
from watchword.structures.structure import Parameters

F64 = npt.NDArray[np.float64]

ROOT: Final = 0
NONE: Final = -1

# Columns of `node`: a row is 64 bytes.
DIMENSION: Final = 0  # of the bucket; NONE for the root, which has no bucket
LOW: Final = 1  # the bucket's interval of codes
HIGH: Final = 2
LEAST: Final = 3  # the smallest interval known to enclose all expressions of the bucket
MOST: Final = 4
LEFT: Final = 5  # the halves of the bucket, each there only while it has expressions
RIGHT: Final = 6
BLOCK: Final = 7  # the first packed block of the l-node
DIRECTORY: Final = 8  # where the p-directory's table begins
SLOTS: Final = 9  # and its length, 0 or a power of two
PARTITIONS: Final = 10  # p-nodes in it
UP: Final = 11  # the c-node of the bucket that this one is a half of, or the owner of its p-node
PARTITION: Final = 12  # the p-node it is below
COUNT: Final = 13  # members of the l-node
CAPACITY: Final = 14  # of the l-node: a multiple of max_cap
HEAD: Final = 15  # its first member
COLUMNS: Final = 16

# Columns of `partition`. Its dimension is DIMENSION too.
TOP: Final = 1
OWNER: Final = 2
SIZE: Final = 3

# Columns of `rank`.
GAIN: Final = 0  # predicates that the keys of the l-nodes below cover, summed over their members
LOSS: Final = 1  # predicates evaluated in vain for an event, in its last window
OPERATIONS: Final = 2  # insertions, deletions and visits since then

# Places in `used`.
NODES_USED: Final = 0
NODES_FREE: Final = 1  # the first of the list
PARTITIONS_USED: Final = 2
PARTITIONS_FREE: Final = 3
DIRECTORY_USED: Final = 4
WORDS_USED: Final = 5
WORDS_LOST: Final = 6  # in blocks that were dropped
LANES_USED: Final = 7
STALE: Final = 8  # l-nodes to be packed
NODES_LIVE: Final = 9
PARTITIONS_LIVE: Final = 10
TABLES_FREE: Final = 11  # the first free table of 2^k slots is at TABLES_FREE + k
PLACES: Final = TABLES_FREE + 32

# What a kernel lacks when it returns early.
ENOUGH: Final = 0
NODES: Final = 1
PARTITION_ROWS: Final = 2
SLOT_ROWS: Final = 3
ENTRIES: Final = 4
PACKED: Final = 5


class Tree(NamedTuple):
    node: I32
    unpacked: I32  # c-node -> how many members, from the head on, are in no block yet
    queued: U8  # c-node -> is it in `stale`?
    stale: I32
    partition: I32
    rank: F64
    directory: I32
    after: I32
    before: I32
    home: I32
    words: I32
    lanes: Any  # codes, in the smallest unsigned type that holds them all
    used: I64


class Rules(NamedTuple):
    """The paper's parameters."""

    max_cap: int
    min_size: int
    beta: float
    gamma: float
    rank_window: float
    theta: float


class Work(NamedTuple):
    """What the kernels that change the tree work with. Between runs the arrays over dimensions are 0."""

    pending: I64  # conjunctions to be inserted
    avoid: I32  # beside them: a dimension not to be taken at the root, NONE if all may be
    stack: I32  # c-nodes that may overflow
    state: I64  # see below
    count: I32  # dimension -> members that have it
    begin: I32  # dimension -> where its members begin in `entries`
    seen: I64  # dimension -> stamp
    touched: I32  # the dimensions with a count
    entries: I32
    key_low: I32  # dimension -> the interval that the key of the l-node at hand allows; 0 where it has none
    key_high: I32
    codes: I64  # dimension -> how many codes it has


# Places in `Work.state`.
AT: Final = 0  # the next pending conjunction
END: Final = 1
OPEN: Final = 2  # c-nodes on the stack
STAMP: Final = 3
STATES: Final = 4


def rules_of(parameters: Parameters) -> Rules:
    """Leaves of no members, or p-nodes of none, would have no end."""
    return Rules(
        max(1, parameters["max_cap"]),
        max(1, parameters["min_size"]),
        float(parameters["beta"]),
        float(parameters["gamma"]),
        float(parameters["rank_window"]),
        float(parameters["theta"]),
    )


def lane_type(codes: I64) -> type[np.unsignedinteger[Any]]:
    most = int(codes.max(initial=0))
    return np.uint8 if most <= 1 << 8 else np.uint16 if most <= 1 << 16 else np.uint32


def new_tree(conjunctions: int, codes: I64, rules: Rules) -> Tree:
    """Just a root."""
    used = np.zeros(PLACES, np.int64)
    used[[NODES_FREE, PARTITIONS_FREE]] = NONE
    used[TABLES_FREE:] = NONE
    used[[NODES_USED, NODES_LIVE]] = 1
    node = np.empty((16, COLUMNS), np.int32)
    node[ROOT] = NONE
    node[ROOT, [SLOTS, PARTITIONS, COUNT]] = 0
    node[ROOT, CAPACITY] = rules.max_cap
    after, before, home = (np.full(conjunctions, NONE, np.int32) for _ in range(3))
    return Tree(
        node=node,
        unpacked=np.zeros(16, np.int32),
        queued=np.zeros(16, np.uint8),
        stale=np.empty(16, np.int32),
        partition=np.empty((16, 4), np.int32),
        rank=np.empty((16, 3), np.float64),
        directory=np.empty((64, 2), np.int32),
        after=after,
        before=before,
        home=home,
        words=np.empty(64, np.int32),
        lanes=np.empty(64, lane_type(codes)),
        used=used,
    )


def new_work(codes: I64) -> Work:
    dimensions = len(codes)
    return Work(
        np.zeros(0, np.int64),
        np.zeros(0, np.int32),
        np.zeros(16, np.int32),
        np.zeros(STATES, np.int64),
        np.zeros(dimensions, np.int32),
        np.zeros(dimensions, np.int32),
        np.zeros(dimensions, np.int64),
        np.zeros(dimensions, np.int32),
        np.zeros(64, np.int32),
        np.zeros(dimensions, np.int32),
        np.zeros(dimensions, np.int32),
        codes,
    )


def grown(array: Any, rows: int) -> Any:
    """A copy with at least so many rows, and half as many again as before."""
    rows = max(rows, len(array) + (len(array) >> 1))
    copy = np.empty((rows, *array.shape[1:]), array.dtype)
    copy[: len(array)] = array
    return copy


def with_conjunctions(tree: Tree, count: int) -> Tree:
    """With room for so many conjunctions; the new ones are in no l-node."""
    known = len(tree.home)
    if count <= known:
        return tree
    lists = [grown(array, count) for array in (tree.after, tree.before, tree.home)]
    for array in lists:
        array[known:] = NONE
    return tree._replace(after=lists[0], before=lists[1], home=lists[2])


def with_room(tree: Tree, lack: int) -> Tree:
    if lack == NODES:
        known = len(tree.node)
        node, unpacked, queued, stale = (
            grown(a, known + 2) for a in (tree.node, tree.unpacked, tree.queued, tree.stale)
        )
        unpacked[known:], queued[known:] = 0, 0
        return tree._replace(node=node, unpacked=unpacked, queued=queued, stale=stale)
    if lack == PARTITION_ROWS:
        return tree._replace(partition=grown(tree.partition, 0), rank=grown(tree.rank, 0))
    return tree._replace(directory=grown(tree.directory, 2 * len(tree.directory)))


def trimmed(tree: Tree) -> Tree:
    """Without room behind what is used, but for the lanes that a comparison of the last ones reads too."""
    used = tree.used
    nodes, partitions = int(used[NODES_USED]), int(used[PARTITIONS_USED])
    return Tree(
        tree.node[:nodes],
        tree.unpacked[:nodes],
        tree.queued[:nodes],
        tree.stale[:nodes],
        tree.partition[:partitions],
        tree.rank[:partitions],
        tree.directory[: used[DIRECTORY_USED]],
        tree.after,
        tree.before,
        tree.home,
        tree.words[: used[WORDS_USED]],
        tree.lanes[: used[LANES_USED] + LANES],
        used,
    )


def own(tree: Tree) -> Tree:
    """The same tree in arrays that may be written to: those of a file are mapped read-only."""
    return Tree(*(array if array.flags.writeable else array.copy() for array in tree))
