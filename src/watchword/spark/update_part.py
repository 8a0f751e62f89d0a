"""What a task of an incremental build does: the changes of one hash, applied to that part.

    old part --hard links--> new folder --open, subscribe, unsubscribe--> saved: new segments and marks of removed rows
                                                                          beside the segments that did not change

Files of an index never change once they are written, so both folders share those that stay: a segment of a gigabyte
costs nothing, on disk or in memory, when three of its subscriptions go.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from watchword.index.index import Index
from watchword.spark.build_part import ERRORS, REPORT, error_rows, oldest_first, save, subscribe, without_ambiguous
from watchword.spark.versions import Version

SUBSCRIBE: Final = ("subscribe", "replace")
UNSUBSCRIBE: Final = "unsubscribe"


@dataclass(frozen=True, slots=True)
class PartUpdater:
    """Rows of `partition`, `op`, `id`, `expression`, `version` (or null) in, a report for each partition out."""

    folder: str  # of this build
    base: Version

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        changes = [batch for batch in batches if batch.num_rows]
        if not changes:
            return
        table = pa.Table.from_batches(changes)
        for partition in pc.unique(table["partition"]).to_pylist():
            mine = table.filter(pc.equal(table["partition"], partition))
            yield pa.RecordBatch.from_pylist([self._write(partition, mine)], REPORT)

    def _write(self, partition: int, changes: pa.Table) -> dict[str, Any]:
        changes, errors = without_ambiguous(oldest_first(changes))
        good, bad = _possible(changes)
        errors = pa.concat_tables([errors, bad])
        build = Path(self.folder)
        folder = build / f"part-{partition:05d}-{secrets.token_hex(6)}"
        with self._index(partition, folder) as index:
            for step in _in_order(good):
                errors = pa.concat_tables([errors, _apply(index, step, self.base.tenant_attribute)])
            return save(index, build, partition, errors, folder)

    def _index(self, partition: int, folder: Path) -> Index:
        """The part as it is, in a folder of its own."""
        for part in self.base.parts:
            if part.partition == partition:
                _link(Path(self.base.path, part.folder), folder)
                return Index.open(folder)
        return Index(structure=self.base.structure)


def _link(old: Path, new: Path) -> None:
    new.mkdir()
    for file in old.iterdir():
        try:
            os.link(file, new / file.name)
        except OSError:  # a file system without links
            shutil.copy2(file, new / file.name)


def _possible(changes: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Without those that nothing can be done for, which come back as errors."""
    known = pc.fill_null(pc.is_in(changes["op"], pa.array([*SUBSCRIBE, UNSUBSCRIBE])), False)
    named = pc.is_valid(changes["id"])
    wrong = np.flatnonzero(~(np.asarray(known) & np.asarray(named)))
    reasons = [
        "the id is missing"
        if changes["id"][row].as_py() is None
        else f"op is {changes['op'][row].as_py()!r}: it must be subscribe, replace or unsubscribe"
        for row in wrong.tolist()
    ]
    bad = error_rows(changes, pa.chunked_array([pa.array(wrong)]), pa.chunked_array([pa.array(reasons, pa.string())]))
    return changes.filter(pc.and_(known, named)), bad


def _in_order(changes: pa.Table) -> Iterator[pa.Table]:
    """Step by step: no id is in a step twice, and each id's changes come in their order."""
    codes = changes["id"].combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    occurrence = _occurrences(codes)
    for step in range(int(occurrence.max(initial=-1)) + 1):
        yield changes.take(pa.array(np.flatnonzero(occurrence == step)))


def _occurrences(codes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """For each row, how many earlier rows have the same code."""
    order = np.argsort(codes, kind="stable")
    first = np.ones(len(codes), np.bool_)
    first[1:] = codes[order][1:] != codes[order][:-1]
    starts = np.flatnonzero(first)
    counted = np.arange(len(codes)) - np.repeat(starts, np.diff(np.append(starts, len(codes))))
    out = np.empty(len(codes), np.int64)
    out[order] = counted
    return out


def _apply(index: Index, changes: pa.Table, tenant_attribute: str | None) -> pa.Table:
    """The changes of this step that were refused."""
    leaving = pc.equal(changes["op"], UNSUBSCRIBE)
    index.unsubscribe_many(changes.filter(leaving)["id"])
    coming = changes.filter(pc.invert(leaving))
    if len(coming) == 0:
        return ERRORS.empty_table()
    return subscribe(index, coming, tenant_attribute)
