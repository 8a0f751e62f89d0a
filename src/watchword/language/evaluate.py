"""The oracle: an expression evaluated directly on an event, in three-valued (Kleene) logic.

    value of the attribute     `x <= 3`                         `x <> 3`
    missing                    unknown                          unknown
    scalar                     compared, unknown where          the opposite
                               the types do not compare
    list                       some element satisfies it        the opposite of `x = 3`
    set (symmetric)            some element satisfies it        some element satisfies it
    Range (symmetric)          some value in it satisfies it    some value in it satisfies it

MATCHES has its own rules for these, in `text/evaluate.py`.

Every structure is held to these answers, so this file is plain rather than fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from watchword.coding.event import EventValue, Range, Scalar, family, flatten
from watchword.language.expression import And, Expression, Not, Operator, Or, Predicate, Truth
from watchword.language.fold import fold
from watchword.language.patterns import like_test, rlike_test
from watchword.language.ranges import some_value_satisfies
from watchword.text.evaluate import matches
from watchword.text.settings import DEFAULT, TextSettings


def evaluate(expression: Expression, event: Mapping[str, object], text: TextSettings = DEFAULT) -> bool | None:
    """True, False, or None for unknown. Only True is a match. `text`: how MATCHES reads texts."""
    return evaluate_flat(expression, flatten(event), text)


def evaluate_flat(expression: Expression, flat: Mapping[str, EventValue], text: TextSettings = DEFAULT) -> bool | None:
    """The same for an event that `flatten` has read."""
    return fold(expression, lambda leaf: leaf_value(leaf, flat, text), joined_value)


def leaf_value(leaf: Predicate | Truth, flat: Mapping[str, EventValue], text: TextSettings = DEFAULT) -> bool | None:
    if isinstance(leaf, Truth):
        return leaf.value
    if leaf.operator is Operator.MATCHES:
        return matches(leaf.attribute, str(leaf.operands[0]), flat, text)
    return _predicate_value(leaf, flat.get(leaf.attribute))


def joined_value(node: And | Or | Not, values: Sequence[bool | None]) -> bool | None:
    if isinstance(node, Not):
        return opposite(values[0])
    return some(values) if isinstance(node, Or) else every(values)


def some(values: Sequence[bool | None]) -> bool | None:
    if True in values:
        return True
    return None if None in values else False


def every(values: Sequence[bool | None]) -> bool | None:
    if False in values:
        return False
    return None if None in values else True


def opposite(value: bool | None) -> bool | None:
    return None if value is None else not value


def _predicate_value(predicate: Predicate, value: EventValue | None) -> bool | None:
    if predicate.operator is Operator.IS_NULL:
        return (value is None) is not predicate.negated
    if value is None:
        return None
    if isinstance(value, Range):
        return some_value_satisfies(predicate, value)
    if isinstance(value, frozenset):
        return some([_scalar_value(predicate, element) for element in value])
    if isinstance(value, list):
        positive = some([_positive_value(predicate, element) for element in value])
        return opposite(positive) if predicate.negated else positive
    return _scalar_value(predicate, value)


def _scalar_value(predicate: Predicate, value: Scalar | None) -> bool | None:
    positive = _positive_value(predicate, value)
    return opposite(positive) if predicate.negated else positive


def _positive_value(predicate: Predicate, value: Scalar | None) -> bool | None:
    if value is None or family(value) != family(predicate.operands[0]):
        return None
    return _holds(predicate.operator, predicate.operands, value)


def _holds(operator: Operator, operands: Sequence[Any], value: Any) -> bool:
    """Python compares int, float and Decimal exactly, and NaN with nothing."""
    match operator:
        case Operator.EQUAL:
            return bool(value == operands[0])
        case Operator.LESS:
            return bool(value < operands[0])
        case Operator.LESS_EQUAL:
            return bool(value <= operands[0])
        case Operator.GREATER:
            return bool(value > operands[0])
        case Operator.GREATER_EQUAL:
            return bool(value >= operands[0])
        case Operator.BETWEEN:
            return bool(operands[0] <= value <= operands[1])
        case Operator.IN:
            return value in operands
        case Operator.RLIKE:
            return rlike_test(operands[0])(value)
    escape = operands[1] if len(operands) > 1 else None
    return like_test(operands[0], escape, operator is Operator.ILIKE)(value)
