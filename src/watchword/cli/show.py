"""What a command prints at its end: a table for people or JSON for programs."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text


class Format(enum.StrEnum):
    TABLE = "table"
    JSON = "json"


def show_record(title: str, record: Mapping[str, Any], format: Format, *, stderr: bool = False) -> None:
    """Names and values; records inside are indented, lists of records become tables of their own."""
    if format is Format.JSON:
        show_json(record, stderr=stderr)
        return
    table = Table(title=title, title_justify="left", title_style="bold", show_header=False, box=SIMPLE_HEAD)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in _lines(record, 0):
        table.add_row(name, Text(value))
    Console(stderr=stderr, highlight=False).print(table)
    for name, value in record.items():
        if _is_table(value):
            show_rows(name, value, format, stderr=stderr)


def show_rows(title: str, rows: Sequence[Mapping[str, Any]], format: Format, *, stderr: bool = False) -> None:
    if format is Format.JSON:
        show_json(rows, stderr=stderr)
        return
    table = Table(title=title.replace("_", " "), title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    names = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        table.add_column(name.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(Text(as_text(row.get(name, ""))) for name in names))
    Console(stderr=stderr, highlight=False).print(table)


def show_json(value: Any, *, stderr: bool = False) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str), err=stderr)


def show_explanation(explanation: Any, console: Console) -> None:
    text = Text(str(explanation))
    for mark, style in (("true", "green"), ("false", "red"), ("unknown", "yellow")):
        text.highlight_regex(rf"(?m)^{mark}\b", style)
    console.print(text, soft_wrap=True)


def as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    if isinstance(value, list | tuple):
        return ", ".join(as_text(element) for element in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {as_text(element)}" for name, element in value.items())
    return "-" if value is None else str(value)


def _lines(record: Mapping[str, Any], depth: int) -> Iterator[tuple[str, str]]:
    for name, value in record.items():
        label = "  " * depth + name.replace("_", " ")
        if isinstance(value, Mapping):
            yield label, ""
            yield from _lines(value, depth + 1)
        elif not _is_table(value):
            yield label, as_text(value)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, Mapping) for row in value)
