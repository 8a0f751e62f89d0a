"""What a task of the build does: the subscriptions of one hash become one part, or errors beside it.

    rows of partition 3 --oldest version first--> Index --save--> part-00003-<attempt>/
                        --refused, and why----------------------> errors-00003-<attempt>.parquet
                        --> one row for the driver: where these are, how many, what checksum

Every attempt writes under a name of its own; only the driver makes one of them part of a version. So a task that
fails, is repeated or runs twice leaves nothing that anyone sees.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from watchword.index.index import Index
from watchword.language.bulk import parse_many
from watchword.spark.tenants import MISSING, scoped_expressions
from watchword.spark.versions import checked_hash

REPORT: Final = pa.schema(
    [
        ("partition", pa.int32()),
        ("folder", pa.string()),
        ("subscriptions", pa.int64()),
        ("refused", pa.int64()),
        ("bytes", pa.int64()),
        ("hash", pa.string()),
        ("errors", pa.string()),
    ]
)
REPORT_DDL: Final = (
    "partition int, folder string, subscriptions bigint, refused bigint, bytes bigint, hash string, errors string"
)
ERRORS: Final = pa.schema([("id", pa.string()), ("expression", pa.string()), ("reason", pa.string())])
ERRORS_DDL: Final = "id string, expression string, reason string"


@dataclass(frozen=True, slots=True)
class PartWriter:
    """Rows of `partition`, `id`, `expression`, `version` (or null) in, a report for each partition out."""

    folder: str  # of this build
    structure: str
    training: str | None  # a file of events
    tenant_attribute: str | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = [batch for batch in batches if batch.num_rows]
        if not rows:
            return
        table = pa.Table.from_batches(rows)
        del rows
        partitions = pc.unique(table["partition"]).to_pylist()
        for partition in partitions:  # nearly always one: then nothing is copied
            mine = table if len(partitions) == 1 else table.filter(pc.equal(table["partition"], partition))
            yield pa.RecordBatch.from_pylist([self._write(partition, mine)], REPORT)

    def _write(self, partition: int, rows: pa.Table) -> dict[str, Any]:
        rows, errors = without_ambiguous(oldest_first(rows))
        index = Index(training=read_training(self.training), structure=self.structure)
        with index:
            errors = pa.concat_tables([errors, subscribe(index, rows, self.tenant_attribute)])
            return save(index, Path(self.folder), partition, errors)


def subscribe(index: Index, rows: pa.Table, tenant_attribute: str | None) -> pa.Table:
    """The rows that were refused."""
    if tenant_attribute is None:
        refused = index.subscribe_many(rows.select(["id", "expression"]))
        return error_rows(rows, refused["row"], refused["reason"])
    # Only what is an expression by itself may stand in parentheses: nobody may close them and speak of other tenants.
    parsed = parse_many(rows["expression"])
    bad = pa.array([row for row, _ in parsed.errors], pa.int64())
    reasons = pa.chunked_array([pa.array([reason for _, reason in parsed.errors], pa.string())])
    errors = error_rows(rows, pa.chunked_array([bad]), reasons)
    good = rows.take(pa.array(parsed.rows))
    named = pc.is_valid(good["id"])
    nameless = good.filter(pc.invert(named))
    missing = pa.chunked_array([pa.array([MISSING] * len(nameless), pa.string())])
    good = good.filter(named)
    scoped = scoped_expressions(good["id"], good["expression"], tenant_attribute)
    refused = index.subscribe_many(pa.table({"id": good["id"], "expression": scoped}))
    every = pa.chunked_array([pa.array(np.arange(len(nameless)))])
    return pa.concat_tables(
        [errors, error_rows(nameless, every, missing), error_rows(good, refused["row"], refused["reason"])]
    )


def save(index: Index, build: Path, partition: int, errors: pa.Table, folder: Path | None = None) -> dict[str, Any]:
    """The part and its errors on disk, and the report of them. `folder`: where the part lies already."""
    attempt = f"{partition:05d}-{secrets.token_hex(6)}"
    if folder is None:
        folder = build / f"part-{attempt}"
    report: dict[str, Any] = {"partition": partition, "subscriptions": len(index), "refused": len(errors)}
    if len(index):
        index.save(folder)
        size = sum(file.stat().st_size for file in folder.iterdir())
        report |= {"folder": folder.name, "bytes": size, "hash": checked_hash(folder)}
    if len(errors):
        report["errors"] = f"errors-{attempt}.parquet"
        pyarrow.parquet.write_table(errors, build / report["errors"])
    return report


def oldest_first(rows: pa.Table) -> pa.Table:
    """By `version`; those without one come first."""
    if rows["version"].null_count == len(rows):
        return rows
    order = pc.sort_indices(rows, [("version", "ascending")], null_placement="at_start")
    return rows.take(order)


def without_ambiguous(rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The rows of which it is clear which one counts, and the others as errors.

    Of several rows with one id the last version counts. Different rows of one id and version have no order on Spark:
    none of them counts. Rows that are entirely equal are one.
    """
    what = rows.column_names
    if pc.count_distinct(rows["id"]).as_py() == len(rows):
        return rows, ERRORS.empty_table()
    numbered = rows.append_column("row", pa.array(np.arange(len(rows))))
    distinct = numbered.group_by(what).aggregate([("row", "min")])
    per_version = distinct.group_by(["id", "version"]).aggregate([("row_min", "count"), ("row_min", "list")])
    ambiguous = pc.and_(pc.greater(per_version["row_min_count"], 1), pc.is_valid(per_version["id"]))
    bad = np.unique(pc.list_flatten(per_version["row_min_list"].filter(ambiguous)).to_numpy())
    if len(bad) == 0:
        return rows, ERRORS.empty_table()
    good = np.setdiff1d(distinct["row_min"].to_numpy(), bad)
    reason = "other rows have the same id and version: keep one of them, or say by `version` which is the last"
    reasons = pa.chunked_array([pa.array([reason] * len(bad), pa.string())])
    return rows.take(pa.array(good)), error_rows(rows, pa.chunked_array([pa.array(bad)]), reasons)


def error_rows(rows: pa.Table, numbers: pa.ChunkedArray, reasons: pa.ChunkedArray) -> pa.Table:
    refused = rows.take(numbers)
    columns = [refused["id"].cast(pa.string()), refused["expression"].cast(pa.string()), reasons]
    return pa.table(columns, schema=ERRORS)


def read_training(name: str | None) -> Any:
    """The sample of events: a table, or JSON texts."""
    if name is None:
        return None
    table = pyarrow.parquet.read_table(name)
    return table["json"] if table.schema.metadata and b"watchword.json" in table.schema.metadata else table
