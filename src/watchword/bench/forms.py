"""A workload as users have it: SQL text in an Arrow table, events as tables, JSON and dicts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.bench.workloads import Event, Workload


def subscription_table(workload: Workload, first_id: int = 0) -> pa.Table:
    ids = np.arange(first_id, first_id + len(workload.k))
    return pa.table({"id": ids, "expression": expressions(workload)})


def expressions(workload: Workload) -> pa.Array:
    """The SQL text of every subscription."""
    return conjunctions(workload, lambda attr, lo, hi: _predicate(attr, lo, hi, workload.card), " AND ")


def conjunctions(workload: Workload, say: Callable[[int, int, int], str], between: str) -> pa.Array:
    """Every subscription, its predicates as `say` writes them: equal ones once, then taken by number."""
    card = workload.card
    keys, number = np.unique((workload.attr * card + workload.lo) * card + workload.hi, return_inverse=True)
    attr, lo, hi = (keys // card**2).tolist(), (keys // card % card).tolist(), (keys % card).tolist()
    texts = pa.array([say(*predicate) for predicate in zip(attr, lo, hi, strict=True)], pa.string())
    starts = np.concatenate([[0], np.cumsum(workload.k)]).astype(np.int32)
    return pc.binary_join(pa.ListArray.from_arrays(starts, texts.take(pa.array(number))), between)


def _predicate(attr: int, lo: int, hi: int, card: int) -> str:
    if lo == hi:
        return f"a{attr} = {lo}"
    if lo == 0:
        return f"a{attr} <= {hi}"
    if hi == card - 1:
        return f"a{attr} >= {lo}"
    return f"a{attr} BETWEEN {lo} AND {hi}"


def as_dicts(events: list[Event]) -> list[dict[str, int]]:
    return [{f"a{a}": v for a, v in zip(attr.tolist(), value.tolist(), strict=True)} for attr, value in events]


def as_json(events: list[Event]) -> pa.Table:
    return pa.table({"event": [json.dumps(event) for event in as_dicts(events)]})


def as_columns(events: list[Event], dims: int) -> pa.Table:
    """A column per attribute, null where an event lacks it."""
    values, missing = np.zeros((dims, len(events)), np.int64), np.ones((dims, len(events)), bool)
    for row, (attr, value) in enumerate(events):
        values[attr, row], missing[attr, row] = value, False
    return pa.table({f"a{a}": pa.array(values[a], mask=missing[a]) for a in range(dims)})


def as_map(events: list[Event]) -> pa.Table:
    """One column that maps names to values, for events of many possible attributes."""
    rows: list[Any] = [list(event.items()) for event in as_dicts(events)]
    return pa.table({"event": pa.array(rows, pa.map_(pa.string(), pa.int64()))})
