"""The grammar of SQL text: trees, refusals with their positions, limits."""

from __future__ import annotations

import datetime as dt
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watchword.errors import ExpressionError, LimitError
from watchword.language.expression import And, Expression, Not, Operator, Or, Predicate, Truth, Value
from watchword.language.render import to_sql
from watchword.language.sql import parse
from watchword.limits import EXPRESSION_BYTES, EXPRESSION_NODES, LIST_LENGTH, NAME_BYTES, NESTING, PATTERN_BYTES


def is_(attribute: str, *operands: Value, operator: Operator = Operator.EQUAL, negated: bool = False) -> Predicate:
    return Predicate(attribute, operator, operands, negated)


A, B, C = is_("a", True), is_("b", True), is_("c", True)

TREES: list[tuple[str, Expression]] = [
    ("price = 580", is_("price", 580)),
    ("MATCHES(body, '+a ''b')", is_("body", "+a 'b", operator=Operator.MATCHES)),
    ("matches (\"the body\".x, 'a b')", is_("the body.x", "a b", operator=Operator.MATCHES)),
    ("NOT MATCHES(body, 'a b', 2)", Not(is_("body", "(a b)@2", operator=Operator.MATCHES))),
    ("MATCHES(body, NULL)", Truth(None)),
    ("matches = 3 OR matches", Or((is_("matches", 3), is_("matches", True)))),
    ("price == 580", is_("price", 580)),
    ("price <> 580", is_("price", 580, negated=True)),
    ("price != 580", is_("price", 580, negated=True)),
    ("price<580", is_("price", 580, operator=Operator.LESS)),
    ("price <= 580", is_("price", 580, operator=Operator.LESS_EQUAL)),
    ("price > 580", is_("price", 580, operator=Operator.GREATER)),
    ("price>=580", is_("price", 580, operator=Operator.GREATER_EQUAL)),
    ("5 >= price", is_("price", 5, operator=Operator.LESS_EQUAL)),
    ("5 < price", is_("price", 5, operator=Operator.GREATER)),
    ("'a' <> x", is_("x", "a", negated=True)),
    ("TRUE = x", is_("x", True)),
    ("NULL = x", Truth(None)),
    ("x IN (1, 2.5, -3)", is_("x", 1, 2.5, -3, operator=Operator.IN)),
    ("x not in ('a')", is_("x", "a", operator=Operator.IN, negated=True)),
    ("x BETWEEN 1 AND 2.5", is_("x", 1, 2.5, operator=Operator.BETWEEN)),
    ("x NOT BETWEEN 'a' AND 'b'", is_("x", "a", "b", operator=Operator.BETWEEN, negated=True)),
    ("x LIKE 'a%'", is_("x", "a%", operator=Operator.LIKE)),
    ("x NOT LIKE '50!%' ESCAPE '!'", is_("x", "50!%", "!", operator=Operator.LIKE, negated=True)),
    ("x ilike '_a'", is_("x", "_a", operator=Operator.ILIKE)),
    ("x RLIKE '^a+$'", is_("x", "^a+$", operator=Operator.RLIKE)),
    ("x NOT REGEXP 'a'", is_("x", "a", operator=Operator.RLIKE, negated=True)),
    ("x IS NULL", is_("x", operator=Operator.IS_NULL)),
    ("x is not null", is_("x", operator=Operator.IS_NULL, negated=True)),
    ("x IS TRUE", And((is_("x", operator=Operator.IS_NULL, negated=True), is_("x", True)))),
    ("x IS NOT FALSE", Or((is_("x", operator=Operator.IS_NULL), is_("x", False, negated=True)))),
    ("a", A),
    ("TRUE", Truth(True)),
    ("false", Truth(False)),
    ("NULL", Truth(None)),
    ("a AND b OR c", Or((And((A, B)), C))),
    ("a OR b AND c", Or((A, And((B, C))))),
    ("a AND (b AND (c))", And((A, B, C))),
    ("(a OR b) OR c", Or((A, B, C))),
    ("a AND (b OR c)", And((A, Or((B, C))))),
    ("NOT a AND b", And((Not(A), B))),
    ("NOT (a AND b)", Not(And((A, B)))),
    ("NOT NOT a", Not(Not(A))),
    ("NOT x = 3", Not(is_("x", 3))),
    ("NOT x IN (3)", Not(is_("x", 3, operator=Operator.IN))),
    ("((a))", A),
    ("a AND -- the rest\n b /* and\nmore */ AND c", And((A, B, C))),
    ("a /* one /* two */ AND b", And((A, B))),
    ("x = NULL", Truth(None)),
    ("x <> NULL", Truth(None)),
    ("x LIKE NULL", Truth(None)),
    ("x IN (NULL)", Truth(None)),
    (
        "x IN ('a', 3, NULL, 'b')",
        Or((is_("x", "a", "b", operator=Operator.IN), is_("x", 3, operator=Operator.IN), Truth(None))),
    ),
    ("x NOT IN (3, NULL)", And((is_("x", 3, operator=Operator.IN, negated=True), Truth(None)))),
    ("x BETWEEN 3 AND NULL", And((is_("x", 3, operator=Operator.GREATER_EQUAL), Truth(None)))),
    ("x NOT BETWEEN NULL AND 3", Or((is_("x", 3, operator=Operator.GREATER), Truth(None)))),
    ("x BETWEEN NULL AND NULL", Truth(None)),
    ("seller.country = 'NO'", is_("seller.country", "NO")),
    ('"seller"."home country" = 1', is_("seller.home country", 1)),
    ('"a ""quoted"" name" = 1', is_('a "quoted" name', 1)),
    ("`back``tick` = 1", is_("back`tick", 1)),
    ("type = 1 AND order = 2 AND date = 3", And((is_("type", 1), is_("order", 2), is_("date", 3)))),
    ('"and" = 1', is_("and", 1)),
    ("größe = 1", is_("größe", 1)),
    ("\u0131s = 1", is_("\u0131s", 1)),
    ("Price = 1", is_("Price", 1)),
]

CONSTANTS: list[tuple[str, Value]] = [
    ("'it''s'", "it's"),
    (r"'a\'", "a\\"),
    ("''", ""),
    ("'{# -- /*'", "{# -- /*"),
    ("0", 0),
    ("007", 7),
    ("- 5", -5),
    ("+5", 5),
    ("5.", 5.0),
    (".5", 0.5),
    ("-.5e-1", -0.05),
    ("1E3", 1000.0),
    ("0.1", 0.1),
    ("9223372036854775807", 2**63 - 1),
    ("-9223372036854775808", -(2**63)),
    ("9223372036854775808", float(2**63)),
    ("9007199254740993", 2**53 + 1),
    ("TRUE", True),
    ("DATE '2024-02-29'", dt.datetime(2024, 2, 29)),
    ("date'2024-02-29'", dt.datetime(2024, 2, 29)),
    ("TIMESTAMP '2024-02-29 10:11:12.123456'", dt.datetime(2024, 2, 29, 10, 11, 12, 123456)),
    ("TIMESTAMP '2024-02-29T10:11:12.5Z'", dt.datetime(2024, 2, 29, 10, 11, 12, 500000)),
    ("TIMESTAMP '2024-02-29 10:11+02:30'", dt.datetime(2024, 2, 29, 7, 41)),
    ("TIMESTAMP '2024-02-29 10:11 -01'", dt.datetime(2024, 2, 29, 11, 11)),
    ("TIMESTAMP '2024-02-29'", dt.datetime(2024, 2, 29)),
]

REFUSALS: list[tuple[str, int, str]] = [
    ("", 0, "found nothing"),
    ("  -- only a comment", 19, "found nothing"),
    ("price <= 580 AND )", 17, "found ')', expected a condition"),
    ("price <=", 8, "found the end, expected a constant"),
    ("price <= )", 9, "found ')', expected a constant"),
    ("price 5", 6, "expected an operator"),
    ("price <= 5 5", 11, "expected AND, OR or the end"),
    ("price <= 5;", 10, "found ';'"),
    ("(a = 1", 6, "found the end, expected AND, OR or ')'"),
    ("a = 1)", 5, "found ')', expected AND, OR or the end"),
    ("a AND OR b", 6, "found 'OR'"),
    ("NOT", 3, "found the end"),
    ("a = b", 4, "two attributes cannot be compared"),
    ('a = "text"', 4, "text stands in single quotes"),
    ("a + 1 = 2", 2, "found '+'"),
    ("a = 1 + 2", 6, "found '+'"),
    ("lower(a) = 'x'", 0, "lower(...) is a call"),
    ("a = abs(1)", 4, "abs(...) is a call"),
    ("x.matches(body, 'x')", 0, "is a call"),
    ("a = MATCHES(body, 'x')", 4, "is a call"),
    ("MATCHES(body 'x')", 13, "found ''x'', expected ',' and a query"),
    ("MATCHES(body, x)", 14, "expected a constant"),
    ("MATCHES(body, 3)", 14, "needs a query in single quotes, not a number"),
    ("MATCHES('body', 'x')", 8, "expected an attribute's name"),
    ("MATCHES(body, 'x', 'y')", 19, "give a whole number from 1"),
    ("MATCHES(body, 'x', 2)", 19, "the minimum of MATCHES is 2, expected a number from 1 to 1"),
    ("MATCHES(body, 'x', 1, 2)", 20, "expected ')'"),
    ("body NOT MATCHES('x')", 9, "expected IN, BETWEEN"),
    ("a AND MATCHES(body, 'it''s (b''')", 31, "found the end, expected ')' or another word (position 8 of the query)"),
    ("MATCHES(body, '+')", 16, "found the end"),
    ("a IN (SELECT 1)", 6, "found 'SELECT'"),
    ("a IN ()", 6, "found ')'"),
    ("a IN 3", 5, "found '3', expected '('"),
    ("a IN (1 2)", 8, "expected ',' or ')'"),
    ("a IN (1,)", 8, "expected a constant"),
    ("a BETWEEN 1", 11, "expected AND and the upper bound"),
    ("a BETWEEN 1 AND 'x'", 2, "a number and a text"),
    ("a LIKE 3", 7, "needs a pattern in single quotes"),
    ("a LIKE 'x' ESCAPE 'yz'", 18, "one character"),
    ("a LIKE 'x' ESCAPE 3", 18, "one character in single quotes"),
    ("a LIKE 'x!' ESCAPE '!'", 19, "ends with its escape character"),
    ("a RLIKE 'x' ESCAPE '!'", 19, "ESCAPE belongs to LIKE"),
    ("a RLIKE '('", 8, "the RE2 pattern '(' is invalid"),
    ("a RLIKE '(?=x)'", 8, "look-around"),
    ("a NOT = 3", 6, "expected IN, BETWEEN"),
    ("a IS 3", 5, "expected NULL, TRUE or FALSE"),
    ("3", 1, "expected a comparison"),
    ("3 = 3", 4, "expected an attribute's name"),
    ("5 IN (a)", 2, "expected a comparison"),
    ("a = 'abc", 4, "a string without its end"),
    ('a = 1 AND "b = 2', 10, "a quoted name without its end"),
    ("a = 1 /* b = 2", 6, "a comment without its end"),
    ("a = {# b #} 1", 4, "found '{'"),
    ("a = 5abc", 5, "after a number"),
    ("a = 0x1F", 5, "after a number"),
    ("a = 5AND b", 5, "after a number"),
    ("a = 1..2", 6, "after a number"),
    ("a = 1e", 4, "expected a number"),
    ("a = -'x'", 5, "expected a number"),
    ("a = n'x'", 4, "expected a constant"),
    ("a = DATE '2024-02-30'", 9, "is not a date"),
    ("a = DATE '2024-02-03 10:00'", 9, "no time of day"),
    ("a = TIMESTAMP '2024-02-03 10:00:00.1234567'", 14, "at most microseconds"),
    ("a = TIMESTAMP '0001-01-01 00:00+05'", 14, "the years 1 to 9999"),
    ("a.true = 3", 2, "expected an attribute's name"),
    ("a\u2264 3", 0, "expected an attribute's name"),
    ("a = '\ud800'", 5, "half of a surrogate pair"),
]


@pytest.mark.parametrize(("text", "tree"), TREES, ids=[text for text, _ in TREES])
def test_tree(text: str, tree: Expression) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(("text", "value"), CONSTANTS, ids=[text for text, _ in CONSTANTS])
def test_constant(text: str, value: Value) -> None:
    predicate = parse(f"x = {text}")
    assert isinstance(predicate, Predicate)
    assert predicate.operands == (value,)
    assert type(predicate.operands[0]) is type(value)


@pytest.mark.parametrize(("text", "position", "message"), REFUSALS, ids=[ascii(text) for text, _, _ in REFUSALS])
def test_refusal(text: str, position: int, message: str) -> None:
    with pytest.raises(ExpressionError) as refused:
        parse(text)
    assert refused.value.position == position
    assert message in str(refused.value)
    assert str(refused.value).startswith(f"at position {position}: ")
    caret = str(refused.value).splitlines()[-1]
    assert caret.strip() == "^"


def test_refusal_shows_where() -> None:
    with pytest.raises(ExpressionError) as refused:
        parse("price <= 580\nAND )")
    assert str(refused.value).splitlines()[1:] == ["  AND )", "      ^"]
    assert refused.value.found == "')'"
    assert refused.value.expected is not None


_PIECES = (
    [text for text, *_ in (*TREES, *CONSTANTS, *REFUSALS)] + list("()',.\"`-+=<>!;{}#$%*/\\\n\t\0é\u2003") + [" "] * 9
)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(_PIECES) | st.text(max_size=5), max_size=12), st.integers(0, 40))
def test_any_text_is_a_tree_or_a_refusal(pieces: list[str], cut: int) -> None:
    text = "".join(pieces)[cut:]
    refused: ExpressionError | None = None
    try:
        tree = parse(text)
    except ExpressionError as error:
        refused = error
    if refused is None:
        assert parse(to_sql(tree)) == tree
    else:
        assert refused.position in range(len(text) + 1)
        assert str(refused).encode()


def test_not_text() -> None:
    with pytest.raises(ExpressionError, match="must be a string, not int"):
        parse(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", ["{open}a{close}", "NOT {nots}a", "a OR b AND ({deep}c{ends})"])
def test_nesting_is_limited_without_recursion(shape: str) -> None:
    def text(depth: int) -> str:
        return shape.format(
            open="(" * depth,
            close=")" * depth,
            nots="NOT " * (depth - 1),
            deep="a OR b AND (" * (depth - 1),
            ends=")" * (depth - 1),
        )

    parse(text(NESTING))
    with pytest.raises(LimitError, match="inside one another"):
        parse(text(NESTING + 1))


@pytest.mark.parametrize("part", ["NOT a", "(a OR b)", "NOT (NOT a)"])
def test_nesting_ends_where_it_is_closed(part: str) -> None:
    parse(" AND ".join([part] * (NESTING + 1)))


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        (f"x IN ({','.join(['1'] * LIST_LENGTH)})", f"x IN ({','.join(['1'] * (LIST_LENGTH + 1))})"),
        (f"{'x' * NAME_BYTES} = 1", f"{'x' * (NAME_BYTES + 1)} = 1"),
        (f"x LIKE '{'a' * PATTERN_BYTES}'", f"x LIKE '{'a' * (PATTERN_BYTES + 1)}'"),
        (f"x = '{'a' * (EXPRESSION_BYTES - 6)}'", f"x = '{'a' * (EXPRESSION_BYTES - 5)}'"),
        (" OR ".join(["x"] * (EXPRESSION_NODES - 1)), " OR ".join(["x"] * EXPRESSION_NODES)),
        ("x = 1e308", "x = 1e309"),
        ("x = 18446744073709551616", "x = 18446744073709551617"),
        (f"x = 1{'0' * 22}", f"x = 1{'0' * 5000}"),
    ],
    ids=["list", "name", "pattern", "bytes", "nodes", "float", "integer", "digits"],
)
def test_limits(within: str, beyond: str) -> None:
    parse(within)
    with pytest.raises(LimitError):
        parse(beyond)


def test_threads_do_not_share_a_tokenizer() -> None:
    texts = [f"x{number} = '{'a' * number}' AND y IN (1, 2)" for number in range(40)]
    alone = [parse(text) for text in texts]
    equal: list[bool] = []

    def work() -> None:
        equal.extend([parse(text) for text in texts] == alone for _ in range(20))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(equal) == 80
    assert all(equal)
