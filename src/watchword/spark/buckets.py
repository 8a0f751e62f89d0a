"""Buckets: the subscriptions of a version divided by what they wait for, an index of each bucket on disk.

    parts --a task each--> subscriptions, by the buckets that their access keys fall into --exchange, once-->
          --a task for every bucket--> an index of it, and of those that wait in several buckets too, in which

`join` makes them at its first match of a version, beside the index; then only events move. A subscription with keys in
several buckets is in each of them: a pair counts in the first bucket that both have.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
import xxhash

from watchword.coding.values import I32, I64
from watchword.errors import StorageError
from watchword.index import storage
from watchword.index.container import read_container, write_container
from watchword.index.incoming import Incoming
from watchword.index.index import Index
from watchword.index.segment_file import read_names, write_names
from watchword.index.sources import Sources
from watchword.index.storage import write_synced
from watchword.language.table_rows import concatenate, take
from watchword.spark import versions
from watchword.spark.access_keys import U64, Frequencies, Keys, keys_of_table
from watchword.spark.build_part import ERRORS, REPORT, REPORT_DDL, save
from watchword.spark.statistics import load_frequencies, sampled_events
from watchword.spark.versions import BUCKETS, Part, Version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ANY: Final = 0  # the bucket of what may be true of any event; keys fall into the others
SUBSCRIPTIONS: Final = 50_000  # about so many in a bucket
MOST: Final = 1024
CHUNK: Final = 1 << 16  # expressions at a time
_MANIFEST: Final = "buckets.json"
_SEVERAL: Final = "several.parquet"
_NAMES: Final = "names.seg"


class Buckets(NamedTuple):
    """The buckets of a version: those that hold a subscription."""

    number: int
    filled: Mapping[int, Version]
    names: Path  # of the attributes, a file


def bucket_count(version: Version) -> int:
    return min(MOST, max(8, version.subscriptions // SUBSCRIPTIONS))


def known_buckets(version: Version) -> Buckets | None:
    """Those on disk, if they have been made."""
    folder = _folder(version)
    try:
        found = json.loads((folder / _MANIFEST).read_bytes())
    except FileNotFoundError:
        return None
    if found["of"] != _digest(version):
        return None
    parts = [Part(**part) for part in found["parts"]]
    return Buckets(found["count"], {part.partition: version.only([part]) for part in parts}, folder / found["names"])


def make_buckets(spark: SparkSession, version: Version) -> Buckets:
    """Those on disk, or else new ones, by a Spark job."""
    found = known_buckets(version)
    if found is not None:
        return found
    folder = _folder(version)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"a join divides the subscriptions into buckets beside the index, once for a version: {version.path} "
            f"cannot be written ({error.strerror})"
        ) from None
    with versions.locked(folder):
        found = known_buckets(version)  # another driver may have made them meanwhile
        if found is None:
            _write(spark, version, folder)
            found = known_buckets(version)
    assert found is not None
    return found


def _write(spark: SparkSession, version: Version, folder: Path) -> None:
    for left in folder.iterdir():  # of one that was killed
        versions.remove(left)
    made = folder / secrets.token_hex(8)
    made.mkdir()
    count = bucket_count(version)
    id_type = "string" if version.tenant_attribute is not None else version.id_type
    work = spark.createDataFrame([(str(part),) for part in version.folders()], "folder string")
    packed = work.repartition(max(1, len(version.parts))).mapInArrow(
        Divider(count, load_frequencies(spark, version.path)), packed_ddl(id_type)
    )
    written = packed.repartitionById(count, "bucket").mapInArrow(
        BucketWriter(str(made), version.structure, version.path), REPORT_DDL
    )
    reports = written.toArrow().to_pylist()
    for left in made.iterdir():  # of tasks that ran twice
        if left.name not in {report["folder"] for report in reports}:
            versions.remove(left)
    place = made.relative_to(version.path)
    parts = [
        Part(
            report["partition"], f"{place}/{report['folder']}", report["subscriptions"], report["bytes"], report["hash"]
        )
        for report in reports
    ]
    names = dict.fromkeys(name for part in parts for name in storage.load(Path(version.path, part.folder), False).names)
    write_container(made / _NAMES, write_names(list(names)), {})
    manifest = {
        "of": _digest(version),
        "count": count,
        "names": f"{made.name}/{_NAMES}",
        "parts": [asdict(part) for part in sorted(parts, key=lambda part: part.partition)],
    }
    new = made / _MANIFEST
    write_synced(new, json.dumps(manifest).encode())
    os.replace(new, folder / _MANIFEST)


@lru_cache(maxsize=8)
def names_of(file: Path) -> tuple[str, ...]:
    return tuple(read_names(read_container(file, verify=True).arrays))


def _folder(version: Version) -> Path:
    return Path(version.path, BUCKETS, f"{version.number:08d}")


def _digest(version: Version) -> str:
    return xxhash.xxh3_64_hexdigest("".join(part.hash for part in version.parts).encode())


# --- in tasks -------------------------------------------------------------------------------------------------


def packed_ddl(id_type: str) -> str:
    """Some subscriptions of one bucket: their ids, their expressions as `Sources` has them, and those in several."""
    return (
        f"bucket int, ids array<{id_type}>, starts array<bigint>, sizes array<bigint>, data binary, "
        f"names array<string>, several array<{id_type}>, waits array<array<int>>"
    )


def bucket_of(keys: U64, buckets: int) -> I64:
    return 1 + (keys % np.uint64(buckets - 1)).astype(np.int64)


def waits_of(keys: Keys, buckets: int) -> tuple[I64, I32]:
    """For subscription i the buckets[starts[i] : starts[i + 1]] that it waits in, ascending."""
    row = np.repeat(np.arange(len(keys.anything)), np.diff(keys.starts))
    bucket = bucket_of(keys.keys, buckets)
    anywhere = np.flatnonzero(keys.anything)
    pairs = np.unique(np.concatenate([row * buckets + bucket, anywhere * buckets + ANY]))
    starts = np.searchsorted(pairs, np.arange(len(keys.anything) + 1) * buckets)
    return starts, (pairs % buckets).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Divider:
    """Folders of parts in; out, their subscriptions by bucket."""

    buckets: int
    frequencies: Frequencies

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for folder in batch.column(0).to_pylist():
                for segment in storage.load(Path(folder), False).segments:
                    rows = segment.live_rows(1)
                    for first in range(0, len(rows), CHUNK):
                        some = rows[first : first + CHUNK]
                        yield self._divided(segment.table(some), segment.identifiers.array.take(pa.array(some)))

    def _divided(self, table: Any, ids: pa.Array) -> pa.RecordBatch:
        starts, buckets = waits_of(keys_of_table(table, self.frequencies), self.buckets)
        row = np.repeat(np.arange(len(table)), np.diff(starts))
        order = np.argsort(buckets, kind="stable")
        ends = np.searchsorted(buckets[order], np.arange(self.buckets + 1))
        several = np.diff(starts) > 1
        waits = pa.ListArray.from_arrays(pa.array(starts.astype(np.int32)), pa.array(buckets))
        rows = []
        for bucket in np.unique(buckets).tolist():
            here = row[order[ends[bucket] : ends[bucket + 1]]]
            sources = Sources.of(take(table, here))
            many = pa.array(here[several[here]])
            rows.append(
                [bucket, ids.take(pa.array(here)), sources.starts, sources.sizes, sources.data.tobytes(), sources.names,
                 ids.take(many), waits.take(many)]
            )  # fmt: skip
        return _packed(rows, pa.string() if ids.type == pa.large_string() else ids.type)


def _packed(rows: list[list[Any]], id_type: pa.DataType) -> pa.RecordBatch:
    def lists(place: int, kind: pa.DataType) -> pa.Array:
        arrays = [pa.array(row[place], kind) if not isinstance(row[place], pa.Array) else row[place] for row in rows]
        starts = np.cumsum([0, *map(len, arrays)]).astype(np.int32)
        values = pa.concat_arrays([array.cast(kind) for array in arrays]) if arrays else pa.array([], kind)
        return pa.ListArray.from_arrays(pa.array(starts), values)

    bucket = pa.array([row[0] for row in rows], pa.int32())
    data = pa.array([row[4] for row in rows], pa.binary())
    integers, waits = pa.int64(), pa.list_(pa.int32())
    columns = [bucket, lists(1, id_type), lists(2, integers), lists(3, integers), data, lists(5, pa.string()),
               lists(6, id_type), lists(7, waits)]  # fmt: skip
    return pa.RecordBatch.from_arrays(
        columns, ["bucket", "ids", "starts", "sizes", "data", "names", "several", "waits"]
    )


@dataclass(frozen=True, slots=True)
class BucketWriter:
    """Packed subscriptions of one bucket in, an index of them on disk."""

    folder: str
    structure: str
    path: str  # of the index, beside which statistics may be

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = [batch for batch in batches if batch.num_rows]
        if not found:
            return
        rows = pa.Table.from_batches(found)
        for bucket in rows["bucket"].unique().to_pylist():
            mine = rows.filter(pc.equal(rows["bucket"], bucket))
            yield pa.RecordBatch.from_pylist([self._write(bucket, mine)], REPORT)

    def _write(self, bucket: int, rows: pa.Table) -> dict[str, Any]:
        tables = []
        for row in rows.select(["starts", "sizes", "data", "names", "ids"]).to_batches(1):
            starts, sizes, names = (
                row.column(name).flatten().to_numpy(zero_copy_only=False) for name in ("starts", "sizes", "names")
            )
            data = np.frombuffer(row.column("data")[0].as_buffer(), np.uint8)
            count = len(row.column("ids").flatten())
            tables.append(Sources(count, starts, sizes, data, names.tolist()).table(np.arange(count)))
        ids = pa.concat_arrays([chunk.flatten() for chunk in rows["ids"].chunks])
        ids = ids.cast(pa.large_string()) if pa.types.is_string(ids.type) else ids
        with Index(training=_training(self.path), structure=self.structure) as index:
            index.subscribe_many(Incoming(ids, concatenate(tables)))
            report = save(index, Path(self.folder), bucket, ERRORS.empty_table())
        several = pa.table({"id": _joined(rows["several"]).cast(ids.type), "waits": _joined(rows["waits"])})
        if len(several):
            pyarrow.parquet.write_table(several, Path(self.folder, report["folder"], _SEVERAL))
        return report


def _training(path: str) -> Any:
    """The sample of events beside the index: a table, or JSON texts."""
    events, json = sampled_events(path) or (None, None)
    return events if events is None or json is None else events[json]


def _joined(lists: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays([chunk.flatten() for chunk in lists.chunks])


class Several(NamedTuple):
    """The subscriptions of a bucket that wait in others too."""

    ids: pa.Array
    starts: I64
    waits: I32


@lru_cache(maxsize=8)
def several_of(folder: Path) -> Several | None:
    try:
        table = pyarrow.parquet.read_table(folder / _SEVERAL)
    except FileNotFoundError:
        return None
    waits = table["waits"].combine_chunks()
    return Several(
        table["id"].combine_chunks(),
        waits.offsets.to_numpy().astype(np.int64),
        waits.values.to_numpy(),
    )
