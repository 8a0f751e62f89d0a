"""ROT and POT, the regular and the patricia ordered trie (EDBT'12, section 2, algorithm 3).

    ROT            root                     POT            root
                  /    \\                                 /    \\
                t1      t2                              t1      t2.t4 S4
               /  \\       \\                            /  \\
             t2    t3 S2   t4 S4                     t2    t3 S2
            /  \\     \\                              /  \\     \\
        t4 S1  t5 S3  t6 S5                     t4 S1  t5 S3  t6 S5

Conjunctions whose first terms are the same share their nodes. POT makes one node of a path of nodes that have one
child each and no subscriptions but the last (`compaction`). The rank of terms is a parameter (`order`); see
vocabulary.py for the orders, trie.py for the arrays and the invariant. The drawing has the most frequent terms at the
top; by default the least frequent are, which events meet less often: section 4.3.2 finds 36% more nodes visited in the
former order, and on long documents it takes several times as long.

Cost: the nodes all of whose terms the event has, and for each its children or the event's terms, whichever are fewer.
Memory: 36 bytes per node, 4 per further term of a label, and what is left to check of a subscription.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64
from watchword.structures.conjunctive import ConjunctiveParts, Scratch, Stored, stored_from
from watchword.structures.structure import U32, Input, Parameters
from watchword.structures.terms.structure import TermStructure
from watchword.structures.terms.trie import COMPACTION, Trie, describe_trie, trimmed_trie
from watchword.structures.terms.trie_build import build_trie
from watchword.structures.terms.trie_search import OPEN_COLUMNS, TrieScratch, search
from watchword.structures.terms.trie_update import delete, insert
from watchword.structures.terms.vocabulary import MOST_TERMS, Vocabulary, build_vocabulary, room_for_terms, term_sets


class OrderedTrieParts(NamedTuple):
    stored: ConjunctiveParts
    vocabulary: Vocabulary
    trie: Trie


@dataclass
class OrderedTrie(TermStructure):
    Parts: ClassVar[type[OrderedTrieParts]] = OrderedTrieParts
    defaults: ClassVar[Parameters] = {"order": "reverse", "compaction": True, "array_children": 16}

    trie: Trie

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> OrderedTrie:
        c = stored.conjunctions
        vocabulary = build_vocabulary(given.book, c, given.training, parameters["order"])
        sets = term_sets(vocabulary, c, np.arange(stored.count))
        terms, array_children = int(vocabulary.count[0]), max(1, parameters["array_children"])
        trie = build_trie(c, sets, terms, array_children, parameters["compaction"])
        return cls(stored, len(given.book.codes), vocabulary, trie)

    @classmethod
    def restore(cls, parts: OrderedTrieParts) -> OrderedTrie:
        return cls(stored_from(parts.stored), parts.stored.dimensions, parts.vocabulary, parts.trie)

    def parts(self) -> OrderedTrieParts:
        return OrderedTrieParts(self.stored_parts(), self.vocabulary, trimmed_trie(self.trie, self.terms))

    def describe(self) -> dict[str, Any]:
        name = "pot" if self.trie.settings[COMPACTION] else "rot"
        return {"name": name, **super().describe(), **describe_trie(self.trie)}

    def _own_scratch(self) -> TrieScratch:
        return TrieScratch(room_for_terms(self.vocabulary), np.empty((MOST_TERMS + 1, OPEN_COLUMNS), np.int64))

    def _search(self, events: CodedEvents, first: int, starts: I64, out: U32, scratch: Scratch) -> int:
        subjects, vocabulary = self.stored.subjects(), self.vocabulary
        return search(self.trie, subjects, vocabulary, events, first, starts, out, scratch.state, scratch.own)

    def _insert(self, first: int, last: int) -> None:
        sets = self._new_terms(first, last)
        self.trie = insert(self.trie, self.stored.conjunctions, sets, first, self.terms)

    def _delete(self, conjunctions: I64) -> None:
        self.trie = delete(self.trie, self._terms(conjunctions), conjunctions)
