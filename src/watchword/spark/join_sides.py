"""The two sides of a join: what waits in which buckets, and what visits which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Final

import numpy as np
import pyarrow as pa

from watchword.coding.attributes import Attributes
from watchword.coding.read_events import read_events
from watchword.errors import WatchwordError
from watchword.index import storage
from watchword.index.index import Index
from watchword.language.render import to_sql
from watchword.spark.access_keys import ANY, buckets_of_events, buckets_of_expressions
from watchword.spark.tenants import with_tenant
from watchword.spark.versions import Version

CHUNK: Final = 4096
WAITS: Final = pa.list_(pa.int32())


@dataclass(frozen=True, slots=True)
class SubscriptionReader:
    """Folders of parts in; out, their subscriptions and the buckets that these wait in."""

    buckets: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for folder in batch.column(0).to_pylist():
                with Index.open(folder) as part:
                    every = part.subscriptions()
                    while some := list(islice(every, CHUNK)):
                        ids, trees = zip(*some, strict=True)
                        waits = pa.array(buckets_of_expressions(trees, self.buckets), WAITS)
                        texts = pa.array([to_sql(tree) for tree in trees], pa.string())
                        yield pa.RecordBatch.from_arrays([pa.array(ids), texts, waits], ["id", "expression", "waits"])


@dataclass(frozen=True, slots=True)
class Visitor:
    """Batches of events in; out, the same with the buckets that they visit."""

    version: Version
    names: tuple[str, ...]
    json: str | None
    tenant: str | None

    def with_buckets(self, buckets: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        return partial(self._visit, buckets)

    def _visit(self, buckets: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        attributes = Attributes(_names(self.version))
        for columns in batches:
            batch = pa.RecordBatch.from_arrays(columns.columns, list(self.names))
            if self.tenant is not None and self.version.tenant_attribute is not None:
                batch = with_tenant(batch, self.tenant, self.version.tenant_attribute, self.json)
            visits = self._visits(batch, attributes, buckets)
            yield columns.append_column("visits", visits)

    def _visits(self, events: pa.RecordBatch, attributes: Attributes, buckets: int) -> pa.Array:
        """An event that cannot be read visits one bucket, where it is told of."""
        try:
            cells = read_events(events, attributes, json=self.json)
        except (WatchwordError, pa.ArrowException):
            read_events(events.slice(0, 0), attributes, json=self.json)  # a column that nobody can read is for all
            if len(events) == 1:
                return pa.array([[ANY]], WAITS)
            middle = len(events) // 2
            halves = events.slice(0, middle), events.slice(middle)
            return pa.concat_arrays([self._visits(half, attributes, buckets) for half in halves])
        starts, visited = buckets_of_events(cells, attributes.names, buckets)
        return pa.ListArray.from_arrays(pa.array(starts.astype(np.int32)), pa.array(visited))


@cache
def _names(version: Version) -> tuple[str, ...]:
    """The attributes that subscriptions of this version use."""
    return tuple(dict.fromkeys(name for folder in version.folders() for name in storage.load(folder, False).names))
