"""Luwak's queries and documents (thesis on Pre-Search, section 6): conjunctions of words against whole texts.

    query      MATCHES(body, '+gelora +tibu')      2 words and more, as often as Table 5 counts them
    document   body: "baso toke ..."               as long as Table 1 (training) and Table 2 (test) count them

The words are made up. In documents they follow Zipf's law. In queries they are flatter at the top, with an exponent so
that 0.67% of the vocabulary makes 65% of the words, as the thesis says of AOL's queries (section 6.3). Words of one
topic come together, which is what its co-occurrence matrix is there to know: word r is of topic r modulo their number,
and a word of a document is moved to its topic with a certain probability, within its neighbours in rank, so that the
law of all words stays. Inside its class of Table 1 the length of a document is uniform in its logarithm, from 20 words
on; a query of more than 6 words has one more in half of the cases, two in a quarter, and so on, up to 12.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import pyarrow as pa

from watchword.workloads.choice import Choice, Floats, Integers, repeated_in, zipf
from watchword.workloads.generator import Generator, Profile, varying
from watchword.workloads.source import Source
from watchword.workloads.sql_text import in_lists, joined
from watchword.workloads.strings import words
from watchword.workloads.workload import EventsForm, Parameters

QUERIES: Final = (410_943, 301_249, 181_609, 98_999, 51_290, 55_835)  # of 2, 3, 4, 5, 6 and more words: Table 5
LONGEST_QUERY: Final = 12
DOCUMENT_LENGTHS: Final = (20, 200, 600, 1000, 5000)  # the classes lie between
TRAINING: Final = (9_386, 18_087, 8_971, 13_300)  # documents of each class: Table 1
TEST: Final = (9_400, 18_268, 8_987, 13_344)  # Table 2
COMMON: Final = 0.0067  # of the vocabulary
COVERED: Final = 0.65  # of the words in queries
FLAT: Final = 0.0015  # of the vocabulary: ranks at the top that queries use about alike
HEAD: Final = 200  # the most frequent words belong to no topic


@dataclass(frozen=True, kw_only=True)
class Luwak(Parameters):
    subscriptions: int = sum(QUERIES)
    events: int = sum(TEST)
    training: int = sum(TRAINING)
    vocabulary: int = 200_000
    shortest_query: int = 2
    longest_query: int = LONGEST_QUERY
    topics: int = 50
    topical: float = 0.2  # of a document's words
    related: float = 0.5  # of a query's words

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check("vocabulary", at_least=1_000)
        self.check("shortest_query", at_least=2, at_most=self.longest_query)
        self.check("longest_query", at_most=LONGEST_QUERY)
        self.check("topics", at_least=1, at_most=HEAD)
        for name in ("topical", "related"):
            self.check(name, at_least=0, at_most=1)


class LuwakSource(Source[Luwak]):
    form: ClassVar = EventsForm.COLUMNS

    def __init__(self, parameters: Luwak) -> None:
        super().__init__(parameters)
        p = parameters
        self._words = words(p.vocabulary)
        self._required = joined("+", self._words)
        self._of_documents = zipf(p.vocabulary, 1.0)
        self._of_queries = Choice(p.vocabulary, query_weights(p.vocabulary))
        lengths = query_length_weights()
        lengths[: p.shortest_query - 1] = lengths[p.longest_query :] = 0.0
        self._query_lengths = Choice(len(lengths), lengths)

    def expressions(self, rng: np.random.Generator, first: int, rows: int) -> pa.Array:
        sizes = 1 + self._query_lengths.draw(rng, rows)
        slots = np.arange(LONGEST_QUERY)
        terms = self._of_queries.distinct(rng, rows, LONGEST_QUERY)
        terms = self._related(rng, terms)[slots < sizes[:, None]]
        queries = in_lists(sizes, self._required.take(pa.array(terms)), " ")
        return joined("MATCHES(body, '", queries, "')")

    def _related(self, rng: np.random.Generator, terms: Integers) -> Integers:
        """Some words of each query moved to its topic, where that leaves them different."""
        moved = rng.random(terms.shape) < self.parameters.related
        in_topic = self._in_topic(terms, rng.integers(0, self.parameters.topics, len(terms))[:, None])
        result = np.where(moved, in_topic, terms)
        while (again := repeated_in(result) & moved).any():
            moved &= ~again
            result = np.where(moved, in_topic, terms)
        # a word that stays may be where another has moved to: then all of that query stay
        clash = repeated_in(result).any(1)
        result[clash] = terms[clash]
        return result

    def _in_topic(self, terms: Integers, topics: Integers) -> Integers:
        """The word of this topic among those of about the same frequency."""
        count = self.parameters.topics
        there = terms - terms % count + topics
        return np.where((terms >= HEAD - HEAD % count) & (there < self.parameters.vocabulary), there, terms)

    def events(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        return self._documents(rng, rows, TEST)

    def training(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        return self._documents(rng, rows, TRAINING)

    def _documents(self, rng: np.random.Generator, rows: int, counts: tuple[int, ...]) -> pa.Table:
        kind = Choice(len(counts), np.array(counts, np.float64)).draw(rng, rows)
        low, high = np.log(DOCUMENT_LENGTHS)[kind], np.log(DOCUMENT_LENGTHS)[kind + 1]
        sizes = np.ceil(np.exp(rng.uniform(low, high))).astype(np.int64)
        terms = self._of_documents.draw(rng, int(sizes.sum()))
        topics = np.repeat(rng.integers(0, self.parameters.topics, rows), sizes)
        topical = rng.random(len(terms)) < self.parameters.topical
        terms = np.where(topical, self._in_topic(terms, topics), terms)
        return pa.table({"body": in_lists(sizes, self._words.take(pa.array(terms)), " ")})


def query_length_weights() -> Floats:
    """By the number of words, from 1."""
    longer = 0.5 ** np.arange(1.0, LONGEST_QUERY - 5)
    return np.concatenate([[0.0], QUERIES[:-1], QUERIES[-1] * longer / longer.sum()])


def query_weights(vocabulary: int) -> Floats:
    """How often queries have the word of each rank: the exponent is found by halving."""
    logarithms = np.log(np.arange(vocabulary) + FLAT * vocabulary)
    common = max(1, round(COMMON * vocabulary))
    low, high = 0.5, 3.0
    for _ in range(30):
        middle = (low + high) / 2
        weights: Floats = np.exp(-middle * logarithms)
        low, high = (middle, high) if weights[:common].sum() < COVERED * weights.sum() else (low, middle)
    return weights


PROFILES: Final[Mapping[str, Profile[Luwak]]] = {
    "size": varying(
        "number of queries (figures 16, 17)", Luwak(), subscriptions=tuple(500_000 * n for n in range(1, 9))
    ),
    "length": varying(
        "queries of one length (Tables 3, 4)",
        Luwak(),
        shortest_query=(2, 3, 4, 5, 6),
        longest_query=(2, 3, 4, 5, LONGEST_QUERY),
    ),
}

luwak: Final = Generator(
    "luwak",
    "conjunctions of words, texts of 20 to 5,000 words",
    "Luwak Pre-Search section 6, Tables 1, 2 and 5",
    Luwak(),
    LuwakSource,
    PROFILES,
)
