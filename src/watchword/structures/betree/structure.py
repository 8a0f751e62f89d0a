"""BE-Tree: a tree that cuts the space of codes in two phases, by dimension and by interval (Sadoghi, Jacobsen 2011).

    c-node (root)            l-node: members without a dimension in common
      p-directory: dimension -> p-node
        p-node `price`       all members below have a condition on it; its score says how good it is
          c-directory        the domain of codes, cut in halves again and again
            c-node 1..100    l-node: members whose interval crosses the middle
              c-node 1..50   each bucket is a c-node, with an l-node and, if that was too full, p-nodes below
              c-node 51..100

Invariant: a member is in the smallest bucket that encloses its interval on every dimension of its key; the bucket of a
c-node with p-nodes has been cut before, or is a single code; no dimension comes twice on a path; no path to a member
misses an event that satisfies it. Cost of an event: the c-nodes whose buckets enclose its codes, and the members of
their l-nodes, packed in blocks and evaluated 32 at a time. About 60 bytes per subscription beside the expressions.

Sections: 4 the tree (`tree.py`, `directory.py`, `nodes.py`, `conditions.py`), 5 self-adjustment (`adapt.py`), 6 the
algorithms (`insert.py`, `cutting.py`, `delete.py`, `match.py`); `blocks.py` packs the l-nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64
from watchword.structures.betree.adapt import adapt
from watchword.structures.betree.blocks import pack
from watchword.structures.betree.delete import delete
from watchword.structures.betree.describe import describe
from watchword.structures.betree.insert import insert, insert_together
from watchword.structures.betree.lanes import LANES
from watchword.structures.betree.match import Paths, match_events
from watchword.structures.betree.tree import (
    Rules,
    Tree,
    Work,
    new_tree,
    new_work,
    own,
    rules_of,
    trimmed,
)
from watchword.structures.conjunctive import Conjunctive, ConjunctiveParts, Scratch, Stored, stored_from
from watchword.structures.structure import U32, Input, Parameters

TRAINING_WINDOWS: Final = 3  # the sample again: a p-node whose loss is not known at first may turn out no better


class BETreeParts(NamedTuple):
    stored: ConjunctiveParts
    tree: Tree
    codes: I64
    rules: Rules


@dataclass
class BETree(Conjunctive):
    Parts: ClassVar[type[BETreeParts]] = BETreeParts
    defaults: ClassVar[Parameters] = {
        "build": "dynamic",  # or "batch"
        "max_cap": 64,  # two blocks; the paper takes 5 to 160
        "min_size": 3,
        "beta": 1.0,
        "gamma": 1.0,
        "rank_window": 0.1,
        "theta": 0.0,
    }

    tree: Tree
    rules: Rules
    codes: I64
    _work: Work | None = field(default=None, init=False)

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> BETree:
        rules = rules_of(parameters)
        codes = given.book.codes
        built = cls(stored, len(codes), new_tree(stored.count, codes, rules), rules, codes)
        everything = np.arange(stored.count)
        grow = insert_together if parameters["build"] == "batch" else insert
        built.tree, built._work = grow(built.tree, rules, stored.conjunctions, new_work(codes), everything)
        built.tree = pack(built.tree, stored.conjunctions, built._work, everything=True)
        for _ in range(TRAINING_WINDOWS if given.training is not None else 0):
            if built.adapt(given.training) == 0:
                break
        built._work = None  # as large as what was built; later changes are small
        return built

    @classmethod
    def restore(cls, parts: BETreeParts) -> BETree:
        return cls(stored_from(parts.stored), parts.stored.dimensions, parts.tree, parts.rules, parts.codes)

    def parts(self) -> BETreeParts:
        return BETreeParts(self.stored_parts(), trimmed(self.tree), self.codes, self.rules)

    def describe(self) -> dict[str, Any]:
        return {"name": "betree", **super().describe(), **describe(self.tree)}

    def adapt(self, events: CodedEvents) -> int:
        """Adjust the tree to a window of events (not while it matches): how many conjunctions were inserted anew."""
        work = self._work or new_work(self.codes)
        self.tree, work, moved = adapt(
            own(self.tree), self.rules, self.stored.conjunctions, work, self._own_scratch(), events
        )
        self.tree = pack(self.tree, self.stored.conjunctions, work, everything=True)
        self._work = work
        self._pool.clear()
        return moved

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        return match_events(self.tree, self.stored.subjects(), events, first, starts, out, scratch.state, scratch.own)

    def _own_scratch(self) -> Paths:
        nodes, blocks = len(self.tree.node), len(self.tree.node) + self.stored.count // LANES
        bounds = (np.zeros(self.dimensions, np.int32) for _ in range(2))
        return Paths(np.empty(nodes, np.int32), np.empty(blocks, np.int32), *bounds)

    def _insert(self, first: int, last: int) -> None:
        self._put(np.arange(first, last))

    def _delete(self, conjunctions: I64) -> None:
        self.tree = own(self.tree)
        evicted = np.empty(len(self.tree.home), np.int64)
        count = delete(self.tree, self.rules, conjunctions, evicted)
        self._put(evicted[:count])

    def _put(self, conjunctions: I64) -> None:
        stored, work = self.stored.conjunctions, self._work or new_work(self.codes)
        self.tree, work = insert(own(self.tree), self.rules, stored, work, conjunctions)
        self.tree = pack(self.tree, stored, work)
        self._work = work
        self._pool.clear()  # their arrays may be too small for the tree now
