"""Subscriptions from a file: a table of `id` and `expression`, and the rows that are not even that."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import BinaryIO

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from watchword.cli.files import FileError, Kind, kind_of, reading
from watchword.cli.lines import batches_of_lines

COLUMNS = ["id", "expression"]


@dataclass(slots=True)
class Subscriptions:
    table: pa.Table
    reasons: dict[int, str] = field(default_factory=dict)  # row -> why; such a row is null in the table


def read_subscriptions(name: str) -> Subscriptions:
    kind = kind_of(name)
    with reading(name) as stream:
        if kind is Kind.JSONL:
            return _from_lines(stream)
        if kind is Kind.CSV:
            return Subscriptions(_from_csv(name, stream))
        return Subscriptions(_from_parquet(name, stream))


def _from_parquet(name: str, stream: BinaryIO) -> pa.Table:
    file = pyarrow.parquet.ParquetFile(stream)
    _require_columns(name, file.schema_arrow.names)
    return file.read(columns=COLUMNS)


def _from_csv(name: str, stream: BinaryIO) -> pa.Table:
    # Ids stay text: an id such as 007 must not become the number 7.
    convert = pyarrow.csv.ConvertOptions(
        column_types={"id": pa.string(), "expression": pa.string()}, strings_can_be_null=True, null_values=[""]
    )
    parse = pyarrow.csv.ParseOptions(newlines_in_values=True)
    table = pyarrow.csv.read_csv(stream, parse_options=parse, convert_options=convert)
    _require_columns(name, table.column_names)
    return table.select(COLUMNS)


def _require_columns(name: str, found: list[str]) -> None:
    missing = [column for column in COLUMNS if column not in found]
    if missing:
        raise FileError(f"{name}: no column {' and no column '.join(missing)}; it has {', '.join(found) or 'none'}")


def _from_lines(stream: BinaryIO) -> Subscriptions:
    ids: list[str | int | None] = []
    expressions: list[str | None] = []
    reasons: dict[int, str] = {}
    for lines in batches_of_lines(stream, 10_000):
        for line in lines:
            identity: str | int | None = None
            expression: str | None = None
            try:
                identity, expression = _pair(line)
            except ValueError as error:
                reasons[len(ids)] = str(error)
            ids.append(identity)
            expressions.append(expression)
    table = pa.table({"id": _one_type(ids), "expression": pa.array(expressions, pa.string())})
    return Subscriptions(table, reasons)


def _one_type(ids: list[str | int | None]) -> pa.Array:
    """Integers where all ids are integers of 64 bits, else text."""
    try:
        return pa.array(ids, pa.int64())
    except (pa.ArrowException, OverflowError):
        return pa.array([None if identity is None else str(identity) for identity in ids], pa.string())


def _pair(line: bytes) -> tuple[str | int, str]:
    try:
        record = json.loads(line)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(record, dict):
        raise ValueError('not a record; expected {"id": ..., "expression": "..."}')
    identity, expression = record.get("id"), record.get("expression")
    if not isinstance(identity, str | int) or isinstance(identity, bool):
        raise ValueError('"id" is missing or neither text nor an integer')
    if not isinstance(expression, str):
        raise ValueError('"expression" is missing or not text')
    return identity, expression
