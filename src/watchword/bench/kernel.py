"""The yardstick's kernel: access keys and a loop, coded events in and ids out, one thread. The time to stay close to.

    key of a subscription = its rarest predicate: attribute and value if that is an equality, else the attribute
    key  --starts-->  subscriptions i  --off-->  their predicates: attr, lo, hi

It has no ids, no text, no missing values and no updates, and it stays as the yardstick has it: it is the measure, so it
is compiled with Numba alone and not tuned with the library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from watchword.bench.workloads import Integers, Workload


def _match(
    attr: Any, lo: Any, hi: Any, off: Any, ids: Any, starts: Any,
    eoff: Any, ea: Any, ev: Any, dims: int, card: int, out: Any, counts: Any,
) -> int:  # fmt: skip
    value = np.full(dims, 65535, np.uint16)
    visited = 0
    for e in range(len(eoff) - 1):
        for j in range(eoff[e], eoff[e + 1]):
            value[ea[j]] = ev[j]
        n = 0
        for j in range(eoff[e], eoff[e + 1]):
            for q in range(2):
                key = ea[j] * card + ev[j] if q == 0 else dims * card + ea[j]
                for i in range(starts[key], starts[key + 1]):
                    visited += 1
                    ok = True
                    for p in range(off[i], off[i + 1]):
                        x = value[attr[p]]
                        if x < lo[p] or x > hi[p]:
                            ok = False
                            break
                    if ok:
                        out[n] = ids[i]
                        n += 1
        counts[e] = n
        for j in range(eoff[e], eoff[e + 1]):
            value[ea[j]] = 65535
    return visited


match_boolean: Any = numba.njit(nogil=True)(_match)


class Kernel:
    """The kernel, its arrays built for a workload."""

    def __init__(self, workload: Workload) -> None:
        events = workload.events
        self._workload = workload
        self._eoff = np.zeros(len(events) + 1, np.int64)
        self._eoff[1:] = np.cumsum([len(a) for a, _ in events])
        self._ea = np.concatenate([a for a, _ in events])
        self._ev = np.concatenate([v for _, v in events])
        self._store = self._build()
        self._out = np.empty(len(workload.k), np.uint32)
        self.counts = np.zeros(len(events), np.int64)  # matches per event, once `run` has run

    def _build(self) -> tuple[Any, ...]:
        k, attr, lo, hi, events, dims, card = self._workload
        n = len(k)
        present = (np.bincount(self._ea, minlength=dims) + 0.5) / len(events)
        cost = present[attr] * (hi - lo + 1) / card
        row = np.repeat(np.arange(n), k)
        order = np.lexsort((cost, row))
        first = np.cumsum(k) - k
        a, low, high = attr[order], lo[order], hi[order]
        pa, pl, ph = a[first], low[first], high[first]
        key = np.where(pl == ph, pa * card + pl, dims * card + pa)
        by_key = np.argsort(key, kind="stable")
        starts = np.searchsorted(key[by_key], np.arange(dims * card + dims + 1))
        off = np.zeros(n + 1, np.int64)
        off[1:] = np.cumsum(k[by_key])
        idx = np.repeat(first[by_key] - off[:-1], k[by_key]) + np.arange(off[-1])
        arrays = (
            a[idx].astype(np.uint16),
            low[idx].astype(np.uint16),
            high[idx].astype(np.uint16),
            off.astype(np.uint32),
        )
        return (*arrays, by_key.astype(np.uint32), starts)

    def run(self) -> int:
        """Match all events: how many candidates were visited."""
        return self._match(self._eoff, self._ea, self._ev, self.counts)

    def one(self, event: int) -> Callable[[], npt.NDArray[np.uint32]]:
        """What matches a single event: the rows of its subscriptions, valid until the next call."""
        attributes, values = self._workload.events[event]
        bounds: Integers = np.array([0, len(attributes)])
        count = np.zeros(1, np.int64)

        def run() -> npt.NDArray[np.uint32]:
            self._match(bounds, attributes, values, count)
            return self._out[: count[0]]

        return run

    def _match(self, eoff: Integers, ea: Integers, ev: Integers, counts: Integers) -> int:
        workload = self._workload
        visited: int = match_boolean(*self._store, eoff, ea, ev, workload.dims, workload.card, self._out, counts)
        return visited
