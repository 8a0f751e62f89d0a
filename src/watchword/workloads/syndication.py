"""Web syndication (EDBT'12 section 4.2): subscriptions of a few terms, items of some thirty distinct ones.

    subscription   t812 = 1 AND t30411 = 1      2.2 terms on average, at most 12
    item           t3, t17, t98 ...             25 to 36 terms, each an attribute with the value 1

Term number i is the one of rank i + 1 among items. Its real frequency runs through the five ranks that the paper's
Table 4 counts, straight lines between them where both axes are logarithmic, and goes on beyond; together they make
23 million terms in 10 million subscriptions where 2.2 each make 22. Subscriptions choose terms as items do (real), all
alike (uniform), or as items would if the last rank were the first (inverse). Sizes of items are uniform in between.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import pyarrow as pa

from watchword.workloads.choice import Choice, Floats, Integers
from watchword.workloads.event_table import map_table
from watchword.workloads.generator import Generator, Profile, varying
from watchword.workloads.query_lengths import LONGEST, query_lengths
from watchword.workloads.source import Source
from watchword.workloads.sql_text import conjunctions, joined, names
from watchword.workloads.workload import EventsForm, Parameters

RANKS: Final = (1, 10, 1_000, 10_000, 470_000)  # Table 4
OCCURRENCES: Final = (138_090, 60_469, 4_967, 251, 1)


class Terms(enum.StrEnum):
    REAL = "real"
    UNIFORM = "uniform"
    INVERSE = "inverse"


@dataclass(frozen=True, kw_only=True)
class Syndication(Parameters):
    subscriptions: int = 10_000_000
    events: int = 5_000
    vocabulary: int = 1_500_000
    terms: Terms = Terms.REAL  # of subscriptions; items are real
    length: int | None = None  # of subscriptions; None: as web queries
    shortest_item: int = 25
    longest_item: int = 36

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "terms", Terms(self.terms))
        self.check("shortest_item", at_least=1, at_most=self.longest_item)
        self.check("vocabulary", at_least=max(LONGEST, self.longest_item, self.length or 0))
        if self.length is not None:
            self.check("length", at_least=1)


class SyndicationSource(Source[Syndication]):
    form: ClassVar = EventsForm.MAP

    def __init__(self, parameters: Syndication) -> None:
        super().__init__(parameters)
        self._names = names("t", parameters.vocabulary)
        frequency = frequencies(parameters.vocabulary)
        weights = {Terms.REAL: frequency, Terms.UNIFORM: None, Terms.INVERSE: frequency[::-1].copy()}
        self._of_items = Choice(parameters.vocabulary, frequency)
        self._of_subscriptions = Choice(parameters.vocabulary, weights[parameters.terms])

    def expressions(self, rng: np.random.Generator, first: int, rows: int) -> pa.Array:
        length = self.parameters.length
        sizes = query_lengths(rng, rows) if length is None else np.full(rows, length)
        return conjunctions(sizes, joined(self._some(rng, self._of_subscriptions, sizes), " = 1"))

    def events(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        sizes = rng.integers(self.parameters.shortest_item, self.parameters.longest_item + 1, rows)
        terms = self._some(rng, self._of_items, sizes)
        return map_table(sizes, terms, pa.array(np.ones(len(terms), np.int64)))

    def _some(self, rng: np.random.Generator, choice: Choice, sizes: Integers) -> pa.Array:
        most = int(sizes.max())
        terms = choice.distinct(rng, len(sizes), most)[np.arange(most) < sizes[:, None]]
        return self._names.take(pa.array(terms))


def frequencies(vocabulary: int) -> Floats:
    """How often the term of each rank occurs."""
    ranks, occurrences = np.log(RANKS), np.log(OCCURRENCES)
    slope = (occurrences[-1] - occurrences[-2]) / (ranks[-1] - ranks[-2])
    at = np.log(np.arange(1, vocabulary + 1))
    beyond = np.maximum(at - ranks[-1], 0.0) * slope
    often: Floats = np.exp(np.interp(at, ranks, occurrences) + beyond)
    return often


_VOCABULARIES: Final = (100_000, 250_000, 500_000, 1_000_000, 1_500_000)
_MILLION: Final = 1_000_000
_OCCURRENCES: Final = 1_500_000  # of figure 3: the same in all sets of subscriptions

PROFILES: Final[Mapping[str, Profile[Syndication]]] = {
    "size": varying(
        "number of subscriptions (figures 9, 11)",
        Syndication(),
        subscriptions=tuple(n * _MILLION for n in (5, 10, 20, 40, 60, 80, 100)),
    ),
    "length": varying(
        "fixed length, as many terms in all (figure 3)",
        Syndication(),
        length=(3, 6, 9, 12, 24, 36),
        subscriptions=tuple(_OCCURRENCES // length for length in (3, 6, 9, 12, 24, 36)),
    ),
    "visited": varying(
        "fixed length, for the analytical model (Table 3)",
        Syndication(subscriptions=_MILLION),
        length=(2, 3, 4, 5, 6, 7, 8),
    ),
    "terms": varying("distribution of terms (figures 6, 7)", Syndication(), terms=tuple(Terms)),
    "vocabulary": varying("size of the vocabulary (figures 8, 10)", Syndication(), vocabulary=_VOCABULARIES),
}

syndication: Final = Generator(
    "syndication",
    "short conjunctions of terms from a large vocabulary, news items of 25 to 36 terms",
    "EDBT'12 section 4.2",
    Syndication(),
    SyndicationSource,
    PROFILES,
)
