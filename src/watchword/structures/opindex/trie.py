"""The prefixes that subscriptions ask for, as a trie over codes (OpIndex section 6.2).

    texts    a | b    ba    bar    bar.. ba..   c        the prefix p% is the interval of codes of all texts p...
    b%         [------------------------------]
    ba%              [-------------------------]
    bar%                   [-----------]                 bar% --parent--> ba% --parent--> b%

Intervals of prefixes never cross: of two, one holds the other or they are apart. So "the longest prefix below" is a
parent, the prefixes of one text are a path to a root, and that is the trie, with a node only where a predicate ends.
The paper puts a trie over `attribute#prefix` into every list of a pivot attribute. Here there is one for all of them,
walked once per value of an event; each node on the way is then one more value of the attribute, and a prefix predicate
is an equality with its node.

Invariant: `place` is sorted by first code, the longer interval first, so that a parent stands before its children.
Cost: one binary search per text, and one step per prefix of it; a batch of new prefixes is merged in one pass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.coding.values import I32, I64
from watchword.kernel import lean

SHIFT = 32
MASK = (1 << SHIFT) - 1


class Trie(NamedTuple):
    """Nodes in the order of their places. Keys are those of `Domain`: codes of all dimensions, one behind another."""

    place: I64  # first key << SHIFT | MASK - last key
    last: I32  # last key
    number: I32  # the node's number: nodes are numbered as they come
    parent: I32  # -1: none
    deepest: int  # nodes on the longest path


def empty_trie() -> Trie:
    return Trie(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int32), 0)


def add_prefixes(trie: Trie, first: I64, last: I64) -> Trie:
    """The trie with the nodes of these intervals; those that are known stay as they are."""
    new = np.setdiff1d(first << SHIFT | (MASK - last), trie.place)
    if len(new) == 0:
        return trie
    at = np.searchsorted(trie.place, new)
    place = np.insert(trie.place, at, new)
    numbers = len(trie.place) + np.arange(len(new), dtype=np.int32)
    number = np.insert(trie.number, at, numbers)
    last_key = (MASK - (place & MASK)).astype(np.int32)
    parent = np.empty(len(place), np.int32)
    deepest = _find_parents(place, last_key, parent, np.empty(len(place), np.int32))
    return Trie(place, last_key, number, parent, deepest)


@lean
def _find_parents(place: I64, last: I32, parent: I32, depth: I32) -> int:
    deepest = 0
    for i in range(len(place)):
        up = i - 1
        while up >= 0 and last[up] < place[i] >> SHIFT:
            up = parent[up]
        parent[i] = up
        depth[i] = 1 if up < 0 else depth[up] + 1
        deepest = max(deepest, depth[i])
    return deepest


@lean
def node_of(trie: Trie, first: int, last: int) -> int:
    """The number of the node with this interval, which the trie has."""
    return trie.number[_last_not_after(trie.place, (first << SHIFT) | (MASK - last))]


@lean
def deepest_node(trie: Trie, key: int) -> int:
    """Where the longest prefix of the text with this key stands, -1 where it has none."""
    at = _last_not_after(trie.place, (key << SHIFT) | MASK)
    while at >= 0 and trie.last[at] < key:
        at = trie.parent[at]
    return at


@lean
def _last_not_after(place: I64, wanted: int) -> int:
    low, high = 0, len(place)
    while low < high:
        middle = (low + high) >> 1
        if place[middle] <= wanted:
            low = middle + 1
        else:
            high = middle
    return low - 1
