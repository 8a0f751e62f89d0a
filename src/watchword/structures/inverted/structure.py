"""What SIFT and the k-index share: their lists are built, grown and refused alike.

A range takes one entry for every code in it, so a wide one takes more memory than any machine has. The bytes are
counted first, and beyond `most_bytes` the structure refuses the subscriptions before it asks for memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np

from watchword.coding.coded import CodedExpressions
from watchword.coding.values import I64
from watchword.errors import LimitError
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.conjunctive import Conjunctive, ConjunctiveParts, Stored, stored_from
from watchword.structures.expressions import append
from watchword.structures.inverted.choose import Rule, Seen, choose
from watchword.structures.inverted.lists import (
    LIST_BYTES,
    Indexed,
    Lists,
    add,
    build_lists,
    count_entries,
    needed,
    partition_by,
    partitions_of,
    remove,
    with_partitions,
    with_room,
)
from watchword.structures.structure import Input, Parameters, nbytes

MOST_BYTES: Final = 3 << 30  # what the load needs beside is within the fourth GiB


class InvertedParts(NamedTuple):
    stored: ConjunctiveParts
    lists: Lists
    indexed: Indexed
    most_bytes: int


@dataclass
class InvertedIndex(Conjunctive):
    Parts: ClassVar[type[InvertedParts]] = InvertedParts
    defaults: ClassVar[Parameters] = {"most_bytes": MOST_BYTES}
    name: ClassVar[str]
    rule: ClassVar[Rule]
    sized: ClassVar[bool]  # are conjunctions partitioned by size?

    lists: Lists
    indexed: Indexed
    most_bytes: int

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> Self:
        codes, most = given.book.codes, int(parameters["most_bytes"])
        conjunctions, sets = stored.conjunctions, stored.expressions.coded.conditions
        indexed = Indexed(np.zeros(stored.conditions, np.uint8), np.zeros(stored.count, np.uint8))
        _choose(conjunctions, sets, codes, 0, stored.count, cls.rule, indexed)
        partition = partition_by(indexed.size, cls.sized)
        rows = (int(codes.sum()) + 2) * (int(partition.max(initial=0)) + 1)
        entries = count_entries(conjunctions, sets, codes, indexed, 0, stored.count)
        cls._refuse_beyond(most, 4 * entries + min(rows, entries) * LIST_BYTES + 2 * 4 * rows)
        lists = build_lists(conjunctions, sets, codes, indexed, partition)
        return cls(stored, len(codes), lists, indexed, most)

    @classmethod
    def restore(cls, parts: InvertedParts) -> Self:
        stored = stored_from(parts.stored)
        return cls(stored, parts.stored.dimensions, parts.lists, parts.indexed, parts.most_bytes)

    def parts(self) -> InvertedParts:
        lists, indexed = self.lists, self.indexed
        count, entries = lists.used.tolist()
        trimmed = lists._replace(
            start=lists.start[:count],
            length=lists.length[:count],
            room=lists.room[:count],
            entry=lists.entry[:entries],
        )
        known = Indexed(indexed.use[: self.stored.conditions], indexed.size[: self.stored.count])
        return InvertedParts(self.stored_parts(), trimmed, known, self.most_bytes)

    def describe(self) -> dict[str, Any]:
        described, lists = super().describe(), self.parts().lists
        described["bytes"]["lists"] = nbytes((lists.start, lists.length, lists.room))
        described["bytes"]["entries"] = lists.entry.nbytes
        described["bytes"]["directory"] = lists.directory.nbytes
        return {
            "name": self.name,
            **described,
            "lists": len(lists.start),
            "entries": int(lists.length.sum()),
            "longest_list": int(lists.length.max(initial=0)),
        }

    def insert(self, coded: CodedExpressions) -> None:
        """As every structure does; but what is refused leaves no trace."""
        before = replace(self.stored, expressions=replace(self.stored.expressions))
        try:
            super().insert(coded)
        except LimitError:
            self.stored = before
            raise

    def _insert(self, first: int, last: int) -> None:
        conjunctions, sets = self.stored.conjunctions, self.stored.expressions.coded.conditions
        conditions = int(conjunctions.starts[first])
        indexed = Indexed(
            append(self.indexed.use, conditions, np.zeros(self.stored.conditions - conditions, np.uint8)),
            append(self.indexed.size, first, np.zeros(last - first, np.uint8)),
        )
        _choose(conjunctions, sets, self.lists.codes, first, last, self.rule, indexed)
        more = count_entries(conjunctions, sets, self.lists.codes, indexed, first, last)
        lists = with_partitions(self.lists, indexed.size[first:last])
        self._refuse_beyond(self.most_bytes, nbytes(lists) + 4 * more)
        self.indexed, partitions = indexed, partitions_of(lists)
        while True:
            first = add(conjunctions, sets, indexed, lists, partitions, first, last, False)
            if first == last:
                break
            lists = with_room(lists, *needed(conjunctions, sets, indexed, lists, partitions, first))
        self.lists = lists

    def _delete(self, conjunctions: I64) -> None:
        stored, lists = self.stored, self.lists
        sets = stored.expressions.coded.conditions
        remove(stored.conjunctions, sets, self.indexed, lists, partitions_of(lists), conjunctions)

    @classmethod
    def _refuse_beyond(cls, most: int, needed_bytes: int) -> None:
        if needed_bytes > most:
            raise LimitError(
                f"{cls.name} enumerates ranges into their values: these subscriptions need {needed_bytes:,} bytes, and"
                f" most_bytes is {most:,}; take a structure that keeps ranges (auto, betree, opindex) or a larger limit"
            )


def _choose(
    conjunctions: Conjunctions, sets: Any, codes: I64, first: int, last: int, rule: Rule, indexed: Indexed
) -> None:
    seen = Seen(np.zeros(len(codes), np.int64), np.zeros(len(codes), np.int64))
    choose(conjunctions, sets, codes, first, last, rule, indexed.use, indexed.size, seen)
