"""A folder of matches in which every micro-batch is there once, or not at all.

    _staging/17-<attempt>/   written by the tasks
    batch=17/                the same folder, renamed when it is whole: that is the moment it can be seen
    _watchword.json          whose batches these are

A folder that is there is never written again. After a kill Spark repeats the last batch under its old number: either
its folder is there, and the batch is passed over, or it is not, and it is matched again. Readers need nothing special:
folders that begin with an underscore are no data to Spark, Arrow and DuckDB (`batch=*/*.parquet`).
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from watchword.errors import StorageError
from watchword.index.storage import sync_folder, write_synced

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_OWNER: Final = "_watchword.json"
_STAGING: Final = "_staging"


class Sink(Protocol):
    """Where the rows of batches go."""

    def has(self, batch: int) -> bool:
        """Is this batch known to be there?"""
        ...

    def write(self, frame: DataFrame, batch: int) -> None: ...


@dataclass(frozen=True, slots=True)
class FolderSink:
    folder: str

    def has(self, batch: int) -> bool:
        return is_written(self.folder, batch)

    def write(self, frame: DataFrame, batch: int) -> None:
        write_once(frame, self.folder, batch)


def is_written(out: str | Path, batch: int) -> bool:
    return _folder(out, batch).is_dir()


def write_once(frame: DataFrame, out: str | Path, batch: int) -> None:
    """Make the rows appear as this batch, unless they have already."""
    if is_written(out, batch):
        return
    staging = Path(out, _STAGING, f"{batch}-{secrets.token_hex(6)}")
    frame.write.parquet(str(staging))
    for file in staging.iterdir():
        _sync(file)
    sync_folder(staging)
    try:
        os.rename(staging, _folder(out, batch))
    except OSError:
        if not is_written(out, batch):  # else another run of this batch was first: its rows count
            raise
        shutil.rmtree(staging)
    sync_folder(Path(out))


def take_possession(out: str | Path, checkpoint: str | Path) -> None:
    """Make sure that the numbers of batches in this folder are those of this checkpoint.

    With another checkpoint the numbers would begin again at 0, and what is new would be taken for what is there.
    """
    out, checkpoint = Path(out), Path(checkpoint)
    out.mkdir(parents=True, exist_ok=True)
    checkpoint.mkdir(parents=True, exist_ok=True)
    known = _owner(checkpoint)
    if known is None:
        if any((checkpoint / "offsets").glob("[0-9]*")):
            raise StorageError(f"{checkpoint} is the checkpoint of a query that does not write to {out}: give another")
        known = secrets.token_hex(8)
        _write_owner(checkpoint, known)
    found = _owner(out)
    if found is None and not any(out.glob("batch=*")):
        if any((checkpoint / "commits").glob("[0-9]*")):
            raise StorageError(
                f"{checkpoint} has batches that are not in {out}: give the folder that it wrote to, or begin with a "
                "new checkpoint"
            )
        _write_owner(out, known)
    elif found != known:
        raise StorageError(
            f"{out} holds the matches of another checkpoint than {checkpoint}: go on with that one, or give another "
            "folder"
        )
    shutil.rmtree(out / _STAGING, ignore_errors=True)  # of runs that were killed


def read_matches(spark: SparkSession, out: str | Path) -> DataFrame:
    """All batches that have been written; `batch` is their number."""
    return spark.read.option("basePath", str(out)).parquet(
        *(str(folder) for folder in sorted(Path(out).glob("batch=*")))
    )


def _folder(out: str | Path, batch: int) -> Path:
    return Path(out, f"batch={batch}")


def _owner(folder: Path) -> str | None:
    try:
        owner: str = json.loads((folder / _OWNER).read_bytes())["checkpoint"]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError):
        raise StorageError(f"{folder / _OWNER} is damaged: restore it, or begin with new folders") from None
    return owner


def _write_owner(folder: Path, owner: str) -> None:
    new = folder / f"{_OWNER}.{secrets.token_hex(4)}"
    write_synced(new, json.dumps({"checkpoint": owner}).encode())
    os.replace(new, folder / _OWNER)
    sync_folder(folder)


def _sync(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
