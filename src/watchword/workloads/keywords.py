"""Keyword queries and documents as OpIndex makes them (section 7.1): a keyword is an attribute.

    w12 = 1 AND w4077 = 1                          a document that has the words
    w12 BETWEEN 5 AND 20 AND w4077 BETWEEN 2 AND 8 one that has them so often

The paper's queries are from AOL's log and its documents from Twitter (5.4 keywords on average) and Wikipedia (123), the
50,000 most frequent words of each. Here query lengths are those of web queries, words follow Zipf's law, sizes of
documents a gamma distribution of shape 3 around their average. A word comes once in half of the documents that have it,
twice in a quarter, and so on; an interval begins with a number drawn likewise and is at most 15 wide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import pyarrow as pa

from watchword.workloads.choice import zipf
from watchword.workloads.event_table import map_table
from watchword.workloads.generator import Generator, Profile, varying
from watchword.workloads.query_lengths import LONGEST, query_lengths
from watchword.workloads.source import Source
from watchword.workloads.sql_text import as_text, conjunctions, joined, names
from watchword.workloads.workload import EventsForm, Parameters

SHAPE: Final = 3.0
WIDEST: Final = 15

TWITTER: Final = 5.4
WIKIPEDIA: Final = 123.0


@dataclass(frozen=True, kw_only=True)
class Keywords(Parameters):
    events: int = 10_000
    vocabulary: int = 50_000
    event_size: float = TWITTER  # keywords, on average
    intervals: bool = False  # of term frequencies; else `= 1`
    zipf: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check("vocabulary", at_least=LONGEST)
        self.check("event_size", at_least=1, at_most=self.vocabulary / 10)
        self.check("zipf", at_least=0)


class KeywordsSource(Source[Keywords]):
    form: ClassVar = EventsForm.MAP

    def __init__(self, parameters: Keywords) -> None:
        super().__init__(parameters)
        self._words = zipf(parameters.vocabulary, parameters.zipf)
        self._names = names("w", parameters.vocabulary)

    def expressions(self, rng: np.random.Generator, first: int, rows: int) -> pa.Array:
        sizes = query_lengths(rng, rows)
        words = self._words.distinct(rng, rows, LONGEST)[np.arange(LONGEST) < sizes[:, None]]
        there = self._names.take(pa.array(words))
        if not self.parameters.intervals:
            return conjunctions(sizes, joined(there, " = 1"))
        low = rng.geometric(0.5, len(words))
        high = low + rng.integers(0, WIDEST + 1, len(words))
        return conjunctions(sizes, joined(there, " BETWEEN ", as_text(low), " AND ", as_text(high)))

    def events(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        sizes = self._sizes(rng, rows)
        most = int(sizes.max())
        words = self._words.distinct(rng, rows, most)[np.arange(most) < sizes[:, None]]
        often = rng.geometric(0.5, len(words)) if self.parameters.intervals else np.ones(len(words), np.int64)
        return map_table(sizes, self._names.take(pa.array(words)), pa.array(often))

    def _sizes(self, rng: np.random.Generator, rows: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        beyond = rng.gamma(SHAPE, (self.parameters.event_size - 1) / SHAPE, rows)
        sizes = 1 + np.floor(beyond + rng.random(rows)).astype(np.int64)
        return np.minimum(sizes, self.parameters.vocabulary)


_SIZES: Final = tuple(n * 1_000_000 for n in (1, 2, 3, 4, 5))

PROFILES: Final[Mapping[str, Profile[Keywords]]] = {
    f"{source}-{'in' if intervals else 'equal'}": varying(
        f"{source.capitalize()}, {'intervals' if intervals else 'equalities'} (figure 11)",
        Keywords(event_size=size, intervals=intervals),
        subscriptions=_SIZES,
    )
    for source, size in (("twitter", TWITTER), ("wikipedia", WIKIPEDIA))
    for intervals in (False, True)
}

keywords: Final = Generator(
    "keywords",
    "web queries as equalities or term frequencies, documents as long as tweets or articles",
    "OpIndex section 7.1, keywords",
    Keywords(),
    KeywordsSource,
    PROFILES,
)
