"""`watchword bench`: measurements of this machine."""

from __future__ import annotations

import enum
import json
import time
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Final

import typer

import watchword
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


@app.callback()
def _group() -> None:
    pass  # so that a single command keeps its name


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
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Append every row as a line of JSON.")] = None,
    format: OutputFormat = Format.TABLE,
) -> None:
    """Compare all structures on the same workloads: load, memory, size, time and what they count."""
    from watchword.bench.structures import Contest, auto_counts, compare
    from watchword.bench.workloads import make_workload

    count = subscriptions or (QUICK if quick else SUBSCRIPTIONS)
    names = structure or list(watchword.structures())
    records: list[dict[str, Any]] = []
    for name in workload or AnyName:
        with Progress(f"{name.value}: making the workload"):
            contest = Contest.of(make_workload(name.value, count), training=training)
        with Progress(f"{name.value}: what auto finds"):
            counts = auto_counts(contest)
        rows = []
        with Progress(f"{name.value}: {count:,} subscriptions") as progress:
            for number, row in enumerate(compare(contest, names, counts), 1):
                rows.append(row)
                records.append({"workload": name.value, "subscriptions": count, **row})
                if out is not None:
                    _append(out, records[-1])
                progress.update(number / len(names), row["structure"])
        if format is Format.TABLE:
            show_rows(f"{name.value}, {count:,} subscriptions", rows, format)
    if format is Format.JSON:
        show_json(records)


def _append(out: Path, record: dict[str, Any]) -> None:
    """Rows are written as they are measured: what breaks off leaves those before."""
    when = {"version": watchword.__version__, "at": time.strftime("%Y-%m-%dT%H:%M:%S%z")}
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**record, **when}) + "\n")


class SparkWork(enum.StrEnum):
    MATCH = "match"
    BUILD = "build"


@app.command()
def spark(
    work: Annotated[list[SparkWork] | None, typer.Option(help="Both if not given.")] = None,
    subscriptions: Annotated[
        int | None, typer.Option(min=20_000, help="1,000,000 to match with, 5,000,000 to build.")
    ] = None,
    events: Annotated[int, typer.Option(min=20_000)] = 1_000_000,
    events_as: Annotated[str, typer.Option("--events-as", metavar="json|map")] = "json",
    memory: Annotated[str, typer.Option("--memory", help="Of Spark.")] = "2g",
    format: OutputFormat = Format.TABLE,
) -> None:
    """Compare matching and building on Spark with what they cannot be faster than."""
    from watchword.bench.spark import building, matching

    rows = []
    for name in work or SparkWork:
        with Progress(f"measuring: {name.value}"):
            if name is SparkWork.MATCH:
                rows += list(matching(subscriptions or SUBSCRIPTIONS, events, events_as, memory))
            else:
                rows += list(building(subscriptions or 5 * SUBSCRIPTIONS, memory))
    if format is Format.JSON:
        show_json([row.to_dict() for row in rows])
    else:
        show_rows("Spark", [row.to_text() for row in rows], format)
