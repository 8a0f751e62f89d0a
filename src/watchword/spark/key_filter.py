"""What a part waits for, in short: may an event match something in it?

    key --its upper bits--> a word of 64 bits --its lower bits--> four of them     all set: perhaps, else certainly not

A filter has 16 bits for every key, so an event that has none of the keys of a part visits it once in some hundred
times for each of its own keys. It lies beside the index under the hash of the part, is written by the first match that
needs it, and serves every version that has the part.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.coding.values import I64
from watchword.errors import StorageError
from watchword.index import storage
from watchword.index.container import read_container, write_container
from watchword.index.segment_file import read_names, write_names
from watchword.kernel import kernel
from watchword.spark.access_keys import U64, Frequencies, Keys, keys_of_table
from watchword.spark.statistics import load_frequencies
from watchword.spark.versions import KEYS, Part, Version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHUNK: Final = 1 << 16  # expressions at a time
_KEYS_PER_WORD: Final = 4


class KeyFilter(NamedTuple):
    words: U64  # as many as a power of two
    anything: bool  # something in it may be true of any event
    names: tuple[str, ...]  # of the attributes


def filter_of(keys: U64, anything: bool, names: Sequence[str]) -> KeyFilter:
    """Of distinct keys."""
    words = np.zeros(1 << max(0, len(keys) // _KEYS_PER_WORD).bit_length(), np.uint64)
    _set_bits(words, keys)
    return KeyFilter(words, anything, tuple(names))


def possible(one: KeyFilter, events: Keys) -> npt.NDArray[np.bool_]:
    """The events that may match something; the others certainly do not."""
    if one.anything:
        return np.ones(len(events.starts) - 1, np.bool_)
    return _possible(one.words, events.starts, events.keys)


@kernel
def _set_bits(words: U64, keys: U64) -> None:
    for key in keys:
        words[(key >> np.uint64(24)) & np.uint64(len(words) - 1)] |= _bits(key)


@kernel
def _possible(words: U64, starts: I64, keys: U64) -> npt.NDArray[np.bool_]:
    out = np.zeros(len(starts) - 1, np.bool_)
    for event in range(len(out)):
        for key in keys[starts[event] : starts[event + 1]]:
            bits = _bits(key)
            if words[(key >> np.uint64(24)) & np.uint64(len(words) - 1)] & bits == bits:
                out[event] = True
                break
    return out


@kernel
def _bits(key: np.uint64) -> np.uint64:
    bits = np.uint64(0)
    for place in (0, 6, 12, 18):
        bits |= np.uint64(1) << ((key >> np.uint64(place)) & np.uint64(63))
    return bits


# --- beside the index -----------------------------------------------------------------------------------------


def filter_file(version: Version, part: Part) -> Path:
    return Path(version.path, KEYS, f"{part.hash}.seg")


@lru_cache(maxsize=4096)
def read_filter(file: Path) -> KeyFilter:
    arrays = read_container(file, verify=True).arrays
    return KeyFilter(arrays["words"], bool(arrays["anything"][0]), tuple(read_names(arrays)))


def write_filters(spark: SparkSession, version: Version) -> None:
    """Those that are not there yet, as a Spark job."""
    missing = [part for part in version.parts if not filter_file(version, part).is_file()]
    if not missing:
        return
    try:
        Path(version.path, KEYS).mkdir(exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"sharding writes the keys of every part beside the index, once: {version.path} cannot be written "
            f"({error.strerror})"
        ) from None
    rows = [(part.folder, part.hash) for part in missing]
    work = spark.createDataFrame(rows, "folder string, hash string").repartition(len(rows))
    work.mapInArrow(FilterWriter(version.path, load_frequencies(spark, version.path)), "hash string").toArrow()


@dataclass(frozen=True, slots=True)
class FilterWriter:
    """Folders of parts in, their filters on disk."""

    path: str
    frequencies: Frequencies

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for folder, name in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                self._write(Path(self.path, folder), Path(self.path, KEYS, f"{name}.seg"))
            yield batch.select([1])

    def _write(self, folder: Path, file: Path) -> None:
        saved = storage.load(folder, False)
        keys, anything = [np.empty(0, np.uint64)], False
        for segment in saved.segments:
            rows = segment.live_rows(1)
            for first in range(0, len(rows), CHUNK):
                found = keys_of_table(segment.table(rows[first : first + CHUNK]), self.frequencies)
                keys.append(np.unique(found.keys))
                anything |= bool(found.anything.any())
        made = filter_of(np.unique(np.concatenate(keys)), anything, saved.names)
        new = file.with_suffix(f".{secrets.token_hex(6)}")
        arrays = {"words": made.words, "anything": np.array([anything]), **write_names(list(made.names))}
        write_container(new, arrays, {})
        os.replace(new, file)
