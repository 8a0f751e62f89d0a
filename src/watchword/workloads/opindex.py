"""OpIndex's own generator (section 7.1, Table 3): few predicates each, over tens of thousands of attributes.

    subscription   1 to 4 attributes, each with =, <= or >= and an operand from 1 to 50
    event          1 to 20 attributes and their values

Sizes are uniform from 1 to their maximum, as in the paper's section 4.4. Attributes and operands are uniform, or both
follow Zipf's law with the same exponent. The same 40% of equalities, and the rest halved between <= and >=.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, TypeVar

import numpy as np
import pyarrow as pa

from watchword.workloads.choice import Choice, Integers, zipf
from watchword.workloads.event_table import map_table
from watchword.workloads.generator import Generator, Profile, varying
from watchword.workloads.source import Source
from watchword.workloads.sql_text import as_text, conjunctions, joined, names
from watchword.workloads.workload import EventsForm, Parameters

OPERATORS: Final = pa.array([" = ", " <= ", " >= "])


@dataclass(frozen=True, kw_only=True)
class OpIndex(Parameters):
    events: int = 10_000
    dimensions: int = 20_000
    subscription_size: int = 4  # at most
    event_size: int = 20  # at most
    equality: float = 0.4
    values: int = 50
    zipf: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check("subscription_size", at_least=1, at_most=self.dimensions)
        self.check("event_size", at_least=1, at_most=self.dimensions)
        self.check("equality", at_least=0, at_most=1)
        self.check("values", at_least=1)
        self.check("zipf", at_least=0)


Q = TypeVar("Q", bound=OpIndex)


class OpIndexSource(Source[Q]):
    form: ClassVar = EventsForm.MAP

    def __init__(self, parameters: Q) -> None:
        super().__init__(parameters)
        self._attributes = zipf(parameters.dimensions, parameters.zipf)
        self._values = zipf(parameters.values, parameters.zipf)
        self._names = names("a", parameters.dimensions)

    def expressions(self, rng: np.random.Generator, first: int, rows: int) -> pa.Array:
        sizes, attributes = some_of(self._attributes, rng, rows, self.parameters.subscription_size)
        return conjunctions(sizes, self.predicates(rng, attributes))

    def predicates(self, rng: np.random.Generator, attributes: Integers) -> pa.Array:
        equal = rng.random(len(attributes)) < self.parameters.equality
        operator = np.where(equal, 0, rng.integers(1, 3, len(attributes)))
        operands = as_text(1 + self._values.draw(rng, len(attributes)))
        return joined(self._names.take(pa.array(attributes)), OPERATORS.take(pa.array(operator)), operands)

    def events(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        sizes, attributes = some_of(self._attributes, rng, rows, self.parameters.event_size)
        values = 1 + self._values.draw(rng, len(attributes))
        return map_table(sizes, self._names.take(pa.array(attributes)), pa.array(values))


def some_of(choice: Choice, rng: np.random.Generator, rows: int, most: int) -> tuple[Integers, Integers]:
    """From 1 to `most` different numbers for every row: how many, and they."""
    sizes = rng.integers(1, most + 1, rows)
    return sizes, choice.distinct(rng, rows, most)[np.arange(most) < sizes[:, None]]


_MILLION: Final = 1_000_000

PROFILES: Final[Mapping[str, Profile[OpIndex]]] = {
    "size": varying("N", OpIndex(), subscriptions=tuple(n * _MILLION for n in (1, 10, 20, 30, 40))),
    "dimensions": varying("d", OpIndex(), dimensions=(20_000, 30_000, 40_000, 50_000, 60_000)),
    "subscription-size": varying("largest subscription", OpIndex(), subscription_size=(4, 8, 12, 16, 20)),
    "event-size": varying("largest event", OpIndex(), event_size=(20, 40, 60, 80, 100, 120)),
    "equality": varying("share of =", OpIndex(), equality=(0.2, 0.4, 0.6, 0.8, 1.0)),
    "values": varying("value space", OpIndex(), values=(50, 200, 800, 3_200, 12_800)),
    "zipf": varying("exponent of Zipf's law", OpIndex(), zipf=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
}

opindex: Final = Generator(
    "opindex",
    "small conjunctions over tens of thousands of sparse attributes",
    "OpIndex section 7.1, Table 3",
    OpIndex(),
    OpIndexSource,
    PROFILES,
)
