"""BE-Gen (BE-Tree section 7.1, Tables 2 and 3): events are equalities, subscriptions are derived from events.

    base       a7 = 31   a12 = 4   a55 = 40   ...   about 15 of 400 attributes; every event is one of the bases
    derived    a7 = 31   a55 BETWEEN 37 AND 42      keeps each predicate with probability 7 / 15, changes it with 0.7

Subscription i comes from base i modulo their number, and an event satisfies all that come from its base. So with b
bases 1 / b of the subscriptions match, and a few more where two bases are alike: that is how the matching probability
is under control. What the paper leaves open: the sizes of bases are uniform around their average, and a subscription
that would keep nothing keeps one predicate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import pyarrow as pa

from watchword.workloads.bases import Bases, Derived
from watchword.workloads.choice import zipf
from watchword.workloads.derive import Derivation, OperatorClass
from watchword.workloads.event_table import map_table
from watchword.workloads.generator import Generator, Profile, varying
from watchword.workloads.source import Source, Stream
from watchword.workloads.sql_text import as_text, conjunctions, names
from watchword.workloads.workload import EventsForm, WorkloadError


@dataclass(frozen=True, kw_only=True)
class BeGen(Derived):
    subscriptions: int = 100_000
    dimensions: int = 400
    cardinality: int = 48
    zipf: float = 0.0  # the exponent of the choice of attributes: 0 is uniform, the paper's Zipf is 1
    size_spread: float = 0.2  # sizes of events go from 0.8 to 1.2 of their average

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check("cardinality", at_least=2)
        self.check("zipf", at_least=0)
        self.check("size_spread", at_least=0, at_most=0.9)  # no event is empty
        self.check("dimensions", at_least=int(self.event_size * (1 + self.size_spread)))
        if self.event_size != int(self.event_size):
            raise WorkloadError(f"BeGen.event_size must be a whole number, not {self.event_size}")


class BeGenSource(Source[BeGen]):
    form: ClassVar = EventsForm.MAP

    def __init__(self, parameters: BeGen) -> None:
        super().__init__(parameters)
        p = parameters
        self._names = names("a", p.dimensions)
        self._derivation = Derivation(p.rules(p.cardinality), as_text(np.arange(p.cardinality)))
        self._bases = _random_bases(self.random(Stream.SHARED), p)

    def expressions(self, rng: np.random.Generator, first: int, rows: int) -> pa.Array:
        p = self.parameters
        bases = np.arange(first, first + rows) % p.bases
        sizes, attributes, values = self._bases.kept(rng, bases, p.subscription_size / p.event_size)
        predicates = self._derivation.predicates(rng, self._names.take(pa.array(attributes)), values)
        return conjunctions(sizes, predicates)

    def events(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        sizes, attributes, values = self._bases.whole(rng.integers(0, self.parameters.bases, rows))
        return map_table(sizes, self._names.take(pa.array(attributes)), pa.array(values))


def _random_bases(rng: np.random.Generator, p: BeGen) -> Bases:
    spread = int(p.event_size * p.size_spread)
    low, high = int(p.event_size) - spread, int(p.event_size) + spread
    sizes = rng.integers(low, high + 1, p.bases)
    attributes = zipf(p.dimensions, p.zipf).distinct(rng, p.bases, high)
    return Bases(sizes, attributes, rng.integers(0, p.cardinality, attributes.shape))


_MILLION: Final = BeGen(subscriptions=1_000_000)
_LARGER: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9)  # percent

PROFILES: Final[Mapping[str, Profile[BeGen]]] = {
    "size": varying("number of subscriptions", BeGen(), subscriptions=tuple(range(100_000, 1_000_001, 100_000))),
    "dimensions": varying("number of dimensions", _MILLION, dimensions=(50, 100, 200, 400, 800, 1400)),
    "cardinality": varying("cardinality of dimensions", BeGen(), cardinality=(48, 300, 1_500, 6_000, 30_000, 150_000)),
    "selectivity": varying("average range in percent", BeGen(), range_size=(0.06, 0.12, 0.24, 0.36, 0.5)),
    "dimension-selectivity": varying(
        "cardinality so low that dimensions select little",
        BeGen(equality=1.0, operators=OperatorClass.MIN),
        cardinality=(2, 3, 4, 5, 6, 8, 10),
    ),
    "expression-size": varying(
        "average sizes of subscriptions and events",
        BeGen(),
        subscription_size=(5, 10, 14, 21, 28, 42, 66),
        event_size=(13, 20, 26, 35, 43, 57, 81),
    ),
    "equality": varying("share of equalities", _MILLION, equality=(0.2, 0.4, 0.6, 0.8, 1.0)),
    **{
        f"match-probability-{operators}": varying(
            f"share that matches, {operators} operators",
            BeGen(subscriptions=1_000_000, operators=operators),
            match_probability=(0.0001, 0.001, *(percent / 100 for percent in _LARGER)),
        )
        for operators in (OperatorClass.LOW, OperatorClass.MEDIUM, OperatorClass.HIGH)
    },
}

be_gen: Final = Generator(
    "be-gen",
    "conjunctions derived from events, so that a chosen share of them matches",
    "BE-Tree section 7.1, Tables 2 and 3",
    BeGen(),
    BeGenSource,
    PROFILES,
)
