"""`watchword bench`: measurements of this machine."""

from __future__ import annotations

import enum
import json
import time
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

import typer

import watchword
from watchword.bench.papers.cli import compare, papers
from watchword.bench.peers.cli import peers
from watchword.cli.options import OutputFormat
from watchword.cli.progress import Progress
from watchword.cli.show import Format, show_json, show_rows

app = typer.Typer(help="Measure this machine.", no_args_is_help=True)
app.command()(peers)

SUBSCRIPTIONS: Final = 1_000_000
QUICK: Final = 20_000


class Name(enum.StrEnum):
    DENSE = "dense"
    DENSE_SKEW = "dense-skew"
    SPARSE = "sparse"
    SPARSE_SKEW = "sparse-skew"


class AnyName(enum.StrEnum):
    DENSE = "dense"
    DENSE_SKEW = "dense-skew"
    SPARSE = "sparse"
    SPARSE_SKEW = "sparse-skew"
    RANGES = "ranges"
    KEYWORD = "keyword"


for command in (papers, compare):
    app.command()(command)


@app.command()
def yardstick(
    subscriptions: Annotated[
        int | None, typer.Option(min=100, max=5_000_000, help=f"{SUBSCRIPTIONS:,}, or {QUICK:,} with --quick.")
    ] = None,
    workload: Annotated[list[Name] | None, typer.Option(help="Again for several; all if not given.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repeats and updates, no read-only package.")] = False,
    training: Annotated[
        bool, typer.Option("--training", help="Give the index the events for its statistics, as the kernel has them.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Append every row as a line of JSON.")] = None,
    format: OutputFormat = Format.TABLE,
) -> None:
    """Compare the index with a bare kernel on the same workloads: every count, and the time."""
    from watchword.bench.case import Settings
    from watchword.bench.yardstick import run

    count = subscriptions or (QUICK if quick else SUBSCRIPTIONS)
    settings = Settings(count, training=training)
    if quick:
        settings = Settings(count, repeats=3, long_repeats=1, updates=2_000, training=training, read_only=False)
    records: list[dict[str, Any]] = []
    names = [name.value for name in workload or Name]
    for name, group in groupby(run(names, settings, Progress), key=lambda pair: pair[0]):
        rows = []
        for _, row in group:
            rows.append(row)
            records.append({"workload": name, "subscriptions": count, **row.to_dict()})
            if out is not None:
                _append(out, records[-1])
        if format is Format.TABLE:
            show_rows(f"{name}, {count:,} subscriptions", [row.to_text() for row in rows], format)
    if format is Format.JSON:
        show_json(records)


@app.command()
def structures(
    subscriptions: Annotated[
        int | None, typer.Option(min=100, max=5_000_000, help=f"{SUBSCRIPTIONS:,}, or {QUICK:,} with --quick.")
    ] = None,
    workload: Annotated[list[AnyName] | None, typer.Option(help="Again for several; all if not given.")] = None,
    structure: Annotated[list[str] | None, typer.Option(help="Again for several; all if not given.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few subscriptions: does it run?")] = False,
    training: Annotated[bool, typer.Option("--training", help="Give the index the events for its statistics.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the raw results; a run goes on from there.")
    ] = None,
    format: OutputFormat = Format.TABLE,
) -> None:
    """Compare all structures on the same workloads: construction, memory, size, time and what they count."""
    from watchword.bench.harness.run import run
    from watchword.bench.harness.settings import Settings
    from watchword.bench.harness.store import Store
    from watchword.bench.structures import contest, record

    count = subscriptions or (QUICK if quick else SUBSCRIPTIONS)
    names = structure or list(watchword.structures())
    records: list[dict[str, Any]] = []
    with TemporaryDirectory(prefix="watchword-bench-") as folder:
        store = Store(out or Path(folder))
        for name in workload or AnyName:
            trials = contest(name.value, count, names, training=training)
            with Progress(name.value) as progress:
                run(trials, store, Settings(5, 2.0), lambda at: progress.update(at.done / at.total, at.text()))
            found = store.rows(trials)
            rows = [record(trial.structure, found[trial.key]) for trial in trials]
            records += [{"workload": name.value, "subscriptions": count, **row} for row in rows]
            if format is Format.TABLE:
                show_rows(f"{name.value}, {count:,} subscriptions", rows, format)
    if format is Format.JSON:
        show_json(records)


@app.command()
def text(
    subscriptions: Annotated[
        int | None, typer.Option(min=1000, max=5_000_000, help=f"{SUBSCRIPTIONS:,}, or {QUICK:,} with --quick.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few queries and repeats: does it run?")] = False,
    format: OutputFormat = Format.TABLE,
) -> None:
    """Match documents against queries of words, beside a bare kernel and the structures of the Luwak thesis."""
    from watchword.bench.text import text_rows

    count = subscriptions or (QUICK if quick else SUBSCRIPTIONS)
    with Progress("measuring"):
        rows = list(text_rows(count, 3 if quick else 7))
    if format is Format.JSON:
        show_json([row.to_dict() for row in rows])
    else:
        show_rows(f"{count:,} queries", [row.to_text() for row in rows], format)


def _append(out: Path, record: dict[str, Any]) -> None:
    """Rows are written as they are measured: what breaks off leaves those before."""
    when = {"version": watchword.__version__, "at": time.strftime("%Y-%m-%dT%H:%M:%S%z")}
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**record, **when}) + "\n")


class SparkWork(enum.StrEnum):
    MATCH = "match"
    BUILD = "build"
    DRIVER = "driver"
    WORKER = "worker"
    STRATEGIES = "strategies"
    GROWTH = "growth"
    STREAM = "stream"


@app.command()
def spark(
    work: Annotated[list[SparkWork] | None, typer.Option(help="Again for several; all if not given.")] = None,
    subscriptions: Annotated[
        int | None, typer.Option(min=20_000, help="1,000,000 to match with, 5,000,000 to build.")
    ] = None,
    events: Annotated[int, typer.Option(min=20_000)] = 1_000_000,
    events_as: Annotated[str, typer.Option("--events-as", metavar="json|map")] = "json",
    rate: Annotated[int, typer.Option(min=1000, help="Of a stream, events a second.")] = 10_000,
    seconds: Annotated[int, typer.Option(min=20, help="Of a stream.")] = 600,
    memory: Annotated[str, typer.Option("--memory", help="Of Spark.")] = "2g",
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the growth, as SVG.")] = None,
    format: OutputFormat = Format.TABLE,
) -> None:
    """Compare matching and building on Spark with what they cannot be faster than; measure memory and growth."""
    from watchword.bench.spark import building, matching
    from watchword.bench.spark_driver import driving
    from watchword.bench.spark_growth import growing
    from watchword.bench.spark_strategies import comparing
    from watchword.bench.spark_worker import working
    from watchword.bench.stream import streaming

    rows: list[Any] = []
    for name in work or SparkWork:
        with Progress(f"measuring: {name.value}"):
            if name is SparkWork.MATCH:
                rows += matching(subscriptions or SUBSCRIPTIONS, events, events_as, memory)
            elif name is SparkWork.BUILD:
                rows += building(subscriptions or 5 * SUBSCRIPTIONS, memory)
            elif name is SparkWork.DRIVER:
                rows += driving(subscriptions or 5 * SUBSCRIPTIONS)
            elif name is SparkWork.WORKER:
                rows += working(memory)
            elif name is SparkWork.STRATEGIES:
                rows += comparing(subscriptions or SUBSCRIPTIONS, events, memory)
            elif name is SparkWork.STREAM:
                rows += streaming(subscriptions or SUBSCRIPTIONS, rate, seconds, memory)
            else:
                rows += growing(subscriptions or SUBSCRIPTIONS, events, memory, plot)
    if format is Format.JSON:
        show_json([row.to_dict() for row in rows])
    else:
        show_rows("Spark", [row.to_text() for row in rows], format)
