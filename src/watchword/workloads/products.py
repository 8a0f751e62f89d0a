"""Products as OpIndex takes them from a shop (section 7.1): thousands of attributes, few in every product.

    product        p0 = 'v3'   p17 = 'v0'   p2203 = 'v41'          about six of 10,204 attributes
    subscription   p0 IN ('v3', 'v4') AND p81 = 'v7'

31% of the paper's 296,846 products have the most common attribute, 17% another. So attribute of rank r is in a share of
0.31 / r ** 0.87 of the products. Subscriptions choose attributes by the logarithm of how many products have them. What
the paper leaves open: an attribute has between 2 and 2,000 values, as often ten times more as ten times fewer, and the
chance of a value falls as one over its rank; an IN lists values of neighbouring ranks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import pyarrow as pa

from watchword.workloads.choice import Choice, Floats, Integers
from watchword.workloads.event_table import map_table
from watchword.workloads.generator import Generator, Profile, varying
from watchword.workloads.opindex import some_of
from watchword.workloads.source import Source, Stream
from watchword.workloads.sql_text import conjunctions, in_lists, in_order, joined, names
from watchword.workloads.workload import EventsForm, Parameters

MOST_COMMON: Final = 0.31  # of the products have the attribute of rank 1
SECOND: Final = 0.17
EXPONENT: Final = float(np.log2(MOST_COMMON / SECOND))
VALUES: Final = (2, 2_000)  # of one attribute


@dataclass(frozen=True, kw_only=True)
class Products(Parameters):
    events: int = 10_000
    attributes: int = 10_204
    catalogue: int = 296_846  # products that attributes are counted over
    subscription_size: int = 4  # at most
    sets: float = 0.0  # the share of predicates that are IN, the others are =
    set_values: int = 5  # at most

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check("attributes", at_least=2)
        self.check("catalogue", at_least=100)
        self.check("subscription_size", at_least=1, at_most=self.attributes)
        self.check("sets", at_least=0, at_most=1)
        self.check("set_values", at_least=2, at_most=VALUES[1])

    @property
    def presence(self) -> Floats:
        """The share of products that have the attribute of each rank."""
        return MOST_COMMON * np.arange(1.0, self.attributes + 1) ** -EXPONENT


class ProductsSource(Source[Products]):
    form: ClassVar = EventsForm.MAP

    def __init__(self, parameters: Products) -> None:
        super().__init__(parameters)
        p = parameters
        low, high = np.log(VALUES)
        self._presence = p.presence
        self._wanted = Choice(p.attributes, np.log1p(p.catalogue * p.presence))
        self._domain = np.exp(self.random(Stream.SHARED).uniform(low, high, p.attributes)).astype(np.int64)
        self._names = names("p", p.attributes)
        self._values = names("v", VALUES[1])
        self._literals = joined("'", self._values, "'")

    def expressions(self, rng: np.random.Generator, first: int, rows: int) -> pa.Array:
        sizes, attributes = some_of(self._wanted, rng, rows, self.parameters.subscription_size)
        values = self._draw_values(rng, attributes)
        is_set = rng.random(len(attributes)) < self.parameters.sets
        single, several = np.flatnonzero(~is_set), np.flatnonzero(is_set)
        equal = joined("= ", self._literals.take(pa.array(values[single])))
        sets = joined("IN (", self._sets(rng, values[several], self._domain[attributes[several]]), ")")
        conditions = in_order([(single, equal), (several, sets)])
        return conjunctions(sizes, joined(self._names.take(pa.array(attributes)), " ", conditions))

    def _sets(self, rng: np.random.Generator, values: Integers, domain: Integers) -> pa.Array:
        most = self.parameters.set_values
        sizes = np.minimum(rng.integers(2, most + 1, len(values)), domain)
        next_ones = (values[:, None] + np.arange(most)) % domain[:, None]
        listed = next_ones[np.arange(most) < sizes[:, None]]
        return in_lists(sizes, self._literals.take(pa.array(listed)), ", ")

    def events(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        there = rng.random((rows, self.parameters.attributes)) < self._presence
        there[~there.any(1), 0] = True
        attributes = np.nonzero(there)[1]
        values = self._values.take(pa.array(self._draw_values(rng, attributes)))
        return map_table(there.sum(1), self._names.take(pa.array(attributes)), values)

    def _draw_values(self, rng: np.random.Generator, attributes: Integers) -> Integers:
        """Value v with a probability of log((v + 2) / (v + 1)) over that of all: nearly one over its rank."""
        domain = self._domain[attributes]
        drawn = np.floor((domain + 1.0) ** rng.random(len(attributes))).astype(np.int64) - 1
        return np.minimum(drawn, domain - 1)


_SIZES: Final = tuple(n * 1_000_000 for n in (1, 2, 3, 4, 5))

PROFILES: Final[Mapping[str, Profile[Products]]] = {
    f"{what}-{'in' if sets else 'equal'}": varying(
        f"{line}, {'sets' if sets else 'equalities'} (figure 12)", Products(sets=sets), **values
    )
    for what, line, values in (
        ("size", "number of subscriptions", {"subscriptions": _SIZES}),
        ("subscription-size", "largest subscription", {"subscription_size": (4, 8, 12, 16, 20)}),
    )
    for sets in (0.0, 1.0)
}

products: Final = Generator(
    "products",
    "thousands of sparse, skewed attributes of text, chosen by the logarithm of their frequency",
    "OpIndex section 7.1, Ebay",
    Products(),
    ProductsSource,
    PROFILES,
)
