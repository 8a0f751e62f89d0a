"""`watchword stats`: what a saved index holds."""

from __future__ import annotations

from typing import Annotated

import typer

from watchword.cli.events import read_events
from watchword.cli.options import IndexFolder, OutputFormat
from watchword.cli.saved import open_saved
from watchword.cli.show import Format, show_record
from watchword.limits import STATS_EVENTS


def stats(
    index: IndexFolder,
    events: Annotated[
        str | None,
        typer.Option("--events", metavar="FILE", help="A sample: which candidates never match on it?"),
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="COLUMN", help="The text column that holds each event as JSON.")
    ] = None,
    format: OutputFormat = Format.TABLE,
) -> None:
    """Show the counts, sizes and structures of a saved index, and its costly subscriptions."""
    opened, of_spark = open_saved(index, by_tenant=True)
    with opened:
        sample = None if events is None else next(read_events(events, STATS_EVENTS, json=json), None)
        shown = opened.stats() if sample is None else opened.stats(sample.events, json=json)
        show_record(str(index), {**of_spark, **shown}, format)
