"""The structures by name."""

from __future__ import annotations

_STRUCTURES = {
    "auto": "access keys by cost, lists of records and blocks of bits (Watchword's own; docs/how-it-works.md)",
}


def structures() -> dict[str, str]:
    """Name -> one line, with the paper's section where there is one."""
    return dict(_STRUCTURES)
