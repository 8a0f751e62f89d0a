"""Tables written piece by piece to parquet, csv or jsonl; a file appears under its name only when it is whole."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from watchword.cli.files import STANDARD, Kind, kind_of, replacing

ROW_GROUP: Final = 1 << 18


class Writer(Protocol):
    def write(self, table: pa.Table) -> None: ...

    def close(self) -> None: ...


class ParquetWriter:
    """Small tables are held until they make a row group worth reading."""

    def __init__(self, sink: BinaryIO, schema: pa.Schema) -> None:
        self._file = pyarrow.parquet.ParquetWriter(sink, schema)
        self._held: list[pa.Table] = []
        self._rows = 0

    def write(self, table: pa.Table) -> None:
        self._held.append(table)
        self._rows += len(table)
        if self._rows >= ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            self._file.write_table(pa.concat_tables(self._held).combine_chunks())
        self._held, self._rows = [], 0

    def close(self) -> None:
        self._flush()
        self._file.close()


class JsonWriter:
    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink

    def write(self, table: pa.Table) -> None:
        for start in range(0, len(table), ROW_GROUP):
            self._write_rows(table.slice(start, ROW_GROUP))
        self._sink.flush()

    def _write_rows(self, table: pa.Table) -> None:
        parts: list[Any] = []
        for number, name in enumerate(table.column_names):
            parts += [("{" if number == 0 else ", ") + json.dumps(name) + ": ", _as_json(table[name])]
        lines = pc.binary_join_element_wise(*parts, "}\n", "")
        size = pc.sum(pc.binary_length(lines)).as_py()
        self._sink.write(lines.buffers()[2].slice(0, size))  # the texts of an array lie one after another

    def close(self) -> None:
        self._sink.flush()


def _as_json(column: pa.ChunkedArray) -> pa.Array:
    """Each value as JSON text, worked out once per distinct value."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    texts = [json.dumps(value, ensure_ascii=False, default=str) for value in encoded.dictionary.to_pylist()]
    return pa.array(texts, pa.string()).take(encoded.indices)


class TableWriter:
    """Opens its file at the first table, whose types then hold for all."""

    def __init__(self, sink: BinaryIO, kind: Kind, schema: pa.Schema) -> None:
        self._sink = sink
        self._kind = kind
        self._schema = schema  # where no table comes
        self._writer: Writer | None = None

    def write(self, table: pa.Table) -> None:
        if self._writer is None:
            self._schema = table.schema
        self._open().write(table.cast(self._schema))

    def _open(self) -> Writer:
        if self._writer is None:
            if self._kind is Kind.PARQUET:
                self._writer = ParquetWriter(self._sink, self._schema)
            elif self._kind is Kind.CSV:
                self._writer = pyarrow.csv.CSVWriter(self._sink, self._schema)
            else:
                self._writer = JsonWriter(self._sink)
        return self._writer

    def close(self) -> None:
        self._open().close()


@contextmanager
def writing(name: str, schema: pa.Schema, force: bool) -> Iterator[TableWriter]:
    """A writer to this file, or to standard output; nothing is left of the file if the work fails."""
    kind = kind_of(name)
    if name == STANDARD:
        writer = TableWriter(sys.stdout.buffer, kind, schema)
        yield writer
        writer.close()
        return
    with replacing(Path(name), force) as temporary, open(temporary, "wb") as sink:
        writer = TableWriter(sink, kind, schema)
        yield writer
        writer.close()
