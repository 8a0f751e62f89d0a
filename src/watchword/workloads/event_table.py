"""Events as tables."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from watchword.workloads.choice import Integers


def map_column(sizes: Integers, names: pa.Array, values: pa.Array) -> pa.Array:
    """A map per event: the first sizes[0] names and values make the first."""
    starts = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=starts[1:])
    return pa.MapArray.from_arrays(pa.array(starts), names, values)


def map_table(sizes: Integers, names: pa.Array, values: pa.Array) -> pa.Table:
    return pa.table({"event": map_column(sizes, names, values)})
