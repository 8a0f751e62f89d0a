"""The structures `gryphon` and `gryphon-eq`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.structures.conjunctive import Conjunctive, ConjunctiveParts, Scratch, Stored, stored_from
from watchword.structures.gryphon.build import Ordering, build_tree, rows_of
from watchword.structures.gryphon.change import delete_rows, insert_rows, with_rows
from watchword.structures.gryphon.match import match_events
from watchword.structures.gryphon.tree import Rows, States, Tests, Tree
from watchword.structures.structure import U32, Input, Parameters, nbytes


class GryphonParts(NamedTuple):
    stored: ConjunctiveParts
    tree: Tree
    ordering: Ordering


@dataclass
class Gryphon(Conjunctive):
    Parts: ClassVar[type[GryphonParts]] = GryphonParts
    defaults: ClassVar[Parameters] = {"equality_only": False, "rarest_first": False}

    tree: Tree
    ordering: Ordering

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> Gryphon:
        dimensions = len(given.book.codes)
        frequency = np.bincount(stored.conjunctions.dimension, minlength=dimensions)
        order = np.argsort(frequency if parameters["rarest_first"] else -frequency, kind="stable")
        rank = np.empty(dimensions, np.int32)
        rank[order] = np.arange(dimensions)
        ordering = Ordering(rank, not parameters["equality_only"])
        return cls(stored, dimensions, build_tree(stored.conjunctions, ordering), ordering)

    @classmethod
    def restore(cls, parts: GryphonParts) -> Gryphon:
        return cls(stored_from(parts.stored), parts.stored.dimensions, parts.tree, parts.ordering)

    def parts(self) -> GryphonParts:
        tree, count, conditions = self.tree, self.stored.count, self.stored.conditions
        states, tests, _ = tree.used.tolist()
        rows = tree.rows
        trimmed = tree._replace(
            states=States(*(column[:states] for column in tree.states)),
            tests=Tests(*(column[:tests] for column in tree.tests)),
            rows=Rows(
                rows.conjunction[:count],
                rows.next[:count],
                rows.indexed[:count],
                rows.starts[: count + 1],
                rows.dimension[:conditions],
                rows.low[:conditions],
                rows.high[:conditions],
            ),
            row_of=tree.row_of[:count],
        )
        return GryphonParts(self.stored_parts(), trimmed, self.ordering)

    def describe(self) -> dict[str, Any]:
        described, tree = super().describe(), self.parts().tree
        described["bytes"]["states"] = nbytes(tree.states)
        described["bytes"]["tests"] = nbytes(tree.tests)
        described["bytes"]["rows"] = nbytes((tree.rows, tree.row_of))
        described["bytes"]["hash"] = tree.slots.nbytes
        return {
            "name": "gryphon" if self.ordering.ranges else "gryphon-eq",
            **described,
            "states": len(tree.states.low),
            "tests": len(tree.tests.star),
            "depth": int(tree.states.depth.max(initial=0)),
            "rows_at_root": int(_rows_at_root(tree)),
        }

    def _own_scratch(self) -> I32:
        return np.empty(int(self.tree.used[0]), np.int32)

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        return match_events(self.stored.subjects(), self.tree, events, first, starts, out, scratch.state, scratch.own)

    def _insert(self, first: int, last: int) -> None:
        new = rows_of(self.stored.conjunctions, first, last, self.ordering)
        self.tree = with_rows(self.tree, new, first, int(self.stored.conjunctions.starts[first]))
        self.tree = insert_rows(self.tree, first, last)

    def _delete(self, conjunctions: I64) -> None:
        delete_rows(self.tree, conjunctions)


def _rows_at_root(tree: Tree) -> int:
    row, count = tree.states.first_row[0], 0
    while row >= 0:
        row, count = tree.rows.next[row], count + 1
    return count
