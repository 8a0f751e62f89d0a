"""H-Tree: a tree of hash lists over cells of popular attributes, whose buckets hold the conjunctions (H-Tree, III).

    event --segment of its value on each indexed attribute--> 2 or 3 cells a level
                                                                    |
          level 0:  price   | c0 | c1 | c2 | no constraint |        v  a node per way down that some conjunction takes
          level 1:  size      | c0 | c1 | c2 | no constraint |
          buckets:                | s1, s5 | ...                    compared one by one (`guards`)

Invariant: a conjunction is in the buckets of its cells (`cells`), and whatever satisfies it looks into one of them.
Cost: O(n_ind) per conjunction, times its buckets; an event compares (3 / n_cel) ** n_ind of the conjunctions if all of
them have a range on every indexed attribute. One without a constraint on an attribute is not cut down by it: where
each attribute is used by few, as among 20,000, nearly all are in one bucket, and H-Tree is little more than `simple`.

The paper keeps the numbers of subscriptions in its buckets; here each has two of its conditions beside it, those that
its bucket tells least about and that hold least often. An insertion adds to its buckets, a deletion searches them.
The numbers: n_ind indexed attributes, n_cel cells of each with the one for "no constraint", and at most n_spl buckets
for a conjunction, which the paper does not bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.errors import LimitError
from watchword.kernel import lean, prefetch
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.conjunctive import (
    GONE,
    Conjunctive,
    ConjunctiveParts,
    Scratch,
    State,
    Stored,
    Subjects,
    enter,
    leave,
    stored_from,
)
from watchword.structures.growing_lists import (
    Lists,
    add_rows,
    drop_rows,
    going_of,
    new_lists,
    trimmed,
    with_lists,
    with_room,
)
from watchword.structures.guards import BACK, FRONT, WAITING, check_lists, code_weights, guard_rows
from watchword.structures.htree.attributes import choose_attributes, positions_of
from watchword.structures.htree.cells import Cells, Domains, bucket_paths, new_cells, set_cells_of_event
from watchword.structures.htree.tree import Tree, digits_of, new_tree, trimmed_tree, with_buckets
from watchword.structures.selectivity import F64
from watchword.structures.structure import BUCKETS, NODES, U32, Input, Parameters, nbytes

BATCH: Final = 1024  # buckets that are compared in one go, so that memory is asked for ahead
MOST_BITS: Final = 62  # of a path


class HTreeParts(NamedTuple):
    stored: ConjunctiveParts
    domains: Domains
    tree: Tree
    buckets: Lists
    weights: F64


class _Walk(NamedTuple):
    """What an event needs on its way through the tree."""

    cells: Cells
    segments: I64
    node: I64  # a stack
    level: I64
    bucket: I32
    rows: I64  # see `check_lists`


@dataclass
class HTree(Conjunctive):
    Parts: ClassVar[type[HTreeParts]] = HTreeParts
    defaults: ClassVar[Parameters] = {"n_ind": 8, "n_cel": 8, "n_spl": 32, "conversion": True}

    domains: Domains
    tree: Tree
    buckets: Lists
    weights: F64  # see `guard_rows`: what buckets tell about indexed attributes is taken out

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> HTree:
        n_ind, n_cel, n_spl = (parameters[name] for name in ("n_ind", "n_cel", "n_spl"))
        _check(n_ind, n_cel, n_spl)
        book, selectivity = given.book, given.selectivity
        dimension = choose_attributes(stored.conjunctions, selectivity, n_ind)
        starts, position = positions_of(dimension, book, selectivity, conversion=parameters["conversion"])
        level_of = np.full(len(book.codes), -1, np.int32)
        level_of[dimension] = np.arange(len(dimension))
        domains = Domains(dimension, level_of, starts, position, n_cel, n_spl)
        weights = code_weights(selectivity, book.codes)
        weights[dimension] *= n_cel / 2
        structure = cls(stored, len(book.codes), domains, new_tree(n_cel), new_lists(0, FRONT, BACK), weights)
        structure._insert(0, stored.count)
        return structure

    @classmethod
    def restore(cls, parts: HTreeParts) -> HTree:
        dimensions = parts.stored.dimensions
        return cls(stored_from(parts.stored), dimensions, parts.domains, parts.tree, parts.buckets, parts.weights)

    def parts(self) -> HTreeParts:
        buckets = trimmed(self.buckets, int(self.tree.used[1]))
        return HTreeParts(self.stored_parts(), self.domains, trimmed_tree(self.tree), buckets, self.weights)

    def describe(self) -> dict[str, Any]:
        parts, described = self.parts(), super().describe()
        described["bytes"] |= {
            "domains": nbytes(parts.domains),
            "tree": nbytes(parts.tree),
            "buckets": nbytes(parts.buckets),
        }
        sizes = parts.buckets.size
        return {
            "name": "htree",
            **described,
            "indexed dimensions": parts.domains.dimension.tolist(),
            "cells": parts.domains.n_cel,
            "possible buckets": parts.domains.n_cel ** len(parts.domains.dimension),
            "nodes": len(parts.tree.children),
            "buckets": int((sizes > 0).sum()),
            "longest bucket": int(sizes.max(initial=0)),
            "mean bucket": round(float(sizes.sum() / max(1, (sizes > 0).sum())), 2),
            "buckets per conjunction": round(float(sizes.sum() / self._held()), 3),
            "index ratio": round(self.index_ratio(), 6),
        }

    def index_ratio(self) -> float:
        """The part of all conjunctions that an event compares, if it has every indexed attribute, in any segment as
        likely as in another (the paper's r_i)."""
        parts = self.parts()
        levels, n_cel = len(parts.domains.dimension), parts.domains.n_cel
        constrained = (digits_of(parts.tree.path, levels, n_cel) < n_cel - 1).sum(axis=1)
        return float((parts.buckets.size * (2 / n_cel) ** constrained).sum()) / self._held()

    def _held(self) -> int:
        """Conjunctions that were not deleted; 1 where there is none, to divide by."""
        return max(1, int((self.stored.trimmed().flags & GONE == 0).sum()))

    def _paths(self, numbers: I64) -> tuple[I64, I64]:
        stored = self.stored
        return bucket_paths(self.domains, stored.conjunctions, stored.expressions.coded.conditions, numbers)

    def _insert(self, first: int, last: int) -> None:
        paths, numbers = self._paths(np.arange(first, last))
        order = np.argsort(paths, kind="stable")
        different, counts = np.unique(paths, return_counts=True)
        self.tree, buckets = with_buckets(self.tree, different, len(self.domains.dimension))
        self.buckets = with_room(with_lists(self.buckets, int(self.tree.used[1])), buckets, counts)
        front, back = guard_rows(self.stored.conjunctions, numbers[order], self.weights)
        add_rows(self.buckets, np.repeat(buckets, counts), front, back)

    def _delete(self, conjunctions: I64) -> None:
        paths, _ = self._paths(conjunctions)
        self.tree, buckets = with_buckets(self.tree, np.unique(paths), len(self.domains.dimension))
        drop_rows(self.buckets, buckets, going_of(conjunctions, self.stored.count))

    def _own_scratch(self) -> _Walk:
        levels, most = len(self.domains.dimension), len(self.domains.dimension) * self.domains.n_cel
        return _Walk(
            new_cells(self.domains),
            np.zeros(levels, np.int64),
            np.zeros(most, np.int64),
            np.zeros(most, np.int64),
            np.zeros(BATCH, np.int32),
            np.zeros(WAITING, np.int64),
        )

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        stored = self.stored
        index = (self.domains, self.tree, self.buckets)
        held = (stored.conjunctions, stored.subjects())
        return _match(*index, *held, events, first, starts, out, scratch.state, scratch.own)


def _check(n_ind: int, n_cel: int, n_spl: int) -> None:
    if n_ind < 1 or n_cel < 2 or n_spl < 1:
        raise LimitError(f"htree needs n_ind >= 1, n_cel >= 2 and n_spl >= 1, not {n_ind}, {n_cel} and {n_spl}")
    if n_cel**n_ind > 1 << MOST_BITS or n_cel > MOST_BITS:
        raise LimitError(
            f"htree cannot number {n_cel} ** {n_ind} buckets: choose n_ind and n_cel so that it is at most "
            f"2 ** {MOST_BITS}, and n_cel at most {MOST_BITS} (the paper has 8 and 8)"
        )


@lean
def _match(
    domains: Domains,
    tree: Tree,
    buckets: Lists,
    conjunctions: Conjunctions,
    subjects: Subjects,
    events: CodedEvents,
    first: int,
    starts: I64,
    out: U32,
    state: State,
    walk: _Walk,
) -> int:
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + subjects.count > len(out):
            return e
        many = enter(state, events, e)
        set_cells_of_event(domains, events, e, walk.cells, walk.segments)
        open_nodes = 1
        walk.node[0], walk.level[0] = 0, 0
        while open_nodes > 0:
            open_nodes, found = _walk(tree, walk, open_nodes, state)
            n = check_lists(buckets, walk.bucket, found, conjunctions, subjects, state, walk.rows, out, n, many)
        leave(state, events, e, many)
        starts[e + 1] = n
    return len(events.starts) - 1


@lean
def _walk(tree: Tree, walk: _Walk, open_nodes: int, state: State) -> tuple[int, int]:
    """Follow the event's cells from the open nodes on; how many are open yet, and how many buckets were found.

    It stops when no node is open, or when the buckets of another node might not fit.
    """
    children, cell, count = tree.children, walk.cells.cell, walk.cells.count
    n_cel, last = children.shape[1], len(count) - 1
    found, nodes = 0, 0
    while open_nodes > 0 and found + n_cel <= len(walk.bucket):
        open_nodes -= 1
        nodes += 1
        node, level = walk.node[open_nodes], walk.level[open_nodes]
        for i in range(count[level]):
            child = children[node, cell[level, i]]
            if child == 0:
                continue
            if level == last:
                walk.bucket[found] = child - 1
                found += 1
            else:
                walk.node[open_nodes], walk.level[open_nodes] = child, level + 1
                prefetch(children, np.int64(child) * n_cel)
                open_nodes += 1
    state.counts[NODES] += nodes
    state.counts[BUCKETS] += found
    return open_nodes, found
