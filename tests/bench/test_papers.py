"""The papers' experiments: declared soundly, their claims judged right, and a tiny run goes through to the report."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from watchword.bench.harness.metrics import METRICS, Value
from watchword.bench.harness.sources import check
from watchword.bench.harness.trial import Source
from watchword.bench.papers.catalog import EXPERIMENTS, PAPERS, chosen
from watchword.bench.papers.chart import Scale, line_chart
from watchword.bench.papers.claims import (
    FAILS,
    HOLDS,
    IN_PART,
    UNKNOWN,
    Measured,
    Statement,
    against_all,
    all_of,
    at,
    crosses,
    deviation_falls,
    falls,
    flat,
    grows,
    linear,
    lower,
    near,
    ordered,
    returns,
    steadier,
    steeper,
    within,
)
from watchword.bench.papers.experiment import Axis, Curve, Experiment, Point, Result, varied
from watchword.bench.papers.numbers import short, shown, spread
from watchword.bench.papers.report import page
from watchword.bench.papers.summary import summary
from watchword.cli.app import app
from watchword.errors import WatchwordError
from watchword.structures.registry import checked_parameters, structures

FIGURES = {  # what the papers' experiments are, by number
    "opindex": [1, *range(7, 15)],
    "betree": [*range(4, 14), "table5"],
    "htree": [*range(4, 16)],
    "edbt": [*range(2, 12), "table3", "table4"],
    "luwak": [*range(11, 18), "table3", "table4"],
}


def values(*medians: float | None, noise: float = 0.01, deviation: float | None = None) -> dict[float | str, Value]:
    return {
        float(10**x): Value(None, status="refused")
        if number is None
        else Value(number, number * (1 - noise), number * (1 + noise), deviation)
        for x, number in enumerate(medians)
    }


def measured(**curves: tuple[float | None, ...]) -> dict[str, Mapping[float | str, Value]]:
    return {name: values(*numbers) for name, numbers in curves.items()}


LINES = measured(a=(1, 10, 100), b=(3, 30, 300), c=(5, 5, 5.2), d=(9, 3, 1), none=(None, None, None))


@pytest.mark.parametrize(
    ("statement", "share"),
    [
        (lower("a", "b"), 1),
        (lower("b", "a"), 0),
        (lower("a", "b", by=4), 0),
        (lower("a", "b", by=2.5), 1),
        (lower("a", "c"), 1 / 3),
        (lower("a", "b", "c"), (1 + 1 / 3) / 2),
        (lower("a", "none"), None),
        (lower("a", "nowhere"), None),
        (lower("a", "b", "none"), 1),
        (grows("a"), 1),
        (grows("c"), 0),
        (falls("d", 5), 1),
        (falls("a"), 0),
        (flat("c"), 1),
        (flat("a"), 0),
        (linear("a"), 1),
        (linear("d"), 0),
        (steeper("a", "c"), 1),
        (steeper("c", "a"), 0),
        (crosses("a", "d"), 1),
        (crosses("d", "a"), 0),
        (crosses("a", "b"), 0.5),
        (within("a", 0, 50), 2 / 3),
        (at("a", "last", 90, 110), 1),
        (at("a", "first", 90, 110), 0),
        (returns("c"), 1),
        (returns("a"), 0),
        (near("a", "b", 3.5), 1),
        (near("a", "b", 2), 0),
        (grows("none"), None),
        (linear("none"), None),
    ],
)
def test_statements(statement: Statement, share: float | None) -> None:
    finding = statement(LINES)
    assert finding.share == (None if share is None else pytest.approx(share))
    assert finding.text


def test_what_is_within_noise_counts_for_no_side() -> None:
    close: Measured = {"a": values(1, 10, noise=0.2), "b": values(1.1, 30, noise=0.2)}
    finding = lower("a", "b")(close)
    assert finding.share == 1
    assert "1 of 2 points, 1 within noise" in finding.text
    nothing_else: Measured = {"a": values(1, noise=0.2), "b": values(1.1, noise=0.2)}
    assert lower("a", "b")(nothing_else).share == 0.5
    assert all_of(lower("a", "b"))(nothing_else).verdict == IN_PART


def test_named_points_and_deviations() -> None:
    named: Measured = {"rot": {"real": Value(9, 9, 9), "uniform": Value(3, 3, 3), "inverse": Value(2, 2, 2)}}
    assert ordered("rot", "real", "uniform", "inverse")(named).share == 1
    assert ordered("rot", "real", "uniform", "inverse", by=2)(named).share == 0.5
    assert ordered("rot", "real", "random")(named).share is None
    deviating: Measured = {"a": values(1, deviation=0.1), "b": values(1, deviation=0.3), "c": values(1)}
    assert steadier("a", "b")(deviating).share == 1
    assert steadier("b", "a")(deviating).share == 0
    assert steadier("a", "c")(deviating).share is None
    assert deviation_falls("c")(deviating).share is None


def test_where_auto_stands() -> None:
    both = {**LINES, "auto": values(2, 4, None)}
    assert against_all(both) == "auto is below the best of the others at 0 of 2 points (0.5x to 0.75x, median 0.62x)"
    assert against_all({"a": LINES["a"], "auto": values(0.5, 20)}).startswith(
        "auto is below the best of the others at 1 of 2"
    )
    assert against_all(LINES) == ""


def test_verdicts() -> None:
    holds, part, fails, unknown = lower("a", "b"), lower("a", "c"), lower("b", "a"), lower("a", "none")
    assert all_of(holds, holds)(LINES).verdict == HOLDS
    assert all_of(holds, part)(LINES).verdict == IN_PART
    assert all_of(holds, fails)(LINES).verdict == IN_PART
    assert all_of(fails, fails)(LINES).verdict == FAILS
    assert all_of(unknown)(LINES).verdict == UNKNOWN
    assert all_of(holds, unknown)(LINES).verdict == IN_PART  # what is not measured does not hold
    assert "a is below b at 3 of 3 points (3x to 3x, median 3x); a against none" in all_of(holds, unknown)(LINES).reason


def test_every_figure_of_the_papers_is_there() -> None:
    ids = [one.id for one in EXPERIMENTS]
    assert len(set(ids)) == len(ids)
    for paper, numbers in FIGURES.items():
        found = {
            re.sub("(?<=[0-9])[a-f]$", "", name.removeprefix(f"{paper}-"))
            for name in ids
            if name.startswith(f"{paper}-")
        }
        assert found == {str(number) for number in numbers}
    for name in ("opindex-10a", "betree-13a", "betree-table5", "htree-11", "edbt-9", "luwak-16"):
        assert name in ids
    assert {one.paper for one in EXPERIMENTS} == set(PAPERS)


@pytest.mark.parametrize("one", EXPERIMENTS, ids=lambda one: one.id)
def test_declarations_are_sound(one: Experiment) -> None:
    labels = [curve.label for curve in one.curves]
    assert len(set(labels)) == len(labels)
    assert "auto" in {curve.name for curve in one.curves} or "auto" in one.note
    assert {one.metric, *(curve.metric for curve in one.curves if curve.metric)} <= set(METRICS)
    for trial in one.trials(0.01).values():
        check(trial.source)
        if trial.structure in structures():
            checked_parameters(trial.structure, trial.parameters)
    # all names in its claims are curves: with a value for each, nothing is missing
    xs = [point.x for point in one.points] or [1.0, 2.0]
    made: Measured = {label: {x: Value(2.0, 2.0, 2.0, 1.0) for x in xs} for label in labels}
    verdict = one.check(made)
    assert verdict.verdict in (HOLDS, IN_PART, FAILS)
    assert "not measured" not in verdict.reason


def test_scale_shrinks_subscriptions_and_nothing_else() -> None:
    (one,) = chosen(["opindex-10a"])
    trials = one.trials(0.01)
    sizes = (10_000, 100_000, 200_000, 300_000, 400_000)
    assert {x for x, label in trials if label == "betree"} == set(sizes)
    for (x, _), trial in trials.items():
        assert trial.source.parameters["subscriptions"] == x
    (one,) = chosen(["betree-13a"])
    for trial in one.trials(0.01).values():
        first = trial.source.parameters["first"]
        assert first.parameters == {"subscriptions": 1000, "zipf": 0.0, "seed": 1, "match_probability": 0.001}
    shared = {trial.key for one in chosen(["opindex-1b"]) for trial in one.trials(0.01).values()}
    assert shared == {trial.key for one in chosen(["opindex-1a"]) for trial in one.trials(0.01).values()}


def test_figures_are_chosen_by_name() -> None:
    assert [one.id for one in chosen(["opindex-10"])] == [f"opindex-10{letter}" for letter in "abcdef"]
    assert [one.id for one in chosen(["htree-4", "opindex-1a"])] == ["opindex-1a", "htree-4"]
    assert len(chosen([])) == len(EXPERIMENTS)
    with pytest.raises(WatchwordError, match="no experiment 'htree-99'"):
        chosen(["htree-99"])


@pytest.mark.parametrize(
    ("number", "text", "tick"),
    [
        (1234.5, "1,234", "1.23k"),
        (0.5, "0.5", "0.5"),
        (12.345, "12.3", "12.3"),
        (0, "0", "0"),
        (2e6, "2,000,000", "2M"),
    ],
)
def test_numbers_as_people_read_them(number: float, text: str, tick: str) -> None:
    assert shown(number) == text
    assert short(number) == tick


def test_spread_is_shown_where_there_is_some() -> None:
    assert spread(Value(100, 90, 110)) == "±10%"
    assert spread(Value(100, 100, 100.5)) == ""


def test_scales_and_ticks() -> None:
    log = Scale(1, 1000, 0, 300, True)
    assert [log.place(n) for n in (1, 10, 1000)] == pytest.approx([0, 100, 300])
    assert log.ticks() == [1, 10, 100, 1000]
    assert Scale(2, 8, 0, 1, True).ticks() == [2, 5]
    assert Scale(0, 45, 0, 1, False).ticks() == [0, 10, 20, 30, 40]


def experiment(**more: Any) -> Experiment:
    given: dict[str, Any] = {
        "id": "betree-5a",
        "paper": "BE-Tree",
        "figure": "Figure 5(a)",
        "title": "Size & more",
        "claim": "BE-Tree < all.",
        "source": Source("be-gen"),
        "x": Axis("subscriptions"),
        "points": varied("subscriptions", (1, 10, 100)),
        "curves": (Curve("a"), Curve("none")),
        "metric": "match_us",
        "check": all_of(lower("a", "none")),
    }
    return Experiment(**(given | more))


class Reader(HTMLParser):
    """Checks that elements are closed, and notes what the page refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.refers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.refers += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    assert all(reference.startswith("#") for reference in reader.refers)
    assert "url(" not in html
    assert "<script" not in html
    return reader


def test_the_report_needs_nothing_beside_itself() -> None:
    one = experiment()
    result = Result(one, {"a": LINES["a"], "none": LINES["none"]}, one.check(LINES), ("here",))
    html = page([result], ["Scale 0.5"])
    tags = read(html).tags
    assert tags.count("article") == 1
    assert tags.count("polyline") == 1
    assert "Size &amp; more" in html
    assert "BE-Tree &lt; all." in html
    assert "prefers-color-scheme: dark" in html
    assert html.count('<td class="none"') == 3
    text = summary([result], ["Scale 0.5"])
    assert "| `betree-5a` Figure 5(a) | BE-Tree < all. | not measured | a against none: not measured |" in text
    assert "- Scale 0.5" in text


def test_charts_of_names_and_of_nothing() -> None:
    named: Measured = {"a": {"real": Value(9, 8, 10), "inverse": Value(0.0, 0.0, 0.0)}}
    chart = line_chart("t", named, "x", "y", log_x=False, log_y=True)
    assert "polyline" not in chart
    assert chart.count("<circle") == 1  # a logarithmic axis has no place for 0
    assert line_chart("t", named, "x", "y", log_x=False, log_y=False).count("<circle") == 2
    assert "Nothing measured" in line_chart("t", {"none": LINES["none"]}, "x", "y", log_x=False, log_y=True)
    flat_line = line_chart("t", {"a": {5.0: Value(3, 3, 3)}}, "x", "y", log_x=True, log_y=True)
    assert "nan" not in flat_line


def papers(*arguments: object) -> Any:
    result = CliRunner().invoke(app, ["bench", "papers", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result


def test_experiments_are_listed() -> None:
    listed = json.loads(papers("--list", "--format", "json").stdout)
    assert [one["id"] for one in listed] == [one.id for one in EXPERIMENTS]
    assert all(one["claim"].endswith(".") for one in listed)
    assert len(json.loads(papers("--list", "--only", "opindex-7,htree-4", "--format", "json").stdout)) == 3


def test_a_tiny_run_goes_through_to_the_report(tmp_path: Path) -> None:
    quick = ("--scale", 0.0001, "--seconds", 0.01, "--passes", 2, "--out", tmp_path, "--format", "json")
    docs = tmp_path / "papers.md"
    only = ("--only", "betree-table5", "--only", "luwak-12b")
    (first, second) = json.loads(papers(*only, *quick, "--summary", docs).stdout)
    assert first["id"] == "betree-table5"
    assert first["verdict"] in (HOLDS, IN_PART, FAILS)
    html = (tmp_path / "report.html").read_text("utf-8")
    assert read(html).tags.count("article") == 2
    assert "Scale 0.0001" in html
    assert "`betree-table5` Table 5" in docs.read_text("utf-8")
    if "presearch" not in structures():
        assert second["verdict"] == UNKNOWN
        assert "not registered" in html
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "runs").iterdir()}
    again = json.loads(papers(*only, *quick, "--no-measure").stdout)
    assert again == [first, second]
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "runs").iterdir()} == before


@pytest.mark.long
def test_every_experiment_goes_through(tmp_path: Path) -> None:
    out = papers("--scale", 0.0005, "--seconds", 0.02, "--passes", 2, "--out", tmp_path, "--format", "json").stdout
    verdicts = {one["id"]: one for one in json.loads(out)}
    assert len(verdicts) == len(EXPERIMENTS)
    unmeasured = [name for name, one in verdicts.items() if one["verdict"] == UNKNOWN]
    assert all(name.startswith("luwak-") for name in unmeasured)
    assert read((tmp_path / "report.html").read_text("utf-8")).tags.count("article") == len(EXPERIMENTS)


def test_points_may_change_several_things() -> None:
    one = experiment(
        points=(Point("x", {"subscriptions": 1000}, {"max_cap": 5}, 10), Point("y", source=Source("q-grams"))),
        curves=(Curve("a", "betree", workload={"zipf": 1.0}), Curve("b", "auto", follows=False)),
    )
    trials = one.trials(1.0)
    assert trials["x", "a"].source.parameters == {"subscriptions": 1000, "zipf": 1.0}
    assert (trials["x", "a"].parameters, trials["x", "a"].batch) == ({"max_cap": 5}, 10)
    assert (trials["x", "b"].parameters, trials["x", "b"].source.parameters) == ({}, {"subscriptions": 1000})
    assert trials["y", "a"].source.generator == "q-grams"
    assert replace(one, task="update").trials(1.0)["x", "a"].task == "update"
