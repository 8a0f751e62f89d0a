"""Events from a file, in batches: tables, or arrays of JSON text that the index's own reader takes.

Bad events are the index's to find; here only bytes that are not text at all are told apart.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from watchword.cli.files import STANDARD, FileError, Kind, kind_of, reading
from watchword.cli.lines import as_text, batches_of_lines


@dataclass(slots=True)
class Batch:
    events: pa.Table | pa.Array
    first: int  # the number of the first event, counted over the whole file from 0
    id: str | None  # the column or key that names an event; else its number does
    done: float | None  # how much of the file has been read, from 0 to 1, where that is known
    reasons: dict[int, str] = field(default_factory=dict)  # row of this batch -> why it is no event

    def __len__(self) -> int:
        return len(self.events)

    def names(self, rows: pa.Array) -> pa.Array:
        """What these rows of the batch are called."""
        if self.id is None:
            return pc.add(rows, self.first)
        if isinstance(self.events, pa.Table):
            return self.events[self.id].combine_chunks().take(rows)
        encoded = rows.dictionary_encode()
        names = [self._name_in(self.events[row.as_py()].as_py()) for row in encoded.dictionary]
        return pa.array(names, pa.string()).take(encoded.indices)

    def _name_in(self, text: str | None) -> str | None:
        with suppress(ValueError, RecursionError):
            record = json.loads(text or "")
            if isinstance(record, dict) and record.get(self.id) is not None:
                return str(record[self.id])
        return None


def read_events(name: str, size: int, *, id: str | None = None, json: str | None = None) -> Iterator[Batch]:
    kind = kind_of(name)
    if json is not None and kind is Kind.JSONL:
        raise FileError(f"{name}: every line is an event as JSON already; --json is for tables")
    with reading(name) as stream:
        if kind is Kind.JSONL:
            yield from _lines(name, stream, size, id)
            return
        first = 0
        tables = _csv(name, stream, size) if kind is Kind.CSV else _parquet(stream, size)
        for table, done in tables:
            for column in (id, json):
                if column is not None and column not in table.column_names:
                    raise FileError(f"{name}: no column {column}; it has {', '.join(table.column_names)}")
            yield Batch(table, first, id, done)
            first += len(table)


def _lines(name: str, stream: BinaryIO, size: int, id: str | None) -> Iterator[Batch]:
    done = _share_read(name, stream)
    first = 0
    for lines in batches_of_lines(stream, size):
        texts, reasons = as_text(lines)
        yield Batch(texts, first, id, done(), reasons)
        first += len(lines)


def _parquet(stream: BinaryIO, size: int) -> Iterator[tuple[pa.Table, float | None]]:
    file = pyarrow.parquet.ParquetFile(stream)
    rows = 0
    for batch in file.iter_batches(batch_size=size):
        rows += len(batch)
        yield pa.Table.from_batches([batch]), rows / file.metadata.num_rows


def _csv(name: str, stream: BinaryIO, size: int) -> Iterator[tuple[pa.Table, float | None]]:
    # An empty cell is an attribute that the event lacks; "" is an empty text.
    convert = pyarrow.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""])
    read = pyarrow.csv.ReadOptions(block_size=16 << 20)
    parse = pyarrow.csv.ParseOptions(newlines_in_values=True)
    done = _share_read(name, stream)
    try:
        reader = pyarrow.csv.open_csv(stream, read_options=read, parse_options=parse, convert_options=convert)
        for block in reader:
            for start in range(0, len(block), size):
                yield pa.Table.from_batches([block.slice(start, size)]), done()
    except pa.ArrowInvalid as error:
        remedy = "; types are taken from the first 16 MiB, and Parquet or jsonl know them for sure"
        raise FileError(f"{name}: cannot be read as csv: {error}{remedy}") from error


def _share_read(name: str, stream: BinaryIO) -> Callable[[], float | None]:
    if name == STANDARD:
        return lambda: None
    size = max(os.path.getsize(name), 1)
    raw = stream.fileobj if isinstance(stream, gzip.GzipFile) else stream
    return lambda: raw.tell() / size if raw is not None else None
