"""What is computed from raw rows: a number per row, and of the rows of a trial their median and spread."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from watchword.bench.harness.store import MEASURED, Row


@dataclass(frozen=True, slots=True)
class Metric:
    label: str
    unit: str
    of: Callable[[Row], float | None]


@dataclass(frozen=True, slots=True)
class Value:
    """The passes of a trial: their median, the least and the largest. `status` says why there is none."""

    median: float | None
    low: float = 0.0
    high: float = 0.0
    deviation: float | None = None  # between events
    status: str = MEASURED
    reason: str = ""


def value_of(rows: Sequence[Row], metric: str, deviation: str | None = None) -> Value:
    if not rows:
        return Value(None, status="not run")
    if rows[0]["status"] != MEASURED:
        return Value(None, status=rows[0]["status"], reason=rows[0]["reason"] or "")
    numbers = _numbers(rows, metric)
    if not numbers:
        return Value(None, status="not measured", reason=f"no {METRICS[metric].label} in these runs")
    spread = _numbers(rows, deviation) if deviation else []
    return Value(median(numbers), min(numbers), max(numbers), median(spread) if spread else None)


def _numbers(rows: Sequence[Row], metric: str) -> list[float]:
    found = (METRICS[metric].of(row) for row in rows)
    return [number for number in found if number is not None]


def _ratio(over: str, under: str, times: float = 1.0) -> Callable[[Row], float | None]:
    def of(row: Row) -> float | None:
        if row[over] is None or not row[under]:
            return None
        return times * float(row[over]) / float(row[under])

    return of


def _column(name: str, times: float = 1.0) -> Callable[[Row], float | None]:
    return lambda row: None if row[name] is None else times * float(row[name])


def _batch_ms(row: Row) -> float | None:
    """Reading the documents of a batch included."""
    if row["match_seconds"] is None or not row["batches"]:
        return None
    return 1e3 * float(row["match_seconds"] + row["read_seconds"]) / float(row["batches"])


def _rate(row: Row) -> float | None:
    milliseconds = _batch_ms(row)
    return None if milliseconds is None else 1e3 * float(row["events"]) / float(row["batches"]) / milliseconds


def _gain(row: Row) -> float | None:
    """In percent of the occurrences of a term: those that have no node of their own."""
    if not row["occurrences"]:
        return None
    return 100 * (1 - float(row["term_nodes"]) / float(row["occurrences"]))


def _model_error(row: Row) -> float | None:
    if not row["nodes"] or row["expected_nodes"] is None:
        return None
    return 100 * (float(row["expected_nodes"]) / float(row["nodes"]) - 1)


def _created(row: Row) -> float | None:
    """Nodes of a trie, postings of an inverted list; RIL's hold the other terms of a subscription too."""
    described = _described(row)
    if described.get("name") == "ril":
        return float(described["words"] - described["conjunctions"])  # a record is two words and those terms
    nodes = described.get("nodes")
    return float(nodes["all"]) if isinstance(nodes, Mapping) else _float(described.get("postings"))


def _extra_terms(row: Row) -> float | None:
    """Luwak's structures keep two words of each query beside its extra terms; equal queries are one."""
    found = _described(row)
    if "words" not in found or "duplicates" not in found:
        return None
    return float(found["words"] - 2 * (found["conjunctions"] - found["duplicates"]))


def _notes(row: Row) -> float | None:
    size = _float(_described(row).get("list bytes"))
    return None if size is None else 1e-6 * size


def _luwak_time(name: str, length: int) -> Callable[[Row], float | None]:
    """Nanoseconds, as Pre-Search measured them for its cost function, of queries with two terms and so many more."""

    def of(row: Row) -> float | None:
        found = _described(row)
        return float(found[f"{name} ns"][length]) if found.get("times") == "measured" else None

    return of


def _described(row: Row) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(row["described"] or "{}")
    return found


def _float(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


METRICS: Final[dict[str, Metric]] = {
    "match_us": Metric("matching time", "µs per event", _ratio("match_seconds", "events", 1e6)),
    "event_us": Metric("matching time of single events", "µs", _column("event_mean")),
    "event_sd": Metric("standard deviation between events", "µs", _column("event_sd")),
    "batch_ms": Metric("time per batch", "ms", _batch_ms),
    "rate": Metric("throughput", "documents/s", _rate),
    "build_s": Metric("construction time", "s", _column("build_seconds")),
    "index_mb": Metric("size of the index", "MB", _column("index_bytes", 1e-6)),
    "total_mb": Metric("size with the subscriptions", "MB", _column("total_bytes", 1e-6)),
    "peak_mb": Metric("memory while it is built", "MB", _column("peak_bytes", 1e-6)),
    "insert_us": Metric("insertion time", "µs per subscription", _ratio("insert_seconds", "updates", 1e6)),
    "delete_us": Metric("deletion time", "µs per subscription", _ratio("delete_seconds", "updates", 1e6)),
    "visited": Metric("nodes visited", "per event", _ratio("nodes", "events")),
    "expected": Metric("nodes expected by theorem 2", "per event", _ratio("expected_nodes", "events")),
    "model_error": Metric("deviation of the model", "%", _model_error),
    "candidates": Metric("candidates", "per event", _ratio("candidates", "events")),
    "matches": Metric("matches", "per event", _ratio("matches", "events")),
    "created": Metric("nodes", "", _created),
    "occurrences": Metric("occurrences of the term", "", _column("occurrences")),
    "term_nodes": Metric("nodes of the term", "", _column("term_nodes")),
    "complete_nodes": Metric("nodes of the term in the complete trie", "", _column("complete_nodes")),
    "gain": Metric("gain", "%", _gain),
    "extra_terms": Metric("extra terms indexed", "", _extra_terms),
    "notes_mb": Metric("size of the queries' lists and notes", "MB", _notes),
    **{
        f"{name} {length + 2}": Metric(name, "ns", _luwak_time(name, length))
        for name in ("time_check", "time_avoid")
        for length in range(5)
    },
}
