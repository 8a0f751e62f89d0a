"""OpIndex: lists of predicates by pivot attribute and operator, and counters (Zhang, Chan, Tan, VLDB 2014, section 4).

    S1: A = 2 AND B IN (3, 6, 9)      S2: A <= 8 AND C >= 2     S4: A = 2                      pivot attribute A

    L(A, =)    segment A C E   A 2 -> 0   A 2 -> 2             segment B D   B 3 -> 0   B 6 -> 0   B 9 -> 0
    L(A, <=)   segment A C E   A 8 -> 1                        segment B D   (none)
    L(A, >=)   segment A C E   C 2 -> 1                        segment B D   (none)
                               signature: w bits                             signature: w bits
    V(A)       2 (S1)   2 (S2)   1 (S4)

    event A 2, B 6, C 1:  pivots A, B, C; of V(A) S1 goes to 0, S2 to 1, S4 to 0

A subscription belongs to one of its attributes, the one that events have least often: its pivot (`units.py`). Its
predicates stand in the lists of the pivot, one for each operator (`predicates.py`), sorted by attribute and operand, in
b segments by attribute, each with a signature of w bits (`lists.py`). An event asks the lists of each of its
attributes that is a pivot for all of its values; where a signature has not the bit of a value, its segment is skipped.
Every predicate that holds takes one from its subscription's counter; 0 is a match (`match.py`). An AND of ORs has the
pivots of its smallest clause and a bitmap of its clauses (`clauses.py`); prefixes go through a trie (`trie.py`).
`opindex-bs` is the paper's OpIndex-BS: one segment, no signatures.

Invariant: a unit of pivot p has its predicates in lists of p only, in one row, and its counter starts with the number
of them that are true when its expression is. Cost: (pivots of the event) * (its attributes) * 3 looks at a signature, a
binary search where it agrees, a step per predicate that holds; inserting and deleting, a binary search and a shift
within a segment per predicate (`update.py`). Memory: 6 bytes per predicate, 5 per subscription, 48 b per pivot.

Attributes are dimensions here. The frequencies come from the training events, else from the subscriptions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from watchword.coding.coded import CodedExpressions
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64
from watchword.errors import UnknownStructureError
from watchword.language.table import LEAF
from watchword.structures.conjunctive import Conjunctive, ConjunctiveParts, Scratch, Stored, stored_from
from watchword.structures.opindex.clauses import expressions_by_clauses, units_of_clauses
from watchword.structures.opindex.lists import FREE_SLOT, ROW_SLOTS, Lists, build_lists
from watchword.structures.opindex.match import match_events, new_hits, new_left, new_probes
from watchword.structures.opindex.predicates import LISTS, domain_of, is_prefix
from watchword.structures.opindex.trie import add_prefixes, empty_trie
from watchword.structures.opindex.units import Rewriting, Units, units_of_conjunctions
from watchword.structures.opindex.update import delete, insert, trimmed
from watchword.structures.structure import PREDICATES, U32, Input, Parameters, nbytes

MOST_BITS: Final = 64  # of a signature: a machine word


class OpIndexParts(NamedTuple):
    stored: ConjunctiveParts
    rewriting: Rewriting
    counted: Lists
    clausal: Lists


@dataclass
class OpIndex(Conjunctive):
    Parts: ClassVar[type[OpIndexParts]] = OpIndexParts
    defaults: ClassVar[Parameters] = {"b": 32, "w": 64}

    rewriting: Rewriting
    counted: Lists  # conjunctions, with counters
    clausal: Lists  # ANDs of clauses, with bitmaps

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> OpIndex:
        b, w, dimensions = parameters["b"], parameters["w"], len(given.book.codes)
        if b < 1 or not 1 <= w <= MOST_BITS:
            raise UnknownStructureError(f"opindex takes b from 1 and w from 1 to {MOST_BITS}, not b = {b}, w = {w}")
        rewriting = Rewriting(domain_of(given.book), empty_trie(), given.selectivity.presence)
        rewriting = _with_prefixes(rewriting, given.coded, 0)
        counted, clausal = _units(stored, rewriting, np.arange(stored.count))
        return cls(
            stored,
            dimensions,
            rewriting,
            build_lists(counted, dimensions, b, w, np.uint8),
            build_lists(clausal, dimensions, b, w, np.uint64),
        )

    @classmethod
    def restore(cls, parts: OpIndexParts) -> OpIndex:
        stored = stored_from(parts.stored)
        return cls(stored, parts.stored.dimensions, parts.rewriting, parts.counted, parts.clausal)

    def parts(self) -> OpIndexParts:
        return OpIndexParts(self.stored_parts(), self.rewriting, trimmed(self.counted), trimmed(self.clausal))

    def always_candidates(self) -> I64:
        always = super().always_candidates()
        return np.setdiff1d(always, expressions_by_clauses(self.stored.expressions.coded, always))

    def _own_scratch(self) -> Any:
        return new_left(self.counted), new_left(self.clausal)

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        counters, bitmaps = scratch.own
        most = int(np.diff(events.starts).max()) * (1 + self.rewriting.trie.deepest)
        done = match_events(
            self.rewriting.domain,
            self.rewriting.trie,
            self.counted,
            self.counted.need.view(np.uint64),
            counters,
            self.clausal,
            self.clausal.need,
            bitmaps,
            new_probes(most),
            new_hits(most),
            self.stored.subjects(),
            events,
            first,
            starts,
            out,
            scratch.state,
        )
        for left in scratch.own:
            scratch.state.counts[PREDICATES] += left.predicates[0]
            left.predicates[0] = 0
        return done

    def _insert(self, first: int, last: int) -> None:
        if first == last:
            return
        coded = self.stored.expressions.trimmed()
        self.rewriting = _with_prefixes(self.rewriting, coded, int(self.stored.conjunctions.expression[first]))
        counted, clausal = _units(self.stored, self.rewriting, np.arange(first, last))
        self.counted, self.clausal = insert(self.counted, counted), insert(self.clausal, clausal)

    def _delete(self, conjunctions: I64) -> None:
        counted, clausal = _units(self.stored, self.rewriting, conjunctions)
        delete(self.counted, counted, self.rewriting.domain)
        delete(self.clausal, clausal, self.rewriting.domain)

    def describe(self) -> dict[str, Any]:
        described = super().describe()
        trie = self.rewriting.trie
        described["bytes"] |= {"counted": nbytes(trimmed(self.counted)), "by clauses": nbytes(trimmed(self.clausal))}
        return {
            "name": "opindex-bs" if self.counted.b == self.counted.w == 1 else "opindex",
            **described,
            "b": self.counted.b,
            "w": self.counted.w,
            "counted": _describe(self.counted),
            "by clauses": _describe(self.clausal),
            "trie nodes": len(trie.place),
        }


def _with_prefixes(rewriting: Rewriting, coded: CodedExpressions, first: int) -> Rewriting:
    """With the prefixes that the expressions from `first` on ask for."""
    nodes = slice(coded.node_starts[first], coded.node_starts[-1])
    conditions = coded.conditions
    c = coded.condition[nodes][coded.kind[nodes] == LEAF]
    c = c[is_prefix(conditions.low[c], conditions.high[c], conditions.set_of[c], conditions.form[c])]
    base = rewriting.domain.base[conditions.dimension[c]]
    return rewriting._replace(
        trie=add_prefixes(rewriting.trie, base + conditions.low[c], base + conditions.high[c]),
    )


def _units(stored: Stored, rewriting: Rewriting, conjunctions: I64) -> tuple[Units, Units]:
    """The conjunctions that are counted, and the expressions of the others, which are taken by their clauses."""
    coded, all_conjunctions = stored.expressions.coded, stored.trimmed()
    expression = all_conjunctions.expression[conjunctions]
    by_clauses = expressions_by_clauses(coded, np.unique(expression).astype(np.int64))
    clausal = units_of_clauses(coded, all_conjunctions, by_clauses, rewriting)
    counted = conjunctions[~np.isin(expression, by_clauses)]
    return units_of_conjunctions(all_conjunctions, counted, coded.conditions, rewriting), clausal


def _describe(lists: Lists) -> dict[str, int]:
    """What there is of each kind, as the paper counts it."""
    used = trimmed(lists)
    sizes = np.diff(used.runs.reshape(-1, 2), axis=1).reshape(-1, lists.b, LISTS)
    by_list = sizes.sum(axis=(0, 1)).tolist()
    return {
        "pivot attributes": int((lists.first_row >= 0).sum()),
        "subscriptions": int((used.subject > FREE_SLOT + ROW_SLOTS).sum()),
        "lists": int((sizes.sum(axis=1) > 0).sum()),
        "segments": int((sizes > 0).sum()),
        "predicates =": by_list[0],
        "predicates <=": by_list[1],
        "predicates >=": by_list[2],
    }
