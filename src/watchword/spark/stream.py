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
from watchword.spark.match import bad_events, check_columns, check_options, match
from watchword.spark.sink import is_written, take_possession, write_once

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery


@dataclass(frozen=True, slots=True)
class BatchMatcher:
    """What every micro-batch goes through."""

    path: str
    out: str
    errors: str | None
    event_id: str
    json: str | None
    strategy: str
    output: str
    tenant: str

    def __call__(self, events: DataFrame, batch: int) -> None:
        if self.errors is None or is_written(self.errors, batch):
            self._write_matches(events, batch)
            return
        events = events.persist()  # read once for both, however slow the source is
        try:
            write_once(bad_events(events, self.path, self.event_id, self.json), self.errors, batch)
            self._write_matches(events, batch)
        finally:
            events.unpersist()

    def _write_matches(self, events: DataFrame, batch: int) -> None:
        if is_written(self.out, batch):
            return
        found = match(
            events,
            self.path,
            self.event_id,
            self.json,
            self.strategy,
            output=self.output,
            version=versions.current(self.path).number,
            tenant=self.tenant,
        )
        write_once(found, self.out, batch)


def stream(
    events: DataFrame,
    path: str | Path,
    out: str | Path,
    checkpoint: str | Path,
    event_id: str = "id",
    json: str | None = None,
    strategy: str = "auto",
    *,
    output: str = "pairs",
    tenant: str = "tenant",
    errors: str | Path | None = None,
    trigger: dict[str, Any] | None = None,
) -> StreamingQuery:
    """Start matching a streaming DataFrame with whatever version of the index is in force at each micro-batch.

    Matches come to `out`, bad events to the folder `errors` if it is given, a folder `batch=<number>` for every
    micro-batch: it appears when it is whole and never changes. Started again with the same checkpoint, after a kill
    too, the query goes on where it stood, and nothing is missing or twice. `trigger`: as Spark's `trigger` takes it,
    for example {"processingTime": "1 second"} or {"availableNow": True}; by itself batches follow one another.
    """
    if not events.isStreaming:
        raise EventError("stream needs a streaming DataFrame, such as spark.readStream gives; match takes any other")
    check_options(strategy, output)
    check_columns(events, event_id, json, None, output)
    versions.current(path)
    for folder in (out, errors):
        if folder is not None:
            take_possession(folder, checkpoint)
    each: Callable[[DataFrame, int], None] = BatchMatcher(
        path=str(Path(path).absolute()),
        out=str(Path(out).absolute()),
        errors=None if errors is None else str(Path(errors).absolute()),
        event_id=event_id,
        json=json,
        strategy=strategy,
        output=output,
        tenant=tenant,
    )
    writer = events.writeStream.foreachBatch(each).option("checkpointLocation", str(Path(checkpoint).absolute()))
    return writer.trigger(**(trigger or {"processingTime": "0 seconds"})).start()
