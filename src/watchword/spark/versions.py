"""An index that Spark builds: version after version, each immutable, and one pointer to the current one.

    CURRENT                                name and hash of the version in force
    versions/00000007.json                 a version: its parts, how many subscriptions each holds
    builds/<token>/part-00003-<attempt>/   a part: a saved `watchword.Index` of the subscriptions whose hash is 3
    builds/<token>/errors-00003-<attempt>.parquet
    keys/<hash>.seg                        what a part waits for, in short: of the first match that was sharded
    buckets/00000007/                      the same subscriptions by what they wait for: of the first join

A version may name parts of earlier builds. Nothing that a version names ever changes, so whoever has opened it keeps
it, and workers map its files. The folder must be one that driver and executors see under the same path.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import xxhash

from watchword.errors import StorageError
from watchword.index.storage import sync_folder, write_synced

FORMAT: Final = 1
KEYS: Final = "keys"
BUCKETS: Final = "buckets"
_CURRENT: Final = "CURRENT"
_VERSION_FILE: Final = re.compile(r"(\d{8})\.json")


@dataclass(frozen=True, slots=True)
class Part:
    partition: int  # the hash of its ids
    folder: str  # below the index
    subscriptions: int
    bytes: int
    hash: str  # of the part's own pointer, which pins all of its files


@dataclass(frozen=True, slots=True)
class Version:
    path: str
    number: int
    id_type: str  # bigint or string, as Spark calls them
    partitions: int
    structure: str
    tenant_attribute: str | None  # what tenants are called inside the parts, None where there are none
    parts: tuple[Part, ...]

    @property
    def subscriptions(self) -> int:
        return sum(part.subscriptions for part in self.parts)

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.parts)

    def folders(self) -> list[Path]:
        return [Path(self.path, part.folder) for part in self.parts]

    def only(self, parts: Sequence[Part]) -> Version:
        return replace(self, parts=tuple(parts))


def current(path: str | Path) -> Version:
    """The version in force."""
    folder = Path(path).absolute()
    try:
        pointer = json.loads((folder / _CURRENT).read_bytes())
        if "manifest" in pointer and "version" not in pointer:
            raise StorageError(
                f"{folder} is an index of one process: open it with Index.open, or build one for Spark with "
                "wws.build or `watchword build --engine spark`"
            )
        number, digest = int(pointer["version"]), str(pointer["hash"])
    except (FileNotFoundError, NotADirectoryError):
        raise StorageError(
            f"there is no index in {folder}: build one with wws.build or `watchword build --engine spark`"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise StorageError(f"{_CURRENT} in {folder} is damaged: it names no version") from None
    return _read(folder, number, digest)


def version(path: str | Path, number: int) -> Version:
    """An earlier version, as long as it has not been removed."""
    return _read(Path(path).absolute(), number, None)


def numbers(path: str | Path) -> list[int]:
    """The versions that there are, oldest first."""
    with suppress(FileNotFoundError):
        found = (_VERSION_FILE.fullmatch(file.name) for file in Path(path, "versions").iterdir())
        return sorted(int(match[1]) for match in found if match)
    return []


def _read(folder: Path, number: int, digest: str | None) -> Version:
    name = _version_file(number)
    try:
        content = (folder / name).read_bytes()
    except FileNotFoundError:
        known = ", ".join(map(str, numbers(folder))) or "none"
        raise StorageError(f"the index in {folder} has no version {number}; it has {known}") from None
    if digest is not None and xxhash.xxh3_64_hexdigest(content) != digest:
        raise StorageError(f"{folder / name} is damaged: it does not have the checksum that {_CURRENT} has")
    read: dict[str, Any] = json.loads(content)
    if read.pop("format") != FORMAT:
        raise StorageError(f"{folder / name} has a format that this version does not read: build the index again")
    parts = tuple(Part(**part) for part in read.pop("parts"))
    return Version(path=str(folder), parts=parts, **read)


def _version_file(number: int) -> str:
    return f"versions/{number:08d}.json"


def checked_hash(folder: Path) -> str:
    """The hash of a part's own pointer."""
    try:
        return xxhash.xxh3_64_hexdigest((folder / _CURRENT).read_bytes())
    except FileNotFoundError:
        raise StorageError(f"the part {folder} is missing: restore it or build the index again") from None


# --- writing --------------------------------------------------------------------------------------------------


@contextmanager
def building(path: str | Path) -> Iterator[Path]:
    """A new folder for the parts of one build. It goes if the build fails; until the end `remove_old` leaves it."""
    builds = Path(path).absolute() / "builds"
    builds.mkdir(parents=True, exist_ok=True)
    folder = builds / secrets.token_hex(8)
    folder.mkdir()
    with locked(folder):
        try:
            yield folder
        except BaseException:
            if not _is_named(folder):  # what fails after the version is there must not take its files along
                shutil.rmtree(folder, ignore_errors=True)
            raise


def publish(built: Version, base: int | None) -> Version:
    """Make this the next version, under the next number, and the one in force.

    `base`: the version that it was made from must still be in force.
    """
    folder = Path(built.path)
    (folder / "versions").mkdir(exist_ok=True)
    with locked(folder):
        if base is not None and current(folder).number != base:
            raise StorageError(
                f"another build has changed {folder} since version {base}, which these changes were made for: "
                "apply them again"
            )
        number = max(numbers(folder), default=0) + 1
        record = {"format": FORMAT, **asdict(built), "number": number}
        del record["path"]
        content = json.dumps(record, indent=1).encode()
        write_synced(folder / _version_file(number), content)
        sync_folder(folder / "versions")
        pointer = {"version": number, "hash": xxhash.xxh3_64_hexdigest(content)}
        write_synced(folder / f"{_CURRENT}.new", json.dumps(pointer).encode())
        os.replace(folder / f"{_CURRENT}.new", folder / _CURRENT)
        sync_folder(folder)
    return replace(built, number=number)


def remove_old(path: str | Path, keep: int = 2) -> list[int]:
    """Remove all but the newest versions, and what builds that were killed have left. The versions that are gone.

    Jobs that still match with a removed version fail once they open another of its files: keep what they use.
    """
    folder = Path(path).absolute()
    with locked(folder):
        gone = [number for number in numbers(folder)[: -max(keep, 1)] if number != current(folder).number]
        for number in gone:
            (folder / _version_file(number)).unlink()
        named = {part.folder for number in numbers(folder) for part in version(folder, number).parts}
        for build in (folder / "builds").iterdir():
            if not _is_locked(build):
                _remove_unnamed(folder, build, named)
        _remove_made(folder)
    return gone


def _is_named(build: Path) -> bool:
    """Does a version name parts of this build?"""
    path = build.parent.parent
    below = f"builds/{build.name}/"
    return any(part.folder.startswith(below) for number in numbers(path) for part in version(path, number).parts)


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _remove_unnamed(folder: Path, build: Path, named: set[str]) -> None:
    parts = [part for part in build.iterdir() if str(part.relative_to(folder)) in named]
    if not parts:
        shutil.rmtree(build)
        return
    for part in build.glob("part-*"):
        if part not in parts:
            shutil.rmtree(part)


def _remove_made(folder: Path) -> None:
    """What matches have written beside versions and parts that are gone."""
    known = [version(folder, number) for number in numbers(folder)]
    for made, names in (
        (folder / BUCKETS, {f"{one.number:08d}" for one in known}),
        (folder / KEYS, {f"{part.hash}.seg" for one in known for part in one.parts}),
    ):
        with suppress(FileNotFoundError):
            for file in made.iterdir():
                if file.name not in names:
                    remove(file)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _is_locked(folder: Path) -> bool:
    """Is a build at work in it?"""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
