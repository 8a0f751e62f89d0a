"""A file of named arrays, mapped into memory when it is read.

    "WATCHWRD" | format version | header length | header hash | header (JSON) | array | array | ...

The header names every array with its type, shape, place and hash; arrays begin at multiples of 64 bytes. A file is
written whole under its final name or not at all seen: whoever refers to it does so only after it is on disk.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import xxhash

from watchword.errors import StorageError

_MAGIC: Final = b"WATCHWRD"
_PREFIX: Final = struct.Struct("<8sIIQ")
_ALIGNMENT: Final = 64
FORMAT: Final = 4

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(slots=True)
class Container:
    arrays: dict[str, npt.NDArray[Any]]
    meta: dict[str, Any]


def write_container(path: Path, arrays: Arrays, meta: Mapping[str, Any]) -> None:
    entries: list[dict[str, Any]] = []
    place = 0
    for name, array in arrays.items():
        data = np.ascontiguousarray(array)
        entries.append(
            {
                "name": name,
                "type": data.dtype.str,
                "shape": data.shape,
                "place": place,
                "bytes": data.nbytes,
                "hash": xxhash.xxh3_64_hexdigest(_bytes_of(data)),
            }
        )
        place += -(-data.nbytes // _ALIGNMENT) * _ALIGNMENT
    header = json.dumps({"arrays": entries, "meta": meta}).encode()
    prefix = _PREFIX.pack(_MAGIC, FORMAT, len(header), xxhash.xxh3_64_intdigest(header))
    first = _first_array(len(header))
    with open(path, "wb") as file:
        file.write(prefix + header)
        for entry, array in zip(entries, arrays.values(), strict=True):
            file.seek(first + entry["place"])
            file.write(_bytes_of(np.ascontiguousarray(array)))
        file.truncate(first + place)
        file.flush()
        os.fsync(file.fileno())


def read_container(path: Path, *, verify: bool) -> Container:
    """Map the file; with `verify`, compare every byte with its hash."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            # a private map: arrays count as writable, which spares every kernel a second version, yet pages are shared
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) if size else b""
    except OSError as error:
        raise StorageError(f"cannot read {path.name}: {error.strerror}") from None
    header = _header(path, mapped, size)
    first = _first_array(_PREFIX.unpack_from(mapped)[2])
    arrays: dict[str, npt.NDArray[Any]] = {}
    for entry in header["arrays"]:
        begin, end = first + entry["place"], first + entry["place"] + entry["bytes"]
        if end > size:
            raise StorageError(
                f"{path.name} is cut off: array {entry['name']!r} ends at byte {end}, the file at {size}"
            )
        count = int(np.prod(entry["shape"], dtype=np.int64))
        array = np.frombuffer(mapped, np.dtype(entry["type"]), count, begin).reshape(entry["shape"])
        if verify and xxhash.xxh3_64_hexdigest(_bytes_of(array)) != entry["hash"]:
            raise StorageError(f"{path.name} is damaged: array {entry['name']!r} does not have its checksum")
        arrays[entry["name"]] = array
    return Container(arrays, header["meta"])


def _header(path: Path, mapped: Any, size: int) -> dict[str, Any]:
    if size < _PREFIX.size:
        raise StorageError(f"{path.name} is cut off: it has {size} bytes")
    magic, version, length, digest = _PREFIX.unpack_from(mapped)
    if magic != _MAGIC:
        raise StorageError(f"{path.name} is no file of Watchword")
    if version != FORMAT:
        raise StorageError(
            f"{path.name} has format {version}, this version reads format {FORMAT}: build the index again"
        )
    raw = bytes(mapped[_PREFIX.size : _PREFIX.size + length])
    if xxhash.xxh3_64_intdigest(raw) != digest:
        raise StorageError(f"{path.name} is damaged: its header does not have its checksum")
    header: dict[str, Any] = json.loads(raw)
    return header


def _first_array(header_length: int) -> int:
    return -(-(_PREFIX.size + header_length) // _ALIGNMENT) * _ALIGNMENT


def _bytes_of(array: npt.NDArray[Any]) -> memoryview | bytes:
    return array.reshape(-1).data.cast("B") if array.size else b""
