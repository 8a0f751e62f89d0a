"""`watchword workload`: what it lists, what it writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from watchword.cli.app import app
from watchword.workloads import BeGen, HTree, OperatorClass, WorkloadError, be_gen, with_settings, workloads


def run(*arguments: object, code: int = 0) -> Any:
    result = CliRunner().invoke(app, ["workload", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def test_all_are_listed() -> None:
    rows = json.loads(run("--format", "json").stdout)
    assert [row["workload"] for row in rows] == list(workloads())
    assert all(" (" in row["description"] for row in rows)
    assert "match-probability-high" in rows[0]["profiles"]


def test_it_writes_what_the_generator_makes(tmp_path: Path) -> None:
    out = tmp_path / "made"
    result = run("be-gen:match-probability-low", "--subscriptions", 5000, "--events", 300, "--seed", 3, "--set",
                 "match-probability=0.05", "--set", "zipf=1", "--out", out, "--format", "json")  # fmt: skip
    assert json.loads(result.stdout)["subscriptions"] == 5000
    made = be_gen(BeGen(subscriptions=5000, events=300, training=300, seed=3, operators=OperatorClass.LOW,
                        match_probability=0.05, zipf=1.0))  # fmt: skip
    for name, table in (("subscriptions", made.subscriptions), ("events", made.events), ("training", made.training)):
        assert pyarrow.parquet.read_table(out / f"{name}.parquet").equals(table.cast(table.schema))
    about = json.loads((out / "workload.json").read_text())
    assert about["name"] == "be-gen:match-probability-low"
    assert about["parameters"] == json.loads(json.dumps(dict(made.parameters)))
    assert about["events_form"] == "map"
    assert "add --force" in run("be-gen", "--out", out, code=1).output


def test_own_data(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"a": n, "b": f"text {n % 3}"}) + "\n" for n in range(50)))
    run("--data", tmp_path / "rows.jsonl", "--ignore", "a", "--subscriptions", 40, "--out", tmp_path / "made")
    texts = pyarrow.parquet.read_table(tmp_path / "made" / "subscriptions.parquet")["expression"].to_pylist()
    assert len(texts) == 40
    assert all(text.startswith("b ") for text in texts)
    assert len(pyarrow.parquet.read_table(tmp_path / "made" / "events.parquet")) == 40


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["be-gone", "--out", "x"], 1, "no workload 'be-gone'"),
        (["be-gen:nothing", "--out", "x"], 1, "be-gen has no profile 'nothing': it has size, "),
        (["be-gen", "--out", "x", "--set", "size=3"], 1, "BeGen has no parameter 'size': it has subscriptions, "),
        (["be-gen", "--out", "x", "--set", "zipf"], 2, "'zipf' is not KEY=VALUE"),
        (["be-gen"], 2, "--out is missing"),
        (["be-gen", "--data", "rows.jsonl", "--out", "x"], 2, "has no name"),
        (["--data", "rows.jsonl", "--set", "a=b", "--out", "x"], 2, "has no parameters"),
    ],
)
def test_what_is_refused(arguments: list[str], code: int, reason: str) -> None:
    output = run(*arguments, code=code).output
    assert reason in " ".join(output.replace("│", " ").split())


def test_settings_have_types() -> None:
    changed = with_settings(HTree(), {"width": "none", "values": "pareto", "attributes": "1_000", "zipf": "0.5"})
    assert changed == HTree(width=None, values=changed.values, attributes=1000, zipf=0.5)
    assert changed.values == "pareto"
    for name, text, reason in (
        ("width", "wide", "width must be of type float, or none, not 'wide'"),
        ("values", "flat", "values must be uniform, normal, pareto, not 'flat'"),
        ("attributes", "1.5", "attributes must be of type int, not '1.5'"),
    ):
        with pytest.raises(WorkloadError, match=reason):
            with_settings(HTree(), {name: text})
