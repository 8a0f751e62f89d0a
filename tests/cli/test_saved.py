"""The commands around a saved index: build, stats, check, explain, match --index; and structures and demo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import watchword
from watchword.cli.app import app

SUBSCRIPTIONS = [{"id": "cheap", "expression": "price < 10"}, {"id": "7", "expression": "price > 100 OR NOT stock"}]


def run(*arguments: object, code: int = 0) -> Any:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def subscriptions(tmp_path: Path) -> Path:
    path = tmp_path / "subscriptions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in SUBSCRIPTIONS))
    return path


@pytest.fixture
def saved(tmp_path: Path, subscriptions: Path) -> Path:
    run("build", "--subscriptions", subscriptions, "--out", tmp_path / "index")
    return tmp_path / "index"


def test_build_says_what_it_built(tmp_path: Path, subscriptions: Path) -> None:
    with subscriptions.open("a") as file:
        file.write('{"id": "odd", "expression": "price <"}\n')
    events = tmp_path / "events.jsonl"
    events.write_text('{"price": 3}\n{\n[]\n')
    result = run(
        "build", "--subscriptions", subscriptions, "--out", tmp_path / "index", "--training", events,
        "--errors", tmp_path / "errors.jsonl", "--format", "json",
    )  # fmt: skip
    summary = json.loads(result.stdout)
    assert (summary["subscriptions"], summary["refused_subscriptions"]) == (2, 1)
    assert summary["bytes"] > 0
    refused = json.loads((tmp_path / "errors.jsonl").read_text())
    assert (refused["source"], refused["row"], refused["id"]) == ("subscription", 2, "odd")


def test_build_replaces_only_by_force(subscriptions: Path, saved: Path) -> None:
    assert "--force" in run("build", "--subscriptions", subscriptions, "--out", saved, code=1).stderr
    run("build", "--subscriptions", subscriptions, "--out", saved, "--force")
    assert run("check", saved).exit_code == 0


def test_match_with_a_saved_index(tmp_path: Path, saved: Path) -> None:
    (tmp_path / "events.jsonl").write_text('{"price": 3, "stock": true}\n{"price": 300}\n')
    run("match", "--index", saved, "--events", tmp_path / "events.jsonl", "--out", tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_text().splitlines()[1:] == ['0,"cheap"', '1,"7"']


def test_stats_as_table_and_json(saved: Path) -> None:
    assert str(saved.name) in run("stats", saved).stdout.replace("\n", "")
    assert isinstance(json.loads(run("stats", saved, "--format", "json").stdout), dict)


def test_explain_from_an_index_and_from_a_file(tmp_path: Path, saved: Path, subscriptions: Path) -> None:
    (tmp_path / "event.json").write_text('{"price": 3}')
    drawn = run("explain", saved, "cheap", "--event", '{"price": 3}').stdout
    assert "price < 10" in drawn
    assert (
        run("explain", "--subscriptions", subscriptions, "cheap", "--event", f"@{tmp_path}/event.json").stdout == drawn
    )
    told = json.loads(run("explain", saved, "7", "--event", '{"price": 3}', "--format", "json").stdout)
    assert told["value"] is None


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["cheap"], 2, "give DIR ID"),
        (["INDEX", "nobody"], 1, "no subscription 'nobody'"),
        (["INDEX", "cheap", "--event", "{"], 1, "not JSON"),
        (["INDEX", "cheap", "--event", "[]"], 1, "not a record"),
        (["INDEX", "cheap", "--event", "@none.json"], 1, "none.json: no such file"),
    ],
)
def test_explain_wrongly_used(saved: Path, arguments: list[str], code: int, said: str) -> None:
    named = [str(saved) if argument == "INDEX" else argument for argument in arguments]
    event = [] if "--event" in arguments else ["--event", "{}"]
    assert said in " ".join(run("explain", *named, *event, code=code).stderr.replace("│", " ").split())


def test_check_finds_the_intact_and_names_the_damaged(saved: Path) -> None:
    assert json.loads(run("check", saved, "--format", "json").stdout)["intact"] is True
    largest = max((file for file in saved.rglob("*") if file.is_file()), key=lambda file: file.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 1
    largest.write_bytes(content)
    assert largest.name in run("check", saved, code=1).stderr


@pytest.mark.parametrize("command", ["stats", "check"])
def test_a_folder_that_is_no_index(tmp_path: Path, command: str) -> None:
    (tmp_path / "letter.txt").write_text("dear reader")
    for folder in (tmp_path, tmp_path / "nowhere"):
        result = run(command, folder, code=1)
        assert result.stderr.startswith("error: ")


def test_structures_are_listed() -> None:
    listed = json.loads(run("structures", "--format", "json").stdout)
    assert [row["structure"] for row in listed] == list(watchword.structures())
    assert "Structures" in run("structures").stdout


@pytest.mark.parametrize("format", ["table", "json"])
def test_demo_runs(format: str) -> None:
    shown = run("demo", "--subscriptions", 2000, "--events", 200, "--no-spark", "--format", format).stdout
    if format == "json":
        figures = json.loads(shown)
        assert figures["same_matches_after_reopening"] is True
        assert figures["refused"] == 0
        assert figures["matches"] > 0
    else:
        assert "Explain" in shown
        assert "the same matches" in shown


def test_version() -> None:
    assert run("--version").stdout == f"watchword {watchword.__version__}\n"
