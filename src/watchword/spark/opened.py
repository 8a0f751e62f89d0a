"""Versions that a worker process has open: mapped once, used by every task that comes to this process."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from watchword.errors import StorageError
from watchword.index.index import Index
from watchword.spark.versions import Version, checked_hash

KEPT: Final = 2  # while a stream moves to the next version; older ones go, so that memory stays flat

_open: OrderedDict[tuple[str, tuple[str, ...]], Index] = OrderedDict()
_verified: set[str] = set()


def opened(version: Version) -> Index:
    """The parts of this version as one index. The files are shared with all processes of this host that map them."""
    key = version.path, tuple(part.hash + part.folder for part in version.parts)
    index = _open.get(key)
    if index is None:
        index = _open[key] = _map(version)
    _open.move_to_end(key)
    while len(_open) > KEPT:
        _open.popitem(last=False)
    return index


def _map(version: Version) -> Index:
    # Bytes are compared with their checksums by the first to open them: a part that is in several versions, once.
    new = any(part.hash not in _verified for part in version.parts)
    index = open_version(version, None if new else False)
    _verified.update(part.hash for part in version.parts)
    return index


def open_version(version: Version, verify: bool | None) -> Index:
    """`verify`: compare every byte with its checksum; None does so in parts of up to 1 GiB."""
    folders = version.folders()
    for part, folder in zip(version.parts, folders, strict=True):
        if checked_hash(folder) != part.hash:
            raise StorageError(f"the part {folder} is not the one that version {version.number} names: build it again")
    return Index.open_parts(folders, verify)


def forget() -> None:
    """Close everything that is open in this process."""
    _open.clear()
    _verified.clear()
