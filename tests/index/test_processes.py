"""Other processes: one is killed while it saves, two have an index open at once."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.index.saving_process import SUBSCRIPTIONS, state_of

from watchword.index.index import Index

PROGRAM = str(Path(__file__).with_name("saving_process.py"))


def start(task: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, PROGRAM, task, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def kill_while_saving(folder: Path, delay: float) -> int:
    """The last state that the process said was saved when it was killed `delay` seconds after the first."""
    with start("save", folder) as process:
        assert process.stdout is not None
        said = [process.stdout.readline()]
        time.sleep(delay)
        process.kill()
        said += process.stdout.readlines()
    return int([line for line in said if line.endswith("\n")][-1])


def check(folder: Path, delay: float) -> None:
    last = kill_while_saving(folder, delay)
    assert state_of(Index.open(folder, verify=True)) in (last, last + 1)


def test_killed_while_it_saves(tmp_path: Path) -> None:
    for delay in (0.003, 0.05):
        check(tmp_path, delay)


@pytest.mark.long
def test_killed_while_it_saves_for_long(tmp_path: Path) -> None:
    pick = random.Random(9)
    for _ in range(25):
        check(tmp_path, pick.uniform(0, 0.3))
    index = Index.open(tmp_path)
    index.save(tmp_path)
    assert len(list(tmp_path.iterdir())) < 10, "what killed processes wrote piles up"


def test_two_processes_have_it_open(tmp_path: Path) -> None:
    index = Index()
    index.subscribe_many([(k, "x = 5") for k in range(SUBSCRIPTIONS)])
    index.save(tmp_path)
    with start("match", tmp_path) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        for state in (5, 6, 7):
            other.stdin.write("\n")
            other.stdin.flush()
            assert other.stdout.readline() == "5\n"
            index.subscribe_many([(k, f"x = {state}") for k in range(SUBSCRIPTIONS)])
            index.save(tmp_path)
            assert state_of(Index.open(tmp_path)) == state
        other.stdin.close()
    assert other.returncode == 0
