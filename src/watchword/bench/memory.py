"""Memory of the processes that this one has started: Spark's JVM and its Python workers (Linux only)."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def jvm_and_workers() -> tuple[int, int]:
    """Bytes in memory; a page that several processes share counts for each in part."""
    jvm = workers = 0
    for pid in _descendants(os.getpid()):
        with suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"java" in command.split(b"\0")[0]:
                jvm += _bytes(pid)
            elif b"watchword.spark.daemon" in command:
                workers += _bytes(pid)
    return jvm, workers


def _descendants(pid: int) -> list[int]:
    children: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += map(int, (task / "children").read_text().split())
    return children + [one for child in children for one in _descendants(child)]


def _bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0
