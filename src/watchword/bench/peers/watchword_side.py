"""Watchword through its public API: from SQL text, and from events as users have them to ids."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa

import watchword
from watchword.bench.case import WARMING
from watchword.bench.check import check_counts
from watchword.bench.forms import as_columns, as_dicts, as_json, as_map, subscription_table
from watchword.bench.kernel import Kernel
from watchword.bench.peers.driver import Way, way_name
from watchword.bench.peers.package_peer import Build
from watchword.bench.workloads import Integers, Workload
from watchword.index.index import Index

WIDE: Final = 1000  # attributes from which on events are a map in place of columns
KERNEL_ATTRIBUTES: Final = 1 << 16  # the yardstick's kernel has no room for more


def prepare_boolean(workload: Workload) -> Build:
    wide = workload.dims >= WIDE
    table = as_map(workload.events) if wide else as_columns(workload.events, workload.dims)
    subscriptions, json, dicts = subscription_table(workload), as_json(workload.events), as_dicts(workload.events)
    _loaded(subscriptions.slice(0, WARMING)).match_batch(table)

    def build() -> list[Way]:
        index = _loaded(subscriptions)
        return [
            Way("one dict at a time", 1, lambda first, end: [len(index.match(dicts[first]))]),
            Way(
                "a batch of JSON texts",
                len(json),
                lambda first, end: _counts(index, json.slice(first, end - first), "event"),
            ),
            Way(
                "a batch as Arrow table", len(table), lambda first, end: _counts(index, table.slice(first, end - first))
            ),
        ]

    return build


def prepare_text(workload: Workload) -> Build:
    subscriptions, table, dicts = TEXT(workload)
    _loaded(subscriptions.slice(0, WARMING)).match_batch(table)

    def build() -> list[Way]:
        index = _loaded(subscriptions)
        batches = [
            Way(way_name(batch), batch, lambda first, end: _counts(index, table.slice(first, end - first)))
            for batch in (200, 600)
        ]
        return [Way("one dict at a time", 1, lambda first, end: [len(index.match(dicts[first]))]), *batches]

    return build


def words_as_attributes(workload: Workload) -> tuple[pa.Table, pa.Table, list[dict[str, Any]]]:
    """A document is a record with an attribute per word, and a query compares those that it names."""
    return subscription_table(workload), as_map(workload.events), as_dicts(workload.events)


TEXT: Final = words_as_attributes


def true_counts(workload: Workload) -> Integers:
    """The matches of every event as Watchword finds them; where the yardstick's kernel has room, it has to agree."""
    events = as_map(workload.events)
    matches = _loaded(subscription_table(workload)).match_batch(events)
    if workload.dims <= KERNEL_ATTRIBUTES:
        kernel = Kernel(workload)
        kernel.run()
        check_counts("Watchword", matches, kernel.counts)
    return np.bincount(matches["event"].to_numpy(), minlength=len(events))


def _loaded(subscriptions: pa.Table) -> Index:
    index = watchword.Index()
    index.subscribe_many(subscriptions)
    index.flush()
    return index


def _counts(index: Index, events: pa.Table, json: str | None = None) -> Integers:
    return np.bincount(index.match_batch(events, json=json)["event"].to_numpy(), minlength=len(events))
