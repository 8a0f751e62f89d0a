"""Which version a batch meets, noted before its first row goes out: a batch that is repeated meets the same one.

    checkpoint/_watchword_version.json    {"batch": 17, "version": 5}

A folder of batches needs no such note, for a batch that is there is not written again. A topic cannot say what it has:
there a repeated batch is harmless only if it repeats itself.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from watchword.errors import StorageError
from watchword.index.storage import sync_folder, write_synced
from watchword.spark import versions

_NOTE: Final = "_watchword_version.json"


def kept_version(checkpoint: str, index: str, batch: int) -> int:
    """The version in force when this batch was first begun."""
    note = Path(checkpoint, _NOTE)
    known = _read(note)
    if known is not None and known[0] == batch:
        if known[1] not in versions.numbers(index):
            raise StorageError(
                f"batch {batch} began with version {known[1]} of {index}, which has been removed: delete {note} to"
                " match it with the one in force; readers may then see matches of both"
            )
        return known[1]
    number = versions.current(index).number
    new = note.with_suffix(".new")
    write_synced(new, json.dumps({"batch": batch, "version": number}).encode())
    os.replace(new, note)
    sync_folder(note.parent)
    return number


def _read(note: Path) -> tuple[int, int] | None:
    try:
        found = json.loads(note.read_bytes())
        return int(found["batch"]), int(found["version"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        raise StorageError(f"{note} is damaged: restore it, or begin with a new checkpoint") from None
