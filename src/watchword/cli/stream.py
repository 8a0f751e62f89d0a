"""`watchword stream`: events matched as they come into a folder or a topic, to a folder of batches or a topic."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Final

import typer

from watchword.cli.engine import Master, Memory
from watchword.cli.files import FileError, Kind, kind_of
from watchword.cli.on_spark import spark_session
from watchword.cli.options import OutputFormat
from watchword.cli.progress import Progress
from watchword.cli.show import Format, show_record
from watchword.cli.topics import loading, place, waiting
from watchword.errors import WatchwordError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

PLACE: Final = "DIR|kafka://HOST:PORT/TOPIC"
LOOK: Final = 0.5  # seconds between looks at the query


def stream(
    index: Annotated[Path, typer.Option("--index", metavar="DIR", help="An index that Spark built.")],
    events: Annotated[
        str,
        typer.Option(
            "--events", metavar=PLACE, help="A folder that gets files, .jsonl or .parquet, or a topic of JSON messages."
        ),
    ],
    out: Annotated[
        str, typer.Option("--out", metavar=PLACE, help="Matches: a folder for every batch, or messages to a topic.")
    ],
    checkpoint: Annotated[Path, typer.Option("--checkpoint", metavar="DIR", help="Where it stands; to go on later.")],
    id: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="The column or key that names an event; a message has its offset if not given.",
        ),
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="COLUMN", help="The text column that holds each event as JSON.")
    ] = None,
    errors: Annotated[str | None, typer.Option("--errors", metavar=PLACE, help="Bad events, likewise.")] = None,
    once: Annotated[bool, typer.Option("--once", help="Stop when all that is there has been matched.")] = False,
    files: Annotated[int, typer.Option("--files", min=1, help="Files of a batch, at most.")] = 100,
    delete: Annotated[bool, typer.Option("--delete", help="Delete files once they are matched.")] = False,
    messages: Annotated[int, typer.Option("--messages", min=1, help="Messages of a batch, at most.")] = 100_000,
    connector: Annotated[
        Path | None, typer.Option("--connector", metavar="DIR", help="Jars for Kafka; fetched from Maven if not given.")
    ] = None,
    strategy: Annotated[str, typer.Option("--strategy", help="auto, or one of Spark's strategies.")] = "auto",
    master: Master = "local[*]",
    memory: Memory = "2g",
    format: OutputFormat = Format.TABLE,
) -> None:
    """Match events as they come, until it is stopped by Ctrl-C. New versions of the index count from the next batch."""
    source, target, bad = place(events), place(out), place(errors) if errors is not None else None
    if isinstance(source, Path) and not source.is_dir():
        raise FileError(f"{events}: there is no such folder; create it, files may come later")
    settings = loading([source, target, bad], connector)
    with Progress("starting Spark") as progress, spark_session(master, memory, settings) as spark:
        import watchword.spark as wws

        if isinstance(source, Path):
            frame, event_id, column = _of_folder(spark, source, id, json, files, delete)
        else:
            frame, event_id, column = _of_topic(wws.read_topic(spark, source, messages), id, json, events)
        trigger = {"availableNow": True} if once else None
        query = wws.stream(frame, index, target, checkpoint, event_id, column, strategy, errors=bad, trigger=trigger)
        counts = Counts("files" if isinstance(source, Path) else "messages")
        with _stopped_by_ctrl_c() as stop:
            _watch(query, counts, progress, stop)
        query.stop()
        counts.see(query)
    show_record("Streamed", counts.summary() | {"out": out}, format)


Source = tuple["DataFrame", str, str | None]  # the events as they come, the column of their ids, the column of JSON


def _of_topic(messages: DataFrame, id: str | None, json: str | None, name: str) -> Source:
    if json is not None:
        raise FileError(f"{name}: every message is an event as JSON already; --json is for tables")
    events = messages.selectExpr("id AS event", "event AS value")
    return (events if id is None else _named_by_key(events, id)), "event", "value"


def _of_folder(spark: SparkSession, folder: Path, id: str | None, json: str | None, files: int, delete: bool) -> Source:
    if id is None:
        raise FileError(f"{folder}: name the column or key that names an event by --id")
    reader = spark.readStream.option("maxFilesPerTrigger", files).option("cleanSource", "delete" if delete else "off")
    if _kind(folder) is Kind.JSONL:
        if json is not None:
            raise FileError(f"{folder}: every line is an event as JSON already; --json is for tables")
        return _named_by_key(reader.text(str(folder.absolute())).where("trim(value) <> ''"), id), "event", "value"
    schema = spark.read.parquet(str(folder.absolute())).schema
    return reader.schema(schema).parquet(str(folder.absolute())), id, json


def _named_by_key(lines: DataFrame, id: str) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    key = id.replace("'", "\\'")
    return lines.select(F.get_json_object("value", f"$['{key}']").alias("event"), "value")


def _kind(folder: Path) -> Kind:
    """By the first file; without any, lines of JSON are to come."""
    names = sorted(file.name for file in folder.iterdir() if file.is_file() and file.name[0] not in "._")
    kind = kind_of(names[0]) if names else Kind.JSONL
    if kind is Kind.CSV:
        raise FileError(f"{folder}: a stream reads .jsonl or .parquet, not csv")
    return kind


class Counts:
    """What the batches so far have told."""

    def __init__(self, of: str) -> None:
        self._of = of  # what a source counts: files, messages
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
            self._waiting = waiting(progress.sources[0])

    def line(self) -> str:
        return (
            f"{self._batches:,} batches, {self._events:,} events, {self._rate:,.0f}/s,"
            f" {self._milliseconds:,} ms a batch, {self._waiting:,} {self._of} waiting"
        )

    def summary(self) -> dict[str, object]:
        seconds = time.perf_counter() - self._begun
        return {
            "batches": self._batches,
            "events": self._events,
            "seconds": round(seconds, 3),
            "events_per_second": round(self._events / seconds),
            "last_batch_ms": self._milliseconds,
            f"{self._of}_waiting": self._waiting,
        }


@contextmanager
def _stopped_by_ctrl_c() -> Iterator[Event]:
    """PySpark's own handler calls the JVM, which fails with a trace in the middle of another call."""
    stop = Event()
    before = signal.signal(signal.SIGINT, lambda *_: stop.set())
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _watch(query: StreamingQuery, counts: Counts, progress: Progress, stop: Event) -> None:
    from pyspark.errors import StreamingQueryException

    try:
        while not stop.is_set() and not query.awaitTermination(LOOK):  # type: ignore[arg-type]
            counts.see(query)
            progress.update(None, counts.line())
    except StreamingQueryException as error:
        raise WatchwordError(f"the stream has ended: {error}") from error
