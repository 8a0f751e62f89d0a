"""What each notation builds its tree with: names and constants are checked here, and NULL gets its meaning here.

Errors carry no position: the notation that called knows where it stood.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from watchword.coding.event import family, read_scalar
from watchword.errors import EventError, ExpressionError, LimitError, QueryError
from watchword.language.expression import And, Expression, Operator, Or, Predicate, Truth, Value
from watchword.language.patterns import rlike_test, segments
from watchword.limits import INTEGER_MAX, INTEGER_MIN, LIST_LENGTH, NAME_BYTES, PATTERN_BYTES
from watchword.text.parse_query import parse_query

UNKNOWN = Truth(None)

_PLAIN_TYPES = frozenset({bool, int, float, str})

_TIME = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?P<time>[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
    r"(?: ?(?P<zone>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?))?)?"
)


def name(text: object) -> str:
    """An attribute's name, checked."""
    if not isinstance(text, str):
        raise ExpressionError(f"an attribute's name must be a string, not {type(text).__name__}")
    if len(_utf8(text)) > NAME_BYTES:
        raise LimitError(f"an attribute's name of more than {NAME_BYTES} bytes: {text[:40]!r}...")
    return text


def constant(value: object) -> Value | None:
    """A constant as it stands in trees; None for NULL."""
    plain: Any = value
    if type(value) not in _PLAIN_TYPES:
        try:
            plain = read_scalar(value)
        except EventError:
            raise ExpressionError(
                f"a constant of type {type(value).__name__}: give a number, text, boolean, date or timestamp"
            ) from None
    if plain is None or isinstance(plain, bool):
        return plain
    if isinstance(plain, str):
        _utf8(plain)
        return plain
    if isinstance(plain, int):
        return plain if INTEGER_MIN <= plain <= INTEGER_MAX else _float_of(plain)
    if isinstance(plain, (float, Decimal)):
        number = float(plain)
        if not math.isfinite(number):
            raise LimitError(f"the constant {value} is not a finite 64-bit float")
        return number
    if type(plain) is dt.datetime:
        return plain
    raise ExpressionError(f"the constant {plain} is finer than microseconds: round it")


def _float_of(integer: int) -> float:
    try:
        number = float(integer)
    except OverflowError:
        number = math.inf
    if number != integer:
        raise LimitError("an integer beyond 64 bits that no 64-bit float equals: write it as a decimal, such as 1e30")
    return number


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ExpressionError(f"{text[:40]!r} holds half of a surrogate pair: it is not valid Unicode") from None


def instant(text: str) -> dt.datetime:
    """The time of a DATE or TIMESTAMP constant; with an offset it becomes UTC."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise ExpressionError(
            f"{text!r} is not a date YYYY-MM-DD or a timestamp YYYY-MM-DD HH:MM:SS with at most microseconds"
        )
    plain = text.upper()
    zone = match["zone"]
    if zone is not None:
        plain = plain[: match.start("zone")].rstrip() + ("+00:00" if zone in "Zz" else zone)
    try:
        time = dt.datetime.fromisoformat(plain)
        return time if zone is None else time.astimezone(dt.UTC).replace(tzinfo=None)
    except (ValueError, OverflowError) as error:
        raise ExpressionError(f"{text!r} is not a date or time of the years 1 to 9999: {error}") from None


def compare(attribute: str, operator: Operator, value: object, negated: bool = False) -> Expression:
    operand = constant(value)
    return UNKNOWN if operand is None else Predicate(attribute, operator, (operand,), negated)


def between(attribute: str, low: object, high: object, negated: bool = False) -> Expression:
    bottom, top = constant(low), constant(high)
    if bottom is None and top is None:
        return UNKNOWN
    if bottom is None or top is None:
        return _half_between(attribute, bottom, top, negated)
    if family(bottom) != family(top):
        raise ExpressionError(
            f"the bounds of BETWEEN are a {family(bottom)} and a {family(top)}: give two constants of one type"
        )
    return Predicate(attribute, Operator.BETWEEN, (bottom, top), negated)


def _half_between(attribute: str, low: Value | None, high: Value | None, negated: bool) -> Expression:
    """BETWEEN with one bound NULL is false (negated: true) beyond the other bound, and unknown elsewhere."""
    if negated:
        operator = Operator.GREATER if low is None else Operator.LESS
        return any_of([compare(attribute, operator, high if low is None else low), UNKNOWN])
    operator = Operator.LESS_EQUAL if low is None else Operator.GREATER_EQUAL
    return all_of([compare(attribute, operator, high if low is None else low), UNKNOWN])


def among(attribute: str, values: Sequence[object], negated: bool = False) -> Expression:
    """IN: one predicate per type of constant, and unknown where the list has a NULL."""
    if not values:
        raise ExpressionError("IN needs at least one constant")
    if len(values) > LIST_LENGTH:
        raise LimitError(f"IN with {len(values)} constants, the limit is {LIST_LENGTH}: split the expression")
    lists: dict[str | None, list[Value]] = {}
    has_null = False
    for value in values:
        operand = constant(value)
        if operand is None:
            has_null = True
        else:
            lists.setdefault(family(operand), []).append(operand)
    parts: list[Expression] = [Predicate(attribute, Operator.IN, tuple(list_), negated) for list_ in lists.values()]
    if has_null:
        parts.append(UNKNOWN)
    return all_of(parts) if negated else any_of(parts)


def like(
    attribute: str, operator: Operator, pattern: object, escape: object = None, negated: bool = False
) -> Expression:
    """LIKE, ILIKE or RLIKE."""
    text = constant(pattern)
    if text is None:
        return UNKNOWN
    if not isinstance(text, str):
        raise ExpressionError(f"{operator.name} needs a pattern in single quotes, not a {family(text)}")
    if len(text.encode()) > PATTERN_BYTES:
        raise LimitError(f"a pattern of more than {PATTERN_BYTES} bytes")
    mark = _escape_character(operator, escape)
    if operator is Operator.RLIKE:
        rlike_test(text)
    else:
        segments(text, mark)
    return Predicate(attribute, operator, (text,) if mark is None else (text, mark), negated)


def _escape_character(operator: Operator, escape: object) -> str | None:
    if escape is None:
        return None
    if operator is Operator.RLIKE or not isinstance(escape, str) or len(escape) != 1:
        raise ExpressionError(f"ESCAPE belongs to LIKE and ILIKE and needs one character, not {escape!r}")
    return escape


def matches(attribute: str, query: object, minimum: object = None) -> Expression:
    """MATCHES. With a minimum, so many of the query's clauses that are not marked must hold: `(query)@2`."""
    text = constant(query)
    if text is None:
        return UNKNOWN
    if not isinstance(text, str):
        raise ExpressionError(f"MATCHES needs a query in single quotes, not a {family(text)}")
    parse_query(text, attribute)
    if minimum is not None:
        text = _with_minimum(attribute, text, minimum)
    return Predicate(attribute, Operator.MATCHES, (text,))


def _with_minimum(attribute: str, query: str, minimum: object) -> str:
    if type(minimum) is not int or minimum < 1:
        raise ExpressionError(f"the minimum of MATCHES is {minimum!r}: give a whole number from 1")
    text = f"({query})@{minimum}"
    try:
        parse_query(text, attribute)
    except QueryError as error:
        raise ExpressionError(f"the minimum of MATCHES is {minimum}, expected {error.expected}") from None
    return text


def is_null(attribute: str, negated: bool = False) -> Expression:
    return Predicate(attribute, Operator.IS_NULL, (), negated)


def is_truth(attribute: str, truth: bool, negated: bool = False) -> Expression:
    """IS TRUE and IS FALSE: false, not unknown, where the attribute is missing."""
    holds = Predicate(attribute, Operator.EQUAL, (truth,), negated)
    if negated:
        return Or((Predicate(attribute, Operator.IS_NULL), holds))
    return And((Predicate(attribute, Operator.IS_NULL, (), True), holds))


def all_of(parts: Iterable[Expression]) -> Expression:
    """One And over all parts; an And among them gives its own children."""
    children: list[Expression] = []
    for part in parts:
        children.extend(part.children if isinstance(part, And) else (part,))
    if len(children) == 1:
        return children[0]
    return And(tuple(children)) if children else Truth(True)


def any_of(parts: Iterable[Expression]) -> Expression:
    """One Or over all parts; an Or among them gives its own children."""
    children: list[Expression] = []
    for part in parts:
        children.extend(part.children if isinstance(part, Or) else (part,))
    if len(children) == 1:
        return children[0]
    return Or(tuple(children)) if children else Truth(False)
