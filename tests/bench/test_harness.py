"""The harness: what is measured is right, kept, and not measured twice."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from watchword.bench.check import WrongMatchesError
from watchword.bench.harness import run as running
from watchword.bench.harness.coded import Coded
from watchword.bench.harness.compare import NOISE, compare
from watchword.bench.harness.metrics import METRICS, value_of
from watchword.bench.harness.process import measure
from watchword.bench.harness.run import Pace, run
from watchword.bench.harness.settings import Settings
from watchword.bench.harness.sources import make
from watchword.bench.harness.store import FAILED, MEASURED, REFUSED, SCHEMA, UNREGISTERED, Row, Store
from watchword.bench.harness.tasks import perform
from watchword.bench.harness.trial import Source, Trial
from watchword.cli.app import app
from watchword.structures.structure import COUNT_NAMES

SOURCE = Source("yardstick", {"workload": "sparse", "subscriptions": 400})
QUICK = Settings(passes=2, seconds=0.02, events=40, updates=20)
NOTHING: Row = dict.fromkeys(SCHEMA.names)


@pytest.fixture(scope="module")
def coded() -> Coded:
    return Coded.of(make(SOURCE), 40)


def passes(metric: str, *numbers: float) -> list[Row]:
    """Rows whose metric is so many seconds for ten events."""
    return [{**NOTHING, "status": MEASURED, metric: number, "events": 10, "batches": 1} for number in numbers]


def test_sources_and_trials_are_named_by_what_they_are() -> None:
    trial = Trial(SOURCE, "betree", {"max_cap": 5})
    assert trial.key == Trial(SOURCE.but({}), "betree", {"max_cap": 5}).key
    others = [
        Trial(SOURCE.but({"subscriptions": 401}), "betree", {"max_cap": 5}),
        Trial(SOURCE, "betree", {"max_cap": 6}),
        Trial(SOURCE, "betree-batch", {"max_cap": 5}),
        replace(trial, task="update"),
        replace(trial, batch=10),
        replace(trial, training=False),
    ]
    assert len({trial.key, *(other.key for other in others)}) == 7


def test_the_median_and_the_spread_of_passes() -> None:
    value = value_of(passes("match_seconds", 0.004, 0.001, 0.002), "match_us")
    assert (value.median, value.low, value.high) == pytest.approx((200, 100, 400))
    assert value_of([], "match_us").status == "not run"
    assert value_of(passes("build_seconds", 1.0), "match_us").status == "not measured"
    failed = value_of([{**NOTHING, "status": FAILED, "reason": "no memory"}], "match_us")
    assert (failed.median, failed.status, failed.reason) == (None, FAILED, "no memory")


def test_metrics_of_one_row() -> None:
    row = {
        **NOTHING,
        "events": 100,
        "batches": 4,
        "match_seconds": 0.2,
        "read_seconds": 0.04,
        "nodes": 300,
        "updates": 50,
        "insert_seconds": 0.001,
        "index_bytes": 2_000_000,
        "expected_nodes": 270.0,
        "term_nodes": 5.0,
        "occurrences": 20.0,
        "described": '{"nodes": {"all": 7}}',
    }
    wanted = {
        "match_us": 2000,
        "batch_ms": 60,
        "rate": 100 / 0.24,
        "visited": 3,
        "insert_us": 20,
        "index_mb": 2,
        "model_error": -10,
        "gain": 75,
        "created": 7,
    }
    assert {name: METRICS[name].of(row) for name in wanted} == pytest.approx(wanted)
    assert METRICS["created"].of({**row, "described": '{"postings": 12}'}) == 12
    ril = '{"name": "ril", "words": 32, "conjunctions": 10}'
    assert METRICS["created"].of({**row, "described": ril}) == 22
    described = '{"words": 50, "conjunctions": 12, "duplicates": 2, "time_check ns": [5, 6], "times": "measured"}'
    assert METRICS["extra_terms"].of({**row, "described": described}) == 30
    assert METRICS["time_check 3"].of({**row, "described": described}) == 6
    assert METRICS["time_check 3"].of({**row, "described": described.replace("measured", "thesis")}) is None
    assert all(metric.of(NOTHING) is None for metric in METRICS.values() if metric.label not in ("nodes",))


def test_a_trial_is_measured_in_every_respect(coded: Coded) -> None:
    rows = list(perform(coded, Trial(SOURCE, "opindex", batch=10), QUICK))
    assert [row["pass"] for row in rows] == [0, 1]
    scan, _ = coded.build("scan", {}, np.arange(400), training=False)
    found = len(scan.match(coded.some(0, 40)).expression)
    for row in rows:
        assert (row["subscriptions"], row["events"], row["batches"]) == (400, 40, 4)
        assert row["matches"] == found
        assert min(row[name] for name in ("match_seconds", "read_seconds", "event_mean", "index_bytes")) > 0
        assert row["total_bytes"] >= row["index_bytes"]
        assert set(COUNT_NAMES) <= set(row)
        assert set(row) <= set(SCHEMA.names)
    assert rows[0]["build_seconds"] > 0


def test_a_process_of_its_own(coded: Coded) -> None:
    here = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    rows = measure(coded, Trial(SOURCE, "ril"), QUICK)
    assert [row["status"] for row in rows] == [MEASURED] * 2
    if here is not None:
        assert os.sched_getaffinity(0) == here  # only the process was pinned
    assert measure(coded, Trial(SOURCE, "kindex", {"most_bytes": 10}), QUICK)[0]["status"] == REFUSED
    late = measure(coded, Trial(SOURCE, "betree"), replace(QUICK, most_seconds=0.0))
    assert (late[0]["status"], late[0]["reason"]) == (FAILED, "took longer than 0 s")
    unknown = measure(coded, Trial(SOURCE, "betree", {"size": 3}), QUICK)
    assert unknown[0]["status"] == FAILED
    assert "no parameter 'size'" in unknown[0]["reason"]


def test_wrong_matches_end_a_run(coded: Coded) -> None:
    wrong = replace(coded, expected=[np.append(ids, 399) for ids in coded.expected])
    for task in ("match", "update"):
        with pytest.raises(WrongMatchesError, match="not the same ones"):
            measure(wrong, Trial(SOURCE, "opindex", task=task), QUICK)


@pytest.mark.parametrize("name", ["betree", "auto"])
def test_subscriptions_come_and_go(coded: Coded, name: str) -> None:
    rows = list(perform(coded, Trial(SOURCE, name, task="update"), QUICK))
    assert len(rows) == 2
    assert all(row["insert_seconds"] > 0 and row["delete_seconds"] > 0 and row["updates"] == 20 for row in rows)


@pytest.mark.parametrize("name", ["betree", "auto"])
def test_subscriptions_turn_into_others_and_back(name: str) -> None:
    both = Source("both", {"first": SOURCE, "second": SOURCE.but({"workload": "sparse-skew"})})
    workload = make(both)
    assert len(workload.subscriptions) == 800
    rows = list(perform(Coded.of(workload, 40), Trial(both, name, task="shift"), QUICK))
    assert sorted({row["step"] for row in rows}) == [10.0 * step for step in range(21)]
    assert all(row["match_seconds"] > 0 and row["subscriptions"] == 400 for row in rows)


def test_nodes_by_rank_and_what_the_model_expects() -> None:
    source = Source("yardstick", {"workload": "keyword", "subscriptions": 2000})
    coded = Coded.of(make(source), 200)
    rows = list(perform(coded, Trial(source, "rot", {"order": "frequency"}, task="ranks"), QUICK))
    assert [row["step"] for row in rows[:4]] == [1, 2, 5, 10]
    assert all(0 < row["term_nodes"] <= row["occurrences"] for row in rows)
    assert rows[0]["term_nodes"] < rows[0]["occurrences"]  # the most frequent term is shared
    assert rows[0]["complete_nodes"] == 1
    for row in perform(coded, Trial(source, "rot", {"order": "frequency"}, task="model"), QUICK):
        assert row["events"] > 0
        assert row["expected_nodes"] > 0


def told(pace: Pace) -> None:
    assert pace.text()


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []

    def noting(coded: Coded, trial: Trial, settings: Settings) -> list[Row]:
        measured.append(trial.structure)
        if trial.structure == "sift" and measured.count("sift") == 1:
            raise KeyboardInterrupt
        return measure(coded, trial, settings)

    monkeypatch.setattr(running, "measure", noting)
    store = Store(tmp_path)
    trials = [Trial(SOURCE, name) for name in ("ril", "sift", "nowhere", "kindex", "ril")]
    trials[3] = replace(trials[3], parameters={"most_bytes": 10})
    with pytest.raises(KeyboardInterrupt):
        run(trials, store, QUICK, told)
    assert measured == ["ril", "sift"]
    run(trials, store, QUICK, told)
    assert measured == ["ril", "sift", "sift", "kindex"]
    status = {rows[0]["structure"]: rows[0]["status"] for rows in store.rows(trials).values()}
    assert status == {"ril": MEASURED, "sift": MEASURED, "nowhere": UNREGISTERED, "kindex": REFUSED}
    assert not store.has(trials[2])  # it may be there the next time
    run(trials, store, QUICK, told)
    assert len(measured) == 4
    assert not list(store.folder.glob("*.new"))


def test_what_failed_is_tried_again(tmp_path: Path) -> None:
    store, trial = Store(tmp_path), Trial(SOURCE, "ril")
    store.write(trial, [{"status": FAILED, "reason": "no memory"}])
    assert not store.has(trial)
    store.write(trial, passes("match_seconds", 0.1))
    assert store.has(trial)
    (row,) = store.rows([trial])[trial.key]
    assert (row["key"], row["structure"], row["match_seconds"]) == (trial.key, "ril", 0.1)


def test_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 110.0)
    pace = Pace(10, 4, left=9.0, begun=100.0)
    assert pace.text() == "4 of 10 runs: "
    pace.measured(3.0)
    assert pace.seconds_left == pytest.approx(20)
    assert pace.text() == "5 of 10 runs, about 20 s left: "
    pace.left = 3600.0
    assert "about 200 min left" in pace.text()


def compared(tmp_path: Path, one: list[Row], other: list[Row]) -> list[dict[str, Any]]:
    for name, rows in (("a", one), ("b", other)):
        Store(tmp_path / name).write(Trial(SOURCE, "ril", {"x": 1}), rows)
    return list(compare(tmp_path / "a", tmp_path / "b"))


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ((1.0, 1.01, 1.02), (1.5, 1.51, 1.52), "worse"),
        ((1.5, 1.51, 1.52), (1.0, 1.01, 1.02), "better"),
        ((1.0, 1.2, 1.4), (1.3, 1.5, 1.6), NOISE),  # their passes overlap
        ((1.0, 1.001, 1.002), (1.02, 1.021, 1.022), NOISE),  # too close
        ((1.0, 1.0, 2.0), (2.1, 2.2, 2.3), "worse"),
    ],
)
def test_differences_within_noise_are_called_so(
    tmp_path: Path, one: tuple[float, ...], other: tuple[float, ...], verdict: str
) -> None:
    (row,) = compared(tmp_path, passes("match_seconds", *one), passes("match_seconds", *other))
    assert row["verdict"] == verdict
    assert row["structure"] == 'ril {"x": 1}'
    assert row["metric"] == "matching time, µs per event"


def test_only_what_both_runs_have_is_compared(tmp_path: Path) -> None:
    assert compared(tmp_path, passes("match_seconds", 1.0), [{"status": FAILED, "reason": "?"}]) == []


def test_structures_side_by_side(tmp_path: Path) -> None:
    command = ["bench", "structures", "--subscriptions", "300", "--workload", "sparse", "--format", "json"]
    result = CliRunner().invoke(app, [*command, "--structure", "ril", "--structure", "nowhere", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    ril, nowhere = json.loads(result.stdout)
    assert (ril["workload"], ril["subscriptions"], ril["structure"], ril["events"]) == ("sparse", 300, "ril", 1000)
    assert ril["us/event"] > 0
    assert nowhere[UNREGISTERED] == "no structure 'nowhere' here"
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_runs_are_compared_on_the_command_line(tmp_path: Path) -> None:
    for name, number in (("a", 1.0), ("b", 2.0)):
        Store(tmp_path / name).write(Trial(SOURCE, "ril"), passes("match_seconds", number))
    shown = CliRunner().invoke(app, ["bench", "compare", str(tmp_path / "a"), str(tmp_path / "b")])
    assert "1 compared: 0 better, 1 worse, 0 within noise" in shown.output
    nothing = CliRunner().invoke(app, ["bench", "compare", str(tmp_path / "a"), str(tmp_path / "c")])
    assert nothing.exit_code == 1
    assert "no results in" in nothing.output


def test_words_as_attributes() -> None:
    made = make(Source("words", {"of": Source("luwak", {"subscriptions": 50, "events": 30, "training": 20})}))
    texts = make(Source("luwak", {"subscriptions": 50, "events": 30, "training": 20}))
    words = [re.findall(r"[a-z]+", text.partition("'")[2]) for text in texts.subscriptions["expression"].to_pylist()]
    wanted = [" AND ".join(f"w_{word} = 1" for word in query) for query in words]
    assert made.subscriptions["expression"].to_pylist() == wanted
    assert [set(event) for event in made.records()] == [
        {f"w_{word}" for word in text.split()} for text in texts.events["body"].to_pylist()
    ]
    assert len(Coded.of(made, 30).expected) == 6


def test_a_workload_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    store, trials = Store(tmp_path), [Trial(Source("elsewhere"), name) for name in ("ril", "nowhere")]
    run(trials, store, QUICK, told)
    ril, nowhere = (store.rows([trial])[trial.key][0] for trial in trials)
    assert (ril["status"], nowhere["status"]) == (FAILED, UNREGISTERED)
    assert ril["reason"].startswith("no workload: no workload 'elsewhere'")
