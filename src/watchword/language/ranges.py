"""Predicates on a `Range`: does some value in the range satisfy it?

Numbers, times and texts are taken as dense: between any two of them lies another. Then a positive predicate is a
few intervals, none of them touching another, and

    x <= 3    holds where an interval meets the range
    x <> 3    holds where no interval covers the range

Patterns other than a text, or a text and then `%`, are no interval: unknown.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from watchword.coding.event import Range, family
from watchword.language.expression import Operator, Predicate
from watchword.language.patterns import literal_prefix


class Interval(NamedTuple):
    low: Any  # None: unbounded
    high: Any
    low_open: bool = False
    high_open: bool = False


def some_value_satisfies(predicate: Predicate, value: Range) -> bool | None:
    bound = value.high if value.low is None else value.low
    if family(bound) != family(predicate.operands[0]):
        return None
    intervals = _intervals(predicate)
    if intervals is None:
        return None
    range_ = Interval(value.low, value.high, value.low_open, value.high_open)
    if predicate.negated:
        return not any(_covers(interval, range_) for interval in intervals)
    return any(_meets(interval, range_) for interval in intervals)


def _intervals(predicate: Predicate) -> list[Interval] | None:
    first, last = predicate.operands[0], predicate.operands[-1]
    match predicate.operator:
        case Operator.EQUAL | Operator.IN:
            return [Interval(operand, operand) for operand in predicate.operands]
        case Operator.LESS:
            return [Interval(None, first, high_open=True)]
        case Operator.LESS_EQUAL:
            return [Interval(None, first)]
        case Operator.GREATER:
            return [Interval(first, None, low_open=True)]
        case Operator.GREATER_EQUAL:
            return [Interval(first, None)]
        case Operator.BETWEEN:
            return [Interval(first, last)] if first <= last else []  # type: ignore[operator]
        case Operator.LIKE:
            return _like_intervals(*predicate.operands)
    return None


def _like_intervals(pattern: Any, escape: Any = None) -> list[Interval] | None:
    prefix = literal_prefix(pattern, escape)
    if prefix is None:
        return None
    text, more_may_follow = prefix
    if not more_may_follow:
        return [Interval(text, text)]
    return [Interval(text if text else None, _after_all_with_prefix(text), high_open=True)]


def _after_all_with_prefix(text: str) -> str | None:
    """The least text above every text that begins with this one; None where there is none."""
    text = text.rstrip("\U0010ffff")
    return text[:-1] + chr(ord(text[-1]) + 1) if text else None


def _meets(a: Interval, b: Interval) -> bool:
    return not (_lies_below(a, b) or _lies_below(b, a))


def _lies_below(a: Interval, b: Interval) -> bool:
    if a.high is None or b.low is None:
        return False
    return bool(a.high < b.low or (a.high == b.low and (a.high_open or b.low_open)))


def _covers(outer: Interval, inner: Interval) -> bool:
    low = outer.low is None or (
        inner.low is not None
        and (inner.low > outer.low or (inner.low == outer.low and (inner.low_open or not outer.low_open)))
    )
    high = outer.high is None or (
        inner.high is not None
        and (inner.high < outer.high or (inner.high == outer.high and (inner.high_open or not outer.high_open)))
    )
    return bool(low and high)
