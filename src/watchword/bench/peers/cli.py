"""`watchword bench peers`."""

from __future__ import annotations

import enum
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from watchword.cli.options import OutputFormat
from watchword.cli.progress import Progress
from watchword.cli.show import Format, show_json, show_rows

SIZES: Final = (10_000, 100_000, 1_000_000)
QUICK_SIZES: Final = (1_000,)


class PeersName(enum.StrEnum):
    DENSE = "dense"
    SPARSE = "sparse"
    KEYWORD = "keyword"


def peers(
    subscriptions: Annotated[
        list[int] | None,
        typer.Option(min=100, max=5_000_000, help="Again for several; 10,000, 100,000 and 1,000,000 if not given."),
    ] = None,
    workload: Annotated[list[PeersName] | None, typer.Option(help="Again for several; all if not given.")] = None,
    peer: Annotated[
        list[str] | None, typer.Option(help="A part of its name; again for several; all if not given.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="1,000 subscriptions, short passes: does it run?")] = False,
    limit: Annotated[float, typer.Option(min=1, help="Seconds for one peer at one size, its build included.")] = 170.0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Append every row as a line of JSON; rows that it has are not measured again."
        ),
    ] = None,
    chart: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw all rows as SVG.")] = None,
    format: OutputFormat = Format.TABLE,
) -> None:
    """Compare Watchword with what else does its work: Lucene's Monitor, Vespa's predicate search, databases, ..."""
    from watchword.bench.peers import chart as charts
    from watchword.bench.peers.contest import contest
    from watchword.bench.peers.peer import Pace
    from watchword.bench.peers.registry import PEERS

    rows = _read(out)
    known = {(row["workload"], row["subscriptions"], row["peer"]) for row in rows}
    chosen = [one for one in PEERS if not peer or any(part.lower() in one.name.lower() for part in peer)]
    if not chosen:
        raise typer.BadParameter(f"no peer is called so: there are {', '.join(dict.fromkeys(p.name for p in PEERS))}")
    sizes = subscriptions or (QUICK_SIZES if quick else SIZES)
    pace = Pace(0.5, 0.2, 3, limit) if quick else Pace(limit=limit)
    for row in contest(chosen, [name.value for name in workload or PeersName], sizes, pace, known, Progress):
        rows.append(row)
        if out is not None:
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
    if chart is not None:
        chart.write_text(charts.chart(rows), encoding="utf-8")
    if format is Format.JSON:
        show_json(rows)
    else:
        _show(rows)


def _read(out: Path | None) -> list[dict[str, Any]]:
    if out is None or not out.exists():
        return []
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    return [row for row in rows if "version" in row]  # what was missing then may be there now


def _show(rows: Sequence[dict[str, Any]]) -> None:
    for workload, size in dict.fromkeys((row["workload"], row["subscriptions"]) for row in rows):
        some = [row for row in rows if (row["workload"], row["subscriptions"]) == (workload, size)]
        show_rows(f"{workload}, {size:,} subscriptions", [_texts(row) for row in some], Format.TABLE)
    for row in rows:
        if "skipped" in row:
            typer.echo(f"{row['workload']}, {row['subscriptions']:,}: {row['peer']}: {row['skipped']}", err=True)


def _texts(row: dict[str, Any]) -> dict[str, Any]:
    if "skipped" in row:
        return {"peer": row["peer"], "way": "skipped: see below"}
    return {
        "peer": f"{row['peer']} {row['version']}",
        "way": row["way"],
        "us/event": row["us_per_event"],
        "spread": f"{(row['slowest'] - row['fastest']) / row['us_per_event']:.0%}",
        "events": row["events"],
        "build s": row["build_seconds"],
        "MB": row["memory_mb"],
        "counts": row["counts"],
    }
