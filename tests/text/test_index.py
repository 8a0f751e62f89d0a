"""Indexes with text queries find just what direct evaluation finds: sealed, in heads, saved, for all forms of text."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import watchword as ww
from watchword.language.build import to_expression
from watchword.language.evaluate import evaluate
from watchword.text.settings import TextSettings

WORDS = ["google", "news", "phone", "rumor", "results", "quarterly", "the", "running", "run", "apple"]
PATTERNS = [
    "goo*",
    "r*",
    "qu*ly",
    "?hone",
    "*s",
    "run*",
    "r?n",
    "ru*or",
    "gogle~1",
    "nesw~",
    "phnoe~1",
    "aple~2",
    "rn~2",
]
OTHERS = ["/r.*g/", "/[a-g].*/", "/News/", "title:google", "body:(news phone)", "title:ru* OR apple", '"wi-fi phone"']
ANALYZERS = {"title": "english", "name": "ngram(2)", "code": "keyword", "raw": "whitespace"}
FIELDS = ["body", "title", "name", "code", "raw"]
SETTINGS = TextSettings(ANALYZERS)


def query(pick: random.Random, depth: int = 0) -> str:
    def words(low: int, high: int) -> list[str]:
        return [pick.choice(WORDS) for _ in range(pick.randint(low, high))]

    kind = pick.random()
    if kind < 0.25:
        return " ".join(words(1, 3))
    if kind < 0.4:
        return " ".join(pick.choice(["+", "+", "-", ""]) + word for word in words(1, 4))
    if kind < 0.5:
        return f'"{" ".join(words(2, 3))}"'
    if kind < 0.6:
        return f'"{" ".join(words(2, 4))}"~{pick.randint(1, 3)}'
    if kind < 0.75:
        return pick.choice(PATTERNS)
    if kind < 0.82:
        return pick.choice(OTHERS)
    if kind < 0.88 and depth == 0:
        return f"({' '.join(words(2, 4))})@2"
    if depth < 2:
        return f"({query(pick, depth + 1)}) {pick.choice(['OR', 'AND', 'AND NOT'])} ({query(pick, depth + 1)})"
    return pick.choice(WORDS)


def expression(pick: random.Random) -> str:
    field = pick.choice(FIELDS)
    matches = f"MATCHES({field}, '{query(pick)}')"
    return pick.choice(
        [
            matches,
            matches,
            f"section = '{pick.choice('ab')}' AND {matches}",
            f"NOT {matches}",
            f"{matches} OR {field} IS NULL",
            f"{matches} AND {field} <> 'google'",
            f"{matches} OR MATCHES(body, '{query(pick)}') AND x > {pick.randint(0, 3)}",
        ]
    )


def expressions(pick: random.Random, count: int) -> list[str]:
    """Those that can be read: a minimum may be too high for what is left of a group."""
    found: list[str] = []
    while len(found) < count:
        sql = expression(pick)
        try:
            to_expression(sql)
        except ww.ExpressionError:
            continue
        found.append(sql)
    return found


def document(pick: random.Random) -> dict[str, Any]:
    def text() -> str:
        return " ".join(pick.choice(WORDS) for _ in range(pick.randint(0, 7)))

    event: dict[str, Any] = {"section": pick.choice("ab"), "x": pick.randint(0, 4)}
    for field in FIELDS:
        kind = pick.random()
        if kind < 0.7:
            event[field] = text()
        elif kind < 0.85:
            elements = [pick.choice([text(), text(), text(), 3, None]) for _ in range(pick.randint(0, 3))]
            event[field] = pick.choice([list, frozenset])(elements)
        elif kind < 0.9:
            event[field] = ww.Range("a", "b")
        elif kind < 0.95:
            event[field] = 3
    return event


def wanted(sources: list[str], events: list[dict[str, Any]]) -> list[set[int]]:
    trees = [to_expression(sql) for sql in sources]
    return [{i for i, tree in enumerate(trees) if evaluate(tree, event, SETTINGS) is True} for event in events]


def found(index: ww.Index, events: list[dict[str, Any]]) -> list[set[int]]:
    sets: list[set[int]] = [set() for _ in events]
    table = index.match_batch(events)
    for event, subscription in zip(*table.to_pydict().values(), strict=True):
        assert subscription not in sets[event]
        sets[event].add(subscription)
    return sets


def sealed(sources: list[str], structure: str = "auto") -> ww.Index:
    index = ww.Index(structure=structure, analyzers=ANALYZERS)
    refused = index.subscribe_many(pa.table({"id": range(len(sources)), "expression": sources}))
    assert len(refused) == 0, refused.to_pylist()
    index.flush()
    return index


@pytest.mark.parametrize("structure", ["auto", "ril", "opindex"])
def test_sealed(structure: str, tmp_path: Path) -> None:
    pick = random.Random(1)
    sources, events = expressions(pick, 600), [document(pick) for _ in range(25)]
    right = wanted(sources, events)
    index = sealed(sources, structure)
    assert found(index, events) == right
    assert [set(index.match(event)) for event in events] == right
    index.save(tmp_path / "saved")
    opened = ww.Index.open(tmp_path / "saved")
    assert found(opened, events) == right
    assert opened.explain(0, events[0]).value is evaluate(to_expression(sources[0]), events[0], SETTINGS)


def test_heads() -> None:
    pick = random.Random(2)
    sources, events = expressions(pick, 400), [document(pick) for _ in range(25)]
    index = ww.Index(analyzers=ANALYZERS)
    for number, sql in enumerate(sources):
        index.subscribe(number, sql)
    right = wanted(sources, events)
    assert found(index, events) == right
    assert [set(index.match(event)) for event in events] == right
    for number in range(0, len(sources), 2):
        index.unsubscribe(number)
    assert found(index, events) == [{i for i in some if i % 2} for some in right]


@pytest.mark.long
@pytest.mark.parametrize("structure", list(ww.structures()))
def test_every_structure(structure: str) -> None:
    for seed in range(3):
        pick = random.Random(seed)
        sources, events = expressions(pick, 2000), [document(pick) for _ in range(30)]
        assert found(sealed(sources, structure), events) == wanted(sources, events)


def test_threads_and_arrow() -> None:
    pick = random.Random(3)
    sources = expressions(pick, 300)
    texts = [[" ".join(pick.choice(WORDS) for _ in range(6)) for _ in range(3)] for _ in range(40)]
    events = pa.table({"body": [a for a, _, _ in texts], "title": [b for _, b, _ in texts], "tags": texts})
    index = sealed(sources)
    one, two = index.match_batch(events), index.match_batch(events, threads=2)
    assert one.sort_by([("event", "ascending"), ("subscription", "ascending")]) == two.sort_by(
        [("event", "ascending"), ("subscription", "ascending")]
    )
    assert found(index, events.to_pylist()) == wanted(sources, events.to_pylist())


def test_equal_queries_are_stored_once() -> None:
    index = sealed(["MATCHES(body, 'google news')", "MATCHES(body, '+news +google')", "MATCHES(body, 'NEWS google')"])
    assert index.stats()["duplicates"] == 2


def test_not_inside_is_not_outside() -> None:
    """They differ where one text has the word and another has not."""
    index = sealed(["MATCHES(body, '-news')", "NOT MATCHES(body, 'news')"])
    assert index.match({"body": ["news", "phone"]}) == [0]
    assert sorted(index.match({"body": "phone"})) == [0, 1]
    assert index.match({}) == []


def test_a_query_on_other_fields_still_needs_its_own() -> None:
    """An empty list satisfies no query, whatever the query asks of other fields; a missing field says nothing."""
    index = sealed(["MATCHES(code, 'title:google')", "MATCHES(raw, 'title:google')", "MATCHES(title, 'google')"])
    assert sorted(index.match({"title": "google"})) == [0, 1, 2]
    assert sorted(index.match({"title": "google", "code": []})) == [1, 2]
    assert index.match({"title": "google", "code": [], "raw": []}) == [2]


def test_default_operator() -> None:
    index = ww.Index(default_operator="or")
    index.subscribe("either", "MATCHES(body, 'google phone')")
    index.subscribe("both", "MATCHES(body, '+google +phone')")
    assert index.match({"body": "a phone"}) == ["either"]
    index.flush()
    assert index.match({"body": "a phone"}) == ["either"]


def test_pure_negation_is_always_a_candidate() -> None:
    index = sealed(["MATCHES(body, '-news')", "MATCHES(body, 'news')"])
    assert index.match({"body": "phone"}) == [0]
    assert index.stats()["costly"]["always_candidates"] == {"count": 1, "ids": [0]}


def test_settings_are_checked() -> None:
    with pytest.raises(ww.WatchwordError, match="english"):
        ww.Index(analyzers={"body": "englisch"})
    with pytest.raises(ww.WatchwordError, match="and, or"):
        ww.Index(default_operator="xor")
