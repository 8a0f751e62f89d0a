"""H-Tree's workload (section V, Table II): every subscription bounds many of a few attributes by ranges.

    subscription   20 of 50 attributes, each BETWEEN a low and a high value that are 0.1 apart
    event          a value of every attribute

Values lie between 0 and 1, in millionths. The middle of a range follows the distribution of constraint values, as far
as the whole range then lies inside; a range of random width lies between two values that follow it. The paper's Pareto
distribution has "mean 0.5 and scale 2", which no Pareto distribution has: 2 is taken for its shape, so it starts at
0.25, and what would lie beyond 1 is left out.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import pyarrow as pa

from watchword.workloads.choice import Floats, zipf
from watchword.workloads.generator import Generator, Profile, varying
from watchword.workloads.source import Source
from watchword.workloads.sql_text import conjunctions, joined, names
from watchword.workloads.workload import EventsForm, Parameters

STEPS: Final = 1_000_000  # of the domain
_GRID: Final = np.linspace(0.0, 1.0, 4097)  # where distributions are tabulated


class Values(enum.StrEnum):
    UNIFORM = "uniform"
    NORMAL = "normal"
    PARETO = "pareto"

    def at_most(self, x: Floats) -> Floats:
        """The probability of no more than x, on the whole line."""
        return _AT_MOST[self](x)


def _normal(x: Floats, mean: float = 0.5, variance: float = 0.02) -> Floats:
    scaled = (x - mean) / math.sqrt(2 * variance)
    return np.array([0.5 + 0.5 * math.erf(one) for one in scaled])


def _pareto(x: Floats, mean: float = 0.5, shape: float = 2.0) -> Floats:
    start = mean * (shape - 1) / shape
    return 1 - (start / np.maximum(x, start)) ** shape


_AT_MOST: Final[dict[Values, Callable[[Floats], Floats]]] = {
    Values.UNIFORM: lambda x: x,
    Values.NORMAL: _normal,
    Values.PARETO: _pareto,
}


class Drawer:
    """Draws values between `low` and `high`: a uniform probability, looked up in the table of the distribution."""

    def __init__(self, values: Values, low: float = 0.0, high: float = 1.0) -> None:
        self._table = values.at_most(_GRID)
        self._low, self._high = np.interp([low, high], _GRID, self._table)

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        return np.interp(rng.uniform(self._low, self._high, count), self._table, _GRID)


@dataclass(frozen=True, kw_only=True)
class HTree(Parameters):
    events: int = 10_000
    attributes: int = 50
    constraints: int = 20
    width: float | None = 0.1  # None: random
    values: Values = Values.UNIFORM  # of constraints
    event_values: Values = Values.UNIFORM
    zipf: float = 0.0  # the paper's a, by which attributes are chosen

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "values", Values(self.values))
        object.__setattr__(self, "event_values", Values(self.event_values))
        self.check("constraints", at_least=1, at_most=self.attributes)
        self.check("zipf", at_least=0)
        if self.width is not None:
            self.check("width", at_least=0, at_most=0.999 if self.values is Values.UNIFORM else 0.5)


class HTreeSource(Source[HTree]):
    form: ClassVar = EventsForm.COLUMNS

    def __init__(self, parameters: HTree) -> None:
        super().__init__(parameters)
        p = parameters
        margin = (p.width or 0.0) / 2
        self._attributes = zipf(p.attributes, p.zipf)
        self._names = names("a", p.attributes)
        self._constraints = Drawer(p.values, margin, 1 - margin)
        self._event_values = Drawer(p.event_values)

    def expressions(self, rng: np.random.Generator, first: int, rows: int) -> pa.Array:
        p = self.parameters
        attributes = self._attributes.distinct(rng, rows, p.constraints).reshape(-1)
        low, high = self._ranges(rng, len(attributes))
        predicates = joined(self._names.take(pa.array(attributes)), " BETWEEN ", _text(low), " AND ", _text(high))
        return conjunctions(np.full(rows, p.constraints), predicates)

    def _ranges(self, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
        width = self.parameters.width
        if width is None:
            ends = self._constraints.draw(rng, 2 * count).reshape(2, count)
            return _rounded(ends.min(0)), _rounded(ends.max(0))
        low = np.rint(STEPS * (self._constraints.draw(rng, count) - width / 2))
        return low / STEPS, (low + round(width * STEPS)) / STEPS

    def events(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        columns = [_rounded(self._event_values.draw(rng, rows)) for _ in range(self.parameters.attributes)]
        return pa.table(columns, self._names.to_pylist())


def _rounded(values: Floats) -> Floats:
    return np.rint(values * STEPS) / STEPS


def _text(values: Floats) -> pa.Array:
    return pa.array(values).cast(pa.string())


_SIZES: Final = tuple(1000 * n for n in (100, 200, 400, 800, 1000, 2000, 3000, 4000, 5000))
_TENTHS: Final = tuple(n / 10 for n in range(1, 10))
_CONSTRAINTS: Final = (5, 10, 20, 30, 40, 50, 100, 150, 200)

PROFILES: Final[Mapping[str, Profile[HTree]]] = {
    "size": varying("number of subscriptions (figures 4, 12)", HTree(), subscriptions=_SIZES),
    "values": varying("distribution of constraint values (figure 5)", HTree(width=0.02), values=tuple(Values)),
    "constraints": varying(
        "constraints of twice as many attributes (figure 6)",
        HTree(attributes=400),
        constraints=_CONSTRAINTS,
        attributes=tuple(2 * n for n in _CONSTRAINTS),
    ),
    "constraint-ratio": varying(
        "share of 100 attributes that are bounded (figure 7)",
        HTree(attributes=100),
        constraints=tuple(round(100 * tenth) for tenth in _TENTHS),
    ),
    "indexed": varying("for the number of indexed attributes (figure 8)", HTree(constraints=25), subscriptions=_SIZES),
    "zipf": varying("choice of attributes (figure 9)", HTree(), zipf=(0.2, 0.6, 1.0)),
    "width": varying("width of ranges (figure 10)", HTree(constraints=25), width=tuple(n / 100 for n in range(1, 11))),
    "random-width": varying(
        "random width (figures 11, 13)",
        HTree(constraints=25, width=None),
        subscriptions=tuple(100_000 * n for n in range(1, 11)),
    ),
    "deletion": varying(
        "for deletions (figure 14)", HTree(attributes=100, constraints=30, width=0.05), subscriptions=_SIZES
    ),
}

h_tree: Final = Generator(
    "h-tree",
    "many ranges each, over a few attributes that every event has",
    "H-Tree section V, Table II",
    HTree(),
    HTreeSource,
    PROFILES,
)
