"""Counters of the conditions that each conjunction still lacks, for structures that count.

    left[c]   at first needed[c], the conditions of conjunction c; one less for each that the event satisfies
              at 0 they are all satisfied

Invariant: between events left equals needed. An event that satisfied few conditions counts the same ones back up; one
that satisfied many gets a copy of `needed`. Counters wrap: what is counted too often reaches 0 all the same, only
earlier, and must then be verified.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from watchword.kernel import lean
from watchword.structures.conjunctions import Conjunctions

Counters = npt.NDArray[np.unsignedinteger[Any]]

FEW: Final = 16
"""Counting one condition back up costs as much as copying so many counters."""


def with_more(needed: Counters, conjunctions: Conjunctions, first: int, last: int) -> Counters:
    """Counters for the conjunctions first .. last - 1 too, in numbers as small as all of them fit."""
    more = np.diff(conjunctions.starts[first : last + 1])
    kind = np.promote_types(needed.dtype, np.min_scalar_type(int(more.max(initial=0))))
    return np.concatenate([needed.astype(kind, copy=False), more.astype(kind)])


@lean
def start_again(left: Counters, needed: Counters) -> None:
    for c in range(len(left)):
        left[c] = needed[c]
