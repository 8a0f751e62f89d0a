"""Raw results: a folder with one Parquet file per trial, one row per pass. Everything else is computed from them.

A file is written under another name and then renamed: a run that is stopped leaves whole files, and goes on from there.
What failed is written too, so that a report can say so, and is tried again by the next run.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

import watchword
from watchword.bench.harness.trial import Trial
from watchword.errors import WatchwordError

Row = dict[str, Any]

MEASURED: Final = "measured"
REFUSED: Final = "refused"  # by the structure: it would need too much
FAILED: Final = "failed"
UNREGISTERED: Final = "not registered"  # there is no such structure here

_TEXTS: Final = ("key", "generator", "source", "structure", "parameters", "task", "status", "reason", "described")
_COUNTS: Final = (
    *("pass", "batch", "subscriptions", "events", "batches", "matches", "candidates", "predicates", "nodes", "buckets"),
    *("updates", "index_bytes", "total_bytes", "peak_bytes"),
)
_NUMBERS: Final = (
    *("step", "read_seconds", "build_seconds", "match_seconds", "insert_seconds", "delete_seconds"),
    *("event_mean", "event_sd", "event_p50", "event_p99"),  # microseconds of events that come alone
    *("occurrences", "term_nodes", "complete_nodes", "expected_nodes"),
)
SCHEMA: Final = pa.schema(
    [
        *((name, pa.string()) for name in (*_TEXTS, "version", "at", "machine")),
        *((name, pa.int64()) for name in _COUNTS),
        *((name, pa.float64()) for name in _NUMBERS),
    ]
)


class Store:
    def __init__(self, folder: Path) -> None:
        self.folder = folder / "runs"

    def _file(self, trial: Trial) -> Path:
        return self.folder / f"{trial.key}.parquet"

    def has(self, trial: Trial) -> bool:
        """Is there anything that need not be tried again?"""
        if not self._file(trial).exists():
            return False
        status = pq.read_table(self._file(trial), columns=["status"])["status"][0].as_py()
        return status in (MEASURED, REFUSED)

    def write(self, trial: Trial, rows: Iterable[Row]) -> None:
        common = {
            "key": trial.key,
            "generator": trial.source.generator,
            "source": trial.source.text,
            "structure": trial.structure,
            "parameters": json.dumps(dict(trial.parameters), sort_keys=True),
            "task": trial.task,
            "batch": trial.batch,
            "version": watchword.__version__,
            "at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        }
        table = pa.Table.from_pylist([{**row, **common} for row in rows], SCHEMA)
        self.folder.mkdir(parents=True, exist_ok=True)
        written = self._file(trial).with_suffix(".new")
        pq.write_table(table, written)
        written.replace(self._file(trial))

    def rows(self, trials: Sequence[Trial]) -> dict[str, list[Row]]:
        """The rows of those of the trials that there are, by key."""
        return {trial.key: _read(self._file(trial)) for trial in trials if self._file(trial).exists()}

    def all_rows(self) -> dict[str, list[Row]]:
        if not self.folder.is_dir():
            raise WatchwordError(f"no results in {self.folder.parent}: `watchword bench papers --out` writes some")
        return {path.stem: _read(path) for path in sorted(self.folder.glob("*.parquet"))}


def _read(path: Path) -> list[Row]:
    rows: list[Row] = pq.read_table(path).to_pylist()
    return rows
