"""Two runs compared: what became faster or slower, and what is noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from watchword.bench.harness.metrics import METRICS, Value, value_of
from watchword.bench.harness.store import Row, Store

COMPARED: Final = ("match_us", "build_s", "insert_us", "delete_us", "index_mb")
LEAST_CHANGE: Final = 0.05  # what repeats itself exactly, as bytes do, must still differ by so much to be worth a line

NOISE: Final = "within noise"


def compare(one: Path, other: Path, metrics: Sequence[str] = COMPARED) -> Iterator[dict[str, Any]]:
    """A row for each trial and metric that both runs have."""
    first, second = Store(one).all_rows(), Store(other).all_rows()
    for key, rows in first.items():
        for metric in metrics:
            a, b = value_of(rows, metric), value_of(second.get(key, []), metric)
            if a.median and b.median:
                yield {
                    **_name(rows[0]),
                    "metric": f"{METRICS[metric].label}, {METRICS[metric].unit}",
                    "A": a.median,
                    "B": b.median,
                    "B / A": b.median / a.median,
                    "verdict": verdict(a, b),
                }


def verdict(a: Value, b: Value) -> str:
    """Less is better. Passes that overlap, or medians closer than the wider spread, say nothing."""
    assert a.median is not None
    assert b.median is not None
    spread = max(_half_spread(a), _half_spread(b), LEAST_CHANGE)
    overlap = a.low <= b.high and b.low <= a.high
    if overlap or abs(b.median / a.median - 1) <= spread:
        return NOISE
    return "better" if b.median < a.median else "worse"


def _half_spread(value: Value) -> float:
    return (value.high - value.low) / 2 / (value.median or 1.0)


def _name(row: Row) -> dict[str, Any]:
    parameters = "" if row["parameters"] == "{}" else f" {row['parameters']}"
    return {"workload": row["source"], "structure": row["structure"] + parameters, "task": row["task"]}
