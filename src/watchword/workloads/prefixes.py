"""OpIndex's prefixes (section 7.7): attributes of text beside numeric ones, operators `=` and prefix.

    subscription   a18 = 31 AND s7 LIKE 'tiv%'
    event          numbers a18 = 31, ...      texts s7 = 'tivoba', ...

100 attributes are text, 10,000 are numbers. The words are made up, and follow Zipf's law. The paper does not say how
many texts an event has; among 10,100 attributes chosen alike there would be one in ten events, so here it is a
parameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.workloads.choice import Choice, zipf
from watchword.workloads.event_table import map_column
from watchword.workloads.generator import Generator, Profile, varying
from watchword.workloads.opindex import some_of
from watchword.workloads.source import Source
from watchword.workloads.sql_text import as_text, conjunctions, in_order, joined, names
from watchword.workloads.strings import words
from watchword.workloads.workload import EventsForm, Parameters


@dataclass(frozen=True, kw_only=True)
class Prefixes(Parameters):
    events: int = 10_000
    numbers: int = 10_000  # attributes
    texts: int = 100  # attributes
    subscription_size: int = 4  # at most
    event_size: int = 20  # at most
    event_texts: float = 0.5  # the share of an event's values that are texts
    prefix: float = 0.5  # the share of predicates that are prefixes
    prefix_length: int = 3  # letters; a shorter word is taken whole
    values: int = 50
    vocabulary: int = 100_000

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check("subscription_size", at_least=1, at_most=min(self.numbers, self.texts))
        self.check("event_size", at_least=1, at_most=min(self.numbers, self.texts))
        for name in ("event_texts", "prefix"):
            self.check(name, at_least=0, at_most=1)
        for name in ("prefix_length", "values", "vocabulary"):
            self.check(name, at_least=1)


class PrefixesSource(Source[Prefixes]):
    form: ClassVar = EventsForm.MAP

    def __init__(self, parameters: Prefixes) -> None:
        super().__init__(parameters)
        p = parameters
        self._numbers, self._texts = Choice(p.numbers), Choice(p.texts)
        self._number_names, self._text_names = names("a", p.numbers), names("s", p.texts)
        self._vocabulary = words(p.vocabulary)
        self._words = zipf(p.vocabulary, 1.0)
        cut = pc.utf8_slice_codeunits(self._vocabulary, 0, p.prefix_length)
        self._patterns = joined("LIKE '", cut, "%'")

    def expressions(self, rng: np.random.Generator, first: int, rows: int) -> pa.Array:
        p = self.parameters
        sizes, numbers = some_of(self._numbers, rng, rows, p.subscription_size)
        texts = self._texts.distinct(rng, rows, p.subscription_size)[np.arange(p.subscription_size) < sizes[:, None]]
        is_prefix = rng.random(len(numbers)) < p.prefix
        one, other = np.flatnonzero(is_prefix), np.flatnonzero(~is_prefix)
        patterns = self._patterns.take(pa.array(self._words.draw(rng, len(one))))
        operands = as_text(rng.integers(1, p.values + 1, len(other)))
        prefixes = joined(self._text_names.take(pa.array(texts[one])), " ", patterns)
        equal = joined(self._number_names.take(pa.array(numbers[other])), " = ", operands)
        return conjunctions(sizes, in_order([(one, prefixes), (other, equal)]))

    def events(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        p = self.parameters
        sizes = rng.integers(1, p.event_size + 1, rows)
        with_text = rng.binomial(sizes, p.event_texts)
        without = sizes - with_text
        slots = np.arange(p.event_size)
        numbers = self._numbers.distinct(rng, rows, p.event_size)[slots < without[:, None]]
        texts = self._texts.distinct(rng, rows, p.event_size)[slots < with_text[:, None]]
        values = pa.array(rng.integers(1, p.values + 1, len(numbers)))
        written = self._vocabulary.take(pa.array(self._words.draw(rng, len(texts))))
        return pa.table({
            "numbers": map_column(without, self._number_names.take(pa.array(numbers)), values),
            "texts": map_column(with_text, self._text_names.take(pa.array(texts)), written),
        })  # fmt: skip


PROFILES: Final[Mapping[str, Profile[Prefixes]]] = {
    "share": varying("share of prefixes (figure 14)", Prefixes(), prefix=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
    "length": varying("length of prefixes (figure 14)", Prefixes(prefix=1.0), prefix_length=(2, 3, 4, 5, 6)),
}

prefixes: Final = Generator(
    "prefixes",
    "equalities of numbers and prefixes of words",
    "OpIndex section 7.7",
    Prefixes(),
    PrefixesSource,
    PROFILES,
)
