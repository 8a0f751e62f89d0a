"""`--engine spark`: the same files in, the same matches out, and what it says when something is missing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from tests.cli.test_match import EVENTS, SUBSCRIPTIONS, run, write

import watchword.spark as wws

MATCHES = [("a", "cheap"), ("b", "red"), ("c", "cheap"), ("c", "o'hara")]


@pytest.fixture(autouse=True)
def same_session(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands use the session of the tests, and do not stop it."""
    monkeypatch.setattr(spark, "stop", lambda: None)


def read(folder: Path) -> list[tuple[Any, ...]]:
    kind = folder.suffix[1:].replace("jsonl", "json")
    table = pa.dataset.dataset(sorted(map(str, folder.glob("part-*"))), format=kind).to_table()
    return sorted(zip(table["event"].to_pylist(), table["subscription"].to_pylist(), strict=True))


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "csv"])
def test_every_format_in_and_out(tmp_path: Path, suffix: str) -> None:
    subscriptions = write(tmp_path / f"subscriptions.{suffix}", SUBSCRIPTIONS)
    events = write(tmp_path / f"events.{suffix}", EVENTS)
    index, out = tmp_path / "shop.index", tmp_path / f"matches.{suffix}"
    built = run(
        "build", "--engine", "spark", "--subscriptions", subscriptions, "--out", index, "--training", events,
        "--format", "json",
    )  # fmt: skip
    assert json.loads(built.stdout)["subscriptions"] == 3
    matched = run(
        "match", "--engine", "spark", "--index", index, "--events", events, "--out", out, "--id", "order",
        "--format", "json",
    )  # fmt: skip
    assert read(out) == MATCHES
    summary = json.loads(matched.stdout)
    assert (summary["events"], summary["matches"], summary["bad_events"]) == (4, 4, 0)


def test_bad_rows_are_told_or_written(tmp_path: Path) -> None:
    rows = [*SUBSCRIPTIONS, {"id": "odd", "expression": "price <"}]
    subscriptions = write(tmp_path / "s.parquet", rows)
    events = tmp_path / "events.jsonl"
    events.write_text("\n".join([*map(json.dumps, EVENTS), '{"order": "x", "price": ', ""]))
    arguments = (
        "match", "--engine", "spark", "--subscriptions", subscriptions, "--events", events, "--id", "order",
        "--format", "json",
    )  # fmt: skip
    told = run(*arguments, "--out", tmp_path / "m.parquet")
    assert "refused: subscription odd: at position 7" in told.stderr
    assert "refused: event: not JSON" in told.stderr
    assert json.loads(told.stdout)["bad_events"] == 1
    run(*arguments, "--out", tmp_path / "m2.parquet", "--errors", tmp_path / "errors.parquet")
    table = pa.dataset.dataset(tmp_path / "errors.parquet").to_table()
    assert table.column_names == ["source", "id", "reason"]
    assert table["source"].to_pylist() == ["event"]


def test_an_index_is_built_anew_only_by_force(tmp_path: Path) -> None:
    subscriptions = write(tmp_path / "s.parquet", SUBSCRIPTIONS)
    arguments = ("build", "--engine", "spark", "--subscriptions", subscriptions, "--out", tmp_path / "i")
    run(*arguments)
    assert "--force" in run(*arguments, code=1).stderr
    assert json.loads(run(*arguments, "--force", "--format", "json").stdout)["version"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--events", "e.parquet", "--out", "-"], "not standard input or output"),
        (["--events", "-", "--out", "m.parquet", "--id", "x"], "not standard input or output"),
        (["--events", "e.parquet", "--out", "m.parquet"], "--id"),
        (["--events", "e.parquet", "--out", "m.parquet", "--id", "x"], "e.parquet: no such file"),
    ],
)
def test_wrong_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str) -> None:
    monkeypatch.chdir(tmp_path)
    subscriptions = write(tmp_path / "s.parquet", SUBSCRIPTIONS)
    result = run("match", "--engine", "spark", "--subscriptions", subscriptions, *arguments, code=1)
    assert said in " ".join(result.stderr.split())


def test_without_java_the_message_says_what_to_install(tmp_path: Path) -> None:
    subscriptions = write(tmp_path / "s.parquet", SUBSCRIPTIONS)
    without = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"} | {"PATH": str(tmp_path)}
    command = [sys.executable, "-m", "watchword", "build", "--engine", "spark", "--subscriptions", subscriptions]
    found = subprocess.run(
        [*command, "--out", str(tmp_path / "i")], env=without, capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert found.stderr.startswith("error: Spark needs Java")
    assert "install Java 17" in found.stderr


def test_without_pyspark_the_message_says_what_to_install(tmp_path: Path) -> None:
    """As if it were not installed: the library imports, the pipeline says how to get it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'pyspark':\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    code = (
        "import importlib.util, watchword\n"
        "real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'pyspark' else real(name, *more)\n"
        "watchword.Index().subscribe('a', 'x = 1')\n"
        "import watchword.spark\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    found = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert "pip install 'watchword[spark]'" in found.stderr


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_stream_of_files(tmp_path: Path, suffix: str) -> None:
    subscriptions = write(tmp_path / "s.parquet", SUBSCRIPTIONS)
    run("build", "--engine", "spark", "--subscriptions", subscriptions, "--out", tmp_path / "index")
    (tmp_path / "in").mkdir()
    out = tmp_path / "out"
    arguments = (
        "stream", "--index", tmp_path / "index", "--events", tmp_path / "in", "--out", out, "--id", "order",
        "--checkpoint", tmp_path / "checkpoint", "--errors", tmp_path / "bad", "--once", "--format", "json",
    )  # fmt: skip
    write(tmp_path / "in" / f"a.{suffix}", EVENTS[2:])  # the file that has all columns
    assert json.loads(run(*arguments).stdout)["events"] == 2
    write(tmp_path / "in" / f"b.{suffix}", EVENTS[:2])
    summary = json.loads(run(*arguments).stdout)
    assert (summary["events"], summary["batches"], summary["files_waiting"]) == (2, 1, 0)
    table = pa.dataset.dataset(out, partitioning="hive").to_table()
    name = "event" if suffix == "jsonl" else "order"
    assert sorted(zip(table[name].to_pylist(), table["subscription"].to_pylist(), strict=True)) == MATCHES


def test_files_that_are_matched_go_when_asked(tmp_path: Path) -> None:
    subscriptions = write(tmp_path / "s.parquet", SUBSCRIPTIONS)
    run("build", "--engine", "spark", "--subscriptions", subscriptions, "--out", tmp_path / "index")
    (tmp_path / "in").mkdir()
    for number, event in enumerate(EVENTS):
        write(tmp_path / "in" / f"{number}.jsonl", [event])
    arguments = (
        "stream", "--index", tmp_path / "index", "--events", tmp_path / "in", "--out", tmp_path / "out",
        "--id", "order", "--checkpoint", tmp_path / "checkpoint", "--files", 1, "--delete", "--once",
        "--format", "json",
    )  # fmt: skip
    summary = json.loads(run(*arguments).stdout)
    assert (summary["events"], summary["batches"]) == (len(EVENTS), len(EVENTS))
    assert len(list((tmp_path / "in").glob("*.jsonl"))) <= 1  # of the last batch, until the next


@pytest.mark.long
def test_ctrl_c_ends_a_stream_with_its_summary(spark: Any, tmp_path: Path) -> None:
    wws.build(spark.createDataFrame(pa.table({"id": [1], "expression": ["x > 0"]})), tmp_path / "index")
    source = tmp_path / "in"
    source.mkdir()
    command = [
        sys.executable, "-m", "watchword", "stream", "--index", tmp_path / "index", "--events", source, "--id", "id",
        "--out", tmp_path / "out", "--checkpoint", tmp_path / "checkpoint", "--master", "local[2]", "--format", "json",
    ]  # fmt: skip
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as started:
        for number in range(1000):  # it is stopped while files still come
            (source / f".{number}").write_text(json.dumps({"id": number, "x": 1}) + "\n")
            (source / f".{number}").rename(source / f"{number}.jsonl")
            if (tmp_path / "out" / "batch=3").exists() or started.poll() is not None:
                break
            time.sleep(0.2)
        started.send_signal(signal.SIGINT)
        told, errors = started.communicate(timeout=60)
    assert (started.returncode, errors) == (0, "")
    assert json.loads(told)["batches"] >= 3


def test_a_stream_needs_its_folder(tmp_path: Path) -> None:
    arguments = ["stream", "--index", "i", "--events", tmp_path / "no", "--out", "o", "--checkpoint", "c", "--id", "x"]
    assert "there is no such folder" in run(*arguments, code=1).stderr
    (tmp_path / "no").mkdir()
    (tmp_path / "no" / "a.csv").write_text("x")
    assert "not csv" in run(*arguments, code=1).stderr


def test_the_demo_ends_on_spark() -> None:
    shown = run("demo", "--subscriptions", 2000, "--events", 200, "--format", "json").stdout
    figures = json.loads(shown)
    assert figures["spark_same_matches"] is True
    assert figures["spark_subscriptions"] == 2000


def test_what_spark_built_is_read_without_it(spark: Any, tmp_path: Path) -> None:
    subscriptions, index = write(tmp_path / "s.parquet", SUBSCRIPTIONS), tmp_path / "shop.index"
    events = write(tmp_path / "events.parquet", EVENTS)
    wws.build(spark.read.parquet(str(subscriptions)), index, parts=2)
    for command in ("stats", "check"):
        told = json.loads(run(command, index, "--format", "json").stdout)
        assert (told["version"], told["parts"], told["subscriptions"]) == (1, 2, 3)
    assert "price" in run("explain", index, "cheap", "--event", '{"price": 3}').stdout
    run("match", "--index", index, "--events", events, "--out", tmp_path / "m.parquet", "--id", "order")
    found = pyarrow.parquet.read_table(tmp_path / "m.parquet")
    assert sorted(zip(found["event"].to_pylist(), found["subscription"].to_pylist(), strict=True)) == MATCHES
    damaged = next(wws.current(index).folders()[0].glob("segment-*"))
    content = damaged.read_bytes()
    damaged.write_bytes(content[:-640] + bytes(byte ^ 1 for byte in content[-640:]))
    assert damaged.name in run("check", index, code=1).stderr


def test_subscriptions_of_tenants_are_not_explained_by_their_ids(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame([("acme", 1, "TRUE")], "tenant string, id int, expression string")
    wws.build(frame, tmp_path / "index")
    assert "belong to tenants" in run("explain", tmp_path / "index", "1", "--event", "{}", code=1).stderr
    assert json.loads(run("stats", tmp_path / "index", "--format", "json").stdout)["subscriptions"] == 1
