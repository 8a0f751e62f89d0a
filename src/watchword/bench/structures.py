"""All structures on the yardstick's workloads: construction, memory, size, time per event, and what they count."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any, Final

from watchword.bench.harness.metrics import METRICS
from watchword.bench.harness.store import MEASURED, Row
from watchword.bench.harness.trial import Source, Trial
from watchword.structures.structure import COUNT_NAMES

COLUMNS: Final = {"build s": "build_s", "peak MB": "peak_mb", "structure MB": "total_mb", "us/event": "match_us"}


def contest(workload: str, subscriptions: int, names: Sequence[str], *, training: bool) -> list[Trial]:
    source = Source("yardstick", {"workload": workload, "subscriptions": subscriptions})
    return [Trial(source, name, training=training) for name in names]


def record(name: str, rows: Sequence[Row]) -> dict[str, Any]:
    """The medians of a structure's passes; why it was not measured, if it was not."""
    if rows[0]["status"] != MEASURED:
        return {"structure": name, rows[0]["status"]: rows[0]["reason"]}
    found: dict[str, Any] = {"structure": name}
    for title, metric in COLUMNS.items():
        numbers = [number for row in rows if (number := METRICS[metric].of(row)) is not None]
        found[title] = round(median(numbers), 3)
    counts = {name: round(rows[0][name] / rows[0]["events"], 1) for name in COUNT_NAMES}
    return {**found, "events": rows[0]["events"], **counts}
