"""The benchmark of the pipeline runs to its end, however little it is given."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.long
@pytest.mark.parametrize("work", ["match", "build", "driver", "strategies", "growth"])
def test_it_runs_to_its_end(tmp_path: Path, work: str) -> None:
    """In a process of its own: it starts and stops sessions."""
    plot = tmp_path / "plot.svg"
    command = [sys.executable, "-m", "watchword", "bench", "spark", "--format", "json", "--work", work,
               "--subscriptions", "20000", "--events", "20000", "--plot", str(plot)]  # fmt: skip
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    rows = json.loads(done.stdout)
    assert len(rows) >= 3
    assert all(row["measured"] > 0 for row in rows)
    assert plot.exists() == (work == "growth")
