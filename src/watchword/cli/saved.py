"""A saved index for a command, as `Index.save` or a build on Spark has left it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import watchword

if TYPE_CHECKING:
    from watchword.index.index import Index


class Saved(NamedTuple):
    opened: Index
    of_spark: dict[str, int]  # the version in force and its parts; empty where one process saved it


def open_saved(path: Path, verify: bool | None = None, *, by_tenant: bool = False) -> Saved:
    """`by_tenant`: may the subscriptions belong to tenants? Then ids and events are not what a user knows."""
    if not _is_of_spark(path):
        return Saved(watchword.Index.open(path, verify), {})
    from watchword.spark import versions
    from watchword.spark.opened import open_version

    version = versions.current(path)
    if version.tenant_attribute is not None and not by_tenant:
        raise watchword.StorageError(
            f"the subscriptions of {path} belong to tenants: match them on Spark (wws.match, or --engine spark), and "
            "explain one from its file, with --subscriptions FILE ID"
        )
    return Saved(open_version(version, verify), {"version": version.number, "parts": len(version.parts)})


def _is_of_spark(path: Path) -> bool:
    """Its pointer names a version in place of a manifest."""
    try:
        pointer = json.loads((path / "CURRENT").read_bytes())
    except (OSError, ValueError):
        return False  # opening it says what is wrong
    return isinstance(pointer, dict) and "version" in pointer
