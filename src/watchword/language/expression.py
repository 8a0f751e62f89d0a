"""The expression tree: predicates joined by And, Or and Not. All three notations become this.

    And(children)   Or(children)   Not(child)   Truth(True | False | None)   Predicate(...)

A predicate keeps `negated` apart from Not, because they differ on symmetric events (an event value that is a
set or a range): there `x <> 3` asks for some value other than 3, `NOT x = 3` denies that 3 is among the values.
On scalars and lists the two mean the same.
"""

from __future__ import annotations

import datetime as dt
import enum
from dataclasses import dataclass

Value = bool | int | float | str | dt.datetime
"""A constant. Dates are datetimes at midnight; datetimes are naive and mean UTC."""


class Operator(enum.IntEnum):
    """Positive forms only: `<>` is EQUAL negated, NOT IN is IN negated, IS NOT NULL is IS_NULL negated.

    The numbers are stored in saved indexes: never renumber.
    """

    EQUAL = 1
    LESS = 2
    LESS_EQUAL = 3
    GREATER = 4
    GREATER_EQUAL = 5
    BETWEEN = 6  # operands: low, high (of one type)
    IN = 7  # operands: the list, of one type
    LIKE = 8  # operands: pattern [, escape character]
    ILIKE = 9  # operands: pattern [, escape character]
    RLIKE = 10  # operands: RE2 pattern, found anywhere in the value
    IS_NULL = 11  # no operands
    MATCHES = 12  # operands: a query of text (see `watchword.text`); never negated


@dataclass(frozen=True, slots=True)
class Predicate:
    attribute: str
    operator: Operator
    operands: tuple[Value, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Truth:
    """TRUE, FALSE, or (None) unknown, as of a comparison with NULL."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class Not:
    child: Expression


@dataclass(frozen=True, slots=True)
class And:
    children: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    children: tuple[Expression, ...]


Expression = Predicate | Truth | Not | And | Or
