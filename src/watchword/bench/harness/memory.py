"""The memory of this process, where the system tells."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_STATUS: Final = Path("/proc/self/status")
_FORGET: Final = Path("/proc/self/clear_refs")


def forget_peak() -> None:
    """From now on the peak is that of what follows."""
    if _FORGET.exists():
        _FORGET.write_text("5")


def resident(field: str = "VmRSS") -> int:
    """Bytes in memory now, or, with `VmHWM`, at most; 0 where the system does not tell."""
    if not _STATUS.exists():
        return 0
    lines = _STATUS.read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))
