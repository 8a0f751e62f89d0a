"""Pre-Search: a second layer of filtering before full evaluation (thesis, section 5), and FullyIndexed (6.5).

    queries --collect--> extra terms in QueryNotes
    documents --> inverted bit map --filter--> certain pairs, and queries that are left --check--> pairs

Pre-Search indexes as many extra terms of a query as its cost function finds worth while, FullyIndexed all of them, so
that its bits tell all. Both evaluate queries with the same terms once (5.3).

Invariant: a query leaves the filter with all documents that have its terms, or goes to the full evaluation. Cost:
beside Luwak's index 4 bytes per query and per extra term; per batch a bit per term and document.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from watchword.coding.values import I32
from watchword.errors import UnknownStructureError
from watchword.structures.conjunctive import GONE, State, Stored, stored_from
from watchword.structures.luwak import check
from watchword.structures.luwak.calibrate import calibrate
from watchword.structures.luwak.collect import (
    FREQUENT_SHARE,
    GREEDY,
    Collection,
    collect,
    describe_collection,
    frequent_above,
    with_terms,
)
from watchword.structures.luwak.cooccurrence import NO_MATRIX, build_matrix, document_frequencies
from watchword.structures.luwak.documents import index_documents, map_documents, with_room_for_bits, words_for
from watchword.structures.luwak.filter import filter_candidates, room_for_filtering
from watchword.structures.luwak.queries import NOTE, extra_notes, sizes_of
from watchword.structures.luwak.structure import BATCH_SIZE, BatchStructure, LuwakParts, Working
from watchword.structures.luwak.times import thesis_times
from watchword.structures.structure import CANDIDATES, Input, Parameters, nbytes
from watchword.structures.terms.vocabulary import TermSets

PAIR_THRESHOLD: Final = 200 / 49_744
"""The share of the training documents in which a pair of the matrix occurs: the thesis's 200 documents of its set."""

CALIBRATED: Final = 10_000
"""Queries from which on times are measured: below that nothing takes long, and the thesis's do."""

TIMES: Final = ("measured", "thesis")


@dataclass
class Filtered(BatchStructure):
    """What the two share: notes, bit maps."""

    batches_duplicates: ClassVar[bool] = True
    has_notes: ClassVar[bool] = True

    def _bytes_of_batch(self, rows: int, count: int, tokens: int) -> dict[str, int]:
        return {**super()._bytes_of_batch(rows, count, tokens), "bit map": 8 * rows * (1 + words_for(count))}

    def describe(self) -> dict[str, Any]:
        described = super().describe()
        live = int(np.count_nonzero(self.stored.trimmed().flags & GONE == 0))
        return {**described, "extra terms": described["words"] - NOTE * (live - described["duplicates"])}

    def _find(self, working: Working, rows: int, count: int, state: State) -> int:
        documents = working.documents = with_room_for_bits(working.documents, rows, count)
        map_documents(documents, rows, count)
        filtering = room_for_filtering(self.stored.count, count)
        found, more = filter_candidates(self.lists, documents, rows, count, filtering, working.pairs, state)
        if more == 0 or found == check.FULL:
            return found
        state.counts[CANDIDATES] += more
        index_documents(documents, rows, count)
        stored = check.Stored(self.stored.conjunctions, self.vocabulary)
        return check.check_all(stored, documents, count, filtering.unsure[:more], working.cursors, working.pairs, found)


@dataclass
class FullyIndexed(Filtered):
    defaults: ClassVar[Parameters] = {"batch_size": BATCH_SIZE}

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> FullyIndexed:
        built = cls._empty(stored, given, parameters)
        built._index_all()
        return built

    def describe(self) -> dict[str, Any]:
        return {"name": "fullyindexed", **super().describe()}

    def _notes(self, sets: TermSets) -> I32:
        return extra_notes(sets, sizes_of(sets) - 1)


class PreSearchParts(NamedTuple):
    luwak: LuwakParts
    collection: Collection


@dataclass
class PreSearch(Filtered):
    Parts: ClassVar[type[PreSearchParts]] = PreSearchParts
    defaults: ClassVar[Parameters] = {
        "batch_size": BATCH_SIZE,
        "pair_threshold": PAIR_THRESHOLD,
        "freq_threshold": FREQUENT_SHARE,
        "times": "measured",
        "word_matrix": True,
        "common_queries": True,
        "greedy_threshold": "all",
    }

    collection: Collection

    @classmethod
    def of(cls, stored: Stored, given: Input, parameters: Parameters) -> PreSearch:
        for name, known in (("times", TIMES), ("greedy_threshold", GREEDY)):
            if parameters[name] not in known:
                raise UnknownStructureError(f"{name} must be one of {', '.join(known)}, not {parameters[name]!r}")
        nothing = Collection(np.empty(0), 0.0, NO_MATRIX, thesis_times(parameters["batch_size"]), 1, False, 0)
        built = cls._empty(stored, given, parameters, nothing)
        built.collection = built._prepared(given, parameters)
        built._index_all()
        return built

    def _prepared(self, given: Input, parameters: Parameters) -> Collection:
        sets, matrix, training = self._terms(np.arange(self.stored.count)), NO_MATRIX, given.training
        times = self.collection.times
        if training is None or len(training.starts) == 1:
            # a term that many queries have is taken to be frequent in documents too
            probability = np.bincount(sets.terms, minlength=self.terms) / max(1, self.stored.count)
        else:
            frequencies = document_frequencies(self.vocabulary, training)
            probability = frequencies / (len(training.starts) - 1)
            if parameters["word_matrix"]:
                matrix = build_matrix(self.vocabulary, sets, training, frequencies, parameters["pair_threshold"])
            if parameters["times"] == "measured" and self.stored.count >= CALIBRATED:
                stored = check.Stored(self.stored.conjunctions, self.vocabulary)
                times = calibrate(stored, sets, training, self.batch_size, times)
        return Collection(
            probability,
            frequent_above(probability, parameters["freq_threshold"]),
            matrix,
            times,
            self.batch_size,
            parameters["common_queries"],
            GREEDY.index(parameters["greedy_threshold"]),
        )

    @classmethod
    def restore(cls, parts: Any) -> PreSearch:
        of = parts.luwak
        return cls(
            stored_from(of.stored),
            of.stored.dimensions,
            of.vocabulary,
            of.lists,
            of.same,
            of.says_less,
            of.batch_size,
            parts.collection,
        )

    def parts(self) -> Any:
        return PreSearchParts(super().parts(), self.collection)

    def describe(self) -> dict[str, Any]:
        described = super().describe()
        described["bytes"]["matrix"] = nbytes(self.collection.matrix)
        return {"name": "presearch", **described, **describe_collection(self.collection)}

    def _notes(self, sets: TermSets) -> I32:
        self.collection = with_terms(self.collection, self.terms)
        return extra_notes(sets, collect(self.collection, sets))
