"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from watchword.cli.show import Format

IndexFolder = Annotated[Path, typer.Argument(metavar="DIR", help="A saved index.")]
SubscriptionsFile = Annotated[
    str | None,
    typer.Option(
        "--subscriptions", metavar="FILE", help="Columns `id` and `expression`: .parquet, .csv, .jsonl or - (jsonl)."
    ),
]
ErrorsFile = Annotated[
    str | None, typer.Option("--errors", metavar="FILE", help="Where to write what was refused, and why.")
]
OutputFormat = Annotated[Format, typer.Option("--format", help="How tables are printed.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]
