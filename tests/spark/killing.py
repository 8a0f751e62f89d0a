"""Programs that tests kill: started in a session of their own, found by what they run, ended by pid."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def program(*arguments: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A Python program and all that it starts; whatever still runs in the end is killed."""
    with open(log, "ab") as output:
        started = subprocess.Popen(
            [sys.executable, *arguments], start_new_session=True, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    try:
        yield started
    finally:
        kill_session(started.pid)
        started.wait()


def processes(session: int) -> dict[int, str]:
    """The command lines of all processes of a session by their pid."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                stat = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(stat[3]) == session and stat[0] != "Z":
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


def kill_session(session: int) -> None:
    """kill -9 to every process of it: the driver, its JVM, their workers. None is left."""
    while pids := processes(session):
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def find(session: int, words: str, patience: float = 60) -> list[int]:
    """The processes of a session that run this, as soon as there are some."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        found = [pid for pid, command in processes(session).items() if words in command]
        if found:
            return sorted(found)
        time.sleep(0.05)
    raise TimeoutError(f"no process runs {words}; there are {processes(session)}")
