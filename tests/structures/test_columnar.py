"""The columnar scan: its columns, its masks of 64 events, and its small types."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from tests.structures.cases import Workbench, found
from tests.structures.paper_examples import OPINDEX_TABLE_1

from watchword.kernel import kernel
from watchword.structures.lanes import LANES, lanes_within, lowest_lane


@kernel
def ask(table: Any, place: int, low: Any, high: Any) -> Any:
    return lanes_within(table, place, low, high)


@kernel
def first_of(mask: Any) -> int:
    return lowest_lane(mask)


def test_conjunctions_stand_by_size_and_conditions_by_selectivity() -> None:
    bench = Workbench(OPINDEX_TABLE_1)
    columns = bench.build("scan-columnar", range(6)).columns
    assert columns.size.tolist() == [1, 2, 3, 4]
    assert columns.count.tolist() == [1, 3, 1, 1]
    assert columns.conjunction.tolist()[0] == 3
    assert sorted(columns.conjunction.tolist()[1:4]) == [0, 1, 4]
    # C = 6 comes first in the third subscription, of column 0 in the cluster of size 3
    at = int(columns.conditions[2])
    assert columns.low[at] == columns.high[at]
    assert (columns.low.dtype, columns.dimension.dtype) == (np.uint8, np.uint16)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int32])
def test_masks_of_lanes(kind: Any) -> None:
    table: Any = np.arange(3 * LANES).astype(kind)

    def mask(place: int, low: int, high: int) -> int:
        return int(ask(table, place, kind(low), kind(high)))

    assert mask(0, 3, 5) == 0b111000
    assert mask(LANES, LANES, LANES) == 1
    assert mask(2 * LANES, 0, 255 if kind is np.uint8 else 1000) == (1 << LANES) - 1
    assert mask(0, 64, 70) == 0
    assert first_of(np.uint64(0b101000)) == 3
    assert first_of(np.uint64(1 << 63)) == 63


@pytest.mark.parametrize(("events", "values"), [(1, 10), (64, 10), (65, 200), (200, 40_000)])
def test_any_number_of_events_and_width_of_codes(events: int, values: int) -> None:
    pick = random.Random(events)
    texts = [f"a <= {pick.randrange(values)} AND b >= {pick.randrange(values)}" for _ in range(min(2000, 20 * values))]
    bench = Workbench(texts)
    batch = [
        {
            "a": pick.randrange(values),
            "b": [pick.randrange(values)] * pick.choice([1, 2]) if i % 5 == 0 else values // 2,
        }
        for i in range(events)
    ]
    structure, scan = (bench.build(name, range(len(texts))) for name in ("scan-columnar", "scan"))
    coded = bench.events(batch)
    assert found(structure.match(coded)) == found(scan.match(coded))
    assert structure.columns.low.dtype == {10: np.uint8, 200: np.uint16, 40_000: np.uint16}[values]
