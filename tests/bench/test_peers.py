"""Peers: workloads mean the same in every language, counts are compared, what is missing is skipped with a reason."""

from __future__ import annotations

import json
import operator
import re
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from watchword.bench.peers import cli, maven, registry, translate
from watchword.bench.peers.chart import chart
from watchword.bench.peers.contest import contest
from watchword.bench.peers.driver import Way, drive
from watchword.bench.peers.java_peer import JavaPeer
from watchword.bench.peers.package_peer import PackagePeer
from watchword.bench.peers.peer import Pace, PeerError, Raw
from watchword.bench.peers.watchword_side import true_counts
from watchword.bench.workloads import Workload, make_workload
from watchword.cli.app import app
from watchword.cli.progress import Progress

HURRIED = Pace(warm=0.0, measured=0.001, passes=2, limit=60.0)
TINY = Workload(
    np.array([3, 1]),
    np.array([1, 2, 3, 7]),
    np.array([4, 0, 5, 2]),
    np.array([4, 3, 9, 6]),
    [(np.array([1, 2, 3]), np.array([4, 3, 5])), (np.array([7]), np.array([7]))],
    10,
    10,
)


@dataclass(frozen=True)
class Invented:
    """A peer that says what it is told to."""

    name: str = "Invented"
    workloads: tuple[str, ...] = ("sparse",)
    settings: str = "none"
    missing: str = ""
    lost: int = 0  # matches of the first event
    seconds: float = 0.0
    code: int = 0
    raises: str = ""

    def ready(self) -> str:
        if self.missing:
            raise PeerError(self.missing)
        return "1.0"

    def measure(self, workload: Workload, pace: Pace) -> Iterator[Raw]:
        time.sleep(self.seconds)
        if self.code:
            raise SystemExit(self.code)
        if self.raises:
            raise ValueError(self.raises)
        counts = true_counts(workload)
        counts[0] -= self.lost
        raw = {"way": "all", "batch": 1, "build_seconds": 0.5, "memory": 2_000_000, "peak": 3_000_000}
        yield {**raw, "seconds": [2e-6, 1e-6, 4e-6], "counts": counts.tolist()}


def rows_of(
    *peers: Any, sizes: tuple[int, ...] = (300,), known: Any = (), pace: Pace = HURRIED
) -> list[dict[str, Any]]:
    return list(contest(peers, ["sparse"], sizes, pace, known, Progress))


def test_languages_say_what_the_workload_says() -> None:
    assert translate.queries(TINY).to_pylist() == ["+w1 +w2 +w3", "+w7"]
    assert translate.documents(TINY.events) == ["w1 w2 w3", "w7"]
    assert translate.predicate_search(TINY).to_pylist() == [
        "a1 in ['5'] and a2 in [1..4] and a3 in [6..10]",
        "a7 in [3..7]",
    ]
    assert translate.feature_lines(TINY.events) == ["a1=5 a2=4 a3=6", "a7=8"]
    assert [json.loads(rule) for rule in translate.rules(TINY)] == [
        {"a1": [4], "a2": [{"numeric": [">=", 0, "<=", 3]}], "a3": [{"numeric": [">=", 5, "<=", 9]}]},
        {"a7": [{"numeric": [">=", 2, "<=", 6]}]},
    ]
    assert translate.rule_engine_texts(TINY)[1] == "(a7 != null and a7 >= 2 and a7 <= 6)"


def test_tables_of_predicates_and_values_have_all_matches() -> None:
    workload = make_workload("dense", 300)
    predicates = translate.predicate_table(workload).to_pandas()
    values = translate.value_table(workload.events).to_pandas()
    joined = predicates.merge(values, on="attr").query("lo <= value <= hi")
    held = joined.groupby(["event", "subscription", "needed"]).size().reset_index(name="held").query("held == needed")
    assert np.array_equal(np.bincount(held["event"], minlength=len(workload.events)), true_counts(workload))


def test_training_documents_are_not_those_that_are_matched() -> None:
    frequencies = translate.training_frequencies()
    assert max(frequencies.values()) <= 1000
    assert frequencies[0] > frequencies[1000]
    documents = make_workload("keyword", 0).events
    words, times = np.unique(np.concatenate([words for words, _ in documents]), return_counts=True)
    assert frequencies != dict(zip(words.tolist(), times.tolist(), strict=True))


def test_driver_matches_whole_batches_and_times_them() -> None:
    def match(first: int, end: int) -> list[int]:
        time.sleep(0.001)
        return list(range(first, end))

    raw = next(drive(lambda: [Way("some", 4, match)], 10, Pace(warm=0.0, measured=0.0025, passes=3)))
    assert raw["counts"] in ([0, 1, 2, 3], list(range(8)), list(range(10)))
    assert len(raw["seconds"]) == 3
    assert all(seconds >= 0.00025 for seconds in raw["seconds"])


@pytest.mark.parametrize("finder", ["Watchword", "pyahocorasick", "hyperscan", "DuckDB"])
def test_peers_from_packages_find_all_matches(finder: str) -> None:
    peer = next(peer for peer in registry.PEERS if peer.name == finder and "keyword" in peer.workloads)
    try:
        peer.ready()
    except PeerError as missing:
        pytest.skip(str(missing))
    workload = make_workload("keyword", 3000)
    counts = true_counts(workload)
    assert counts.sum() > 50
    for raw in peer.measure(workload, HURRIED):
        assert raw["counts"] == counts[: len(raw["counts"])].tolist()


def test_rows_have_times_and_equal_counts() -> None:
    row = rows_of(Invented())[0]
    assert (row["us_per_event"], row["fastest"], row["slowest"]) == pytest.approx((2.0, 1.0, 4.0))
    assert (row["build_seconds"], row["memory_mb"], row["peak_mb"]) == (0.5, 2.0, 3.0)
    assert (row["workload"], row["subscriptions"], row["peer"], row["version"]) == ("sparse", 300, "Invented", "1.0")
    assert row["counts"] == "equal"


def test_a_lost_match_is_named() -> None:
    assert re.fullmatch(r"event 0 has -?\d+, not \d+; 1 of 1,000 events differ", rows_of(Invented(lost=1))[0]["counts"])


def test_what_is_missing_is_skipped_with_the_reason() -> None:
    rows = rows_of(Invented(missing="no such thing"), Invented(name="Other"))
    assert [row.get("skipped") for row in rows] == ["no such thing", None]


def test_what_takes_too_long_or_breaks_is_not_tried_with_more() -> None:
    slow, broken = Invented(name="Slow", seconds=60), Invented(name="Broken", code=3)
    rows = rows_of(slow, broken, sizes=(200, 100), pace=Pace(0.0, 0.001, 1, limit=5.0))
    assert [(row["subscriptions"], row["peer"], row["skipped"]) for row in rows] == [
        (100, "Slow", "not done within 5 s"),
        (100, "Broken", "the process ended with code 3: out of memory?"),
        (200, "Slow", "at 100 subscriptions: not done within 5 s"),
        (200, "Broken", "at 100 subscriptions: the process ended with code 3: out of memory?"),
    ]


def test_an_error_of_a_library_fails_its_peer_only() -> None:
    rows = rows_of(Invented(raises="too many\nof them"), Invented(name="Other"))
    assert [row.get("skipped") for row in rows] == ["ValueError: too many", None]


def test_known_rows_are_not_measured_again() -> None:
    assert [row["peer"] for row in rows_of(Invented(), Invented(name="B"), known={("sparse", 300, "B")})] == [
        "Invented"
    ]


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(PeerError, match=r"watchword-nothing is not installed: pip install 'watchword\[peers\]'"):
        PackagePeer("Nothing", (), "", "watchword-nothing", operator.itemgetter(0)).ready()


@pytest.mark.parametrize(("there", "message"), [("", "no `java` on the path"), ("java javac", "no `mvn` on the path")])
def test_without_java_or_maven_there_is_a_reason(
    there: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(_tools(tmp_path, dict.fromkeys(there.split(), "exit 0"))))
    with pytest.raises(PeerError, match=message):
        maven.fetch("lucene", "LucenePeer", ("9",))


def test_the_first_version_that_can_be_had_is_taken_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maven_ = f'echo "$@" >> {tmp_path}/asked; case "$@" in *version=2*) exit 1;; esac'
    javac = 'while [ "$1" != -d ]; do shift; done; mkdir -p "$2"; : > "$2/LucenePeer.class"'
    tools = _tools(tmp_path, {"java": "exit 0", "javac": javac, "mvn": maven_})
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    jars = maven.fetch("lucene", "LucenePeer", ("2", "1"))
    assert jars.version == "1"
    assert [Path(part).parent.name for part in jars.classpath.split(":")] == ["lucene-1", "lucene-1"]
    assert maven.fetch("lucene", "LucenePeer", ("1",)) == jars
    asked = (tmp_path / "asked").read_text().splitlines()
    assert ["-Dpeer.version=2" in line for line in asked] == [True, False]
    assert all("-P lucene" in line for line in asked)
    with pytest.raises(PeerError, match=r"could not fetch lucene 2: is Maven Central .*maven\.log"):
        maven.fetch("lucene", "LucenePeer", ("2",))


def _tools(folder: Path, scripts: dict[str, str]) -> Path:
    tools = folder / "tools"
    tools.mkdir()
    for name, script in scripts.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    return tools


def test_java_sources_are_part_of_the_package() -> None:
    programs = {peer.program for peer in registry.PEERS if isinstance(peer, JavaPeer)}
    assert {path.name for path in maven.SOURCES.iterdir()} == {
        "pom.xml",
        "Peer.java",
        "Driver.java",
        *(f"{program}.java" for program in programs),
    }


def test_chart_has_a_line_per_peer_and_no_label_over_another() -> None:
    rows = [
        {
            "workload": workload,
            "subscriptions": size,
            "peer": f"P{peer}",
            "us_per_event": (1 + peer % 3 / 50) * size / 100,
        }
        for workload in ("dense", "keyword")
        for size in (1000, 10_000)
        for peer in range(8)
    ]
    slower = {**rows[0], "us_per_event": 1e9}
    picture = ElementTree.fromstring(chart([slower, *rows, {"workload": "dense", "subscriptions": 5, "skipped": "x"}]))
    svg = "{http://www.w3.org/2000/svg}"
    for panel in picture.findall(f"{svg}g"):
        assert len(panel.findall(f"{svg}polyline")) == 8
        labels = [float(text.attrib["y"]) for text in panel.findall(f"{svg}text") if "label" in text.attrib["class"]]
        assert np.diff(np.sort(labels)).min() >= 14.9
    assert len(picture.findall(f"{svg}g")) == 2
    assert "1000 s" not in ElementTree.tostring(picture, "unicode")  # of ways the fastest counts


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["bench", "peers", "--quick", *[str(argument) for argument in arguments]])


def test_command_keeps_rows_draws_them_and_does_not_measure_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(registry, "PEERS", (Invented(), Invented(name="Absent", missing="not here")))
    out, picture = tmp_path / "rows.jsonl", tmp_path / "peers.svg"
    options = ["--workload", "sparse", "--subscriptions", 300, "--out", out]
    first = run(*options, "--chart", picture)
    assert first.exit_code == 0, first.output
    assert "Invented 1.0" in first.stdout
    assert "sparse, 300: Absent: not here" in first.stderr
    assert "Invented" in picture.read_text("utf-8")
    written = out.read_text("utf-8")
    monkeypatch.setattr(registry, "PEERS", (Invented(), Invented(name="Absent")))
    again = json.loads(run(*options, "--format", "json").stdout)
    assert [(row["peer"], row["counts"]) for row in again] == [("Invented", "equal"), ("Absent", "equal")]
    assert [json.loads(line)["peer"] for line in out.read_text("utf-8")[len(written) :].splitlines()] == ["Absent"]
    assert "there are Invented, Absent" in run("--peer", "unknown").output.replace("\n", " ")


@pytest.mark.long
@pytest.mark.parametrize("peer", registry.PEERS, ids=lambda peer: f"{peer.name}-{peer.workloads[0]}")
def test_every_peer_finds_what_watchword_does(peer: Any) -> None:
    try:
        peer.ready()
    except PeerError as missing:
        pytest.skip(str(missing))
    pace = Pace(warm=1.0, measured=0.2, passes=2)
    rows = list(contest([peer], peer.workloads, [500], pace, (), Progress))
    assert rows
    assert all(row.get("counts") == "equal" for row in rows), rows


def test_skips_are_said_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    cli._show([{"workload": "dense", "subscriptions": 5, "peer": "P", "skipped": "why"}])
    assert capsys.readouterr().err == "dense, 5: P: why\n"
