"""`watchword build`: a file of subscriptions to a saved index."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from watchword.cli.engine import Engine, EngineOption, Master, Memory
from watchword.cli.files import refuse_to_replace
from watchword.cli.loading import load_index
from watchword.cli.on_spark import build_on_spark
from watchword.cli.options import (
    Analyzers,
    ErrorsFile,
    Force,
    OutputFormat,
    analyzers_by_field,
    refuse_analyzers_on_spark,
)
from watchword.cli.progress import Progress
from watchword.cli.refused import refusing
from watchword.cli.show import Format, show_record


def build(
    subscriptions: Annotated[
        str,
        typer.Option(
            "--subscriptions", metavar="FILE", help="Columns `id` and `expression`: .parquet, .csv, .jsonl or -."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the saved index.")],
    training: Annotated[
        str | None, typer.Option("--training", metavar="FILE", help="A sample of events, for the statistics.")
    ] = None,
    analyzer: Analyzers = None,
    errors: ErrorsFile = None,
    format: OutputFormat = Format.TABLE,
    force: Force = False,
    engine: EngineOption = Engine.LOCAL,
    master: Master = "local[*]",
    memory: Memory = "2g",
) -> None:
    """Build an index from subscriptions and save it."""
    if engine is Engine.SPARK:
        refuse_analyzers_on_spark(analyzer)
        show_record("Built", build_on_spark(subscriptions, out, training, errors, force, master, memory), format)
        return
    begun = time.perf_counter()
    refuse_to_replace(out, force)
    analyzers = analyzers_by_field(analyzer)
    with refusing(errors, force) as refused, load_index(subscriptions, refused, training, analyzers) as index:
        with Progress(f"saving {out}"):
            index.save(out)
        summary = {
            "subscriptions": len(index),
            "refused_subscriptions": refused.count,
            "bytes": sum(file.stat().st_size for file in out.rglob("*") if file.is_file()),
            "seconds": round(time.perf_counter() - begun, 3),
            "out": str(out),
            "errors": refused.summary(),
        }
    show_record("Built", summary, format)
