"""Explanations: the same truth as the oracle's, drawn and as JSON."""

from __future__ import annotations

import json

from hypothesis import given, settings
from tests.language.strategies import events, expressions

from watchword.coding.event import EventValue, Range, flatten
from watchword.language.evaluate import evaluate_flat
from watchword.language.explain import Explanation, explain
from watchword.language.expression import Expression
from watchword.language.sql import parse
from watchword.limits import NESTING


def _nodes(explanation: Explanation) -> list[Explanation]:
    return [explanation] + [node for child in explanation.children for node in _nodes(child)]


@settings(max_examples=200, deadline=None)
@given(expressions(), events())
def test_values_are_the_oracles(expression: Expression, event: dict[str, EventValue]) -> None:
    explanation = explain(expression, event)
    nodes = _nodes(explanation)
    for node in nodes:
        assert node.value is evaluate_flat(node.expression, event)
        assert parse(node.sql) == node.expression
        assert node.wanted
    assert len(str(explanation).splitlines()) == len(nodes)
    json.dumps(explanation.to_dict(), allow_nan=False)


def test_drawing() -> None:
    expression = parse("model = 'iphone5s' AND NOT (price > 580 OR seller.country IN ('NO', 'SE'))")
    event = flatten({"model": ["iphone5s", None], "price": Range(1, 600, high_open=True)})
    assert str(explain(expression, event)).splitlines() == [
        "false    AND",
        "true       model = 'iphone5s'                  found ['iphone5s', null]",
        "false      NOT",
        "true         OR",
        "true           price > 580                     found [1, 600)",
        "unknown        seller.country IN ('NO', 'SE')  missing",
    ]


def test_dictionary() -> None:
    rows = explain(parse("a = 1 OR b IS NULL"), {"a": 2}).to_dict()
    assert rows["value"] is True
    assert rows["sql"] == "a = 1 OR b IS NULL"
    assert rows["wanted"] == "any of these"
    assert rows["children"] == [
        {
            "sql": "a = 1",
            "value": False,
            "wanted": "= 1",
            "attribute": "a",
            "missing": False,
            "actual": 2,
            "children": [],
        },
        {
            "sql": "b IS NULL",
            "value": True,
            "wanted": "missing",
            "attribute": "b",
            "missing": True,
            "actual": None,
            "children": [],
        },
    ]


def test_the_deepest_tree() -> None:
    explanation = explain(parse("a OR b AND (" * NESTING + "c" + ")" * NESTING), {"a": True})
    assert explanation.value is True
    assert len(str(explanation).splitlines()) == 4 * NESTING + 1
    assert explanation.to_dict()["value"] is True
