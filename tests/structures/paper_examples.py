"""The subscriptions of OpIndex, Table 1, which its Figure 2 shows as a k-index; and codes as tests look them up."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from tests.structures.cases import Workbench

OPINDEX_TABLE_1: Final = [
    "A = 2 AND B IN (3, 6, 9)",
    "A <= 8 AND C >= 2",
    "C = 6 AND B <= 4 AND E BETWEEN 3 AND 12",
    "A = 2",
    "D >= 12 AND E <= 9",
    "B IN (3, 6) AND C <= 4 AND D >= 10 AND E <= 7",
]


def code_of(bench: Workbench, attribute: str, value: Any) -> tuple[int, int]:
    """The dimension and code of a value."""
    events = bench.events([{attribute: value}])
    place = int(np.flatnonzero(events.dimension != 0)[0])
    return int(events.dimension[place]), int(events.code[place])


def entries_of(structure: Any, bench: Workbench, attribute: str, value: Any, size: int = 0) -> list[int]:
    """The list of (size, attribute, value) of an inverted index, entry by entry."""
    lists = structure.lists
    dimension, code = code_of(bench, attribute, value)
    partitions = int(lists.partition.max()) + 1
    partition = int(lists.partition[size])
    if partition < 0:
        return []
    number = int(lists.directory[(lists.token[dimension] + code) * partitions + partition])
    if number < 0:
        return []
    start = int(lists.start[number])
    return [int(entry) for entry in lists.entry[start : start + int(lists.length[number])]]
