"""`watchword match`: formats in and out, bad rows, bad events, and what it refuses to do."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from watchword.cli.app import app

SUBSCRIPTIONS = [
    {"id": "cheap", "expression": "price < 10"},
    {"id": "red", "expression": "colour = 'red' AND price >= 10"},
    {"id": "o'hara", "expression": "brand = 'O''Hara'"},
]
EVENTS: list[dict[str, Any]] = [
    {"order": "a", "price": 3},
    {"order": "b", "price": 30, "colour": "red"},
    {"order": "c", "price": 5, "colour": "red", "brand": "O'Hara"},
    {"order": "d", "brand": "Nordvik"},
]
MATCHES = {(0, "cheap"), (1, "red"), (2, "cheap"), (2, "o'hara")}


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(path)
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = pa.table({name: [row.get(name) for row in rows] for name in names})
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        pyarrow.csv.write_csv(table, path)
    return str(path)


def read(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path)
    if path.suffix == ".csv":
        return pyarrow.csv.read_csv(path)
    return pa.Table.from_pylist([json.loads(line) for line in path.read_text().splitlines()])


def pairs(table: pa.Table) -> set[tuple[Any, Any]]:
    return set(zip(table["event"].to_pylist(), table["subscription"].to_pylist(), strict=True))


def run(*arguments: object, code: int = 0, stdin: str | bytes | None = None) -> Any:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def subscriptions(tmp_path: Path) -> str:
    return write(tmp_path / "subscriptions.jsonl", SUBSCRIPTIONS)


@pytest.fixture
def match(tmp_path: Path, subscriptions: str) -> Callable[..., pa.Table]:
    def call(events: str, *more: object) -> pa.Table:
        run("match", "--subscriptions", subscriptions, "--events", events, "--out", tmp_path / "out.parquet", *more)
        return read(tmp_path / "out.parquet")

    return call


@pytest.mark.plain
@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "csv"])
def test_every_format_in_and_out(tmp_path: Path, suffix: str) -> None:
    subscriptions = write(tmp_path / f"subscriptions.{suffix}", SUBSCRIPTIONS)
    events = write(tmp_path / f"events.{suffix}", EVENTS)
    out = tmp_path / f"matches.{suffix}"
    run("match", "--subscriptions", subscriptions, "--events", events, "--out", out)
    assert pairs(read(out)) == MATCHES


def test_packed_files_are_unpacked(tmp_path: Path, match: Callable[..., pa.Table]) -> None:
    events = tmp_path / "events.jsonl.gz"
    events.write_bytes(gzip.compress("".join(json.dumps(event) + "\n" for event in EVENTS).encode()))
    assert pairs(match(str(events))) == MATCHES


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "csv"])
def test_events_keep_their_numbers_over_batches(tmp_path: Path, match: Callable[..., pa.Table], suffix: str) -> None:
    assert pairs(match(write(tmp_path / f"events.{suffix}", EVENTS), "--batch", 1)) == MATCHES


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "csv"])
def test_events_are_named_by_a_column(tmp_path: Path, match: Callable[..., pa.Table], suffix: str) -> None:
    found = match(write(tmp_path / f"events.{suffix}", EVENTS), "--id", "order", "--batch", 3)
    assert pairs(found) == {("a", "cheap"), ("b", "red"), ("c", "cheap"), ("c", "o'hara")}


def test_a_column_may_hold_the_event_as_json(tmp_path: Path, match: Callable[..., pa.Table]) -> None:
    rows = [{"number": n, "body": json.dumps(event), "price": 1} for n, event in enumerate(EVENTS)]
    events = write(tmp_path / "events.parquet", rows)
    assert pairs(match(events, "--json", "body", "--id", "number")) == MATCHES


def test_a_csv_cell_without_anything_is_missing(tmp_path: Path) -> None:
    subscriptions = write(tmp_path / "s.jsonl", [{"id": "none", "expression": "colour IS NULL"}])
    events = tmp_path / "events.csv"
    events.write_text('price,colour\n1,red\n2,\n3,""\n')
    run("match", "--subscriptions", subscriptions, "--events", events, "--out", tmp_path / "m.jsonl")
    assert pairs(read(tmp_path / "m.jsonl")) == {(1, "none")}


def test_integer_ids_stay_integers(tmp_path: Path) -> None:
    subscriptions = write(tmp_path / "s.jsonl", [{"id": 7, "expression": "price > 0"}])
    events = write(tmp_path / "events.jsonl", EVENTS[:1])
    run("match", "--subscriptions", subscriptions, "--events", events, "--out", tmp_path / "m.jsonl")
    assert (tmp_path / "m.jsonl").read_text() == '{"event": 0, "subscription": 7}\n'


def test_no_events_make_an_empty_table(tmp_path: Path, match: Callable[..., pa.Table]) -> None:
    (tmp_path / "events.jsonl").write_text("\n")
    found = match(str(tmp_path / "events.jsonl"))
    assert found.column_names == ["event", "subscription"]
    assert len(found) == 0


def test_bad_subscriptions_and_bad_events_are_told_and_the_others_match(tmp_path: Path) -> None:
    subscriptions = tmp_path / "s.jsonl"
    good = [json.dumps(row) for row in SUBSCRIPTIONS]
    subscriptions.write_text("\n".join([good[0], '{"id": "odd", "expression": "price <"}', "{", "", *good[1:]]))
    events = tmp_path / "events.jsonl"
    lines = [json.dumps(event).encode() for event in EVENTS]
    events.write_bytes(b"\n".join([lines[0], b'{"order": "x", "price": ', b'{"colour": "\xff"}', *lines[1:]]))
    out, errors = tmp_path / "m.jsonl", tmp_path / "errors.csv"
    result = run(
        "match", "--subscriptions", subscriptions, "--events", events, "--out", out, "--errors", errors,
        "--format", "json", "--id", "order",
    )  # fmt: skip
    assert pairs(read(out)) == {("a", "cheap"), ("b", "red"), ("c", "cheap"), ("c", "o'hara")}
    table = read(errors)
    assert list(zip(table["source"].to_pylist(), table["row"].to_pylist(), strict=True)) == [
        ("subscription", 1), ("subscription", 2), ("event", 1), ("event", 2),
    ]  # fmt: skip
    assert table["id"][0].as_py() == "odd"
    assert "UTF-8" in table["reason"][3].as_py()
    summary = json.loads(result.stdout)
    assert summary["subscriptions"] == 3
    assert (summary["refused_subscriptions"], summary["bad_events"]) == (2, 2)
    assert (summary["events"], summary["matches"]) == (6, 4)


def test_without_an_error_table_the_first_errors_are_shown(tmp_path: Path, subscriptions: str) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text("{\n" * 7)
    result = run("match", "--subscriptions", subscriptions, "--events", events, "--out", tmp_path / "m.csv")
    assert result.stderr.count("refused: event") == 5
    assert "--errors FILE" in result.stdout


def test_an_existing_file_is_replaced_only_by_force(tmp_path: Path, subscriptions: str) -> None:
    events = write(tmp_path / "events.jsonl", EVENTS)
    out = tmp_path / "m.jsonl"
    out.write_text("mine")
    arguments = ("match", "--subscriptions", subscriptions, "--events", events, "--out", out)
    assert "--force" in run(*arguments, code=1).stderr
    assert out.read_text() == "mine"
    run(*arguments, "--force")
    assert pairs(read(out)) == MATCHES


def test_nothing_is_left_of_a_match_that_failed(tmp_path: Path, subscriptions: str) -> None:
    events = write(tmp_path / "events.parquet", EVENTS)
    before = sorted(tmp_path.iterdir())
    result = run(
        "match", "--subscriptions", subscriptions, "--events", events, "--out", tmp_path / "m.csv",
        "--id", "nope", code=1,
    )  # fmt: skip
    assert "no column nope; it has order, price, colour, brand" in result.stderr
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--events", "none.jsonl"], 1, "none.jsonl: no such file"),
        (["--events", "."], 1, "unknown format"),
        (["--events", "events.xlsx"], 1, ".parquet, .csv or .jsonl"),
        (["--events", "-", "--index", "x"], 2, "--subscriptions FILE or --index DIR"),
        (["--events", "-", "--json", "body"], 1, "every line is an event as JSON already"),
        (["--events", "-", "--out", "nowhere/m.csv"], 1, "its folder does not exist"),
        (["--events", "-", "--out", "m.csv", "--errors", "m.csv"], 2, "two files"),
        (["--events", "-", "--batch", "0"], 2, "--batch"),
        ([], 2, "--events"),
    ],
)
def test_wrong_use(
    subscriptions: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("match", "--subscriptions", subscriptions, *arguments, code=code, stdin="")
    assert said in " ".join(result.stderr.replace("│", " ").split())


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_subscriptions_without_their_columns(tmp_path: Path, suffix: str) -> None:
    subscriptions = write(tmp_path / f"s.{suffix}", [{"id": "a", "query": "price > 0"}])
    result = run("match", "--subscriptions", subscriptions, "--events", "-", code=1, stdin="")
    assert "no column expression; it has id, query" in result.stderr


@pytest.mark.parametrize("name", ["events.parquet", "events.csv", "events.jsonl.gz"])
def test_a_file_that_is_not_what_its_name_says(tmp_path: Path, subscriptions: str, name: str) -> None:
    (tmp_path / name).write_bytes(b"" if name == "events.csv" else b"PAR0 nothing of the kind")
    result = run("match", "--subscriptions", subscriptions, "--events", tmp_path / name, code=1)
    assert f"{name}: cannot be read as " in result.stderr


def test_a_pipe_of_a_process_of_its_own(subscriptions: str) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "watchword", "match", "--subscriptions", subscriptions, "--events", "-"],
        input="".join(json.dumps(event) + "\n" for event in EVENTS),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert {(line["event"], line["subscription"]) for line in lines} == MATCHES
    assert "Matched" in found.stderr


def test_a_process_tells_an_error_in_one_line() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "watchword", "stats", "nowhere"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert found.stderr.startswith("error: ")
    assert "nowhere" in found.stderr
    assert "Traceback" not in found.stderr
