"""Where an event goes: to the shards or buckets in which something may wait for it, and to no others.

    events --keys--> event, places [2, 5], reason null --explode, exchange--> place 2: event    a task maps its places
                     event, places [0], reason "..."                          place 5: event    and matches there

An event is read here once for all of its places, so what cannot be read is told of here: it goes to one place, with the
reason. Keys are compared by their hashes, so an event may come to a place in vain, but never misses one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.coding.attributes import Attributes
from watchword.coding.read_events import read_events
from watchword.errors import WatchwordError
from watchword.spark.access_keys import Keys, keys_of_events
from watchword.spark.buckets import ANY, bucket_of, names_of
from watchword.spark.key_filter import possible, read_filter
from watchword.spark.match_batches import own_reason
from watchword.spark.tenants import with_tenant
from watchword.spark.versions import Version

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PLACES: Final = pa.list_(pa.int32())
ADDED: Final = ("places", "reason", "place")  # behind the columns of an event
Visits = npt.NDArray[np.bool_]  # event x place


class Places(Protocol):
    """What there is to visit."""

    def names(self) -> tuple[str, ...]:
        """The attributes that subscriptions use."""

    def visits(self, events: Keys) -> Visits:
        """Which events visit which place."""

    def first(self) -> int:
        """Where an event goes that has to be told of, and matches nothing."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Shards, by the files of their parts' filters."""

    files: tuple[tuple[Path, ...], ...]

    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for shard in self.files for file in shard for name in read_filter(file).names))

    def visits(self, events: Keys) -> Visits:
        out = np.zeros((len(events.starts) - 1, len(self.files)), np.bool_)
        for shard, files in enumerate(self.files):
            for file in files:
                if not out[:, shard].all():
                    out[:, shard] |= possible(read_filter(file), events)
        return out

    def first(self) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class FilledBuckets:
    """Buckets, by the hash of a key."""

    count: int
    filled: tuple[int, ...]
    file: Path  # of the attributes' names

    def names(self) -> tuple[str, ...]:
        return names_of(self.file)

    def visits(self, events: Keys) -> Visits:
        visits = np.zeros((len(events.starts) - 1, self.count), np.bool_)
        event = np.repeat(np.arange(len(visits)), np.diff(events.starts))
        visits[event, bucket_of(events.keys, self.count)] = True
        visits[:, ANY] = True
        visits[:, np.setdiff1d(np.arange(self.count), self.filled)] = False
        return visits

    def first(self) -> int:
        return min(self.filled, default=ANY)


@dataclass(frozen=True, slots=True)
class Router:
    """Batches of events in; out, the same with the places that they visit, or why they cannot be read."""

    version: Version
    names: tuple[str, ...]
    json: str | None
    tenant: str | None
    every: bool  # must all events come somewhere?
    places: Places

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        attributes = Attributes(self.places.names())
        if self.version.tenant_attribute is not None:
            attributes.add([self.version.tenant_attribute])
        for columns in batches:
            events = pa.RecordBatch.from_arrays(columns.columns, list(self.names))
            places, reasons = self._places(events, attributes)
            yield columns.append_column(ADDED[0], places).append_column(ADDED[1], reasons)

    def _places(self, events: pa.RecordBatch, attributes: Attributes) -> tuple[pa.Array, pa.Array]:
        scoped = events
        if self.tenant is not None and self.version.tenant_attribute is not None:
            scoped = with_tenant(events, self.tenant, self.version.tenant_attribute, self.json)
        try:
            cells = read_events(scoped, attributes, json=self.json)
        except (WatchwordError, pa.ArrowException) as error:
            read_events(scoped.slice(0, 0), attributes, json=self.json)  # a column that nobody can read is for all
            if len(events) == 1:
                reason = own_reason(str(error), events, self.json, self.tenant)
                return pa.array([[self.places.first()]], PLACES), pa.array([reason], pa.string())
            middle = len(events) // 2
            halves = [self._places(half, attributes) for half in (events.slice(0, middle), events.slice(middle))]
            return pa.concat_arrays([half[0] for half in halves]), pa.concat_arrays([half[1] for half in halves])
        visits = self.places.visits(keys_of_events(cells, attributes.names))
        bad = np.array(sorted(cells.errors), np.int64)
        visits[bad] = False
        visits[bad, self.places.first()] = True
        if self.every:
            visits[~visits.any(axis=1), self.places.first()] = True
        starts = np.concatenate([[0], np.cumsum(visits.sum(axis=1))]).astype(np.int32)
        reasons: list[str | None] = [None] * len(events)
        for event in bad.tolist():
            reasons[event] = own_reason(cells.errors[event], events.slice(event, 1), self.json, self.tenant)
        visited = np.nonzero(visits)[1].astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(starts), pa.array(visited)), pa.array(reasons, pa.string())


def routed(numbered: DataFrame, router: Router, places: Mapping[int, Version], event_id: str) -> DataFrame:
    """Every event at every place that it visits; those of a place together, several tasks to a place if there are."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql import types as t

    listed, reason, place = ADDED
    fields: list[Any] = [t.StructField(listed, t.ArrayType(t.IntegerType())), t.StructField(reason, t.StringType())]
    visiting = numbered.mapInArrow(router, t.StructType([*numbered.schema.fields, *fields]))
    spread = visiting.withColumn(place, F.explode(listed))
    tasks = int(numbered.sparkSession.conf.get("spark.sql.shuffle.partitions") or 200)
    each = max(1, tasks // max(1, len(places)))
    number = F.col(place) * each + F.pmod(F.xxhash64(event_id), F.lit(each))
    exchanged = spread.repartitionById(tasks, F.pmod(number, F.lit(tasks)).cast("int"))
    return exchanged.sortWithinPartitions(place) if len(places) * each > tasks else exchanged
