"""Which expressions of a table are the same: stored once, however many subscriptions have them.

Two expressions are the same if their trees are, predicate by predicate in codes; the order of the predicates of a
plain AND or OR does not matter. Equal hashes only propose; the trees decide.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.build_codebook import Coding
from watchword.coding.expand_matches import Expanded
from watchword.coding.hashing import mix
from watchword.coding.values import I32, I64, U8
from watchword.kernel import kernel
from watchword.language.table import AND, LEAF, OR

U64 = npt.NDArray[np.uint64]


class _Trees(NamedTuple):
    node_starts: I64
    kind: U8
    children: I32
    leaf_starts: I64
    dimension: I32
    form: U8
    mark: I64
    first: I64
    size: I64
    code: I32


def first_equal(expanded: Expanded, coding: Coding) -> I64:
    """For each expression the first row that has the same one."""
    table = expanded.table
    trees = _Trees(
        table.node_starts,
        table.kind,
        table.count,
        table.leaf_starts,
        coding.dimension,
        coding.form,
        expanded.mark,
        coding.first,
        coding.count,
        coding.code,
    )
    leaf_hash = _hash_leaves(trees)
    hashes = _hash_trees(trees, leaf_hash)
    order = np.argsort(hashes, kind="stable")
    return _compare(trees, leaf_hash, hashes, order)


@kernel
def _hash_leaves(trees: _Trees) -> U64:
    out = np.empty(len(trees.dimension), np.uint64)
    for p in range(len(out)):
        h = mix(np.uint64(trees.dimension[p]) << np.uint64(8) | np.uint64(trees.form[p]))
        h = mix(h + np.uint64(trees.mark[p]))
        for i in range(trees.first[p], trees.first[p] + trees.size[p]):
            h = mix(h + np.uint64(trees.code[i]) + np.uint64(0x9E3779B97F4A7C15))
        out[p] = h
    return out


@kernel
def _is_flat(trees: _Trees, e: int) -> bool:
    first, last = trees.node_starts[e], trees.node_starts[e + 1]
    leaves = trees.leaf_starts[e + 1] - trees.leaf_starts[e]
    return bool(trees.kind[first] in (AND, OR) and leaves == last - first - 1)


@kernel
def _hash_trees(trees: _Trees, leaf_hash: U64) -> U64:
    out = np.empty(len(trees.node_starts) - 1, np.uint64)
    for e in range(len(out)):
        leaf = trees.leaf_starts[e]
        if _is_flat(trees, e):
            h = np.uint64(trees.kind[trees.node_starts[e]])
            for p in range(leaf, trees.leaf_starts[e + 1]):
                h += mix(leaf_hash[p])
        else:
            h = np.uint64(0)
            for n in range(trees.node_starts[e], trees.node_starts[e + 1]):
                h = mix(h + (np.uint64(trees.kind[n]) | np.uint64(trees.children[n]) << np.uint64(8)))
                if trees.kind[n] == LEAF:
                    h = mix(h + leaf_hash[leaf])
                    leaf += 1
        out[e] = mix(h)
    return out


@kernel
def _compare(trees: _Trees, leaf_hash: U64, hashes: U64, order: I64) -> I64:
    out = np.arange(len(order))
    first = 0
    for i in range(1, len(order)):
        if hashes[order[i]] != hashes[order[first]]:
            first = i
            continue
        # among equal hashes (nearly always equal trees) find the first that really is the same
        for j in range(first, i):
            if out[order[j]] == order[j] and _same(trees, leaf_hash, order[j], order[i]):
                out[order[i]] = order[j]
                break
    return out


@kernel
def _same(trees: _Trees, leaf_hash: U64, a: int, b: int) -> bool:
    first_a, first_b = trees.node_starts[a], trees.node_starts[b]
    size = trees.node_starts[a + 1] - first_a
    if trees.node_starts[b + 1] - first_b != size:
        return False
    for n in range(size):
        a_node, b_node = first_a + n, first_b + n
        if trees.kind[a_node] != trees.kind[b_node] or trees.children[a_node] != trees.children[b_node]:
            return False
    leaf_a, leaf_b = trees.leaf_starts[a], trees.leaf_starts[b]
    leaves = trees.leaf_starts[a + 1] - leaf_a
    if not _is_flat(trees, a):
        for i in range(leaves):
            if not _same_leaf(trees, leaf_a + i, leaf_b + i):
                return False
        return True
    left = np.argsort(leaf_hash[leaf_a : leaf_a + leaves])
    right = np.argsort(leaf_hash[leaf_b : leaf_b + leaves])
    for i in range(leaves):
        if not _same_leaf(trees, leaf_a + left[i], leaf_b + right[i]):
            return False
    return True


@kernel
def _same_leaf(trees: _Trees, p: int, q: int) -> bool:
    if (
        trees.dimension[p] != trees.dimension[q]
        or trees.form[p] != trees.form[q]
        or trees.mark[p] != trees.mark[q]
        or trees.size[p] != trees.size[q]
    ):
        return False
    for i in range(trees.size[p]):
        if trees.code[trees.first[p] + i] != trees.code[trees.first[q] + i]:
            return False
    return True
