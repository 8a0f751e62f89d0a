"""How many terms a web query has: 2.2 on average, at most 12 (EDBT'12 section 4.2).

Of the distribution itself the paper gives no more. This one has its average and its end, two terms as the most frequent
length, and about a third less for every two terms more, as counts of web queries have it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from watchword.workloads.choice import Choice, Integers

PROBABILITIES: Final = np.array(
    [0.3174, 0.3756, 0.1833, 0.0735, 0.0297, 0.0117, 0.0047, 0.0022, 0.0011, 0.0005, 0.0002, 0.0001]
)
LONGEST: Final = len(PROBABILITIES)
_CHOICE: Final = Choice(LONGEST, PROBABILITIES)


def query_lengths(rng: np.random.Generator, rows: int) -> Integers:
    return 1 + _CHOICE.draw(rng, rows)
