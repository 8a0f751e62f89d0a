"""Text queries on the command line: which analyzer reads a field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from watchword.cli.app import app


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    subscriptions, events = tmp_path / "subscriptions.jsonl", tmp_path / "events.jsonl"
    subscriptions.write_text(json.dumps({"id": 1, "expression": "MATCHES(body, '+run +results')"}) + "\n")
    events.write_text(json.dumps({"body": "Running results"}) + "\n")
    return str(subscriptions), str(events)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_match_and_build_take_analyzers(files: tuple[str, str], tmp_path: Path) -> None:
    subscriptions, events = files
    english = ("--analyzer", "body=english")
    assert run("match", "--subscriptions", subscriptions, "--events", events) == ""
    match = '{"event": 0, "subscription": 1}\n'
    assert run("match", "--subscriptions", subscriptions, "--events", events, *english) == match
    run("build", "--subscriptions", subscriptions, "--out", str(tmp_path / "index"), *english)
    assert run("match", "--index", str(tmp_path / "index"), "--events", events) == match


@pytest.mark.parametrize(
    ("given", "said"), [("body", "FIELD=NAME"), ("body=englisch", "no analyzer is called"), ("=english", "FIELD=NAME")]
)
def test_wrong_analyzers(files: tuple[str, str], given: str, said: str) -> None:
    result = CliRunner().invoke(app, ["match", "--subscriptions", files[0], "--events", files[1], "--analyzer", given])
    assert result.exit_code != 0
    assert said in result.output
