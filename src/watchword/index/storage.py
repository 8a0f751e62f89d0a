"""A saved index: a folder of files that never change, and one pointer that does.

    CURRENT                     name and hash of the manifest in force
    manifest-<token>.json       the files of this state, their sizes
    segment-<token>.seg ...     one file per segment, kept as long as a manifest names it
    state-<token>.seg           removed rows, and the training events

Saving writes new files, then the manifest, then replaces CURRENT: a kill at any moment leaves the old index or the
new one. Files that the new manifest does not name are removed afterwards; whoever has them mapped keeps them.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import xxhash

from watchword.coding.cells import Cells
from watchword.coding.values import Values
from watchword.errors import StorageError
from watchword.index.container import FORMAT, Arrays, read_container, write_container
from watchword.index.contents import Snapshot
from watchword.index.segment import Kind, Segment
from watchword.index.segment_file import read_names, read_segment, write_names, write_segment
from watchword.text.settings import TextSettings

VERIFY_BYTES: Final = 1 << 30  # up to here `open` verifies every byte by itself
_CURRENT: Final = "CURRENT"
_OWN_FILE: Final = re.compile(r"(segment|state)-[0-9a-f]{16}\.seg|manifest-[0-9a-f]{16}\.json")


@dataclass(slots=True)
class Saved:
    segments: list[Segment]
    training: Cells | None
    names: list[str]  # of the attributes, by number
    kind: Kind


def save(folder: Path, snapshot: Snapshot, training: Cells | None, names: list[str], kind: Kind) -> None:
    """The snapshot's heads must be empty. `names` are the attributes by number, as the training events have them.

    One process at a time writes to a folder: others wait.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        segments = [part.segment for part in snapshot.sealed]
        for segment in segments:
            name = segment.saved_as.get(str(folder))
            if name is None or not (folder / name).is_file():
                name = f"segment-{secrets.token_hex(8)}.seg"
                write_segment(folder / name, segment)
                segment.saved_as[str(folder)] = name
        state = f"state-{secrets.token_hex(8)}.seg"
        _write_state(folder / state, segments, snapshot.version, training, names)
        used = [segment.saved_as[str(folder)] for segment in segments]
        manifest = _publish(folder, used, state, kind)
        for path in folder.iterdir():
            if _OWN_FILE.fullmatch(path.name) and path.name not in {*used, state, manifest}:
                path.unlink(missing_ok=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _publish(folder: Path, segments: list[str], state: str, kind: Kind) -> str:
    """Make these files the index of the folder; the name of their manifest."""
    sizes = {name: (folder / name).stat().st_size for name in [*segments, state]}
    content = json.dumps(
        {
            "format": FORMAT,
            "structure": {"name": kind.name, "parameters": dict(kind.parameters)},
            "text": asdict(kind.text),
            "segments": segments,
            "state": state,
            "sizes": sizes,
        }
    ).encode()
    manifest = f"manifest-{secrets.token_hex(8)}.json"
    write_synced(folder / manifest, content)
    sync_folder(folder)
    pointer = json.dumps({"manifest": manifest, "hash": xxhash.xxh3_64_hexdigest(content)}).encode()
    write_synced(folder / (_CURRENT + ".new"), pointer)
    os.replace(folder / (_CURRENT + ".new"), folder / _CURRENT)
    sync_folder(folder)
    return manifest


def load(folder: Path, verify: bool | None) -> Saved:
    """`verify`: compare every byte with its checksum; None does so up to 1 GiB."""
    while True:
        pointer = _read_pointer(folder)
        try:
            return _load(folder, pointer, verify)
        except StorageError:
            if _read_pointer(folder) == pointer:
                raise
            # saved anew in the meantime: what was to be read may be gone already


def _load(folder: Path, pointer: dict[str, str], verify: bool | None) -> Saved:
    manifest = _read_manifest(folder, pointer)
    for name, size in manifest["sizes"].items():
        path = folder / name
        if not path.is_file():
            raise StorageError(f"the index in {folder} lacks {name}: restore the file or build the index again")
        if path.stat().st_size != size:
            raise StorageError(f"{name} has {path.stat().st_size} bytes, not {size}: it is cut off or was changed")
    if verify is None:
        verify = sum(manifest["sizes"].values()) <= VERIFY_BYTES
    segments = [read_segment(folder / name, verify=verify) for name in manifest["segments"]]
    state = read_container(folder / manifest["state"], verify=verify).arrays
    for number, (segment, name) in enumerate(zip(segments, manifest["segments"], strict=True)):
        segment.saved_as[str(folder)] = name
        for row in state[f"removed.{number}"].tolist():
            segment.delete(row, 1)
    structure, text = manifest["structure"], TextSettings(**manifest["text"])
    kind = Kind(structure["name"], structure["parameters"], text)
    return Saved(segments, _read_training(state), read_names(state), kind)


def _read_pointer(folder: Path) -> dict[str, str]:
    try:
        pointer = json.loads((folder / _CURRENT).read_bytes())
        if "version" in pointer:
            raise StorageError(
                f"{folder} is an index that Spark built: match with wws.match or `watchword match --index {folder}`"
            )
        if _OWN_FILE.fullmatch(pointer["manifest"]) and isinstance(pointer["hash"], str):
            return {"manifest": pointer["manifest"], "hash": pointer["hash"]}
    except (FileNotFoundError, NotADirectoryError):
        raise StorageError(f"there is no index in {folder}: build one with Index.save or `watchword build`") from None
    except (ValueError, KeyError, TypeError):
        pass
    raise StorageError(f"{_CURRENT} in {folder} is damaged: it names no manifest")


def _read_manifest(folder: Path, pointer: dict[str, str]) -> dict[str, Any]:
    name = pointer["manifest"]
    try:
        content = (folder / name).read_bytes()
    except FileNotFoundError:
        raise StorageError(
            f"the index in {folder} lacks {name}, which {_CURRENT} names: restore the file or build the index again"
        ) from None
    if xxhash.xxh3_64_hexdigest(content) != pointer["hash"]:
        raise StorageError(f"{name} is damaged: it does not have the checksum that {_CURRENT} has")
    manifest: dict[str, Any] = json.loads(content)
    if manifest["format"] != FORMAT:
        raise StorageError(
            f"the index in {folder} has format {manifest['format']}, this version reads format {FORMAT}: build it again"
        )
    return manifest


def _write_state(path: Path, segments: list[Segment], version: int, training: Cells | None, names: list[str]) -> None:
    arrays: dict[str, npt.NDArray[Any]] = {
        f"removed.{number}": np.flatnonzero((segment.deleted_at > 0) & (segment.deleted_at <= version))
        for number, segment in enumerate(segments)
    }
    if training is not None:
        arrays |= {f"training.{name}": array for name, array in training.raw()._asdict().items()}
    arrays |= write_names(names)
    write_container(path, arrays, {})


def _read_training(arrays: Arrays) -> Cells | None:
    if "training.starts" not in arrays:
        return None

    def column(name: str) -> npt.NDArray[Any]:
        return arrays[f"training.{name}"]

    values = Values(column("kind"), column("bits"), column("length"), column("text"))
    return Cells(column("starts"), column("attribute"), column("flags"), values, {})


def write_synced(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
