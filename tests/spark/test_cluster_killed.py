"""Executors, Python workers and their daemons killed in mid-job, on two kinds of cluster: the result is exact."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet
import pytest
from tests.spark import cluster_job
from tests.spark.answers import as_json, expected, offers, rows, subscriptions
from tests.spark.killing import find, kill_session, processes, program

import watchword
import watchword.spark as wws

EVENTS: Final = 9000
VICTIMS: Final = {
    "executor": "CoarseGrainedExecutorBackend",
    "python worker": "pyspark.worker",
    "daemon": "pyspark.worker",
}


@pytest.fixture(scope="module")
def case(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[tuple[Any, Any]]]:
    folder = tmp_path_factory.mktemp("cluster")
    wws.build(spark.createDataFrame(subscriptions()), folder / "index", parts=2)
    base = offers()
    table = as_json([base[number % len(base)] for number in range(EVENTS)])
    pyarrow.parquet.write_table(table, folder / "events.parquet")
    index = watchword.Index()
    index.subscribe_many(subscriptions())
    return folder / "index", folder / "events.parquet", expected(index, table, "event")


@pytest.mark.long
@pytest.mark.parametrize("victim", list(VICTIMS))
@pytest.mark.parametrize("cluster", ["local-cluster", "standalone"])
def test_the_result_is_exact(spark: Any, case: Any, tmp_path: Path, cluster: str, victim: str) -> None:
    index, events, wanted = case
    with standalone(tmp_path) if cluster == "standalone" else local_cluster() as (master, session):
        log = tmp_path / "log"
        with program(
            str(cluster_job.__file__), master, str(index), str(events), str(tmp_path / "out"), log=log
        ) as driver:
            kill(session or driver.pid, victim, log)
            assert driver.wait(timeout=240) == 0, log.read_text()
    assert rows(spark.read.parquet(str(tmp_path / "out"))) == wanted


def kill(session: int, victim: str, log: Path) -> None:
    """Once workers are at work, the middle of the job has come."""
    deadline = time.monotonic() + 90
    while "begins" not in log.read_text():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    find(session, "pyspark.worker", 90)
    time.sleep(2)
    pids = find(session, VICTIMS[victim], 90)
    if "python" in victim or victim == "daemon":
        daemons = [pid for pid in pids if parent(pid) not in pids]
        pids = daemons if victim == "daemon" else [pid for pid in pids if pid not in daemons]
    assert pids, processes(session)
    os.kill(pids[0], signal.SIGKILL)


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@contextmanager
def local_cluster() -> Iterator[tuple[str, int]]:
    yield "local-cluster[2,1,1024]", 0


@contextmanager
def standalone(folder: Path) -> Iterator[tuple[str, int]]:
    """A master and two workers on loopback, in a session of their own."""
    from pyspark.find_spark_home import _find_spark_home

    home = Path(_find_spark_home())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    master = f"spark://127.0.0.1:{port}"
    launch = f"'{home}/bin/spark-class' org.apache.spark.deploy"
    shell = [
        f"{launch}.master.Master --host 127.0.0.1 --port {port} --webui-port 0 &",
        *(
            f"{launch}.worker.Worker --host 127.0.0.1 --cores 1 --memory 1g"
            f" --webui-port 0 --work-dir '{folder}/worker{number}' {master} &"
            for number in range(2)
        ),
        "wait",
    ]
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    with open(folder / "servers", "wb") as log:
        servers = subprocess.Popen(
            ["/bin/sh", "-c", "\n".join(shell)], start_new_session=True, stdout=log, stderr=log, env=environment
        )
    try:
        for _ in range(600):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield master, servers.pid
    finally:
        kill_session(servers.pid)
        servers.wait()
