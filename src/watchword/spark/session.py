"""Spark on this machine: what it needs, and a quiet session that leaves nothing behind in the user's folder.

Any other session works as well, a Spark Connect one too: the pipeline uses nothing but DataFrames.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from watchword.errors import MissingDependencyError
from watchword.spark.quiet import LOG4J, Filtered

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA_VERSION: Final = 17
DAEMON: Final = "watchword.spark.daemon"


def require_pyspark() -> None:
    if find_spec("pyspark") is None:
        raise MissingDependencyError("Spark is not installed: pip install 'watchword[spark]'")


def require_java() -> None:
    """Spark runs on Java; without one its own message is a stack trace."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    remedy = (
        f"install Java {JAVA_VERSION} (Debian and Ubuntu: sudo apt install openjdk-{JAVA_VERSION}-jre-headless; "
        f"macOS: brew install openjdk@{JAVA_VERSION})"
    )
    if java is None:
        raise MissingDependencyError(f"Spark needs Java, and there is no `java` on the PATH: {remedy}")
    try:
        subprocess.run([java, "-version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        where = "JAVA_HOME names" if home else "the PATH has"
        raise MissingDependencyError(
            f"Spark needs Java, and the one that {where}, {java}, does not run: {remedy}"
        ) from None


@contextmanager
def session(
    master: str = "local[*]", *, memory: str = "2g", settings: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """A session that is stopped in the end. `memory` is the driver's, which runs the tasks too where it is local."""
    require_pyspark()
    require_java()
    with TemporaryDirectory(prefix="watchword-spark-") as scratch:
        spark = _start(master, memory, Path(scratch), dict(settings or {}))
        try:
            yield spark
        finally:
            spark.stop()


def _start(master: str, memory: str, scratch: Path, settings: Mapping[str, str]) -> SparkSession:
    (scratch / "conf").mkdir()
    (scratch / "conf" / "log4j2.properties").write_text(LOG4J)
    # Workers must run the Python that has this package, and the first JVM reads these when it starts.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if _is_here(master):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["SPARK_CONF_DIR"] = str(scratch / "conf")
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)  # errors are raised as well

    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("watchword")
    for name, value in {**_defaults(master, scratch, memory), **_addresses(master), **settings}.items():
        builder = builder.config(name, value)
    with Filtered():
        return builder.getOrCreate()


def _defaults(master: str, scratch: Path, memory: str) -> dict[str, str]:
    return {
        "spark.driver.memory": memory,
        # G1's threads beside it would take time from the Python workers: a build of five million takes a fifth longer
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={scratch} -XX:+UseParallelGC",
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.python.daemon.module": DAEMON,
        # of events that move to shards and buckets: Spark's 200 tasks are for clusters
        **({"spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1))} if master.startswith("local[") else {}),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
    }


def _is_here(master: str) -> bool:
    return master.startswith("local") or "//127.0.0.1:" in master


def _addresses(master: str) -> dict[str, str]:
    """Executors elsewhere must reach the driver; where there are none, nobody else should."""
    return dict.fromkeys(["spark.driver.host", "spark.driver.bindAddress"], "127.0.0.1") if _is_here(master) else {}
