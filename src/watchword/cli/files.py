"""Files of the command line: formats by suffix, reading with or without gzip, writing that replaces at the end."""

from __future__ import annotations

import enum
import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

import pyarrow as pa

from watchword.errors import WatchwordError

STANDARD: Final = "-"  # standard input or output


class FileError(WatchwordError):
    """A file that cannot be read or written as asked."""


class Kind(enum.StrEnum):
    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


_SUFFIXES: Final = {".parquet": Kind.PARQUET, ".csv": Kind.CSV, ".jsonl": Kind.JSONL, ".ndjson": Kind.JSONL}


def kind_of(name: str) -> Kind:
    """The format of a file by its name; standard input and output are jsonl."""
    if name == STANDARD:
        return Kind.JSONL
    kind = _SUFFIXES.get(Path(name.removesuffix(".gz")).suffix.lower())
    if kind is None:
        raise FileError(f"{name}: unknown format; name it .parquet, .csv or .jsonl")
    return kind


@contextmanager
def reading(name: str) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked where its name ends in .gz, or of standard input."""
    if name == STANDARD:
        yield sys.stdin.buffer
        return
    existing(name)
    try:
        with open(name, "rb") as raw:
            if name.endswith(".gz"):
                with gzip.open(raw) as unpacked:
                    yield cast(BinaryIO, unpacked)
            else:
                yield raw
    except (pa.ArrowException, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileError(f"{name}: cannot be read as {kind_of(name)}: {error}") from error


def existing(name: str) -> None:
    if not Path(name).is_file():
        reason = "is a folder, not a file" if Path(name).is_dir() else "no such file"
        raise FileError(f"{name}: {reason}")


def refuse_to_replace(path: Path, force: bool) -> None:
    if path.exists() and not force:
        raise FileError(f"{path}: already exists; add --force to replace it")
    if not path.absolute().parent.is_dir():
        raise FileError(f"{path}: its folder does not exist; create it first")


@contextmanager
def replacing(path: Path, force: bool) -> Iterator[Path]:
    """A temporary name beside `path`, which becomes `path` when all went well and vanishes otherwise."""
    refuse_to_replace(path, force)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
