"""The yardstick's workloads in the languages of peers: lines of text, and tables of predicates."""

from __future__ import annotations

import json
from typing import Final

import numpy as np
import pyarrow as pa

from watchword.bench.forms import conjunctions
from watchword.bench.workloads import Event, Integers, Workload, keyword

TRAINING_SEED: Final = 30  # other documents than those that are matched


def queries(workload: Workload) -> pa.Array:
    """`+w17 +w93`: all words must be there."""
    return conjunctions(workload, lambda attr, lo, hi: f"+w{attr}", " ")


def documents(events: list[Event]) -> list[str]:
    """Each word once: the workload's documents say which words they have, not how often."""
    return [" ".join([f"w{word}" for word in words.tolist()]) for words, _ in events]


def training_frequencies() -> dict[int, int]:
    """In how many of a thousand other documents of the same kind each word is."""
    words = np.concatenate([words for words, _ in keyword(0, seed=TRAINING_SEED).events])
    seen, times = np.unique(words, return_counts=True)
    return dict(zip(seen.tolist(), times.tolist(), strict=True))


def predicate_search(workload: Workload) -> pa.Array:
    """Vespa's predicate language. One value is a set of one text, which is looked up; more are a range, closed.

    All values are one more than the workload's: a range that begins at 0 may miss the value 0 (Vespa 8.738), which its
    index takes for a negative one.
    """

    def say(attr: int, lo: int, hi: int) -> str:
        return f"a{attr} in ['{lo + 1}']" if lo == hi else f"a{attr} in [{lo + 1}..{hi + 1}]"

    return conjunctions(workload, say, " and ")


def feature_lines(events: list[Event]) -> list[str]:
    """`a3=7 a12=1`, for Vespa: the values are one more than the workload's here as well."""
    return [" ".join([f"a{a}={v + 1}" for a, v in zip(*_lists(event), strict=True)]) for event in events]


def rules(workload: Workload) -> list[str]:
    """event-ruler's JSON. One value is looked up as it is written; more are a numeric range."""

    def say(attr: int, lo: int, hi: int) -> str:
        wanted = str(lo) if lo == hi else json.dumps({"numeric": [">=", lo, "<=", hi]})
        return f'"a{attr}":[{wanted}]'

    return [f"{{{rule}}}" for rule in conjunctions(workload, say, ",").to_pylist()]


def rule_engine_texts(workload: Workload) -> list[str]:
    """rule-engine's language. Comparing what is missing is an error there, so it is asked first."""

    def say(attr: int, lo: int, hi: int) -> str:
        return f"a{attr} == {lo}" if lo == hi else f"(a{attr} != null and a{attr} >= {lo} and a{attr} <= {hi})"

    return list(conjunctions(workload, say, " and ").to_pylist())


def predicate_table(workload: Workload) -> pa.Table:
    """A row per predicate: `attr` must be between `lo` and `hi`; `needed` is how many its subscription has."""
    columns = {
        "subscription": np.repeat(np.arange(len(workload.k)), workload.k),
        "needed": np.repeat(workload.k, workload.k),
        "attr": workload.attr,
        "lo": workload.lo,
        "hi": workload.hi,
    }
    return pa.table({name: column.astype(np.int32) for name, column in columns.items()})


def value_table(events: list[Event]) -> pa.Table:
    """A row per value of an event."""
    columns = {
        "event": np.repeat(np.arange(len(events)), [len(attr) for attr, _ in events]),
        "attr": np.concatenate([attr for attr, _ in events]),
        "value": np.concatenate([value for _, value in events]),
    }
    return pa.table({name: column.astype(np.int32) for name, column in columns.items()})


def words_of_queries(workload: Workload) -> list[Integers]:
    return np.split(workload.attr, np.cumsum(workload.k)[:-1])


def _lists(event: Event) -> tuple[list[int], list[int]]:
    attr, value = event
    return attr.tolist(), value.tolist()
