"""What an expression means on an event: three-valued logic, lists, symmetric events."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.language.strategies import predicates

from watchword.coding.event import Range
from watchword.language.evaluate import evaluate
from watchword.language.expression import Expression, Operator, Predicate
from watchword.language.sql import parse
from watchword.limits import NESTING

MAY = dt.datetime(2024, 5, 1)
NAN = float("nan")

CASES: list[tuple[str, dict[str, object], bool | None]] = [
    # Missing is unknown; only IS NULL sees it.
    ("price <> 3", {}, None),
    ("NOT price = 3", {"price": None}, None),
    ("price = 3 OR TRUE", {}, True),
    ("price = 3 AND FALSE", {}, False),
    ("price IS NULL", {}, True),
    ("price IS NOT NULL", {}, False),
    ("price IS NULL", {"price": "x"}, False),
    ("x IS TRUE", {}, False),
    ("NOT x IS TRUE", {}, True),
    ("x IS NOT TRUE", {}, True),
    ("x IS FALSE", {"x": False}, True),
    ("x IN (1, NULL)", {"x": 1}, True),
    ("x IN (1, NULL)", {"x": 2}, None),
    ("x NOT IN (1, NULL)", {"x": 1}, False),
    ("x NOT IN (1, NULL)", {"x": 2}, None),
    ("x BETWEEN NULL AND 3", {"x": 4}, False),
    ("x NOT BETWEEN NULL AND 3", {"x": 4}, True),
    # Other types are unknown.
    ("x = 3", {"x": "3"}, None),
    ("x <> 3", {"x": True}, None),
    ("x = TRUE", {"x": 1}, None),
    ("x LIKE 'a'", {"x": 3}, None),
    ("x NOT RLIKE 'a'", {"x": MAY}, None),
    ("x IN ('a', 3)", {"x": 3}, True),
    # Numbers compare exactly.
    ("x = 9007199254740993", {"x": 2**53 + 1}, True),
    ("x = 9007199254740992", {"x": 2**53 + 1}, False),
    ("x > 9007199254740992.0", {"x": 2**53 + 1}, True),
    ("x < 9007199254740993", {"x": float(2**53)}, True),
    ("x = 0.1", {"x": Decimal("0.1")}, False),
    ("x = 0.5", {"x": Decimal("0.50")}, True),
    ("x < 1e308", {"x": 10**400}, False),
    ("x = 0", {"x": -0.0}, True),
    ("x = 3", {"x": NAN}, False),
    ("x <> 3", {"x": NAN}, True),
    ("x <= 3", {"x": NAN}, False),
    ("x NOT IN (3)", {"x": NAN}, True),
    ("x NOT BETWEEN 1 AND 2", {"x": NAN}, True),
    ("x > 3", {"x": float("inf")}, True),
    ("x < TRUE", {"x": False}, True),
    # Times.
    ("x >= DATE '2024-05-01'", {"x": dt.date(2024, 5, 1)}, True),
    ("x = TIMESTAMP '2024-05-01 00:00:00+02:00'", {"x": dt.datetime(2024, 4, 30, 22)}, True),
    ("x > DATE '2024-05-01'", {"x": pd.Timestamp("2024-05-01T00:00:00.000000001")}, True),
    ("x = DATE '2024-05-01'", {"x": "2024-05-01"}, None),
    # Patterns.
    ("x LIKE 'a%b_d'", {"x": "a--bcd"}, True),
    ("x LIKE 'a%b_d'", {"x": "a--bd"}, False),
    ("x LIKE '%aab%'", {"x": "aaab"}, True),
    ("x LIKE '%a%b%'", {"x": "aba"}, True),
    ("x LIKE 'a%a'", {"x": "a"}, False),
    ("x LIKE '_'", {"x": "é"}, True),
    ("x LIKE '_%_'", {"x": "\U0001f600\n"}, True),
    ("x LIKE 'a\\%'", {"x": "a\\bc"}, True),
    ("x LIKE '100!%' ESCAPE '!'", {"x": "100%"}, True),
    ("x LIKE '!!!_' ESCAPE '!'", {"x": "!_"}, True),
    ("x LIKE 'ab' ESCAPE 'a'", {"x": "b"}, True),
    ("x LIKE 'A%'", {"x": "abc"}, False),
    ("x ILIKE 'ÉT_'", {"x": "été"}, True),
    ("x ILIKE 'i'", {"x": "İ"}, True),
    ("x RLIKE 'b+'", {"x": "abbc"}, True),
    ("x RLIKE '^b'", {"x": "ab"}, False),
    ("x RLIKE 'a'", {"x": "\ud800a"}, True),
    ("x < 'é'", {"x": "z"}, True),
    # Lists: some element; a negated predicate is the opposite of its positive form.
    ("x = 3", {"x": [1, 3]}, True),
    ("x <> 3", {"x": [1, 3]}, False),
    ("x <> 3", {"x": [1, 2]}, True),
    ("x = 3", {"x": [1, None]}, None),
    ("x <> 3", {"x": [3, None]}, False),
    ("x NOT IN (3)", {"x": [1, "a"]}, None),
    ("x > 1 AND x < 1", {"x": [0, 2]}, True),
    ("x = 3", {"x": []}, False),
    ("x <> 3", {"x": []}, True),
    ("x IS NULL", {"x": []}, False),
    ("x IS NOT NULL", {"x": [None]}, True),
    ("x NOT LIKE 'a%'", {"x": ("b", "ac")}, False),
    # Sets: some element satisfies the predicate as it is written.
    ("x = 3", {"x": {3, 4}}, True),
    ("x <> 3", {"x": {3, 4}}, True),
    ("x <> 3", {"x": {3}}, False),
    ("NOT x = 3", {"x": {3, 4}}, False),
    ("x <> 3", {"x": {3, "a"}}, None),
    ("x = 3", {"x": set()}, False),
    ("x <> 3", {"x": set()}, False),
    ("x IS NULL", {"x": set()}, False),
    # Ranges.
    ("x <> 3", {"x": Range(3, 3)}, False),
    ("x <> 3", {"x": Range(3, 4)}, True),
    ("x = 3", {"x": Range(3, 4, low_open=True)}, False),
    ("x < 3", {"x": Range(3, None)}, False),
    ("x <= 3", {"x": Range(3, None)}, True),
    ("x > 3", {"x": Range(None, 3.5)}, True),
    ("x BETWEEN 2 AND 1", {"x": Range(0, 9)}, False),
    ("x NOT BETWEEN 2 AND 1", {"x": Range(0, 9)}, True),
    ("x NOT BETWEEN 1 AND 5", {"x": Range(2, 5)}, False),
    ("x NOT BETWEEN 1 AND 5", {"x": Range(2, 6)}, True),
    ("x IN (1, 7)", {"x": Range(2, 6)}, False),
    ("x NOT IN (1, 3)", {"x": Range(3, 3)}, False),
    ("x = 'a'", {"x": Range(3, 3)}, None),
    ("x = 9007199254740993", {"x": Range(float(2**53), 2**53 + 1)}, True),
    ("x > DATE '2024-05-01'", {"x": Range(MAY, MAY)}, False),
    ("x LIKE 'ab%'", {"x": Range("a", "ab")}, True),
    ("x LIKE 'ab%'", {"x": Range("a", "ab", high_open=True)}, False),
    ("x NOT LIKE 'ab%'", {"x": Range("ab", "ac", high_open=True)}, False),
    ("x NOT LIKE 'ab%'", {"x": Range("ab", "ac")}, True),
    ("x LIKE 'ab'", {"x": Range("ab", "ac")}, True),
    ("x LIKE '%'", {"x": Range("ab", None)}, True),
    ("x NOT LIKE '%'", {"x": Range("ab", None)}, False),
    ("x LIKE '\U0010ffff%'", {"x": Range("z", None)}, True),
    ("x LIKE '%b'", {"x": Range("a", "b")}, None),
    ("x ILIKE 'a%'", {"x": Range("a", "b")}, None),
    ("x RLIKE 'a'", {"x": Range("a", "b")}, None),
    ("x IS NULL", {"x": Range("a", "b")}, False),
    # Nested records, and the examples of the documentation.
    ("seller.country = 'NO'", {"seller": {"country": "NO"}}, True),
    ("seller.country IS NULL", {"seller": {"country": None}}, True),
    (
        "model = 'iphone5s' AND color = 'silver' AND price <= 580",
        {"model": "iphone5s", "color": "silver", "price": 550},
        True,
    ),
    ("model = 'iphone5s' AND color = 'silver' AND price <= 580", {"model": "iphone5s", "price": 550}, None),
    ("model = 'iphone5s' AND color = 'silver' AND price <= 580", {"model": "iphone5s", "price": 600}, False),
]


@pytest.mark.parametrize(
    ("text", "event", "answer"), CASES, ids=[f"{number}-{case[0]}" for number, case in enumerate(CASES)]
)
def test_answer(text: str, event: dict[str, object], answer: bool | None) -> None:
    assert evaluate(parse(text), event) is answer


def test_a_negated_comparison_made_by_hand() -> None:
    above_3 = Predicate("x", Operator.GREATER, (3,), negated=True)
    assert evaluate(above_3, {"x": Range(3, 4, low_open=True)}) is False
    assert evaluate(above_3, {"x": Range(3, 4)}) is True
    assert evaluate(above_3, {"x": NAN}) is True


def test_the_deepest_tree() -> None:
    text = "a OR b AND (" * NESTING + "c" + ")" * NESTING
    assert evaluate(parse(text), {"a": False, "b": True, "c": True}) is True
    assert evaluate(parse("NOT " * NESTING + "a"), {"a": True}) is True


def test_a_pattern_cannot_hang() -> None:
    assert evaluate(parse(f"x LIKE '{'%a' * 2000}b'"), {"x": "a" * 20_000}) is False
    assert evaluate(parse("x RLIKE '(a*)*b'"), {"x": "a" * 100_000}) is False


@settings(max_examples=300, deadline=None)
@given(
    predicate=predicates("x", "number"),
    bounds=st.tuples(st.integers(-3, 6), st.integers(-3, 6)).map(sorted),
    opens=st.tuples(st.booleans(), st.booleans()),
)
def test_a_range_is_the_set_of_its_values(predicate: Expression, bounds: list[int], opens: tuple[bool, bool]) -> None:
    """Constants and bounds are halves, so quarters stand for all values there are between them."""
    assert isinstance(predicate, Predicate)
    low, high = bounds
    if low == high:
        opens = (False, False)
    range_ = Range(low, high, *opens)
    values = [Fraction(quarter, 4) for quarter in range(4 * low, 4 * high + 1)]
    inside = [float(v) for v in values if not (v == low and opens[0]) and not (v == high and opens[1])]
    expected = any(evaluate(predicate, {"x": value}) is True for value in inside)
    assert evaluate(predicate, {"x": range_}) is expected
