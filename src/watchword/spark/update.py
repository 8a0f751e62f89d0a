"""`update`: a DataFrame of changes becomes the next version, which shares with the last one what did not change.

op, id, expression --hash of id--> the parts that these ids are in --a task each--> new parts
                                   all other parts ----------------------------------------> the same as before
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from watchword.errors import SubscriptionIdError
from watchword.spark import versions
from watchword.spark.build import Build, checked_columns, finish, keyed_rows, part_of
from watchword.spark.build_part import REPORT_DDL
from watchword.spark.update_part import PartUpdater

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def update(changes: DataFrame, path: str | Path) -> Build:
    """Apply changes to the version in force and make the result the next one. Versions before stay as they are.

    Columns: `op` (subscribe, replace or unsubscribe), `id`, `expression` (of no matter to unsubscribe), optionally
    `version`: changes of one id happen in its order, and those that share it but differ are refused, all of them.
    Subscribing to an id that is there replaces it; a bad expression changes nothing; unsubscribing an id that is not
    there is no error. If another build makes a version meanwhile, this one fails and has changed nothing.
    """
    base = versions.current(path)
    id_type = checked_columns(changes, "op")
    if id_type != base.id_type and base.parts:
        raise SubscriptionIdError(f"the ids of {base.path} are {base.id_type}, not {id_type}: cast the column")
    base = replace(base, id_type=id_type)
    scoped = base.tenant_attribute is not None
    if scoped != ("tenant" in changes.columns):
        raise SubscriptionIdError(f"{base.path} has {'' if scoped else 'no '}tenants: so must the changes, as a column")
    rows = keyed_rows(changes, base.partitions, id_type, "op", scoped=scoped)
    with versions.building(path) as folder:
        written = rows.repartitionById(base.partitions, "partition").mapInArrow(
            PartUpdater(str(folder), base), REPORT_DDL
        )
        reports = written.toArrow().to_pylist()
        touched = {report["partition"] for report in reports}
        new = [part_of(folder, report) for report in reports if report["folder"]]
        kept = [part for part in base.parts if part.partition not in touched]
        made = replace(base, parts=tuple(sorted(new + kept, key=lambda part: part.partition)))
        made = versions.publish(made, base.number)
    return finish(changes, folder, reports, made)
