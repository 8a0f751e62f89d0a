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
Analyzers = Annotated[
    list[str] | None,
    typer.Option(
        "--analyzer",
        metavar="FIELD=NAME",
        help="How the text of a field is read (standard if not given); again for more.",
    ),
]
OutputFormat = Annotated[Format, typer.Option("--format", help="How tables are printed.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]


def analyzers_by_field(given: list[str] | None) -> dict[str, str]:
    """Of `--analyzer FIELD=NAME`."""
    found: dict[str, str] = {}
    for one in given or ():
        field, separator, name = one.rpartition("=")
        if not (field and separator and name):
            raise typer.BadParameter(f"--analyzer is {one!r}: give FIELD=NAME, such as body=english")
        found[field] = name
    return found


def refuse_analyzers_on_spark(given: list[str] | None) -> None:
    if given:
        raise typer.BadParameter("--analyzer is for the local engine: on Spark all texts are read by `standard`")
