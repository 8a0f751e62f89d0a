"""The index against DuckDB: WHERE clauses over a table of events, and the same Arrow table matched."""

from __future__ import annotations

import datetime as dt
import random
import re

import duckdb
import pyarrow as pa
import pytest
from tests.language.strategies import PATTERNS, REGEXES, TEXTS, TIMES

from watchword.index.index import Index

EVENTS = 300
SUBSCRIPTIONS = 300
WHOLE = [-(2**63), -1, 0, 1, 2, 3, 2**53, 2**53 + 1, 2**63 - 1]
REAL = [-1.0, 0.5, 1.0, 2.5, 3.0, 1e300]
DAYS = [dt.date(2020, 1, day) for day in range(1, 5)]
COLUMNS: dict[str, tuple[pa.DataType, list[object]]] = {
    "whole": (pa.int64(), list(WHOLE)),
    "small": (pa.int16(), [0, 1, 2, 3]),
    "real": (pa.float64(), list(REAL)),
    "text": (pa.string(), list(TEXTS)),
    "flag": (pa.bool_(), [True, False]),
    "time": (pa.timestamp("us"), list(TIMES)),
    "day": (pa.date32(), list(DAYS)),
}


def event_table() -> pa.Table:
    pick = random.Random(11)
    columns = {
        name: pa.array([pick.choice(pool) if pick.random() < 0.85 else None for _ in range(EVENTS)], kind)
        for name, (kind, pool) in COLUMNS.items()
    }
    return pa.table({"row": pa.array(range(EVENTS), pa.int64()), **columns})


def literal(value: object) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value}'"
    return f"DATE '{value}'" if isinstance(value, dt.date) else str(value)


def predicate(pick: random.Random) -> str:
    name, (_, pool) = pick.choice(list(COLUMNS.items()))

    def one() -> str:
        return literal(pick.choice(pool))

    negation = pick.choice(["", "NOT "])
    kinds = ["compare", "compare", "in", "between", "null"] + (["like", "rlike"] if name == "text" else [])
    match pick.choice(kinds):
        case "compare":
            return f"{name} {pick.choice(['=', '<>', '<', '<=', '>', '>='])} {one()}"
        case "in":
            return f"{name} {negation}IN ({', '.join(one() for _ in range(pick.randint(1, 4)))})"
        case "between":
            return f"{name} {negation}BETWEEN {one()} AND {one()}"
        case "null":
            return f"{name} IS {negation}NULL"
        case "like":
            pattern = pick.choice(PATTERNS)
            escape = " ESCAPE '!'" if "!" in pattern else ""
            return f"{name} {negation}{pick.choice(['LIKE', 'ILIKE'])} {literal(pattern)}{escape}"
    return f"{name} {negation}RLIKE {literal(pick.choice(REGEXES))}"


def expression(pick: random.Random, depth: int) -> str:
    if depth == 0 or pick.random() < 0.2:
        return predicate(pick)
    if pick.random() < 0.15:
        return f"NOT ({expression(pick, depth - 1)})"
    joint = pick.choice([" AND ", " OR "])
    return "(" + joint.join(expression(pick, depth - 1) for _ in range(pick.randint(2, 3))) + ")"


def expected(expressions: list[str], events: pa.Table) -> list[tuple[int, int]]:
    connection = duckdb.connect()
    connection.register("events", events)
    pairs: list[tuple[int, int]] = []
    for number, text in enumerate(expressions):
        text = re.sub(r"text (NOT )?RLIKE ('(?:[^']|'')*')", r"\1regexp_matches(text, \2)", text)
        rows = connection.execute(f"SELECT row FROM events WHERE {text}").fetchall()
        pairs += [(row, number) for (row,) in rows]
    return sorted(pairs)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_matches_are_the_rows_that_duckdb_finds(depth: int) -> None:
    pick = random.Random(depth)
    expressions = [expression(pick, depth) for _ in range(SUBSCRIPTIONS)]
    events = event_table()
    right = expected(expressions, events)
    index = Index(training=events.slice(0, 50) if depth == 2 else None)
    table = pa.table({"id": pa.array(range(SUBSCRIPTIONS), pa.int64()), "expression": expressions})
    assert index.subscribe_many(table).num_rows == 0
    for _ in range(2):  # in the head, then sealed
        found = index.match_batch(events, id="row", threads=depth)
        assert sorted(zip(found["event"].to_pylist(), found["subscription"].to_pylist(), strict=True)) == right
        index.flush()
