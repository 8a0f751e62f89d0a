"""Three notations, one tree: SQL text, the column builder, JSON; and each way back."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests.language.strategies import expressions

from watchword.errors import ExpressionError, LimitError
from watchword.language.build import to_expression
from watchword.language.builder import Condition, col
from watchword.language.expression import And, Expression, Not, Operator, Or, Predicate, Truth
from watchword.language.render import to_sql
from watchword.language.sql import parse
from watchword.language.wire import from_wire, to_wire
from watchword.limits import EXPRESSION_NODES, LIST_LENGTH, NESTING

price = col("price")
A = parse("a")

CONDITIONS: list[tuple[Condition, str]] = [
    (price <= 580, "price <= 580"),
    (price == 580, "price = 580"),
    (price != 580, "price <> 580"),
    (price < 2.5, "price < 2.5"),
    (price > 2**53 + 1, "price > 9007199254740993"),
    (price >= dt.date(2024, 5, 1), "price >= DATE '2024-05-01'"),
    (580 >= price, "price <= 580"),  # noqa: SIM300 - Python turns it round, as SQL does
    (price.isin(1, 2), "price IN (1, 2)"),
    (price.isin([1, "a", None]), "price IN (1, 'a', NULL)"),
    (~price.isin(1), "NOT price IN (1)"),
    (price.between(1, 2), "price BETWEEN 1 AND 2"),
    (price.like("a%"), "price LIKE 'a%'"),
    (price.like("a!%", "!"), "price LIKE 'a!%' ESCAPE '!'"),
    (price.ilike("a%"), "price ILIKE 'a%'"),
    (price.rlike("^a"), "price RLIKE '^a'"),
    (price.startswith("a"), "price LIKE 'a%'"),
    (price.endswith("a'"), "price LIKE '%a'''"),
    (price.contains("50%_!"), "price LIKE '%50!%!_!!%' ESCAPE '!'"),
    (price.isNull(), "price IS NULL"),
    (price.isNotNull(), "price IS NOT NULL"),
    (col("in_stock") & (price <= 3), "in_stock AND price <= 3"),
    (~col("in_stock") | (price <= 3), "NOT in_stock OR price <= 3"),
    ((price > 1) & (price < 3) & ((price == 2) | col("a")), "price > 1 AND price < 3 AND (price = 2 OR a)"),
    (col("seller.country") == "NO", "seller.country = 'NO'"),
    (price == None, "price = NULL"),  # noqa: E711
    (col("home country") == 1, '"home country" = 1'),
]


@pytest.mark.parametrize(("condition", "text"), CONDITIONS, ids=[text for _, text in CONDITIONS])
def test_columns_equal_sql(condition: Condition, text: str) -> None:
    assert to_expression(condition) == condition.expression == parse(text)


def test_python_operators_are_refused() -> None:
    with pytest.raises(TypeError, match="write & for 'and'"):
        _ = price > 1 and price < 3
    with pytest.raises(TypeError, match="between"):
        _ = 1 < price < 3
    with pytest.raises(TypeError):
        _ = (price > 1) & True  # type: ignore[operator]
    with pytest.raises(TypeError):
        _ = (price > 1) | "a"  # type: ignore[operator]


@pytest.mark.parametrize(
    "build",
    [
        lambda: price == col("cost"),
        lambda: price.isin(),
        lambda: price == b"x",
        lambda: price == [1],
        lambda: price.between(1, "a"),
        lambda: price.like(3),  # type: ignore[arg-type]
        lambda: price.startswith(3),  # type: ignore[arg-type]
        lambda: price.rlike("("),
        lambda: price <= float("nan"),
        lambda: price <= float("inf"),
        lambda: price == "\ud800",
        lambda: col(3),  # type: ignore[arg-type]
        lambda: col("x" * 2000),
        lambda: price.isin(list(range(LIST_LENGTH + 1))),
    ],
)
def test_columns_refuse(build: Any) -> None:
    with pytest.raises(ExpressionError):
        build()


NOT_FINITE = [math.nan, math.inf, -math.inf, np.float32("nan"), np.float64("inf"), Decimal("sNaN"), Decimal("1e400")]


@pytest.mark.parametrize("value", NOT_FINITE, ids=str)
@pytest.mark.parametrize(
    "build",
    [
        lambda value: price == value,
        lambda value: price.isin(1, value),
        lambda value: price.between(value, None),
        lambda value: {"attribute": "price", "operator": "<", "value": value},
        lambda value: {"attribute": "price", "operator": "in", "value": [1, value]},
        lambda value: {"not": {"attribute": "price", "operator": "not between", "value": [1, value]}},
        lambda value: Predicate("price", Operator.EQUAL, (value,), negated=True),
        lambda value: Not(And((A, Predicate("price", Operator.IN, (1.5, value))))),
        lambda value: Or((A, Predicate("price", Operator.BETWEEN, (value, 1)))),
    ],
)
def test_numbers_that_are_not_finite_are_refused(build: Callable[[object], Any], value: Any) -> None:
    with pytest.raises(LimitError, match=r"(at \$.*)?the constant .* is not a finite 64-bit float"):
        to_expression(build(value))


@pytest.mark.parametrize("text", ["x = NaN", "x < inf", "x IN (1, 1e400)", "x BETWEEN -1e999 AND 0"])
def test_texts_with_numbers_that_are_not_finite_are_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match="at position"):
        to_expression(text)


def test_a_condition_shows_its_sql() -> None:
    assert repr((price <= 3) & ~col("a")) == "<price <= 3 AND NOT a = TRUE>"


@settings(max_examples=300, deadline=None)
@given(expressions())
def test_round_trips(expression: Expression) -> None:
    assert parse(to_sql(expression)) == expression
    assert from_wire(json.loads(json.dumps(to_wire(expression)))) == expression
    assert to_expression(expression) == expression


@pytest.mark.parametrize("value", [0.1, 1e22, 5e-324, 1.7976931348623157e308, 0.30000000000000004, -0.0, 123456789.123])
def test_floats_survive(value: float) -> None:
    predicate = Predicate("x", Operator.EQUAL, (value,))
    back = parse(to_sql(predicate))
    assert isinstance(back, Predicate)
    assert repr(back.operands) == repr((value,))


def test_wire_example() -> None:
    wire = {
        "and": [
            {"attribute": "price", "operator": "<=", "value": 580},
            {"not": {"attribute": "color", "operator": "not in", "value": ["red", None]}},
            {"attribute": "sold", "operator": ">=", "value": {"timestamp": "2024-05-01T12:00:00+02:00"}},
            {"attribute": "day", "operator": "!=", "value": {"date": "2024-05-01"}},
            {"attribute": "model", "operator": "LIKE", "value": "50!%", "escape": "!"},
            {"or": [{"truth": None}, {"attribute": "a", "operator": "is null"}]},
        ]
    }
    text = """price <= 580 AND NOT color NOT IN ('red', NULL) AND sold >= TIMESTAMP '2024-05-01 10:00:00'
              AND day <> DATE '2024-05-01' AND model LIKE '50!%' ESCAPE '!' AND (NULL OR a IS NULL)"""
    assert to_expression(wire) == parse(text)


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        (3, r"at \$: found 3, expected an object"),
        ({}, r"at \$: found \[\], expected one of the keys"),
        ({"and": []}, r"at \$\.and: found \[\], expected an array that is not empty"),
        ({"xor": []}, r"at \$: found \['xor'\]"),
        ({"truth": 1}, r"at \$\.truth: found 1"),
        ({"and": [{"not": {"attribute": "a", "operator": "lte", "value": 1}}]}, r"at \$\.and\[0\]\.not\.operator"),
        ({"attribute": "a"}, r"at \$\.operator: found None"),
        ({"attribute": "a", "operator": "="}, r"also the key value"),
        ({"attribute": "a", "operator": "=", "value": 1, "values": 2}, r"found 'values', expected only"),
        ({"attribute": "a", "operator": "is null", "value": 1}, r"at \$\.value: found 1, expected no value"),
        ({"attribute": "a", "operator": "in", "value": 1}, r"at \$\.value: found 1, expected an array"),
        ({"attribute": "a", "operator": "in", "value": [1, {}]}, r"at \$\.value\[1\]: found {}"),
        ({"attribute": "a", "operator": "between", "value": [1]}, r"expected the low and the high bound"),
        ({"attribute": "a", "operator": "between", "value": [1, "x"]}, r"at \$\.value: the bounds"),
        ({"attribute": "a", "operator": "=", "value": [1]}, r"at \$\.value: a constant of type list"),
        ({"attribute": "a", "operator": "=", "value": {"date": "2024-05-01T10:00"}}, r"at \$\.value\.date"),
        ({"attribute": "a", "operator": "=", "value": {"timestamp": "soon"}}, r"at \$\.value\.timestamp: 'soon'"),
        ({"attribute": "a", "operator": "rlike", "value": "("}, r"at \$\.value: the RE2 pattern"),
        ({"attribute": "a", "operator": "=", "value": 1, "escape": "!"}, r"at \$\.escape"),
        ({"attribute": 3, "operator": "=", "value": 1}, r"at \$\.attribute: .* not int"),
    ],
)
def test_wire_refusals(wire: object, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        from_wire(wire)


def test_deep_trees_are_refused_not_crashed() -> None:
    condition = price <= 3
    wire: dict[str, Any] = {"attribute": "a", "operator": "=", "value": 1}
    for _ in range(5000):
        condition = ~condition
        wire = {"not": wire}
    for source in (condition, wire, condition.expression):
        with pytest.raises(LimitError):
            to_expression(source)
    wire = {"attribute": "a", "operator": "=", "value": 1}
    for _ in range(5000):
        wire = {"and": [wire]}
    with pytest.raises(LimitError):
        to_expression(wire)


def test_the_deepest_tree_works_everywhere() -> None:
    text = "a OR b AND (" * NESTING + "c" + ")" * NESTING
    expression = parse(text)
    assert to_sql(parse(to_sql(expression))) == to_sql(expression)
    assert to_sql(to_expression(to_wire(expression))) == to_sql(expression)


def _refused(read: Callable[[], object]) -> bool:
    try:
        read()
    except LimitError:
        return True
    return False


@pytest.mark.parametrize(
    "wrap",
    [
        lambda tree: Not(tree),
        lambda tree: Not(And((A, tree))),
        lambda tree: Not(Or((A, And((A, tree))))),
        lambda tree: And((A, Or((A, tree)))),
    ],
)
def test_trees_and_texts_nest_alike(wrap: Callable[[Expression], Expression]) -> None:
    trees: list[Expression] = [A]
    for _ in range(NESTING + 1):
        trees.append(wrap(trees[-1]))
    refused = [_refused(lambda tree=tree: to_expression(tree)) for tree in trees[80::3]]  # type: ignore[misc]
    assert refused == [_refused(lambda tree=tree: parse(to_sql(tree))) for tree in trees[80::3]]  # type: ignore[misc]
    assert refused[0] is False
    assert refused[-1] is True


@pytest.mark.parametrize(
    "tree",
    [
        Predicate("x", Operator.EQUAL, ()),
        Predicate("x", Operator.LESS, (3,), negated=True),
        Predicate("x", Operator.BETWEEN, (3,)),
        Predicate("x", Operator.IS_NULL, (3,)),
        Predicate("x", Operator.RLIKE, ("(",)),
        Predicate("x", Operator.LIKE, ("a", "b", "c")),
        Predicate(3, Operator.EQUAL, (3,)),  # type: ignore[arg-type]
        Truth(3),  # type: ignore[arg-type]
        3,
        ["x = 3"],
    ],
)
def test_trees_made_by_hand_are_checked(tree: Any) -> None:
    with pytest.raises(ExpressionError):
        to_expression(tree)


def test_trees_made_by_hand_become_canonical() -> None:
    b = parse("b")
    assert to_expression(And((And((A, b)), Or((b,))))) == parse("a AND b AND b")
    assert to_expression(Not(Or(()))) == Not(Truth(False))
    assert to_expression(And(())) == Truth(True)
    with pytest.raises(LimitError):
        to_expression(Or((A,) * EXPRESSION_NODES))
