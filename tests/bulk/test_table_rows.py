"""Trees to columns and back; joining and picking rows."""

from __future__ import annotations

import datetime as dt

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from watchword.language.expression import And, Expression, Not, Operator, Or, Predicate, Truth, Value
from watchword.language.table import ExpressionTable
from watchword.language.table_rows import concatenate, from_expressions, take, to_expression

names = st.sampled_from(["price", "seller.country", "größe", "", "a b", "x\x00y"])
values: st.SearchStrategy[Value] = st.one_of(
    st.booleans(),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.floats(allow_nan=False),
    st.text(max_size=5),
    st.datetimes().map(lambda moment: moment.replace(fold=0)),
)
predicates = st.builds(
    Predicate, names, st.sampled_from(Operator), st.lists(values, max_size=3).map(tuple), st.booleans()
)
leaves: st.SearchStrategy[Expression] = st.one_of(predicates, st.builds(Truth, st.sampled_from([True, False, None])))
expressions: st.SearchStrategy[Expression] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)
lists = st.lists(expressions, max_size=5)


def rows_of(table: ExpressionTable) -> list[Expression]:
    return [to_expression(table, row) for row in range(len(table))]


def same(a: object, b: object) -> bool:
    """Equal, and of the same types: 1, 1.0 and True differ."""
    return repr(a) == repr(b)


@settings(max_examples=60, deadline=None)
@given(lists)
def test_round_trip(given_expressions: list[Expression]) -> None:
    assert same(rows_of(from_expressions(given_expressions)), given_expressions)


@settings(max_examples=60, deadline=None)
@given(st.lists(lists, max_size=4))
def test_concatenate_puts_rows_side_by_side(parts: list[list[Expression]]) -> None:
    joined = concatenate([from_expressions(part) for part in parts])
    assert same(rows_of(joined), [expression for part in parts for expression in part])
    assert len(set(joined.names)) == len(joined.names)


@settings(max_examples=60, deadline=None)
@given(st.lists(expressions, min_size=1, max_size=5), st.lists(st.integers(0, 4), max_size=8))
def test_take_picks_rows_in_order(given_expressions: list[Expression], wanted: list[int]) -> None:
    rows = [row % len(given_expressions) for row in wanted]
    table = take(from_expressions(given_expressions), np.array(rows, np.int64))
    assert same(rows_of(table), [given_expressions[row] for row in rows])
    assert len(table.constants.text) == table.constants.length.sum()
    assert set(table.attribute.tolist()) == set(range(len(table.names)))


def test_tables_can_be_cut_and_joined_again() -> None:
    texts = ["", "é", "long " * 10, "b"]
    whole = [Predicate(f"a{i}", Operator.IN, (text, text + "!")) for i, text in enumerate(texts)]
    table = from_expressions(whole)
    halves = [take(table, np.arange(2, 4)), take(table, np.arange(2))]
    assert rows_of(concatenate(halves)) == whole[2:] + whole[:2]


def test_columns_have_the_types_of_the_table() -> None:
    example = And((Predicate("a", Operator.EQUAL, ("x",)), Truth(None)))
    for table in (
        from_expressions([]),
        from_expressions([example]),
        concatenate([from_expressions([example])] * 2),
        take(from_expressions([example]), np.zeros(3, np.int64)),
    ):
        found = [
            str(column.dtype)
            for column in (
                table.node_starts,
                table.kind,
                table.count,
                table.leaf_starts,
                table.attribute,
                table.operator,
                table.negated,
                table.constant_starts,
                table.constants.kind,
                table.constants.bits,
                table.constants.length,
                table.constants.text,
            )
        ]
        assert found == [
            "int64",
            "uint8",
            "int32",
            "int64",
            "int32",
            "uint8",
            "uint8",
            "int64",
            "uint8",
            "int64",
            "int32",
            "uint8",
        ]


def test_deep_nesting_needs_no_recursion() -> None:
    deep: Expression = Predicate("a", Operator.EQUAL, (dt.datetime(2024, 2, 29, 1, 2, 3, 4),))
    for _ in range(5000):
        deep = Not(deep)
    found = to_expression(from_expressions([deep]), 0)
    for _ in range(5000):
        assert isinstance(found, Not)
        found = found.child
    assert found == Predicate("a", Operator.EQUAL, (dt.datetime(2024, 2, 29, 1, 2, 3, 4),))


def test_integers_beyond_int64_become_the_float_they_equal() -> None:
    table = from_expressions([Predicate("a", Operator.EQUAL, (1 << 70,))])
    assert same(to_expression(table, 0), Predicate("a", Operator.EQUAL, (float(1 << 70),)))
