"""A session says nothing of itself on standard error, and keeps no error back."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

from watchword.spark.quiet import Filtered


def test_a_session_says_nothing_but_errors(tmp_path: Path) -> None:
    program = (
        "import watchword.spark as wws\n"
        "with wws.session('local[1]') as spark:\n"
        "    print(spark.range(3).count())\n"
        "    spark._jvm.java.lang.System.err.println('a word of the JVM')\n"
        "    log = spark._jvm.org.apache.logging.log4j.LogManager.getLogger('org.apache.spark.Some')\n"
        "    log.warn('a warning')\n"
        "    log.error('an error')\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert found.stdout == "3\n"
    assert found.stderr == "a word of the JVM\nERROR Some: an error\n"


def test_only_noise_is_left_out() -> None:
    reading, writing = os.pipe()
    own = os.dup(2)
    os.dup2(writing, 2)
    try:
        with Filtered():
            said = (
                "WARNING: Using incubator modules: jdk.incubator.vector\nWARNING: something else\nan end without a line"
            )
            subprocess.run([sys.executable, "-c", f"import sys; sys.stderr.write({said!r})"], check=True)
        for thread in threading.enumerate():
            if thread.name == "stderr of Spark":
                thread.join(1)
    finally:
        os.dup2(own, 2)
        os.close(own)
        os.close(writing)
    with open(reading, "rb") as read:
        assert read.read() == b"WARNING: something else\nan end without a line"
