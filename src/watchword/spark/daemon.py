"""Where Spark's Python workers come from: a process that has the library loaded, and forks.

What it loads is shared by all workers and there at once. Spark starts it with
`spark.python.daemon.module=watchword.spark.daemon`; it is of use with any session, and needed by none.
"""

from __future__ import annotations

from pyspark.daemon import manager

import watchword.index.index  # noqa: F401  loaded before the workers fork

if __name__ == "__main__":
    manager()
