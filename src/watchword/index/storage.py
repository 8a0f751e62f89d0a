"""A saved index: a folder of files that never change, and one pointer that does.

    CURRENT                     name and hash of the manifest in force
    manifest-<token>.json       the files of this state, their sizes
    segment-<token>.seg ...     one file per segment, kept as long as a manifest names it
    state-<token>.seg           removed rows, and the training events

Saving writes new files, then the manifest, then replaces CURRENT: a kill at any moment leaves the old index or the
new one. Files that only an older manifest names are removed afterwards; whoever has them mapped keeps them.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
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
from watchword.index.segment import Segment
from watchword.index.segment_file import read_names, read_segment, write_names, write_segment

VERIFY_BYTES: Final = 1 << 30  # up to here `open` verifies every byte by itself
_CURRENT: Final = "CURRENT"


@dataclass(slots=True)
class Saved:
    segments: list[Segment]
    files: list[str]  # of the segments
    training: Cells | None
    names: list[str]  # of the attributes, by number


def save(folder: Path, snapshot: Snapshot, files: dict[int, str], training: Cells | None, names: list[str]) -> None:
    """`files` remembers by id() which segments this folder already holds; new ones are added to it.

    The snapshot's heads must be empty. `names` are the attributes by number, as the training events have them.
    """
    segments = [part.segment for part in snapshot.sealed]
    folder.mkdir(parents=True, exist_ok=True)
    before = _named_files(folder)
    for segment in segments:
        if files.get(id(segment)) not in before:
            files[id(segment)] = f"segment-{secrets.token_hex(8)}.seg"
            write_segment(folder / files[id(segment)], segment)
    state = f"state-{secrets.token_hex(8)}.seg"
    _write_state(folder / state, segments, snapshot.version, training, names)
    used = [files[id(segment)] for segment in segments]
    sizes = {name: (folder / name).stat().st_size for name in [*used, state]}
    manifest = f"manifest-{secrets.token_hex(8)}.json"
    content = json.dumps({"format": FORMAT, "segments": used, "state": state, "sizes": sizes}).encode()
    _write_synced(folder / manifest, content)
    _sync_folder(folder)
    pointer = json.dumps({"manifest": manifest, "hash": xxhash.xxh3_64_hexdigest(content)}).encode()
    _write_synced(folder / (_CURRENT + ".new"), pointer)
    os.replace(folder / (_CURRENT + ".new"), folder / _CURRENT)
    _sync_folder(folder)
    for name in before - {*used, state, manifest}:
        (folder / name).unlink(missing_ok=True)


def load(folder: Path, verify: bool | None) -> Saved:
    """`verify`: compare every byte with its checksum; None does so up to 1 GiB."""
    _, manifest = _read_manifest(folder)
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
    for number, segment in enumerate(segments):
        for row in state[f"removed.{number}"].tolist():
            segment.delete(row, 1)
    return Saved(segments, manifest["segments"], _read_training(state), read_names(state))


def _read_manifest(folder: Path) -> tuple[str, dict[str, Any]]:
    try:
        pointer = json.loads((folder / _CURRENT).read_bytes())
        content = (folder / pointer["manifest"]).read_bytes()
    except FileNotFoundError:
        raise StorageError(f"there is no index in {folder}: build one with Index.save or `watchword build`") from None
    except (ValueError, KeyError, TypeError, OSError):
        raise StorageError(f"{_CURRENT} in {folder} is damaged: it names no manifest") from None
    if xxhash.xxh3_64_hexdigest(content) != pointer.get("hash"):
        raise StorageError(f"{pointer['manifest']} is damaged: it does not have its checksum")
    manifest: dict[str, Any] = json.loads(content)
    if manifest["format"] != FORMAT:
        raise StorageError(
            f"the index in {folder} has format {manifest['format']}, this version reads format {FORMAT}: build it again"
        )
    return pointer["manifest"], manifest


def _named_files(folder: Path) -> set[str]:
    """The files of the index that the folder holds now; none if it holds none, or a damaged one."""
    try:
        name, manifest = _read_manifest(folder)
    except StorageError:
        return set()
    return {name, *manifest["sizes"]}


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


def _write_synced(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
