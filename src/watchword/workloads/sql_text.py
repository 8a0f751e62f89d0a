"""SQL text of many predicates and expressions at once, as Arrow columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.workloads.choice import Integers


def names(prefix: str, count: int) -> pa.Array:
    """a0, a1, a2 ..."""
    return pc.binary_join_element_wise(prefix, as_text(np.arange(count)), "")


def as_text(numbers: Integers) -> pa.Array:
    return pc.cast(pa.array(numbers), pa.string())


def joined(*parts: pa.Array | str) -> pa.Array:
    """The parts of every row, one behind another."""
    return pc.binary_join_element_wise(*parts, "")


def in_lists(sizes: Integers, texts: pa.Array, separator: str) -> pa.Array:
    """Texts joined row by row: the first sizes[0] of them make the first."""
    starts = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=starts[1:])
    return pc.binary_join(pa.ListArray.from_arrays(starts, texts), separator)


def conjunctions(sizes: Integers, predicates: pa.Array) -> pa.Array:
    return in_lists(sizes, predicates, " AND ")


def in_order(groups: Sequence[tuple[Integers, pa.Array]]) -> pa.Array:
    """Texts made group by group, each brought to its place: (places, texts) of every group."""
    places = np.concatenate([place for place, _ in groups])
    source = np.empty(len(places), np.int64)
    source[places] = np.arange(len(places))
    return pa.concat_arrays([texts for _, texts in groups]).take(pa.array(source))
