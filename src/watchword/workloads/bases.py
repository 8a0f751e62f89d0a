"""The base expressions that BE-Gen derives subscriptions from, and how many of them there are (BE-Tree section 7.1)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from watchword.workloads.choice import Integers
from watchword.workloads.derive import OperatorClass, Rules
from watchword.workloads.workload import Parameters


@dataclass(frozen=True, kw_only=True)
class Derived(Parameters):
    """What derived subscriptions need, whatever their bases are."""

    subscription_size: float = 7  # on average; Pr_pred is its share of the events' size
    event_size: float = 15  # on average
    equality: float = 0.3  # the share of predicates that stay equalities: 1 - Pr_trans
    operators: OperatorClass = OperatorClass.MEDIUM
    match_probability: float = 0.01
    range_size: float = 0.12  # of the domain, on average
    set_values: int = 6

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "operators", OperatorClass(self.operators))
        self.check("subscription_size", at_least=1, at_most=self.event_size)
        self.check("equality", at_least=0, at_most=1)
        self.check("match_probability", at_least=1e-6, at_most=1)  # of a million bases
        self.check("range_size", at_least=0, at_most=1)
        self.check("set_values", at_least=2)

    @property
    def bases(self) -> int:
        return max(1, round(1 / self.match_probability))

    def rules(self, cardinality: int) -> Rules:
        return Rules(self.operators, 1 - self.equality, cardinality, self.range_size, self.set_values)


@dataclass(frozen=True)
class Bases:
    """Equalities: base i has the first sizes[i] attributes and values of row i."""

    sizes: Integers
    attributes: Integers
    values: Integers
    _slots: Integers = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_slots", np.arange(self.attributes.shape[1]))

    def kept(self, rng: np.random.Generator, rows: Integers, probability: float) -> tuple[Integers, Integers, Integers]:
        """Some predicates of these bases: how many of each, their attributes and values."""
        there = self._slots < self.sizes[rows, None]
        keep = there & (rng.random(there.shape) < probability)
        nothing = np.flatnonzero(~keep.any(1))
        keep[nothing, rng.integers(0, self.sizes[rows[nothing]])] = True
        return keep.sum(1), self.attributes[rows][keep], self.values[rows][keep]

    def whole(self, rows: Integers) -> tuple[Integers, Integers, Integers]:
        there = self._slots < self.sizes[rows, None]
        return self.sizes[rows], self.attributes[rows][there], self.values[rows][there]
