"""What Propagation and the columnar scan share: their clusters are built, grown and emptied alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64
from watchword.structures.clusters.arrange import NO_ACCESS, arrange, choose_access, place
from watchword.structures.clusters.columns import Columns, Order, add, build_columns, grown, take_out, trimmed
from watchword.structures.conjunctive import Conjunctive, ConjunctiveParts, Stored, stored_from
from watchword.structures.expressions import append
from watchword.structures.selectivity import F64, Selectivity
from watchword.structures.structure import Input, Parameters, nbytes


class Statistics(NamedTuple):
    """The fields of `Selectivity`."""

    presence: F64
    starts: I64
    below: F64


class ClusterParts(NamedTuple):
    stored: ConjunctiveParts
    columns: Columns
    access: I32
    token: I64
    statistics: Statistics


@dataclass
class ClusterIndex(Conjunctive):
    Parts: ClassVar[type[ClusterParts]] = ClusterParts
    name: ClassVar[str]
    by_access: ClassVar[bool]  # are conjunctions clustered by an access condition, or by their size alone?

    columns: Columns
    access: I32  # conjunction -> its access condition, NO_ACCESS
    token: I64  # dimension -> its first token
    statistics: Statistics

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> Self:
        codes, known = given.book.codes, given.selectivity
        statistics = Statistics(known.presence, known.starts, known.below)
        access = np.full(stored.count, NO_ACCESS, np.int32)
        order = _arranged(stored, statistics, access, 0, stored.count, cls.by_access)
        sets, token = stored.expressions.coded.conditions, starts_of(codes)
        placed = place(stored.conjunctions, sets, token, access, np.arange(stored.count))
        keys = int(token[-1]) + len(codes) if cls.by_access else 1
        columns = build_columns(stored.conjunctions, order, placed, keys, codes)
        return cls(stored, len(codes), columns, access, token, statistics)

    @classmethod
    def restore(cls, parts: ClusterParts) -> Self:
        return cls(stored_from(parts.stored), parts.stored.dimensions, *parts[1:])

    def parts(self) -> ClusterParts:
        access = self.access[: self.stored.count]
        return ClusterParts(self.stored_parts(), trimmed(self.columns), access, self.token, self.statistics)

    def describe(self) -> dict[str, Any]:
        described, columns = super().describe(), trimmed(self.columns)
        described["bytes"]["columns"] = nbytes((columns.conjunction, columns.dimension, columns.low, columns.high))
        described["bytes"]["clusters"] = nbytes(columns[1:7])
        described["bytes"]["directory"] = columns.directory.nbytes
        described["bytes"]["statistics"] = nbytes(self.statistics)
        sizes = np.bincount(columns.size, weights=columns.count)
        return {
            "name": self.name,
            **described,
            "clusters": len(columns.size),
            "placements": int(columns.count.sum()),
            "largest_cluster": int(columns.count.max(initial=0)),
            "sizes": {str(size): int(sizes[size]) for size in np.flatnonzero(sizes)},
        }

    def _insert(self, first: int, last: int) -> None:
        stored = self.stored
        self.access = append(self.access, first, np.full(last - first, NO_ACCESS, np.int32))
        order = _arranged(stored, self.statistics, self.access, first, last, self.by_access)
        sets = stored.expressions.coded.conditions
        placed = place(stored.conjunctions, sets, self.token, self.access, np.arange(first, last))
        done = 0
        while True:
            done = add(stored.conjunctions, order, self.columns, placed, done)
            if done == len(placed.key):
                break
            self.columns = grown(self.columns, placed, done)

    def _delete(self, conjunctions: I64) -> None:
        sets = self.stored.expressions.coded.conditions
        take_out(self.columns, place(self.stored.conjunctions, sets, self.token, self.access, conjunctions))


def _arranged(stored: Stored, statistics: Statistics, access: I32, first: int, last: int, by_access: bool) -> Order:
    """Choose the access of conjunctions first .. last - 1, and say in which order their conditions stand."""
    c, sets = stored.conjunctions, stored.expressions.coded.conditions
    some = slice(int(c.starts[first]), int(c.starts[last]))
    conditions = sets._replace(dimension=c.dimension[some], low=c.low[some], high=c.high[some], set_of=c.set_of[some])
    cost = Selectivity(*statistics).of(conditions)
    if by_access:
        choose_access(c, sets, cost, statistics.presence, first, last, access)
    order = np.empty(len(cost), np.int32)
    arrange(c, sets, cost, access, first, last, order)
    return Order(order, int(c.starts[first]))
