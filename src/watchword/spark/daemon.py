"""Where Spark's Python workers come from: a process that has the library and its kernels loaded, and forks.

What it loads is shared by all workers and there at once. Spark starts it with
`spark.python.daemon.module=watchword.spark.daemon`; it is of use with any session, and needed by none.
"""

from __future__ import annotations

import gc

import pyarrow as pa
from pyspark.daemon import manager

from watchword.index.index import Index


def load_kernels() -> None:
    """Match a little, in every form of event: machine code that is loaded before the fork is there only once."""
    with Index() as index:
        texts = [f"a = {number} AND b > {number} AND c = 'x{number}'" for number in range(64)]
        index.subscribe_many(pa.table({"id": list(range(64)), "expression": texts}))
        index.flush()
        maps = pa.array([[("a", 3), ("b", 9)]], pa.map_(pa.string(), pa.int64()))
        index.match_batch(pa.RecordBatch.from_pydict({"event": ['{"a": 3, "b": 9, "c": "x3"}']}), json="event")
        index.match_batch(pa.RecordBatch.from_arrays([maps, pa.array(["x3"])], ["event", "c"]))


if __name__ == "__main__":
    load_kernels()
    gc.collect()
    gc.freeze()  # a worker's collector would write to every object, and so to a copy of its page
    manager()
