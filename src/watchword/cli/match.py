"""`watchword match`: a file or pipe of events against subscriptions, matches written as they are found."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pyarrow as pa
import typer

from watchword.cli.engine import Engine, EngineOption, Master, Memory
from watchword.cli.events import Batch, read_events
from watchword.cli.files import STANDARD, kind_of
from watchword.cli.loading import load_index
from watchword.cli.on_spark import Matching, match_on_spark
from watchword.cli.options import (
    Analyzers,
    ErrorsFile,
    Force,
    OutputFormat,
    SubscriptionsFile,
    analyzers_by_field,
    refuse_analyzers_on_spark,
)
from watchword.cli.progress import Progress
from watchword.cli.refused import Refused, refusing
from watchword.cli.saved import open_saved
from watchword.cli.show import Format, show_record
from watchword.cli.writers import TableWriter, writing

if TYPE_CHECKING:
    from watchword.index.index import Index

MATCHES = pa.schema([("event", pa.int64()), ("subscription", pa.string())])


def match(
    events: Annotated[
        str, typer.Option("--events", metavar="FILE", help="Events: .jsonl, .parquet, .csv or - (jsonl).")
    ],
    subscriptions: SubscriptionsFile = None,
    index: Annotated[Path | None, typer.Option("--index", metavar="DIR", help="A saved index instead.")] = None,
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="Matches: .parquet, .csv, .jsonl or - (jsonl).")
    ] = STANDARD,
    analyzer: Analyzers = None,
    errors: ErrorsFile = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="COLUMN", help="The text column that holds each event as JSON.")
    ] = None,
    id: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="What names an event; else its number from 0.")
    ] = None,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Events matched at a time.")] = 10_000,
    threads: Annotated[int, typer.Option("--threads", min=0, help="0: one per core.")] = 0,
    format: OutputFormat = Format.TABLE,
    force: Force = False,
    engine: EngineOption = Engine.LOCAL,
    master: Master = "local[*]",
    memory: Memory = "2g",
    strategy: Annotated[str, typer.Option("--strategy", help="On Spark: auto, or one of its strategies.")] = "auto",
) -> None:
    """Match events against subscriptions, from files or a pipe."""
    if (subscriptions is None) == (index is None):
        raise typer.BadParameter("give either --subscriptions FILE or --index DIR")
    if subscriptions == events == STANDARD:
        raise typer.BadParameter("only one of --subscriptions and --events can be standard input")
    if errors is not None and errors == out:
        raise typer.BadParameter("--out and --errors must be two files")
    if analyzer and index is not None:
        raise typer.BadParameter("--analyzer is for --subscriptions: a saved index knows how it reads texts")
    analyzers = analyzers_by_field(analyzer)
    if engine is Engine.SPARK:
        refuse_analyzers_on_spark(analyzer)
        asked = Matching(events, subscriptions, index, out, errors, json, id, strategy, force)
        show_record("Matched", match_on_spark(asked, master, memory), format)
        return
    kind_of(events)  # a wrong name is told before the subscriptions are loaded
    with writing(out, MATCHES, force) as writer, refusing(errors, force) as refused:
        if index is not None:
            opened = open_saved(index).opened
        else:
            opened = load_index(subscriptions or "", refused, analyzers=analyzers)
        with opened:
            run = Run(opened, writer, refused, threads or os.cpu_count() or 1)
            with Progress("matching", shown=out != STANDARD) as progress:
                for part in read_events(events, batch, id=id, json=json):
                    run.match(part, json)
                    progress.update(part.done, run.counts())
            summary = run.summary(out)
    show_record("Matched", summary, format, stderr=out == STANDARD)


class Run:
    """One pass over the events, and its counts."""

    def __init__(self, index: Index, writer: TableWriter, refused: Refused, threads: int) -> None:
        self._index = index
        self._writer = writer
        self._refused = refused
        self._threads = threads
        self._begun = time.perf_counter()
        self._refused_subscriptions = refused.count
        self._events = 0
        self._matches = 0

    def match(self, batch: Batch, json: str | None) -> None:
        errors: list[tuple[int, str]] = []
        found = self._index.match_batch(batch.events, json=json, threads=self._threads, errors=errors)
        self._writer.write(found.set_column(0, "event", batch.names(found["event"].combine_chunks())))
        if errors:
            errors.sort()
            rows = [row for row, _ in errors]
            names = batch.names(pa.array(rows, pa.int64())).to_pylist()
            reasons = [batch.reasons.get(row, reason) for row, reason in errors]
            self._refused.add("event", [batch.first + row for row in rows], names, reasons)
        self._events += len(batch)
        self._matches += len(found)

    def _rate(self) -> float:
        return self._events / max(time.perf_counter() - self._begun, 1e-9)

    def counts(self) -> str:
        return f"{self._events:,} events, {self._rate():,.0f}/s, {self._matches:,} matches"

    def summary(self, out: str) -> dict[str, object]:
        return {
            "subscriptions": len(self._index),
            "refused_subscriptions": self._refused_subscriptions,
            "events": self._events,
            "bad_events": self._refused.count - self._refused_subscriptions,
            "matches": self._matches,
            "seconds": round(time.perf_counter() - self._begun, 3),
            "events_per_second": round(self._rate()),
            "out": out,
            "errors": self._refused.summary(),
        }
