"""Random expressions and events in numbers that Hypothesis would take long for, from the values it uses too."""

from __future__ import annotations

import random
from typing import Any

from tests.language.strategies import NUMBERS, PATTERNS, REGEXES, TEXTS, TIMES

from watchword.coding.event import Range
from watchword.errors import EventError
from watchword.language.expression import And, Expression, Not, Operator, Or, Predicate, Truth, Value

POOLS: list[list[Any]] = [NUMBERS, NUMBERS, NUMBERS, TEXTS, TEXTS, TIMES, [True, False]]
NAMES = "abcde"
SPECIAL: list[Any] = [float("nan"), 2**70, 1e308, float("inf"), 2.0**53, 2**53 + 2]

OPERATORS = [operator for operator in Operator if operator is not Operator.MATCHES]  # see tests/text


def predicate(pick: random.Random, name: str) -> Expression:
    operator, negated = pick.choice(OPERATORS), pick.random() < 0.25
    pool = pick.choice(POOLS)

    def some(count: int) -> tuple[Value, ...]:
        return tuple(pick.choice(pool) for _ in range(count))

    match operator:
        case Operator.LIKE | Operator.ILIKE:
            pattern = pick.choice(PATTERNS)
            return Predicate(name, operator, (pattern, "!") if "!" in pattern else (pattern,), negated)
        case Operator.RLIKE:
            return Predicate(name, operator, (pick.choice(REGEXES),), negated)
        case Operator.IS_NULL:
            return Predicate(name, operator, (), negated)
        case Operator.IN:
            return Predicate(name, operator, some(pick.randint(1, 5)), negated)
        case Operator.BETWEEN:
            return Predicate(name, operator, some(2), negated)
        case Operator.EQUAL:
            return Predicate(name, operator, some(1), negated)
    return Predicate(name, operator, some(1))


def tree(pick: random.Random, depth: int = 3, names: str = NAMES) -> Expression:
    kind = pick.random()
    if depth == 0 or kind < 0.25:
        return predicate(pick, pick.choice(names))
    if kind < 0.97:
        children = tuple(tree(pick, depth - 1, names) for _ in range(pick.randint(2, 3)))
        return And(children) if kind < 0.55 else Or(children) if kind < 0.85 else Not(children[0])
    return Truth(pick.choice([True, False, None]))


def _range(pick: random.Random) -> Any:
    pool = pick.choice(POOLS[:-1])
    low, high = (pick.choice([*pool, None]) for _ in range(2))
    try:
        return Range(low, high, pick.random() < 0.3, pick.random() < 0.3)
    except EventError:
        return pick.choice(pool)


def value(pick: random.Random) -> Any:
    def scalar() -> Any:
        return pick.choice(SPECIAL) if pick.random() < 0.1 else pick.choice(pick.choice(POOLS))

    kind = pick.random()
    if kind < 0.65:
        return scalar()
    if kind < 0.78:
        return [scalar() if pick.random() < 0.9 else None for _ in range(pick.randint(0, 3))]
    if kind < 0.92:
        return frozenset(scalar() for _ in range(pick.randint(0, 3)))
    return _range(pick)


def event(pick: random.Random, names: str = NAMES) -> dict[str, Any]:
    return {name: value(pick) for name in names if pick.random() < 0.75}
