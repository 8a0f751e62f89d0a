"""Single subscribes and unsubscribes between batches: what updates cost, and what they do to matching.

The index takes new subscriptions of the same kind and loses its oldest ones. Beside it stands an index loaded at once
with what the first one holds in the end. That one is never timed while background work of the first one runs: if the
work slowed both, the ratio would not show it. What it must share is what updates do to the processor's caches: so it is
timed after as many updates of a third index, which does no background work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, Final

import pyarrow as pa

from watchword.bench.case import WARMING, Case, load
from watchword.bench.check import check_counts, check_ids
from watchword.bench.forms import expressions, subscription_table
from watchword.bench.kernel import Kernel
from watchword.bench.measure import alternating, seconds
from watchword.bench.row import Row
from watchword.bench.workloads import Integers, Workload, make_workload
from watchword.index.index import Index

EVERY: Final = 1000  # updates between two batches
ELSEWHERE: Final = 10_000  # subscriptions that come, and as many that go, while the fresh index is timed
SLOWDOWN: Final = 1.5


def updating(case: Case) -> Iterator[Row]:
    index, events, n = case.index, case.table, case.settings.subscriptions
    pairs = min(case.settings.updates, n) // 2
    new = make_workload(case.name, pairs)  # other draws than those of n
    contents = case.workload.without_first_rows(pairs).and_rows_of(new)
    fresh = _loaded(contents, pairs, case)
    _warm_up(case, new)
    repeats = case.settings.repeats
    reference = _between_updates_elsewhere(case, new, lambda: fresh.match_batch(events))
    per_update, batches = _interleave(index, new, n, lambda: index.match_batch(events))
    after, meanwhile = alternating(repeats, lambda: index.match_batch(events), lambda: fresh.match_batch(events))
    _check(case.name, index, fresh, contents, events)
    index.flush()
    coded, fresh_coded = index.encode(events), fresh.encode(events)
    sealed, fresh_sealed = alternating(
        repeats, lambda: index.match_batch(coded), lambda: fresh.match_batch(fresh_coded)
    )
    yield Row("subscribe or unsubscribe", per_update * 1e6, "us")
    yield Row(
        f"match_batch between {2 * pairs:,} updates", median(batches) / reference, "x fresh index", at_most=SLOWDOWN
    )
    yield Row("match_batch after the updates", after / meanwhile, "x fresh index", at_most=SLOWDOWN)
    yield Row("match_batch of coded events, sealed again", sealed / fresh_sealed, "x fresh index", at_most=SLOWDOWN)


def _warm_up(case: Case, new: Workload) -> None:
    """The kernels of updates are compiled or read from disk at the first one."""
    index = _loaded(case.workload.first_rows(WARMING), 0, case)
    _interleave(index, new.first_rows(EVERY), WARMING, lambda: index.match_batch(case.table))


def _between_updates_elsewhere(case: Case, new: Workload, match: Callable[[], Any]) -> float:
    """The median seconds of `match` after updates of an index that has nothing to do with it."""
    other = _loaded(case.workload.first_rows(WARMING), 0, case)
    other.close()
    return median(_interleave(other, new.first_rows(ELSEWHERE), WARMING, match)[1])


def _loaded(contents: Workload, first_id: int, case: Case) -> Index:
    return load(subscription_table(contents, first_id), case.table if case.settings.training else None)[0]


def _interleave(index: Index, new: Workload, first_id: int, match: Callable[[], Any]) -> tuple[float, list[float]]:
    """Seconds per update, and of each batch."""
    spent, batches = 0.0, []
    all_texts: list[str] = expressions(new).to_pylist()
    for start in range(0, len(all_texts), EVERY // 2):
        texts = all_texts[start : start + EVERY // 2]
        begun = time.perf_counter()
        for row, text in enumerate(texts, start):
            index.subscribe(first_id + row, text)
            index.unsubscribe(row)
        spent += time.perf_counter() - begun
        batches.append(seconds(match))
    return spent / (2 * len(all_texts)), batches


def _check(name: str, index: Index, fresh: Index, contents: Workload, events: pa.Table) -> None:
    kernel = Kernel(contents)
    kernel.run()
    loaded, updated = fresh.match_batch(events), index.match_batch(events)
    check_counts(f"{name}, loaded at once", loaded, kernel.counts)
    check_counts(f"{name}, after updates", updated, kernel.counts)
    check_ids(f"{name}, after updates", _pairs(updated), _pairs(loaded))


def _pairs(matches: pa.Table) -> Integers:
    """Each match as one number."""
    pairs: Integers = (matches["event"].to_numpy() << 32) | matches["subscription"].to_numpy()
    return pairs
