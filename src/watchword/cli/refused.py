"""What was refused, and why: counted, the first few shown, all written where an error table is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import pyarrow as pa
import typer

from watchword.cli.writers import TableWriter, writing

SHOWN: Final = 5
SCHEMA: Final = pa.schema([("source", pa.string()), ("row", pa.int64()), ("id", pa.string()), ("reason", pa.string())])


class Refused:
    def __init__(self, name: str | None, writer: TableWriter | None) -> None:
        self.name = name
        self._writer = writer
        self.count = 0

    def add(self, source: str, rows: Sequence[int], ids: Sequence[Any], reasons: Sequence[str]) -> None:
        """`source` is what the rows are: a subscription or an event."""
        texts = [None if identity is None else str(identity) for identity in ids]
        if self._writer is not None:
            sources = [source] * len(rows)
            self._writer.write(pa.table([sources, rows, texts, reasons], schema=SCHEMA))
        else:
            for row, text, reason in list(zip(rows, texts, reasons, strict=True))[: max(SHOWN - self.count, 0)]:
                name = f"{source} {text}" if text is not None else source
                typer.echo(f"refused: {name} (row {row}): {reason}", err=True)
        self.count += len(rows)

    def summary(self) -> str | None:
        if self.name is not None:
            return self.name
        return f"only the first {SHOWN} shown; --errors FILE keeps all" if self.count > SHOWN else None


@contextmanager
def refusing(name: str | None, force: bool) -> Iterator[Refused]:
    if name is None:
        yield Refused(None, None)
        return
    with writing(name, SCHEMA, force) as writer:
        yield Refused(name, writer)
