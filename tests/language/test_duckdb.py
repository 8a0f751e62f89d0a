"""The oracle against DuckDB: on what SQL can say with matching types, the same three-valued answers."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.language.strategies import TEXTS, TIMES, predicates, trees

from watchword.language.evaluate import evaluate
from watchword.language.expression import Expression
from watchword.language.render import to_sql

_FAMILIES = {"i": "number", "f": "number", "s": "text", "b": "boolean", "t": "time", "order": "number"}
_TYPES = {"i": "BIGINT", "f": "DOUBLE", "s": "VARCHAR", "b": "BOOLEAN", "t": "TIMESTAMP", "order": "INTEGER"}
_ROWS = 60


def _events() -> list[dict[str, object]]:
    pick = random.Random(7)
    domains: dict[str, list[object]] = {
        "i": [-1, 0, 1, 2, 3, 4, 2**53, 2**53 + 1, -(2**63)],
        "f": [-1.0, 0.5, 1.0, 2.5, 3.0, 1e300],
        "s": list(TEXTS),
        "b": [True, False],
        "t": list(TIMES),
        "order": [0, 1, 2, 3],
    }
    return [
        {name: pick.choice(domain) for name, domain in domains.items() if pick.random() < 0.85} for _ in range(_ROWS)
    ]


EVENTS = _events()


@pytest.fixture(scope="module")
def table() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    columns = ", ".join(f'"{name}" {type_}' for name, type_ in _TYPES.items())
    connection.execute(f"CREATE TABLE events (row INTEGER, {columns})")
    rows = [[row, *(event.get(name) for name in _TYPES)] for row, event in enumerate(EVENTS)]
    connection.executemany(f"INSERT INTO events VALUES ({', '.join('?' * (1 + len(_TYPES)))})", rows)
    return connection


def _comparable(name: str) -> Callable[[Expression], bool]:
    """DuckDB compares a BIGINT with a DOUBLE as doubles, rounding both; we compare exactly."""
    return lambda leaf: name not in ("i", "order") or not re.search(r"\d\.\d|e\+", to_sql(leaf))


_LEAVES = st.one_of(*(predicates(name, family).filter(_comparable(name)) for name, family in _FAMILIES.items()))


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(expression=trees(_LEAVES))
def test_answers_are_those_of_duckdb(table: duckdb.DuckDBPyConnection, expression: Expression) -> None:
    sql = re.sub(
        r"s (NOT )?RLIKE ('(?:[^']|'')*')", lambda m: f"{m[1] or ''}regexp_matches(s, {m[2]})", to_sql(expression)
    )
    answers = [answer for (answer,) in table.execute(f"SELECT ({sql}) FROM events ORDER BY row").fetchall()]
    assert answers == [evaluate(expression, event) for event in EVENTS], sql
