"""Room for results: large arrays from Arrow's allocator.

It keeps freed memory at hand for a while. NumPy's large arrays, and those that kernels allocate, are new memory from
the system each time, and the first write to each page of it costs more than the results themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def room(size: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """An array of this size; what it holds is undefined."""
    kind = np.dtype(dtype)
    return np.frombuffer(pa.allocate_buffer(max(1, size) * kind.itemsize), kind)[:size]
