"""`watchword bench papers` and `watchword bench compare`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from watchword.cli.options import OutputFormat
from watchword.cli.progress import Progress
from watchword.cli.show import Format, show_json, show_rows

EVERY: Final = 30.0  # seconds between lines where there is no terminal to draw on
SHOWN: Final = 40  # differences
TELLING: Final = 0.01  # the scale from which on verdicts are worth reading


def papers(
    only: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="As --list names them; again for several, or with commas.")
    ] = None,
    scale: Annotated[
        float, typer.Option(min=0.00001, max=1.0, help="Of the published numbers of subscriptions.")
    ] = 0.01,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Raw results and the report; a run goes on from there.")
    ] = Path("papers-results"),
    passes: Annotated[int, typer.Option(min=1, help="Of which the median counts.")] = 3,
    seconds: Annotated[
        float, typer.Option(min=0.01, help="Of matching, per run; a slow structure gets fewer events.")
    ] = 0.5,
    most_seconds: Annotated[float, typer.Option(min=1.0, help="After which a run is given up.")] = 300.0,
    summary: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the summary here too.")] = None,
    measure: Annotated[bool, typer.Option(help="Or write the report from what there is.")] = True,
    list_them: Annotated[bool, typer.Option("--list", help="Name every experiment, and stop.")] = False,
    format: OutputFormat = Format.TABLE,
) -> None:
    """Run the papers' experiments again, and hold their claims against what is measured."""
    from watchword.bench.papers.catalog import chosen

    experiments = chosen([name for given in only or () for name in given.split(",")])
    if list_them:
        names = ("id", "paper", "figure", "title", "claim")
        rows = [{name: getattr(one, name) for name in names} for one in experiments]
        show_rows(f"{len(rows)} experiments", rows if format is Format.JSON else [_short(row) for row in rows], format)
        return
    from watchword.bench.harness.run import Pace, run
    from watchword.bench.harness.settings import Settings
    from watchword.bench.harness.store import Store
    from watchword.bench.papers.evaluate import evaluate
    from watchword.bench.papers.report import page
    from watchword.bench.papers.summary import summary as written

    store = Store(out)
    if measure:
        trials = [trial for one in experiments for trial in one.trials(scale).values()]
        with Progress("running") as progress, _lines() as line:

            def tell(pace: Pace) -> None:
                progress.update(pace.done / max(1, pace.total), pace.text())
                line(pace.text())

            run(trials, store, Settings(passes, seconds, most_seconds), tell)
    results = [evaluate(one, store, scale) for one in experiments]
    conditions = _conditions(results, scale, passes)
    out.mkdir(parents=True, exist_ok=True)
    (out / "report.html").write_text(page(results, conditions), encoding="utf-8")
    for file in filter(None, (out / "summary.md", summary)):
        file.write_text(written(results, conditions), encoding="utf-8")
    verdicts = [
        {"id": one.experiment.id, "verdict": one.verdict.verdict, "measured": one.verdict.reason} for one in results
    ]
    show_rows(f"the papers' claims at scale {scale:g}", verdicts, format)
    typer.echo(f"report: {out / 'report.html'}", err=True)


def compare(
    one: Annotated[Path, typer.Argument(metavar="A", help="A folder of results.")],
    other: Annotated[Path, typer.Argument(metavar="B", help="Another, with some of the same runs.")],
    noise: Annotated[bool, typer.Option("--noise", help="Show what is within noise too.")] = False,
    format: OutputFormat = Format.TABLE,
) -> None:
    """Compare two folders of results, run by run; what is within noise is named so."""
    from watchword.bench.harness.compare import NOISE
    from watchword.bench.harness.compare import compare as compared

    rows = list(compared(one, other))
    if format is Format.JSON:
        show_json(rows)
        return
    counts = {name: sum(row["verdict"] == name for row in rows) for name in ("better", "worse", NOISE)}
    told = [row for row in rows if noise or row["verdict"] != NOISE]
    told.sort(key=lambda row: -abs(row["B / A"] - 1))
    if told:
        show_rows("largest differences first", told[:SHOWN], format)
    typer.echo(f"{len(rows)} compared: " + ", ".join(f"{count} {name}" for name, count in counts.items()))


def _short(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("id", "figure", "title")}


def _conditions(results: Sequence[Any], scale: float, passes: int) -> list[str]:
    machines = list(dict.fromkeys(machine for result in results for machine in result.machines))
    small = " So few say that every experiment runs, and little about the claims." if scale < TELLING else ""
    return [
        f"Scale {scale:g}: of the published numbers of subscriptions, everything else as published.{small}",
        f"Median of {passes} passes, one pinned thread, each run in a process of its own.",
        "The matches of a sample of events were compared with direct evaluation before any time counted.",
        f"{time.strftime('%Y-%m-%d')}. " + "; ".join(machines),
    ]


@contextmanager
def _lines() -> Iterator[Any]:
    """Without a terminal, a line now and then."""
    last = time.monotonic()

    def line(text: str) -> None:
        nonlocal last
        if not sys.stderr.isatty() and time.monotonic() - last >= EVERY:
            last = time.monotonic()
            typer.echo(text, err=True)

    yield line
