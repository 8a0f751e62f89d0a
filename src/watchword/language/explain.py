"""Why an expression matches an event or not: its tree, each node with its truth value.

false    AND
true       model = 'iphone5s'       found 'iphone5s'
false      price <= 580             found 600
unknown    seller.country = 'NO'    missing
true       MATCHES(body, 'goog*')   found 'Google rose', matched google at 0 to 6
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from watchword.coding.event import EventValue, Range
from watchword.language.evaluate import joined_value, leaf_value
from watchword.language.expression import And, Expression, Not, Operator, Or, Predicate, Truth
from watchword.language.fold import fold
from watchword.language.render import condition_sql, constant_sql, to_sql
from watchword.text.evaluate import Highlight, highlights
from watchword.text.settings import DEFAULT, TextSettings

_MARKS: Final = {True: "true", False: "false", None: "unknown"}
_SHOWN: Final = 100  # characters of a long value or list


@dataclass(frozen=True, slots=True)
class Explanation:
    """One node. `value` is True, False, or None for unknown; `actual` is None where the attribute is missing.

    `highlights` of a MATCHES: the terms that matched, and where they begin and end in the event's text.
    """

    expression: Expression
    value: bool | None
    actual: EventValue | None
    children: tuple[Explanation, ...] = ()
    highlights: tuple[Highlight, ...] = ()

    @property
    def sql(self) -> str:
        return to_sql(self.expression)

    @property
    def wanted(self) -> str:
        """What would make the node true, in words."""
        node = self.expression
        if isinstance(node, Predicate):
            return _wanted(node)
        if isinstance(node, Truth):
            return "nothing: it is constant"
        return {And: "all of these", Or: "any of these", Not: "the opposite"}[type(node)]

    def __str__(self) -> str:
        rows = [(_MARKS[node.value], "  " * depth + node._title(), node._finding()) for depth, node in self._walk()]
        width = min(60, max(len(title) for _, title, _ in rows))
        return "\n".join(f"{mark:<9}{title:<{width}}  {finding}".rstrip() for mark, title, finding in rows)

    def to_dict(self) -> dict[str, Any]:
        """The tree as JSON values."""
        above: list[dict[str, Any]] = []
        for depth, node in self._walk():
            row: dict[str, Any] = {"sql": node.sql, "value": node.value, "wanted": node.wanted}
            if isinstance(node.expression, Predicate):
                row["attribute"] = node.expression.attribute
                row["missing"] = node.actual is None
                row["actual"] = _json_value(node.actual)
                if node.expression.operator is Operator.MATCHES:
                    row["highlights"] = [_json_highlight(one, node.expression) for one in node.highlights]
            row["children"] = []
            del above[depth:]
            if above:
                above[-1]["children"].append(row)
            above.append(row)
        return above[0]

    def _walk(self) -> Iterator[tuple[int, Explanation]]:
        """Every node with its depth, parents first."""
        pending = [(0, self)]
        while pending:
            depth, node = pending.pop()
            yield depth, node
            pending.extend((depth + 1, child) for child in reversed(node.children))

    def _title(self) -> str:
        if isinstance(self.expression, (Predicate, Truth)):
            return _cut(self.sql)
        return type(self.expression).__name__.upper()

    def _finding(self) -> str:
        if not isinstance(self.expression, Predicate):
            return ""
        finding = "missing" if self.actual is None else f"found {_cut(_shown(self.actual))}"
        if not self.highlights:
            return finding
        places = (_shown_highlight(one, self.expression) for one in self.highlights)
        return f"{finding}, matched {_cut(', '.join(places))}"


def explain(expression: Expression, flat_event: Mapping[str, EventValue], text: TextSettings = DEFAULT) -> Explanation:
    """The truth of every node on an event that `flatten` has read; the root's is what `evaluate` says."""

    def leaf(node: Predicate | Truth) -> Explanation:
        actual = flat_event.get(node.attribute) if isinstance(node, Predicate) else None
        found: list[Highlight] = []
        if isinstance(node, Predicate) and node.operator is Operator.MATCHES:
            found = highlights(node.attribute, str(node.operands[0]), flat_event, text)
        return Explanation(node, leaf_value(node, flat_event, text), actual, (), tuple(found))

    def join(node: And | Or | Not, children: list[Explanation]) -> Explanation:
        return Explanation(node, joined_value(node, [child.value for child in children]), None, tuple(children))

    return fold(expression, leaf, join)


def _wanted(predicate: Predicate) -> str:
    if predicate.operator is Operator.IS_NULL:
        return "present" if predicate.negated else "missing"
    if predicate.operator is Operator.MATCHES:
        return _cut(f"a text that satisfies {constant_sql(predicate.operands[0])}")
    return _cut(condition_sql(predicate))


def _json_highlight(highlight: Highlight, predicate: Predicate) -> dict[str, Any]:
    """Its field only where it is not the one of MATCHES, its element only where that is a list."""
    row: dict[str, Any] = {"begin": highlight.begin, "end": highlight.end, "term": highlight.term}
    if highlight.field != predicate.attribute:
        row["attribute"] = highlight.field
    if highlight.element is not None:
        row["element"] = highlight.element
    return row


def _shown_highlight(highlight: Highlight, predicate: Predicate) -> str:
    field = "" if highlight.field == predicate.attribute else f" of {highlight.field}"
    element = "" if highlight.element is None else f" in element {highlight.element}"
    return f"{highlight.term} at {highlight.begin} to {highlight.end}{element}{field}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _shown(value: EventValue | None) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_shown(element) for element in value)}]"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(_shown(element) for element in value))}}}"
    if isinstance(value, Range):
        low = "(-" if value.low is None else ("(" if value.low_open else "[") + _shown(value.low)
        high = "-)" if value.high is None else _shown(value.high) + (")" if value.high_open else "]")
        return f"{low}, {high}"
    if value is None:
        return "null"
    if isinstance(value, (bool, str)):
        return repr(value)
    return str(value)


def _json_value(value: EventValue | None) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list):
        return [_json_value(element) for element in value]
    if isinstance(value, frozenset):
        return {"set": sorted((_json_value(element) for element in value), key=repr)}
    if isinstance(value, Range):
        return {"range": _shown(value)}
    return str(value) if isinstance(value, Decimal) else value.isoformat()
