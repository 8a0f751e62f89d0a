"""What CIL, RIL, ROT and POT share: a vocabulary, new terms that come with subscriptions, room that an event needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from watchword.coding.values import I64
from watchword.structures.conjunctive import Conjunctive
from watchword.structures.structure import nbytes
from watchword.structures.terms.vocabulary import TermSets, Vocabulary, room_for_terms, take_in, term_sets


@dataclass
class TermStructure(Conjunctive):
    """A structure that looks conjunctions up by their terms."""

    vocabulary: Vocabulary

    def _own_scratch(self) -> Any:
        return room_for_terms(self.vocabulary)

    def _terms(self, numbers: I64) -> TermSets:
        """Of stored conjunctions, all of whose terms are known."""
        return term_sets(self.vocabulary, self.stored.conjunctions, numbers)

    def _new_terms(self, first: int, last: int) -> TermSets:
        """Of the conjunctions first .. last - 1, which have come, and may bring new terms."""
        c = self.stored.conjunctions
        take_in(self.vocabulary, c, int(c.starts[first]), int(c.starts[last]))
        return self._terms(np.arange(first, last))

    @property
    def terms(self) -> int:
        return int(self.vocabulary.count[0])

    def describe(self) -> dict[str, Any]:
        return {**super().describe(), "terms": self.terms, "vocabulary bytes": nbytes(self.vocabulary)}
