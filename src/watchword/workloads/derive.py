"""Predicates derived from equalities (BE-Tree section 7.1, Table 2): each holds wherever its equality does.

    x = 20   stays   x = 20
             or      x <> 7     x < 31     x <= 20     x > 3     x >= 11
                     x IN (4, 20, 22)      x NOT IN (5, 9)      x BETWEEN 17 AND 22

Values are numbers from 0 to cardinality - 1; `literals` says how each is written. Where nothing is smaller or larger,
`<` and `>` become `<=` and `>=`. Random values are uniform among those allowed; a BETWEEN has a width that is
uniform from half to one and a half times the average, and lies anywhere around its value inside the domain.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from watchword.workloads.choice import Choice, Integers
from watchword.workloads.sql_text import in_lists, in_order, joined


class OperatorClass(enum.StrEnum):
    """The levels of expressiveness (Table 2a)."""

    MIN = "min"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


_MEDIUM: Final = ("<", "<=", ">", ">=", "IN", "BETWEEN")
INFERRED: Final = {  # what an equality may become
    OperatorClass.MIN: (),
    OperatorClass.LOW: ("IN",),
    OperatorClass.MEDIUM: _MEDIUM,
    OperatorClass.HIGH: (*_MEDIUM, "<>", "NOT IN"),
}


@dataclass(frozen=True)
class Rules:
    operators: OperatorClass
    transformed: float  # the probability that a predicate becomes another one: Pr_trans
    cardinality: int
    range_size: float  # the average width of BETWEEN, as a share of the domain
    set_values: int  # the most in one IN or NOT IN


class Derivation:
    """Writes predicates that equalities imply."""

    def __init__(self, rules: Rules, literals: pa.Array) -> None:
        self._rules = rules
        self._literals = literals
        self._others = Choice(rules.cardinality - 1)

    def predicates(self, rng: np.random.Generator, attributes: pa.Array, values: Integers) -> pa.Array:
        """One predicate for every attribute and its value."""
        inferred = INFERRED[self._rules.operators]
        operator = rng.integers(0, max(1, len(inferred)), len(values))
        transformed = rng.random(len(values)) < (self._rules.transformed if inferred else 0.0)
        groups = []
        for number, name in enumerate(("=", *inferred)):
            places = np.flatnonzero(transformed & (operator == number - 1) if number else ~transformed)
            if len(places):
                conditions = self._conditions(rng, name, values[places])
                groups.append((places, joined(attributes.take(pa.array(places)), " ", conditions)))
        return in_order(groups) if groups else pa.array([], pa.string())

    def _conditions(self, rng: np.random.Generator, operator: str, values: Integers) -> pa.Array:
        if operator in ("IN", "NOT IN"):
            return joined(operator, " (", self._sets(rng, values, operator == "IN"), ")")
        if operator == "BETWEEN":
            low, high = self._range(rng, values)
            return joined("BETWEEN ", self._text(low), " AND ", self._text(high))
        if operator == "=":
            return joined("= ", self._text(values))
        if operator == "<>":
            return joined(
                "<> ", self._text((values + 1 + self._others.draw(rng, len(values))) % self._rules.cardinality)
            )
        return self._one_sided(rng, operator, values)

    def _one_sided(self, rng: np.random.Generator, operator: str, values: Integers) -> pa.Array:
        top = self._rules.cardinality - 1
        below = operator[0] == "<"
        strict = (len(operator) == 1) & (values < top if below else values > 0)
        bound = rng.integers(values + strict, top + 1) if below else rng.integers(0, values + 1 - strict)
        signs = pa.array([f"{operator[0]}= ", f"{operator[0]} "]).take(pa.array(strict.astype(np.int8)))
        return joined(signs, self._text(bound))

    def _range(self, rng: np.random.Generator, values: Integers) -> tuple[Integers, Integers]:
        cardinality = self._rules.cardinality
        mean = self._rules.range_size * cardinality
        width = np.floor(rng.uniform(0.5 * mean, 1.5 * mean, len(values)) + rng.random(len(values))).astype(np.int64)
        width = np.clip(width, 1, cardinality)
        low = np.clip(values - rng.integers(0, width), 0, cardinality - width)
        return low, low + width - 1

    def _sets(self, rng: np.random.Generator, values: Integers, including: bool) -> pa.Array:
        """Lists of 2 values and more, with or without the given one, as far as the domain has so many."""
        cardinality = self._rules.cardinality
        most = min(self._rules.set_values - including, cardinality - 1)
        count = rng.integers(min(2 - including, most), most + 1, len(values))
        others = (values[:, None] + 1 + self._others.distinct(rng, len(values), most)) % cardinality
        others = np.where(np.arange(most) < count[:, None], others, cardinality)  # those beyond go behind
        if including:
            others, count = np.concatenate([values[:, None], others], 1), count + 1
        ordered = np.sort(others, axis=1)
        return in_lists(count, self._text(ordered[ordered < cardinality]), ", ")

    def _text(self, values: Integers) -> pa.Array:
        return self._literals.take(pa.array(values))
