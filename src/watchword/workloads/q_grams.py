"""Strings as conjunctions of their 3-grams (BE-Tree section 7.1, "Real Dataset"; Table 3, last four columns).

    thomas   ->   "^" = 't'   "th" = 'o'   "ho" = 'm'   "om" = 'a'   "ma" = 's'

Two letters are an attribute and the third is its value: 676 attributes of 26 values, and one more that says how the
string begins. The paper's strings are authors and titles of DBLP; these are made up, letter after letter, by a Markov
chain with the frequencies of English, in which vowels and consonants alternate more often than not. They are as long as
it takes to have the average number of predicates of the paper. A pair of letters that comes again counts once.

    strings    subscriptions are strings, and so are events: each is one of the subscriptions' strings
    derived    events are longer strings, and subscriptions are derived from them as BE-Gen derives them
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np
import pyarrow as pa

from watchword.workloads.bases import Bases, Derived
from watchword.workloads.choice import Floats, Integers, repeated_in
from watchword.workloads.derive import Derivation, OperatorClass
from watchword.workloads.event_table import map_table
from watchword.workloads.generator import Generator, Profile, varying
from watchword.workloads.source import Source, Stream
from watchword.workloads.sql_text import conjunctions, joined
from watchword.workloads.workload import EventsForm

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
PERCENT: Final = (  # of English text
    8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2.0, 6.1, 7.0, 0.15, 0.77, 4.0, 2.4,
    6.7, 7.5, 1.9, 0.095, 6.0, 6.3, 9.1, 2.8, 0.98, 2.4, 0.15, 2.0, 0.074,
)  # fmt: skip
ALTERNATION: Final = 4.0  # how much rather a vowel follows a consonant, and a consonant a vowel
BEGINNING: Final = len(LETTERS) ** 2  # the number of the attribute "^"
DIMENSIONS: Final = BEGINNING + 1
SPREAD: Final = 0.3  # of lengths around their average
SAMPLE: Final = 2048  # strings that lengths are calibrated by


class Strings(enum.StrEnum):
    PLAIN = "plain"
    DERIVED = "derived"


@dataclass(frozen=True, kw_only=True)
class QGrams(Derived):
    subscriptions: int = 100_000
    strings: Strings = Strings.PLAIN
    subscription_size: float = 8
    event_size: float = 8  # what strings are long enough for
    equality: float = 1.0
    operators: OperatorClass = OperatorClass.MIN

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "strings", Strings(self.strings))
        self.check("event_size", at_least=2, at_most=100)
        if self.strings is Strings.PLAIN:
            self.check("subscription_size", at_least=self.event_size)


class QGramsSource(Source[QGrams]):
    form: ClassVar = EventsForm.MAP

    def __init__(self, parameters: QGrams) -> None:
        super().__init__(parameters)
        rng = self.random(Stream.SHARED)
        self._first, self._next = _chain(rng)
        self._letters = self._length_for(rng, parameters.event_size)
        pairs = [a + b for a in LETTERS for b in LETTERS] + ["^"]
        self._names = pa.array(pairs)
        self._quoted = joined('"', self._names, '"')
        self._values = pa.array(list(LETTERS))
        literals = joined("'", self._values, "'")
        self._derivation = Derivation(parameters.rules(len(LETTERS)), literals)
        self._bases = self._strings(rng, parameters.bases) if parameters.strings is Strings.DERIVED else None

    def expressions(self, rng: np.random.Generator, first: int, rows: int) -> pa.Array:
        if self._bases is None:
            sizes, attributes, values = self._strings(rng, rows).whole(np.arange(rows))
        else:
            kept = self.parameters.subscription_size / self.parameters.event_size
            bases = np.arange(first, first + rows) % self.parameters.bases
            sizes, attributes, values = self._bases.kept(rng, bases, kept)
        return conjunctions(sizes, self._derivation.predicates(rng, self._quoted.take(pa.array(attributes)), values))

    def events(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        if self._bases is None:
            sizes, attributes, values = self._subscribed(rng, rows)
        else:
            sizes, attributes, values = self._bases.whole(rng.integers(0, self.parameters.bases, rows))
        return map_table(sizes, self._names.take(pa.array(attributes)), self._values.take(pa.array(values)))

    def _subscribed(self, rng: np.random.Generator, rows: int) -> tuple[Integers, Integers, Integers]:
        """Strings of the subscriptions: some of one of their blocks."""
        stream = Stream.SUBSCRIPTIONS
        block = int(rng.integers(0, max(1, self.blocks_of(stream))))
        there = min(stream.block_rows, self.rows_of(stream) - block * stream.block_rows)
        strings = self._strings(self.random(stream, block), stream.block_rows)
        return strings.whole(rng.integers(0, max(1, there), rows))

    def _strings(self, rng: np.random.Generator, rows: int) -> Bases:
        length = np.floor(rng.uniform(1 - SPREAD, 1 + SPREAD, rows) * self._letters + rng.random(rows)).astype(np.int64)
        attributes, values = self._grams(rng, rows, int(length.max()))
        slots = np.arange(attributes.shape[1])
        there = (slots < length[:, None] - 1) & ~repeated_in(attributes)
        there[:, 0] = True
        front = np.argsort(~there, axis=1, kind="stable")
        return Bases(there.sum(1), np.take_along_axis(attributes, front, 1), np.take_along_axis(values, front, 1))

    def _grams(self, rng: np.random.Generator, rows: int, letters: int) -> tuple[Integers, Integers]:
        """The attributes and values of strings of so many letters, in the order of the string."""
        text = np.empty((rows, max(3, letters)), np.int64)
        text[:, 0] = np.searchsorted(self._first, rng.random(rows), side="right")
        for place in range(1, text.shape[1]):
            text[:, place] = (rng.random((rows, 1)) >= self._next[text[:, place - 1]]).sum(1)
        pairs = text[:, :-2] * len(LETTERS) + text[:, 1:-1]
        beginning = np.full((rows, 1), BEGINNING)
        return np.concatenate([beginning, pairs], 1), np.concatenate([text[:, :1], text[:, 2:]], 1)

    def _length_for(self, rng: np.random.Generator, predicates: float) -> float:
        """How many letters strings must have for so many different attributes on average."""
        longest = int(2 * predicates) + 10
        attributes, _ = self._grams(rng, SAMPLE, longest)
        there = np.cumsum((~repeated_in(attributes)).mean(0))
        return float(np.interp(predicates, there, np.arange(2, longest + 1)))


def _chain(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Cumulated probabilities of the first letter, and of the next one after each. No two pairs are quite alike."""
    often = np.array(PERCENT)
    vowel = np.isin(list(LETTERS), list("aeiouy"))
    after = often * np.where(vowel[:, None] != vowel, ALTERNATION, 1.0) * rng.lognormal(0, 0.5, (26, 26))
    return _cumulated(often), _cumulated(after)


def _cumulated(weights: Floats) -> Floats:
    total = np.cumsum(weights, axis=-1)
    cumulated = total / total[..., -1:]
    cumulated[..., -1] = 1.0
    return cumulated


_SHARES: Final = (0.0001, 0.001, *(percent / 100 for percent in range(1, 10)))

_AUTHORS: Final = QGrams(
    subscriptions=400_000, strings=Strings.DERIVED, subscription_size=8, event_size=16, equality=0.3
)
_TITLES: Final = replace(_AUTHORS, subscriptions=150_000, subscription_size=30, event_size=43)

PROFILES: Final[Mapping[str, Profile[QGrams]]] = {
    "author": varying(
        "authors (figure 12a)", QGrams(), subscriptions=(100_000, 200_000, 300_000, 400_000, 500_000, 600_000, 760_000)
    ),
    "title": varying(
        "titles (figure 12b)",
        QGrams(subscription_size=35, event_size=35),
        subscriptions=(50_000, 100_000, 150_000, 200_000, 250_000),
    ),
    **{
        f"{what}-match-probability-{operators}": varying(
            f"share that matches, {operators} operators",
            replace(base, operators=operators),
            match_probability=_SHARES,
        )
        for what, base in (("author", _AUTHORS), ("title", _TITLES))
        for operators in (OperatorClass.LOW, OperatorClass.MEDIUM, OperatorClass.HIGH)
    },
}

q_grams: Final = Generator(
    "q-grams",
    "strings like authors or titles as equalities of their 3-grams, or derived from such",
    "BE-Tree section 7.1, Table 3",
    QGrams(),
    QGramsSource,
    PROFILES,
)
