"""Expressions written in Python, in PySpark's manner: `(col("price") <= 580) & col("model").startswith("i")`."""

from __future__ import annotations

from typing import NoReturn

from watchword.errors import ExpressionError
from watchword.language import construct
from watchword.language.expression import Expression, Not, Operator, Predicate
from watchword.language.render import to_sql


class Condition:
    """What an expression is made of; `.expression` is its tree."""

    __slots__ = ("expression",)

    def __init__(self, expression: Expression) -> None:
        self.expression = expression

    def __and__(self, other: Condition) -> Condition:
        if not isinstance(other, Condition):
            return NotImplemented
        return Condition(construct.all_of((self.expression, other.expression)))

    def __or__(self, other: Condition) -> Condition:
        if not isinstance(other, Condition):
            return NotImplemented
        return Condition(construct.any_of((self.expression, other.expression)))

    def __invert__(self) -> Condition:
        return Condition(Not(self.expression))

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a condition is neither true nor false by itself: write & for 'and', | for 'or', ~ for 'not', "
            "between(a, b) for a chained comparison, and parentheses around each comparison"
        )

    def __repr__(self) -> str:
        return f"<{to_sql(self.expression)}>"


class Column(Condition):
    """An attribute. By itself it is the condition `attribute = TRUE`."""

    __slots__ = ("name",)
    __hash__ = None  # type: ignore[assignment]  # == makes conditions, so a column is no dictionary key

    def __init__(self, name: str) -> None:
        self.name = construct.name(name)
        super().__init__(Predicate(self.name, Operator.EQUAL, (True,)))

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return self._compared(Operator.EQUAL, other)

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return self._compared(Operator.EQUAL, other, negated=True)

    def __lt__(self, other: object) -> Condition:
        return self._compared(Operator.LESS, other)

    def __le__(self, other: object) -> Condition:
        return self._compared(Operator.LESS_EQUAL, other)

    def __gt__(self, other: object) -> Condition:
        return self._compared(Operator.GREATER, other)

    def __ge__(self, other: object) -> Condition:
        return self._compared(Operator.GREATER_EQUAL, other)

    def _compared(self, operator: Operator, other: object, negated: bool = False) -> Condition:
        if isinstance(other, Condition):
            raise ExpressionError(f"{self!r} is compared with {other!r}: compare an attribute with a constant")
        return Condition(construct.compare(self.name, operator, other, negated))

    def isin(self, *values: object) -> Condition:
        """One of these constants, given one by one or as one list."""
        if len(values) == 1 and isinstance(values[0], (list, tuple, set, frozenset)):
            values = tuple(values[0])
        return Condition(construct.among(self.name, values))

    def between(self, low: object, high: object) -> Condition:
        return Condition(construct.between(self.name, low, high))

    def like(self, pattern: str, escape: str | None = None) -> Condition:
        return Condition(construct.like(self.name, Operator.LIKE, pattern, escape))

    def ilike(self, pattern: str, escape: str | None = None) -> Condition:
        return Condition(construct.like(self.name, Operator.ILIKE, pattern, escape))

    def rlike(self, pattern: str) -> Condition:
        return Condition(construct.like(self.name, Operator.RLIKE, pattern))

    def matches(self, query: str, minimum_should_match: int | None = None) -> Condition:
        """A query of text in Lucene's manner: `+must -mustnot "a phrase"~2 pre* fuzzy~1 (a OR b)`."""
        return Condition(construct.matches(self.name, query, minimum_should_match))

    def startswith(self, text: str) -> Condition:
        return self._like_literal("", text, "%")

    def endswith(self, text: str) -> Condition:
        return self._like_literal("%", text, "")

    def contains(self, text: str) -> Condition:
        return self._like_literal("%", text, "%")

    def _like_literal(self, before: str, text: str, after: str) -> Condition:
        if not isinstance(text, str):
            raise ExpressionError(f"startswith, endswith and contains need a string, not {type(text).__name__}")
        if "%" not in text and "_" not in text:
            return self.like(before + text + after)
        for sign in "!%_":
            text = text.replace(sign, "!" + sign)
        return self.like(before + text + after, "!")

    def isNull(self) -> Condition:  # noqa: N802 - PySpark's name
        return Condition(construct.is_null(self.name))

    def isNotNull(self) -> Condition:  # noqa: N802
        return Condition(construct.is_null(self.name, negated=True))


def col(name: str) -> Column:
    """The attribute of this name; dots reach into nested records."""
    return Column(name)
