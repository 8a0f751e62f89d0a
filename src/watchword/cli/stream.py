"""`watchword stream`: a folder into which events come, matched as they come, to a folder of batches."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from watchword.cli.engine import Master, Memory
from watchword.cli.files import FileError, Kind, kind_of
from watchword.cli.on_spark import spark_session
from watchword.cli.options import OutputFormat
from watchword.cli.progress import Progress
from watchword.cli.show import Format, show_record

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

LOOK: Final = 0.5  # seconds between looks at the query


def stream(
    index: Annotated[Path, typer.Option("--index", metavar="DIR", help="An index that Spark built.")],
    events: Annotated[
        Path, typer.Option("--events", metavar="DIR", help="A folder that gets files of events, .jsonl or .parquet.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Matches, a folder for every batch.")],
    checkpoint: Annotated[Path, typer.Option("--checkpoint", metavar="DIR", help="Where it stands; to go on later.")],
    id: Annotated[str, typer.Option("--id", metavar="COLUMN", help="The column or key that names an event.")],
    json: Annotated[
        str | None, typer.Option("--json", metavar="COLUMN", help="The text column that holds each event as JSON.")
    ] = None,
    errors: Annotated[Path | None, typer.Option("--errors", metavar="DIR", help="Bad events, likewise.")] = None,
    once: Annotated[bool, typer.Option("--once", help="Stop when all that is there has been matched.")] = False,
    files: Annotated[int, typer.Option("--files", min=1, help="Files of a batch, at most.")] = 100,
    strategy: Annotated[str, typer.Option("--strategy", help="auto, or one of Spark's strategies.")] = "auto",
    master: Master = "local[*]",
    memory: Memory = "2g",
    format: OutputFormat = Format.TABLE,
) -> None:
    """Match events as they come, until it is stopped by Ctrl-C. New versions of the index count from the next batch."""
    if not events.is_dir():
        raise FileError(f"{events}: there is no such folder; create it, files may come later")
    with Progress("starting Spark") as progress, spark_session(master, memory) as spark:
        import watchword.spark as wws

        frame, event_id, column = _source(spark, events, id, json, files)
        trigger = {"availableNow": True} if once else None
        query = wws.stream(frame, index, out, checkpoint, event_id, column, strategy, errors=errors, trigger=trigger)
        counts = Counts()
        with suppress(KeyboardInterrupt):
            _watch(query, counts, progress)
        query.stop()
        counts.see(query)
    show_record("Streamed", counts.summary() | {"out": str(out)}, format)


def _source(
    spark: SparkSession, folder: Path, id: str, json: str | None, files: int
) -> tuple[DataFrame, str, str | None]:
    """The events as they come, the column of their ids, the column of JSON."""
    reader = spark.readStream.option("maxFilesPerTrigger", files)
    if _kind(folder) is Kind.JSONL:
        from pyspark.sql import functions as F  # noqa: N812

        if json is not None:
            raise FileError(f"{folder}: every line is an event as JSON already; --json is for tables")
        key = id.replace("'", "\\'")
        lines = reader.text(str(folder.absolute())).where("trim(value) <> ''")
        return lines.select(F.get_json_object("value", f"$['{key}']").alias("event"), "value"), "event", "value"
    schema = spark.read.parquet(str(folder.absolute())).schema
    return reader.schema(schema).parquet(str(folder.absolute())), id, json


def _kind(folder: Path) -> Kind:
    """By the first file; without any, lines of JSON are to come."""
    names = sorted(file.name for file in folder.iterdir() if file.is_file() and file.name[0] not in "._")
    kind = kind_of(names[0]) if names else Kind.JSONL
    if kind is Kind.CSV:
        raise FileError(f"{folder}: a stream reads .jsonl or .parquet, not csv")
    return kind


class Counts:
    """What the batches so far have told."""

    def __init__(self) -> None:
        self._begun = time.perf_counter()
        self._seen = -1
        self._batches = 0
        self._events = 0
        self._waiting = 0
        self._rate = 0.0
        self._milliseconds = 0

    def see(self, query: StreamingQuery) -> None:
        for progress in query.recentProgress:
            if progress.batchId <= self._seen or progress.numInputRows == 0:
                continue
            self._seen = progress.batchId
            self._batches += 1
            self._events += progress.numInputRows
            self._rate = progress.processedRowsPerSecond
            self._milliseconds = progress.batchDuration
            metrics: dict[str, Any] = progress.sources[0].metrics or {}
            self._waiting = int(metrics.get("numFilesOutstanding", 0))

    def line(self) -> str:
        return (
            f"{self._batches:,} batches, {self._events:,} events, {self._rate:,.0f}/s,"
            f" {self._milliseconds:,} ms a batch, {self._waiting:,} files waiting"
        )

    def summary(self) -> dict[str, object]:
        seconds = time.perf_counter() - self._begun
        return {
            "batches": self._batches,
            "events": self._events,
            "seconds": round(seconds, 3),
            "events_per_second": round(self._events / seconds),
            "last_batch_ms": self._milliseconds,
            "files_waiting": self._waiting,
        }


def _watch(query: StreamingQuery, counts: Counts, progress: Progress) -> None:
    while not query.awaitTermination(LOOK):  # type: ignore[arg-type]
        counts.see(query)
        progress.update(None, counts.line())
