"""Rows of a user's own data: from a table, or a file of JSON lines or Parquet."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet

from watchword.coding.event import flatten
from watchword.errors import EventError
from watchword.workloads.workload import EventsForm, WorkloadError


class Data(NamedTuple):
    events: pa.Table
    form: EventsForm
    records: list[dict[str, Any]]  # attribute -> value, of every row


def read_data(data: pa.Table | str | Path, rows: int | None) -> Data:
    """The first so many rows; all of them, if None."""
    if isinstance(data, pa.Table):
        return _of_table(data.slice(0, rows), "the table")
    name = str(data)
    plain = name.removesuffix(".gz")
    if plain.endswith(".parquet"):
        return _of_table(pyarrow.parquet.read_table(name).slice(0, rows), name)
    if plain.endswith((".jsonl", ".ndjson")):
        return _of_lines(name, rows)
    raise WorkloadError(f"{name}: unknown format; name it .jsonl, .jsonl.gz or .parquet")


def _of_lines(name: str, rows: int | None) -> Data:
    texts: list[str] = []
    records: list[dict[str, Any]] = []
    with gzip.open(name, "rt", encoding="utf-8") if name.endswith(".gz") else open(name, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if rows is not None and len(texts) == rows:
                break
            if line.isspace():
                continue
            try:
                records.append(flatten(json.loads(line)))
            except (ValueError, RecursionError) as error:
                raise WorkloadError(f"{name}, line {number}: no event: {error}") from error
            texts.append(line.rstrip("\n"))
    return _checked(Data(pa.table({"event": pa.array(texts, pa.string())}), EventsForm.JSON, records), name)


def _of_table(table: pa.Table, name: str) -> Data:
    maps = {field.name for field in table.schema if pa.types.is_map(field.type)}
    form = EventsForm.MAP if maps else EventsForm.COLUMNS
    try:
        records = [flatten(dict(_attributes(row, maps))) for row in table.to_pylist()]
    except EventError as error:
        raise WorkloadError(f"{name}: no event: {error}") from error
    return _checked(Data(table, form, records), name)


def _attributes(row: dict[str, Any], maps: set[str]) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if name in maps:
            yield from value or ()
        else:
            yield name, value


def _checked(data: Data, name: str) -> Data:
    if not data.records:
        raise WorkloadError(f"{name}: no rows, so there is nothing to derive subscriptions from")
    return data
