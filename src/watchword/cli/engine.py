"""Which engine does the work, and what the commands share that can run on Spark."""

from __future__ import annotations

import enum
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from watchword.cli.files import STANDARD, FileError, Kind, kind_of, refuse_to_replace

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SHOWN: Final = 5


class Engine(enum.StrEnum):
    LOCAL = "local"
    SPARK = "spark"


EngineOption = Annotated[Engine, typer.Option("--engine", help="local: this process; spark: Spark, as tables.")]
Master = Annotated[str, typer.Option("--master", metavar="URL", help="Where Spark runs: local[*], spark://host:port.")]
Memory = Annotated[str, typer.Option("--memory", help="Of Spark's driver, which does the work where it is local.")]


def kind_of_table(name: str) -> Kind:
    """The format of a file or a folder of files; a folder that does not say is Parquet."""
    if name == STANDARD:
        raise FileError("Spark reads and writes files and folders, not standard input or output: name one")
    if Path(name).suffix == "":
        return Kind.PARQUET
    return kind_of(name)


def read_table(spark: SparkSession, name: str) -> DataFrame:
    """Parquet or csv as they are; of jsonl the column `value` has the lines."""
    kind = kind_of_table(name)
    if not Path(name).exists():
        raise FileError(f"{name}: no such file or folder")
    path = str(Path(name).absolute())
    if kind is Kind.PARQUET:
        return spark.read.parquet(path)
    if kind is Kind.JSONL:
        return spark.read.text(path).where("trim(value) <> ''")
    return spark.read.csv(path, header=True, inferSchema=True, multiLine=True, escape='"', emptyValue="")


@contextmanager
def written(name: str, force: bool) -> Iterator[str]:
    """A folder to write to, which gets this name when all went well and vanishes otherwise."""
    path = Path(name).absolute()
    refuse_to_replace(path, force)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield str(temporary)
        if path.is_dir():
            shutil.rmtree(path)
        os.replace(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_table(frame: DataFrame, folder: str, kind: Kind) -> None:
    if kind is Kind.PARQUET:
        frame.write.parquet(folder)
    elif kind is Kind.CSV:
        frame.write.csv(folder, header=True)
    else:
        frame.write.json(folder, ignoreNullFields=False)


def tell_refused(source: str, refused: DataFrame, count: int, errors: str | None, force: bool) -> str | None:
    """Write the error table where one is asked for, else show the first rows; what the summary says of it."""
    from pyspark.sql import functions as F  # noqa: N812

    if errors is not None:
        table = refused.select(F.lit(source).alias("source"), F.col("id").cast("string").alias("id"), "reason")
        with written(errors, force) as folder:
            write_table(table, folder, kind_of_table(errors))
        return errors
    for row in refused.limit(SHOWN).toArrow().to_pylist() if count else []:
        name = f"{source} {row['id']}" if row["id"] is not None else source
        typer.echo(f"refused: {name}: {row['reason']}", err=True)
    return f"only the first {SHOWN} shown; --errors keeps all" if count > SHOWN else None


def refuse_wrong_names(out: str, errors: str | None, force: bool) -> None:
    """What can be told before Spark starts is told before."""
    for name in (out, errors):
        if name is not None:
            kind_of_table(name)
            refuse_to_replace(Path(name), force)
