"""What a BE-Tree consists of, for statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from watchword.structures.betree.tree import (
    COUNT,
    DIMENSION,
    HIGH,
    LOW,
    NODES_LIVE,
    NODES_USED,
    NONE,
    OWNER,
    PARTITION,
    PARTITIONS_LIVE,
    ROOT,
    WORDS_LOST,
    Tree,
    trimmed,
)
from watchword.structures.structure import nbytes


def describe(tree: Tree) -> dict[str, Any]:
    tree = trimmed(tree)
    members = tree.node[:, COUNT]
    filled = members > 0
    live = members != NONE
    atomic = live & (tree.node[:, DIMENSION] != NONE) & (tree.node[:, LOW] == tree.node[:, HIGH])
    depths = _depths(tree)[filled]
    return {
        "c-nodes": int(tree.used[NODES_LIVE]),
        "p-nodes": int(tree.used[PARTITIONS_LIVE]),
        "atomic buckets": int(atomic.sum()),
        "l-nodes": {
            "with members": int(filled.sum()),
            "largest": int(members.max(initial=0)),
            "in the root's": int(members[ROOT]),
            "mean": round(float(members[filled].mean()), 2) if filled.any() else 0.0,
            "mean dimensions of the key": round(float(np.average(depths, weights=members[filled])), 2)
            if filled.any()
            else 0.0,
        },
        "bytes of the index": {
            "nodes": nbytes((tree.node, tree.unpacked, tree.queued, tree.stale, tree.partition, tree.rank)),
            "p-directories": tree.directory.nbytes,
            "members": nbytes((tree.after, tree.before, tree.home)),
            "blocks": nbytes((tree.words, tree.lanes)),
            "lost in blocks": 4 * int(tree.used[WORDS_LOST]),
        },
    }


def _depths(tree: Tree) -> Any:
    """c-node -> p-nodes above it, by going up from all at once."""
    nodes = int(tree.used[NODES_USED])
    depth = np.zeros(nodes, np.int64)
    below = np.flatnonzero(tree.node[:nodes, COUNT] != NONE)
    below = below[below != ROOT]
    up = below.copy()
    while len(below):
        depth[below] += 1
        up = tree.partition[tree.node[up, PARTITION], OWNER]
        below, up = below[up != ROOT], up[up != ROOT]
    return depth
