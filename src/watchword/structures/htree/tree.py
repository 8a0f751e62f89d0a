"""Hash lists chained to a tree, with the buckets at its end (H-Tree, section III-D).

    level 0   node 0      [ cell 0 | cell 1 | ... | no constraint ]      children[0]
                              |                          |
    level 1   nodes 1, 2  [ ... ]                    [ ... ]             children[1], children[2]
                              |
    last      bucket + 1: its list of rows

    path of a bucket, the paper's bucketID: the cells on the way to it, read as digits of a number in base n_cel

Only the nodes and buckets that conjunctions need are there, so a tree of 8 ** 8 buckets costs what it holds.
Invariant: 0 is no child. A batch's buckets are added in the order of their paths, so neighbours lie side by side.
Cost: one look-up per level for a conjunction; for an event the product of its cells, less what is not there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.coding.values import I32, I64
from watchword.kernel import lean


class Tree(NamedTuple):
    children: I32  # node x n_cel
    path: I64  # of each bucket
    used: I64  # nodes, buckets


def new_tree(n_cel: int) -> Tree:
    return Tree(np.zeros((1, n_cel), np.int32), np.zeros(0, np.int64), np.array([1, 0]))


def trimmed_tree(tree: Tree) -> Tree:
    nodes, buckets = tree.used.tolist()
    return Tree(tree.children[:nodes], tree.path[:buckets], tree.used.copy())


def with_buckets(tree: Tree, paths: I64, levels: int) -> tuple[Tree, I64]:
    """The tree with a bucket for each of these paths, which rise; and the buckets' numbers."""
    nodes, buckets = tree.used.tolist()
    n_cel = tree.children.shape[1]
    more = sum(min(len(paths), n_cel**level) for level in range(1, levels))
    children, path = tree.children, tree.path
    if nodes + more > len(children):
        children = np.zeros((nodes + more + (nodes >> 1), n_cel), np.int32)
        children[:nodes] = tree.children[:nodes]
    if buckets + len(paths) > len(path):
        path = np.zeros(buckets + len(paths) + (buckets >> 1), np.int64)
        path[:buckets] = tree.path[:buckets]
    grown = Tree(children, path, tree.used)
    numbers = np.empty(len(paths), np.int64)
    _find_or_add(grown, paths, levels, numbers)
    return grown, numbers


@lean
def _find_or_add(tree: Tree, paths: I64, levels: int, numbers: I64) -> None:
    n_cel = tree.children.shape[1]
    for i in range(len(paths)):
        node, scale = 0, np.int64(1)
        for _ in range(levels - 1):
            scale *= n_cel
        for level in range(levels):
            last = level == levels - 1
            cell = paths[i] // scale % n_cel
            scale //= n_cel
            if tree.children[node, cell] == 0:
                if last:
                    tree.path[tree.used[1]] = paths[i]
                    tree.used[1] += 1
                    tree.children[node, cell] = tree.used[1]  # the bucket's number and 1
                else:
                    tree.children[node, cell] = tree.used[0]
                    tree.used[0] += 1
            node = np.int64(tree.children[node, cell])
        numbers[i] = node - 1


def digits_of(paths: I64, levels: int, n_cel: int) -> I64:
    """The cells on the way to each bucket: bucket x level."""
    scales = n_cel ** np.arange(levels - 1, -1, -1, dtype=np.int64)
    return paths[:, None] // scales % n_cel
