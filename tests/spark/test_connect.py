"""Under Spark Connect, where there are only DataFrames, everything works as it does elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.spark import connect_job
from tests.spark.answers import as_json, expected, offers, subscriptions

import watchword

NEEDED = ("grpc", "grpc_status", "google.rpc", "zstandard")


def missing() -> list[str]:
    def is_there(name: str) -> bool:
        try:
            return find_spec(name) is not None
        except ModuleNotFoundError:
            return False

    return [name for name in NEEDED if not is_there(name)]


@pytest.mark.long
@pytest.mark.skipif(
    bool(missing()), reason=f"Spark Connect needs {', '.join(missing())}: pip install 'watchword[connect]'"
)
def test_all_of_it_under_spark_connect(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), *sys.path])
    done = subprocess.run(
        [sys.executable, str(connect_job.__file__), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads((tmp_path / "told.json").read_text())
    index = watchword.Index()
    index.subscribe_many(subscriptions())
    wanted = [list(pair) for pair in expected(index, as_json(offers()), "event")]
    assert "connect" in told["session"]
    assert told["built"] == [len(index), 0]
    for strategy in ("replicate", "shard", "join"):
        assert told[strategy] == [wanted, [len(offers())]]
    assert (told["events"], told["updated"]) == (len(offers()), len(index) - 1)
