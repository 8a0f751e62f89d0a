"""`build`: a DataFrame of subscriptions becomes the next version of an index, built in parallel on executors.

    id, expression --hash of id--> partitions --a task each--> parts --their names--> driver --> versions/00000001.json
                                                                                                 CURRENT

The driver sees one short row per part, however many subscriptions there are. The version appears when all parts are
on disk; until then, and if anything fails, readers have the one before.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet

from watchword.errors import SubscriptionIdError, WatchwordError
from watchword.index.index import TRAINING_EVENTS
from watchword.spark import versions
from watchword.spark.build_part import ERRORS_DDL, REPORT_DDL, PartWriter
from watchword.spark.statistics import saved_sample
from watchword.spark.tenants import new_attribute, scoped_id, with_own_ids
from watchword.spark.versions import Part, Version
from watchword.structures.registry import checked_parameters

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SUBSCRIPTIONS_PER_PART: Final = 500_000  # one part is read and built in a worker's memory


@dataclass(frozen=True, slots=True)
class Build:
    """What a build has made. `errors` holds the rows that were refused: id, expression, reason."""

    version: int
    subscriptions: int
    refused: int
    bytes: int
    errors: DataFrame


def build(
    subscriptions: DataFrame,
    path: str | Path,
    training: DataFrame | None = None,
    *,
    json: str | None = None,
    parts: int | None = None,
    structure: str = "auto",
) -> Build:
    """Write the subscriptions as the next version of the index at `path`, and make it the one in force.

    Columns: `id` (text or integer), `expression` (SQL text), optionally `version`: of rows with one id the good one
    with the highest version counts, and rows that share both but say different things are refused, all of them.
    With a column `tenant`, a subscription matches only events of its tenant, and ids are those of a tenant.
    `training`: events, of which a sample serves the cost model; `json` names its column of JSON texts. By itself the
    sample of `statistics` that were saved beside the index.
    `parts`: into how many the ids are divided; by itself one per 500,000 subscriptions.
    """
    checked_parameters(structure, {})
    id_type = checked_columns(subscriptions)
    count = parts or max(1, -(-subscriptions.count() // SUBSCRIPTIONS_PER_PART))
    tenant_attribute = new_attribute() if "tenant" in subscriptions.columns else None
    rows = keyed_rows(subscriptions, count, id_type, scoped=tenant_attribute is not None)
    if training is None:
        training, json = saved_sample(subscriptions.sparkSession, path) or (None, None)
    with versions.building(path) as folder:
        writer = PartWriter(str(folder), structure, write_training(training, json, folder), tenant_attribute)
        # One task per part, and never two parts in one: that needs the memory of both.
        written = rows.repartitionById(count, "partition").mapInArrow(writer, REPORT_DDL)
        reports = written.toArrow().to_pylist()
        new = [part_of(folder, report) for report in reports if report["folder"]]
        made = Version(
            path=str(Path(path).absolute()),
            number=0,
            id_type=id_type,
            partitions=count,
            structure=structure,
            tenant_attribute=tenant_attribute,
            parts=tuple(sorted(new, key=lambda part: part.partition)),
        )
        made = versions.publish(made, None)
    return finish(subscriptions, folder, reports, made)


def checked_columns(rows: DataFrame, *needed: str) -> str:
    """The type of the ids, bigint or string."""
    from pyspark.sql import types as t

    for name in ("id", "expression", *needed):
        if rows.columns.count(name) != 1:
            raise SubscriptionIdError(f"the DataFrame needs one column {name!r}; it has {', '.join(rows.columns[:20])}")
    id_type = rows.schema["id"].dataType
    if isinstance(id_type, (t.LongType, t.IntegerType, t.ShortType, t.ByteType)):
        return "bigint"
    if isinstance(id_type, (t.StringType, t.NullType)):
        return "string"
    raise SubscriptionIdError(f"ids must be texts or integers, not {id_type.simpleString()}: cast the column")


def keyed_rows(rows: DataFrame, parts: int, id_type: str, *more: str, scoped: bool) -> DataFrame:
    """What tasks get. An id is in the same partition in every build, so that changes find it."""
    from pyspark.sql import functions as F  # noqa: N812  what everyone calls it

    identity = scoped_id() if scoped else F.col("id").cast(id_type)
    version = F.col("version") if "version" in rows.columns else F.lit(None)
    return rows.select(
        F.pmod(F.xxhash64(identity), F.lit(parts)).cast("int").alias("partition"),
        *more,
        identity.alias("id"),
        F.col("expression").cast("string").alias("expression"),
        version.cast("bigint").alias("version"),
    )


def write_training(training: DataFrame | None, json: str | None, folder: Path) -> str | None:
    """A sample of events as a file that the tasks read."""
    if training is None:
        return None
    if json is not None:
        texts = training.select(json).limit(TRAINING_EVENTS).toArrow()[0]
        table = pa.table({"json": texts}, metadata={"watchword.json": "yes"})
    else:
        table = training.limit(TRAINING_EVENTS).toArrow()
    name = folder / "training.parquet"
    pyarrow.parquet.write_table(table, name)
    return str(name)


def part_of(folder: Path, report: dict[str, Any]) -> Part:
    if versions.checked_hash(folder / report["folder"]) != report["hash"]:
        raise WatchwordError(
            f"{folder / report['folder']} is not what its task wrote: executors and driver must see one folder"
        )
    name = f"builds/{folder.name}/{report['folder']}"
    return Part(report["partition"], name, report["subscriptions"], report["bytes"], report["hash"])


def finish(rows: DataFrame, folder: Path, reports: list[dict[str, Any]], made: Version) -> Build:
    """Drop what repeated tasks have left, and hand out the errors."""
    keep = {report["folder"] for report in reports} | {report["errors"] for report in reports}
    for left in folder.iterdir():
        if left.name not in keep:
            versions.remove(left)
    files = [str(folder / report["errors"]) for report in reports if report["errors"]]
    spark = rows.sparkSession
    errors = spark.read.schema(ERRORS_DDL).parquet(*files) if files else spark.createDataFrame([], ERRORS_DDL)
    if made.tenant_attribute is not None:
        errors = with_own_ids(errors)
    refused = sum(report["refused"] for report in reports)
    return Build(made.number, made.subscriptions, refused, made.bytes, errors)
