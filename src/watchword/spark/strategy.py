"""Which strategy a match takes by itself, and why.

the index fits a host                            replicate   nothing moves but the events, once
no part of it fits                               join        events move once per bucket they visit
parts fit, the whole does not                    shard       events move once per shard they visit,
    and the saved statistics say that an event
    visits fewer buckets than shards             join
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from watchword.coding.attributes import Attributes
from watchword.coding.read_events import read_events
from watchword.index import storage
from watchword.spark import versions
from watchword.spark.access_keys import keys_of_events
from watchword.spark.buckets import bucket_count
from watchword.spark.key_filter import filter_file
from watchword.spark.routing import FilledBuckets, Filters, Places
from watchword.spark.shards import shards_of
from watchword.spark.statistics import sampled_events
from watchword.spark.versions import Version

STRATEGIES: Final = ("auto", "replicate", "shard", "join")
_UNITS: Final = {1: "B", 1000: "kB", 1_000_000: "MB", 1_000_000_000: "GB"}


@dataclass(frozen=True, slots=True)
class Choice:
    strategy: str
    reason: str


def choose(path: str | Path, *, host_bytes: int | None = None, version: int | None = None) -> Choice:
    """What `match` does with this index by itself, and why. `host_bytes`: what a host can hold of it."""
    used = versions.current(path) if version is None else versions.version(path, version)
    return chosen(used, host_bytes or bytes_of_host())


def chosen(version: Version, limit: int) -> Choice:
    """`limit`: bytes of an index that a host can hold."""
    sizes = f"the index has {_size(version.bytes)}, a host holds {_size(limit)}"
    if version.bytes <= limit:
        return Choice("replicate", sizes)
    largest = max(part.bytes for part in version.parts)
    if largest > limit:
        return Choice("join", f"{sizes}, and a part has {_size(largest)}")
    shards = shards_of(version, limit)
    copies = _copies(version, shards)
    if copies is None:
        return Choice("shard", f"{sizes}: {len(shards)} shards; no statistics are saved that could speak for a join")
    to_shards, to_buckets = copies
    compared = f"of the events sampled by statistics, one visits {to_shards:.1f} shards or {to_buckets:.1f} buckets"
    return Choice("shard" if to_shards <= to_buckets else "join", f"{sizes}; {compared}")


def bytes_of_host() -> int:
    """Half of the memory of this host, or of what its control group may have."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):
        memory = min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return memory // 2


def _copies(version: Version, shards: tuple[Version, ...]) -> tuple[float, float] | None:
    """To how many shards and how many buckets an event goes, by the saved sample of events."""
    sample = sampled_events(version.path)
    if sample is None:
        return None
    events, json = sample
    files = tuple(tuple(filter_file(version, part) for part in shard.parts) for shard in shards)
    known = all(file.is_file() for shard in files for file in shard)
    largest = max(version.parts, key=lambda part: part.bytes)  # ids are spread by hash: one part is like another
    names = storage.load(Path(version.path, largest.folder), False).names
    cells = read_events(events, Attributes(names), json=json)
    keys = keys_of_events(cells, names)

    def mean(places: Places) -> float:
        return float(places.visits(keys).sum() / max(1, len(cells)))

    count = bucket_count(version)
    to_buckets = mean(FilledBuckets(count, tuple(range(count)), Path()))
    return (mean(Filters(files)) if known else float(len(shards))), to_buckets


def _size(number: int) -> str:
    unit = max(unit for unit in _UNITS if unit <= max(number, 1))
    return f"{number / unit:,.0f} {_UNITS[unit]}"
