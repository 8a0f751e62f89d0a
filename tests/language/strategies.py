"""Random expressions and events that meet: few attributes, few values, every operator."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from hypothesis import strategies as st

from watchword.coding.event import EventValue, Range
from watchword.errors import EventError
from watchword.language import construct
from watchword.language.expression import Expression, Not, Operator, Truth, Value

NUMBERS: list[int | float] = [-1, 0, 1, 2, 3, 4, 0.5, 2.0, 2.5, 2**53, 2**53 + 1, -(2**63), 1e300]
TEXTS = ["", "a", "ab", "abc", "b", "B", "ba", "é", "É", "a%", "a_b", "İ"]
TIMES = [dt.datetime(2020, 1, day, hour) for day in (1, 2, 3) for hour in (0, 12)]
PATTERNS = ["", "%", "_", "a", "a%", "ab%", "%b", "%a%", "a_%", "_b%", "a%b%", "%a%b%", "%é", "i", "É%", "!%%", "%!_b"]
REGEXES = ["a", "^a", "b$", "^$", "[ab]+", "a.c", "(?i)B", "é|x"]
ATTRIBUTES = ["i", "f", "s", "b", "t", "order", "seller.country", 'a "b"', "x y"]

CONSTANTS: dict[str, st.SearchStrategy[Value]] = {
    "number": st.sampled_from(NUMBERS),
    "text": st.sampled_from(TEXTS),
    "boolean": st.booleans(),
    "time": st.sampled_from(TIMES),
}
COMPARISONS = [
    (operator, negated)
    for operator in (Operator.EQUAL, Operator.LESS, Operator.LESS_EQUAL, Operator.GREATER, Operator.GREATER_EQUAL)
    for negated in ((False, True) if operator is Operator.EQUAL else (False,))
]


@st.composite
def predicates(draw: st.DrawFn, attribute: str, family: str) -> Expression:
    """Any predicate on this attribute with constants of this family."""
    constants = CONSTANTS[family]
    negated = draw(st.booleans())
    kinds = ["compare", "in", "between", "null"] + (["like", "rlike"] if family == "text" else [])
    match draw(st.sampled_from(kinds)):
        case "compare":
            operator, negated = draw(st.sampled_from(COMPARISONS))
            return construct.compare(attribute, operator, draw(constants), negated)
        case "in":
            return construct.among(attribute, draw(st.lists(constants, min_size=1, max_size=4)), negated)
        case "between":
            return construct.between(attribute, draw(constants), draw(constants), negated)
        case "null":
            return construct.is_null(attribute, negated)
        case "like":
            pattern = draw(st.sampled_from(PATTERNS))
            operator = draw(st.sampled_from([Operator.LIKE, Operator.ILIKE]))
            return construct.like(attribute, operator, pattern, "!" if "!" in pattern else None, negated)
    return construct.like(attribute, Operator.RLIKE, draw(st.sampled_from(REGEXES)), None, negated)


def trees(leaves: st.SearchStrategy[Expression], max_leaves: int = 8) -> st.SearchStrategy[Expression]:
    return st.recursive(
        leaves,
        lambda below: st.one_of(
            st.lists(below, min_size=2, max_size=4).map(construct.all_of),
            st.lists(below, min_size=2, max_size=4).map(construct.any_of),
            below.map(Not),
        ),
        max_leaves=max_leaves,
    )


def expressions() -> st.SearchStrategy[Expression]:
    """Any expression, types of attributes not respected."""
    leaf = st.tuples(st.sampled_from(ATTRIBUTES), st.sampled_from(list(CONSTANTS))).flatmap(
        lambda pair: predicates(*pair)
    )
    truth: st.SearchStrategy[Expression] = st.sampled_from([Truth(True), Truth(False), Truth(None)])
    return trees(st.one_of(leaf, leaf, leaf, truth))


def scalars() -> st.SearchStrategy[EventValue]:
    return st.one_of(*CONSTANTS.values(), st.just(Decimal("2.5")), st.just(float("nan")), st.just(2**70))


@st.composite
def ranges(draw: st.DrawFn) -> EventValue:
    constants = CONSTANTS[draw(st.sampled_from(["number", "text", "time"]))]
    low, high = draw(st.tuples(st.none() | constants, st.none() | constants))
    try:
        return Range(low, high, draw(st.booleans()), draw(st.booleans()))
    except EventError:
        return draw(constants)


def events() -> st.SearchStrategy[dict[str, EventValue]]:
    """Flat events with scalars, lists, sets and ranges."""
    elements = scalars() | st.none()
    values: st.SearchStrategy[EventValue] = st.one_of(
        scalars(), scalars(), st.lists(elements, max_size=3), st.frozensets(elements, max_size=3), ranges()
    )
    return st.dictionaries(st.sampled_from(ATTRIBUTES), values, max_size=6)
