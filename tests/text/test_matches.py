"""MATCHES in expressions: missing values, lists, sets and other fields; all notations; explanations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.text.queries import SIMPLE, queries, to_text

from watchword.coding.event import Range, flatten
from watchword.errors import ExpressionError, QueryError, TextSettingsError
from watchword.language import construct
from watchword.language.build import to_expression
from watchword.language.builder import col
from watchword.language.evaluate import evaluate, evaluate_flat
from watchword.language.explain import explain
from watchword.language.expression import Expression, Not, Operator, Predicate
from watchword.language.render import to_sql
from watchword.language.sql import parse
from watchword.language.table_rows import from_expressions
from watchword.language.table_rows import to_expression as tree_of
from watchword.language.wire import from_wire, to_wire
from watchword.text.settings import TextSettings

EVENT: dict[str, Any] = {
    "section": "business",
    "body": "Google shows results, quarterly results",
    "title": "Search",
    "tags": ["red shoes", 3, None, "blue hats"],
    "flat": ["red shoes", "blue hats"],
    "none": [],
    "set": {"red shoes", "blue hats"},
    "few": {"red shoes", 3},
    "range": Range("a", "b"),
    "number": 3,
    "nothing": None,
}

TRUTHS: list[tuple[str, bool | None]] = [
    ("MATCHES(body, 'google')", True),
    ("MATCHES(body, 'yahoo')", False),
    ("NOT MATCHES(body, 'yahoo')", True),
    ("section = 'business' AND MATCHES(body, '+google \"quarterly results\"~2')", True),
    ("MATCHES(body, 'google yahoo results', 2)", True),
    ("MATCHES(body, 'google yahoo bing', 2)", False),
    # missing, or not a text
    ("MATCHES(gone, 'google')", None),
    ("MATCHES(gone, '-google')", None),
    ("NOT MATCHES(gone, 'google')", None),
    ("MATCHES(number, 'google')", None),
    ("MATCHES(nothing, 'google')", None),
    ("MATCHES(range, 'google')", None),
    ("NOT MATCHES(range, '-google')", None),
    # other fields, each with its own truth
    ("MATCHES(body, 'google title:search')", True),
    ("MATCHES(body, 'google title:find')", False),
    ("MATCHES(body, 'google gone:search')", None),
    ("MATCHES(body, 'google OR gone:search')", True),
    ("MATCHES(body, 'yahoo gone:search')", False),
    ("MATCHES(body, 'yahoo -gone:search')", False),
    ("MATCHES(body, 'google -gone:search')", None),
    ("MATCHES(gone, 'title:search')", True),
    ("MATCHES(body, '(google yahoo gone:x)@2')", None),
    ("MATCHES(body, '(google results gone:x)@2')", True),
    ("MATCHES(body, '(yahoo bing gone:x)@2')", False),
    ("MATCHES(body, 'body:google')", True),
    # lists: some element has to satisfy the whole query
    ("MATCHES(flat, 'red')", True),
    ("MATCHES(flat, 'red shoes')", True),
    ("MATCHES(flat, 'red blue')", False),
    ("MATCHES(flat, 'flat:red blue')", False),
    ("MATCHES(flat, '-red')", True),
    ("MATCHES(flat, '-shoes -hats')", False),
    ("NOT MATCHES(flat, 'red')", False),
    ("NOT MATCHES(flat, 'red blue')", True),
    ("MATCHES(flat, '(red blue green)@2')", False),
    ("MATCHES(tags, 'red')", True),
    ("MATCHES(tags, 'green')", None),
    ("NOT MATCHES(tags, 'green')", None),
    ("MATCHES(none, 'red')", False),
    ("NOT MATCHES(none, 'red')", True),
    ("MATCHES(none, '-red')", False),
    ("MATCHES(none, 'title:search')", False),
    # a list that the query names: any element for each of its leaves
    ("MATCHES(title, 'flat:red flat:blue')", True),
    ("MATCHES(title, 'flat:(red blue)')", True),
    ("MATCHES(title, 'flat:\"red blue\"')", False),
    ("MATCHES(title, 'search -flat:red')", False),
    ("MATCHES(title, 'tags:green')", None),
    ("MATCHES(flat, 'red title:search')", True),
    ("MATCHES(title, 'none:red')", False),
    ("MATCHES(title, 'range:red')", None),
    # sets as lists
    ("MATCHES(set, 'red')", True),
    ("MATCHES(set, 'red blue')", False),
    ("NOT MATCHES(set, 'red')", False),
    ("MATCHES(few, 'blue')", None),
    ("MATCHES(title, 'set:red set:blue')", True),
    ("MATCHES(body, '...')", False),
    ("NOT MATCHES(body, '...')", True),
    ("NOT MATCHES(gone, '...')", None),
]


@pytest.mark.parametrize(("text", "truth"), TRUTHS, ids=[text for text, _ in TRUTHS])
def test_truth(text: str, truth: bool | None) -> None:
    expression = parse(text)
    assert evaluate(expression, EVENT) is truth
    assert explain(expression, flatten(EVENT)).value is truth


def test_settings_reach_the_query() -> None:
    expression = parse("MATCHES(body, 'google yahoo')")
    settings_ = TextSettings(default_operator="or")
    assert evaluate(expression, EVENT, text=settings_) is True
    assert evaluate_flat(expression, flatten(EVENT), settings_) is True
    assert explain(expression, flatten(EVENT), text=settings_).value is True
    assert explain(expression, flatten(EVENT)).value is False


def test_settings_are_checked() -> None:
    with pytest.raises(TextSettingsError, match="'xor'"):
        TextSettings(default_operator="xor")
    for unknown in (TextSettings, lambda **names: TextSettings(analyzers={"body": names["default_analyzer"]})):
        with pytest.raises(ValueError, match="klingon"):
            unknown(default_analyzer="klingon")
    with pytest.raises(TextSettingsError, match="give a mapping"):
        TextSettings(analyzers="standard")  # type: ignore[arg-type]


def test_settings_are_values() -> None:
    names = {"body": "standard"}
    one, other = TextSettings(names), TextSettings(dict(names))
    assert one == other
    assert hash(one) == hash(other)
    names["body"] = "changed"
    assert one == other
    assert one != TextSettings()


@settings(max_examples=100, deadline=None)
@given(queries(SIMPLE, ("body", "a b")), st.booleans())
def test_notations(query: Any, negated: bool) -> None:
    text = to_text(query, "body") + " it's"
    expression: Expression = construct.matches("body", text)
    expression = Not(expression) if negated else expression
    condition = col("body").matches(text)
    assert (~condition if negated else condition).expression == expression
    assert parse(to_sql(expression)) == expression
    assert from_wire(json.loads(json.dumps(to_wire(expression)))) == expression
    assert to_expression(expression) == expression
    assert tree_of(from_expressions([expression]), 0) == expression


def test_a_minimum_becomes_part_of_the_query() -> None:
    wanted = Predicate("body", Operator.MATCHES, ("(a b c)@2",))
    assert col("body").matches("a b c", 2).expression == parse("MATCHES(body, 'a b c', 2)") == wanted
    assert to_sql(wanted) == "MATCHES(body, '(a b c)@2')"
    assert to_wire(wanted) == {"attribute": "body", "operator": "matches", "value": "(a b c)@2"}


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: col("body").matches("a ("), "at position 3: found the end"),
        (lambda: col("body").matches(3), "MATCHES needs a query in single quotes"),  # type: ignore[arg-type]
        (lambda: col("body").matches("a", 0), "give a whole number from 1"),
        (lambda: col("body").matches("a", True), "give a whole number from 1"),
        (lambda: col("body").matches("+a", 1), "expected no number"),
        (lambda: from_wire({"attribute": "b", "operator": "matches", "value": "a ("}), r"at \$\.value: at position 3"),
        (lambda: from_wire({"attribute": "b", "operator": "not matches", "value": "a"}), r"found 'not matches'"),
        (lambda: to_expression(Predicate("b", Operator.MATCHES, ("a (",))), "at position 3"),
        (lambda: to_expression(Predicate("b", Operator.MATCHES, ("a",), negated=True)), "use Not"),
        (lambda: to_expression(Predicate("b", Operator.MATCHES, ())), "is no predicate"),
    ],
)
def test_refusals(build: Any, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        build()


def test_a_refusal_as_the_documentation_shows_it() -> None:
    with pytest.raises(QueryError) as refused:
        parse("price <= 580 AND MATCHES(body, '+google (')")
    documentation = (Path(__file__).parents[2] / "docs/language.md").read_text("utf-8")
    assert f"```\n{refused.value}\n```" in documentation


def test_a_refusal_as_json_keeps_the_querys_position() -> None:
    with pytest.raises(QueryError) as refused:
        from_wire({"not": {"attribute": "b", "operator": "matches", "value": "a ("}})
    assert refused.value.query_position == 3
    assert refused.value.found == "the end"


def _highlights(query: str, event: dict[str, Any], field: str = "body") -> list[dict[str, Any]]:
    node = explain(construct.matches(field, query), flatten(event)).to_dict()
    found: list[dict[str, Any]] = node["highlights"]
    json.dumps(node, allow_nan=False)
    return found


def test_highlights() -> None:
    body = EVENT["body"]
    google = {"begin": 0, "end": 6, "term": "google"}
    results = [{"begin": at, "end": at + 7, "term": "results"} for at in (13, 32)]
    assert body[13:20] == body[32:39] == "results"
    assert _highlights("goog*", EVENT) == [google]
    assert _highlights("results google", EVENT) == [google, *results]
    assert _highlights("+google results", EVENT) == [google, *results]  # what is optional shows too
    assert _highlights("google yahoo", EVENT) == [google]  # and what is there of a query that fails
    assert _highlights("google -results", EVENT) == [google]
    assert _highlights("yahoo", EVENT) == []
    assert _highlights("x", {}) == []
    assert _highlights("x", {"body": 3}) == []


def test_highlights_of_lists_and_other_fields() -> None:
    blue = {"begin": 0, "end": 4, "term": "blue", "element": 3}
    assert _highlights("blue OR red", EVENT, "tags")[1:] == [blue]
    assert _highlights("red -blue", {"body": ["red blue", "red"]}) == [
        {"begin": 0, "end": 3, "term": "red", "element": 1}
    ]
    search = {"begin": 0, "end": 6, "term": "search", "attribute": "title"}
    assert _highlights("google title:search", EVENT)[1:] == [search]
    assert _highlights("red", {"body": {"red", 3}}) == [{"begin": 0, "end": 3, "term": "red"}]


def test_drawing() -> None:
    expression = parse("section = 'sport' OR MATCHES(body, 'goog* title:search') AND NOT MATCHES(gone, 'x')")
    places = "matched google at 0 to 6, search at 0 to 6 of title"
    assert str(explain(expression, flatten(EVENT | {"body": "Google"}))).splitlines() == [
        "unknown  OR",
        "false      section = 'sport'                      found 'business'",
        "unknown    AND",
        "true         MATCHES(body, 'goog* title:search')  found 'Google', " + places,
        "unknown      NOT",
        "unknown        MATCHES(gone, 'x')                 missing",
    ]
    node = explain(parse("MATCHES(body, 'google')"), flatten(EVENT))
    assert node.wanted == "a text that satisfies 'google'"
