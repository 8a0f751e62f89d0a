"""The times in the cost function, in nanoseconds: of checking a query, of an AND, of picking documents out of bits.

    time_check   a full evaluation on a batch            by the number of the query's terms: 2, 3, 4, 5, more
    time_AND     one AND of two bit arrays of a batch
    time_avoid   the documents of a query that is left   likewise by the number of terms

Those of the thesis (tables 3 and 4, section 6.4) are of Lucene on its machine; `calibrate` measures them here.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.kernel import lean
from watchword.structures.luwak.cooccurrence import F64

BATCH_SIZES: Final = (200, 400, 600, 800, 1000, 1200)
TIME_AND: Final = (82, 87, 95, 103, 110, 117)
TIME_CHECK: Final = (
    (6870, 7381, 7745, 8778, 9040, 10201),
    (8560, 9574, 10328, 10600, 11136, 12196),
    (10695, 11656, 12645, 13027, 13690, 14496),
    (12535, 13093, 14520, 14513, 15521, 16509),
    (16446, 16882, 17457, 18211, 18719, 19201),
)
TIME_AVOID: Final = (
    (2268, 3282, 4067, 5618, 6786, 7921),
    (1215, 1789, 2066, 2721, 3168, 3744),
    (968, 1343, 1414, 1902, 2030, 2254),
    (803, 1048, 1141, 1258, 1392, 1512),
    (855, 1046, 1098, 1300, 1490, 1597),
)
ROWS: Final = len(TIME_CHECK)


class Times(NamedTuple):
    check: F64
    one_and: float
    avoid: F64
    measured: bool


def thesis_times(batch_size: int) -> Times:
    """Those of the thesis, between the nearest of its batch sizes."""

    def at(row: tuple[int, ...]) -> float:
        return float(np.interp(batch_size, BATCH_SIZES, row))

    return Times(np.array([*map(at, TIME_CHECK)]), at(TIME_AND), np.array([*map(at, TIME_AVOID)]), False)


@lean
def row_of_times(size: int) -> int:
    """Which row is of queries with so many terms."""
    return min(max(size - 2, 0), ROWS - 1)
