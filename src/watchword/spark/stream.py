"""`stream`: a streaming DataFrame of events against an index that changes, to a folder in which nothing is twice.

    events --micro-batch 17--> read the pointer: version 5 --> match with version 5 --> batch=17/ appears, whole
           --micro-batch 18--> read the pointer: version 6 --> ...

A micro-batch reads the pointer once, so all of its events meet one version. `match` on a streaming DataFrame, for
sinks of one's own, lets every task read it instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watchword.errors import EventError
from watchword.spark import versions
from watchword.spark.kafka import Topic, TopicSink
from watchword.spark.kept_version import kept_version
from watchword.spark.match import bad_events, check_columns, check_options, match
from watchword.spark.sink import FolderSink, Sink, take_possession

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery


@dataclass(frozen=True, slots=True)
class BatchMatcher:
    """What every micro-batch goes through."""

    path: str
    out: Sink
    errors: Sink | None
    checkpoint: str
    event_id: str
    json: str | None
    strategy: str
    output: str
    tenant: str

    def __call__(self, events: DataFrame, batch: int) -> None:
        if self.errors is None or self.errors.has(batch):
            self._write_matches(events, batch)
            return
        events = events.persist()  # read once for both, however slow the source is
        try:
            self.errors.write(bad_events(events, self.path, self.event_id, self.json), batch)
            self._write_matches(events, batch)
        finally:
            events.unpersist()

    def _write_matches(self, events: DataFrame, batch: int) -> None:
        if self.out.has(batch):
            return
        found = match(
            events,
            self.path,
            self.event_id,
            self.json,
            self.strategy,
            output=self.output,
            version=self._version(batch),
            tenant=self.tenant,
        )
        self.out.write(found, batch)

    def _version(self, batch: int) -> int:
        if isinstance(self.out, TopicSink):
            return kept_version(self.checkpoint, self.path, batch)
        return versions.current(self.path).number


def stream(
    events: DataFrame,
    path: str | Path,
    out: str | Path | Topic,
    checkpoint: str | Path,
    event_id: str = "id",
    json: str | None = None,
    strategy: str = "auto",
    *,
    output: str = "pairs",
    tenant: str = "tenant",
    errors: str | Path | Topic | None = None,
    trigger: dict[str, Any] | None = None,
) -> StreamingQuery:
    """Start matching a streaming DataFrame with whatever version of the index is in force at each micro-batch.

    Matches come to `out`, bad events to the folder `errors` if it is given, a folder `batch=<number>` for every
    micro-batch: it appears when it is whole and never changes. Started again with the same checkpoint, after a kill
    too, the query goes on where it stood, and nothing is missing or twice. A `Topic` in place of a folder gets
    messages; after a kill it may get those of one batch again, the same ones, and its readers drop what they have.

    `trigger`: as Spark's `trigger` takes it, for example {"processingTime": "1 second"} or {"availableNow": True}; by
    itself batches follow one another.
    """
    if not events.isStreaming:
        raise EventError("stream needs a streaming DataFrame, such as spark.readStream gives; match takes any other")
    check_options(strategy, output)
    check_columns(events, event_id, json, None, output)
    versions.current(path)
    Path(checkpoint).mkdir(parents=True, exist_ok=True)
    each: Callable[[DataFrame, int], None] = BatchMatcher(
        path=str(Path(path).absolute()),
        out=_sink(out, checkpoint),
        errors=None if errors is None else _sink(errors, checkpoint),
        checkpoint=str(Path(checkpoint).absolute()),
        event_id=event_id,
        json=json,
        strategy=strategy,
        output=output,
        tenant=tenant,
    )
    writer = events.writeStream.foreachBatch(each).option("checkpointLocation", str(Path(checkpoint).absolute()))
    return writer.trigger(**(trigger or {"processingTime": "0 seconds"})).start()


def _sink(place: str | Path | Topic, checkpoint: str | Path) -> Sink:
    if isinstance(place, Topic):
        return TopicSink(place)
    take_possession(place, checkpoint)
    return FolderSink(str(Path(place).absolute()))
