"""The yardstick's benchmark: the workloads are the yardstick's, it runs to its end, and wrong matches end it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from watchword.bench.case import Settings
from watchword.bench.check import WrongMatchesError, check_counts, check_ids
from watchword.bench.forms import as_columns, as_dicts, as_json, as_map, subscription_table
from watchword.bench.kernel import Kernel
from watchword.bench.measure import alternating
from watchword.bench.processes import starting
from watchword.bench.row import Row
from watchword.bench.shapes import distinct_shapes
from watchword.bench.workloads import make_workload
from watchword.cli.app import app
from watchword.index.index import Index
from watchword.language.bulk import parse_many

SMALL = 2000

# Of the yardstick itself with 2,000 subscriptions: sums of k, attr, lo, hi; candidates and matches of its kernel.
KNOWN = {
    "dense": ((13932, 2781939, 303784, 352689), 24690, 11644),
    "dense-skew": ((13932, 1024040, 303784, 352689), 29239, 11644),
    "sparse": ((5002, 49928062, 83362, 159171), 311, 109),
    "sparse-skew": ((5002, 10215928, 84654, 158222), 44035, 23102),
}


@pytest.mark.parametrize("name", KNOWN)
def test_workload_and_kernel_are_the_yardsticks(name: str) -> None:
    sums, candidates, matches = KNOWN[name]
    workload = make_workload(name, SMALL)
    assert tuple(int(part.sum()) for part in workload[:4]) == sums
    kernel = Kernel(workload)
    assert kernel.run() == candidates
    assert kernel.counts.sum() == matches


def test_kernel_of_one_event_finds_what_the_batch_does() -> None:
    kernel = Kernel(make_workload("dense", SMALL))
    kernel.run()
    assert [len(kernel.one(event)()) for event in range(50)] == kernel.counts[:50].tolist()


def test_expressions_are_the_workloads() -> None:
    workload = make_workload("dense", 500)
    predicates = []
    for attr, lo, hi in zip(workload.attr.tolist(), workload.lo.tolist(), workload.hi.tolist(), strict=True):
        between = f"a{attr} = {lo}" if lo == hi else f"a{attr} BETWEEN {lo} AND {hi}"
        predicates.append(f"a{attr} <= {hi}" if lo == 0 < hi else f"a{attr} >= {lo}" if lo < hi == 47 else between)
    ends = np.cumsum(workload.k).tolist()
    wanted = [" AND ".join(predicates[end - k : end]) for end, k in zip(ends, workload.k.tolist(), strict=True)]
    table = subscription_table(workload, first_id=7)
    assert table["expression"].to_pylist() == wanted
    assert table["id"].to_pylist() == list(range(7, 507))


def test_all_forms_of_events_say_the_same() -> None:
    workload = make_workload("dense", 100)
    dicts = as_dicts(workload.events)
    columns = as_columns(workload.events, workload.dims).to_pylist()
    assert [{name: value for name, value in row.items() if value is not None} for row in columns] == [
        dict(sorted(event.items(), key=lambda item: int(item[0][1:]))) for event in dicts
    ]
    assert [json.loads(row["event"]) for row in as_json(workload.events).to_pylist()] == dicts
    assert [dict(row["event"]) for row in as_map(workload.events).to_pylist()] == dicts


def test_rows_can_be_taken_and_joined() -> None:
    workload = make_workload("sparse", SMALL)
    joined = workload.without_first_rows(500).and_rows_of(workload.first_rows(500))
    texts = subscription_table(workload)["expression"].to_pylist()
    assert subscription_table(joined)["expression"].to_pylist() == texts[500:] + texts[:500]


def test_new_shapes_are_valid_and_distinct() -> None:
    texts = distinct_shapes(500)
    assert len(set(texts)) == 500
    assert parse_many(pa.array(texts)).errors == []


def test_sides_are_measured_in_turn() -> None:
    calls: list[str] = []
    times = alternating(2, lambda: calls.append("a"), lambda: calls.append("b"))
    assert calls == ["a", "b"] * 3  # the first round warms up
    assert len(times) == 2


@pytest.mark.parametrize(
    ("row", "holds"),
    [
        (Row("x", 1.0, "s", at_most=1.0), True),
        (Row("x", 1.1, "s", at_most=1.0), False),
        (Row("x", 1.0, "s", at_least=1.1), False),
        (Row("x", 1.0, "s"), None),
    ],
)
def test_row_knows_whether_it_holds(row: Row, holds: bool | None) -> None:
    assert row.holds is holds
    assert row.to_text()["holds"] is holds


def test_wrong_matches_are_errors() -> None:
    matches = pa.table({"event": [0, 0, 2], "subscription": [5, 6, 5]})
    check_counts("right", matches, np.array([2, 0, 1]))
    with pytest.raises(WrongMatchesError, match="wrong: event 1 has 0 matches where the kernel finds 1"):
        check_counts("wrong", matches, np.array([2, 1, 1]))
    with pytest.raises(WrongMatchesError, match="a match of event 2"):
        check_counts("wrong", matches, np.array([2, 0]))
    with pytest.raises(WrongMatchesError, match="not the same ones"):
        check_ids("wrong", np.array([1, 2]), np.array([2, 3]))


def yardstick(*arguments: object) -> Any:
    command = ["bench", "yardstick", "--quick", "--subscriptions", 500, "--workload", "sparse", *arguments]
    return CliRunner().invoke(app, [str(argument) for argument in command])


def test_it_runs_to_its_end(tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    result = yardstick("--format", "json", "--out", out)
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert {row["workload"] for row in rows} == {"sparse", "any workload"}
    assert all(row["subscriptions"] == 500 for row in rows)
    # a difference of two times can be negative
    assert all(row["measured"] > 0 for row in rows if "over kernel" not in f"{row['what']} {row['unit']}")
    assert sum(row["holds"] is not None for row in rows) >= 13
    written = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [(row["what"], row["measured"]) for row in written] == [(row["what"], row["measured"]) for row in rows]


@pytest.mark.long
def test_starts_from_a_package_that_takes_no_cache() -> None:
    """It compiles the kernels anew, for a new index, in a folder of its own."""
    rows = list(starting(Settings(long_repeats=1)))
    assert ["read-only" in row.what for row in rows] == [False, True, True]
    assert rows[1].measured > rows[2].measured  # what compiles takes longer than what reads a cache


def test_a_lost_match_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    match_batch = Index.match_batch

    def losing(self: Index, *arguments: Any, **options: Any) -> pa.Table:
        return match_batch(self, *arguments, **options).slice(1)

    monkeypatch.setattr(Index, "match_batch", losing)
    result = yardstick()
    assert result.exit_code == 1
    assert "matches where the kernel finds" in result.output
