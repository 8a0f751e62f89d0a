"""What Spark says on standard error: errors come through, what it says of itself at every start does not.

log4j2.properties    of the logs only errors, in one line each and with their trace
Filtered             the JVM's own words, which no setting can change: line by line, known noise left out
"""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Thread
from types import TracebackType
from typing import Final, Self

LOG4J: Final = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %p %c{1}: %m%n%ex
# The class that PySpark starts has the say over all others, and would let warnings through.
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
logger.native.name = org.apache.hadoop.util.NativeCodeLoader
logger.native.level = off
logger.shutdown.name = org.apache.spark.util.ShutdownHookManager
logger.shutdown.level = off
"""
_NOISE: Final = (b"WARNING: Using incubator modules: jdk.incubator.vector",)


class Filtered:
    """Processes that are started meanwhile write to standard error through a pipe, as long as they live."""

    def __enter__(self) -> Self:
        self._own = os.dup(2)
        reading, writing = os.pipe()
        Thread(target=_pass_on, args=(reading, os.dup(2)), name="stderr of Spark", daemon=True).start()
        os.dup2(writing, 2)
        os.close(writing)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.dup2(self._own, 2)
        os.close(self._own)


def _pass_on(reading: int, to: int) -> None:
    with open(reading, "rb") as lines, open(to, "wb", buffering=0) as out:
        for line in lines:
            if not line.startswith(_NOISE):
                with suppress(OSError):  # nobody reads ours any more: go on, or the JVM would wait
                    out.write(line)
