"""Events as mappings to cells."""

from __future__ import annotations

import datetime as dt
import json
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.events.reference import readable, same

from watchword.coding.attributes import Attributes
from watchword.coding.cells import LIST, OPEN, RANGE, SET
from watchword.coding.event import Range
from watchword.coding.read_events import read_events
from watchword.coding.values import BOOL, EMPTY, FLOAT, FLOAT_PLUS, INT, OTHER, TEXT, TIME, TIME_PLUS
from watchword.errors import EventError

LARGEST = 1.7976931348623157e308
ATTRIBUTES = Attributes(["x", "y", "seller.country"])


def cell(value: object) -> object:
    """The cells of one value."""
    event = readable(read_events([{"x": value}], ATTRIBUTES), ATTRIBUTES)[0]
    assert isinstance(event, dict)
    return event.get("x")


@pytest.mark.parametrize(
    ("value", "kind", "plain"),
    [
        (True, BOOL, 1),
        (False, BOOL, 0),
        (3, INT, 3),
        (-(2**63), INT, -(2**63)),
        (2**63 - 1, INT, 2**63 - 1),
        (2**63, FLOAT, 2.0**63),
        (2**63 + 1, FLOAT_PLUS, 2.0**63),
        (2**64 - 1, FLOAT_PLUS, math.nextafter(2.0**64, 0)),
        (-(2**63) - 1, FLOAT_PLUS, math.nextafter(-(2.0**63), -math.inf)),
        (10**400, FLOAT_PLUS, LARGEST),
        (-(10**400), FLOAT_PLUS, -math.inf),
        (2.5, FLOAT, 2.5),
        (math.nan, FLOAT, "nan"),
        (-math.inf, FLOAT, -math.inf),
        (Decimal("0.5"), FLOAT, 0.5),
        (Decimal("0.1"), FLOAT_PLUS, math.nextafter(0.1, 0)),
        (Decimal("-0.1"), FLOAT_PLUS, -0.1),
        (Decimal("7.00"), INT, 7),
        (Decimal("9007199254740993"), INT, 9007199254740993),
        (Decimal("1E+999999"), FLOAT_PLUS, LARGEST),
        (Decimal("-1E-999999"), FLOAT_PLUS, -5e-324),
        (Decimal("1E-999999"), FLOAT_PLUS, 0.0),
        (Decimal("NaN"), FLOAT, "nan"),
        (Decimal("-Infinity"), FLOAT, -math.inf),
        ("größe", TEXT, "größe".encode()),
        ("", TEXT, b""),
        ("\ud800", TEXT, b"\xed\xa0\x80"),
        (dt.datetime(1970, 1, 1, 0, 0, 1, 5), TIME, 1_000_005),
        (dt.datetime(1969, 12, 31, 23, 59, 59), TIME, -1_000_000),
        (dt.date(1970, 1, 2), TIME, 86_400_000_000),
        (dt.datetime(1970, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))), TIME, 0),
        (pd.Timestamp(1_500), TIME_PLUS, 1),
        (pd.Timestamp(-1), TIME_PLUS, -1),
        (np.int8(-3), INT, -3),
        (np.float32(0.1), FLOAT, float(np.float32(0.1))),
        (pa.scalar(5), INT, 5),
    ],
)
def test_values(value: object, kind: int, plain: object) -> None:
    assert cell(value) == [(0, kind, plain)]


def test_negative_zero_is_zero() -> None:
    assert read_events([{"x": -0.0}], ATTRIBUTES).values.bits.tolist() == [0]


def test_lists_sets_and_ranges() -> None:
    assert cell([1, None, "a"]) == [(LIST, INT, 1), (LIST, OTHER, 0), (LIST, TEXT, b"a")]
    assert cell([]) == [(LIST, EMPTY, 0)]
    assert cell({2}) == [(SET, INT, 2)]
    assert cell(frozenset()) == [(SET, EMPTY, 0)]
    assert cell(Range(1, 2.5, high_open=True)) == [(SET | RANGE, INT, 1), (SET | RANGE | OPEN, FLOAT, 2.5)]
    assert cell(Range(None, "m")) == [(SET | RANGE, OTHER, 0), (SET | RANGE, TEXT, b"m")]
    assert cell(None) is None


def test_elements_that_are_records_or_lists_compare_with_nothing() -> None:
    assert cell([{"b": 1}, 2, [3]]) == [(LIST, OTHER, 0), (LIST, INT, 2), (LIST, OTHER, 0)]
    assert cell([[]]) == [(LIST, OTHER, 0)]


def test_two_lists_of_one_name_do_not_merge() -> None:
    dotted, nested = {"seller.country": [1, 2]}, {"seller": {"country": [3]}}
    for event in (dotted | nested, {"seller": {"country": [1, 2]}, "seller.country": [3]}):
        read = readable(read_events([event], ATTRIBUTES), ATTRIBUTES)[0]
        assert isinstance(read, dict)
        assert read["seller.country"] == [(LIST, INT, 3)]


def test_a_bad_event_is_an_error_and_the_others_count() -> None:
    events: list[Any] = [{"x": 1}, 7, {"x": b"bytes"}, {"seller": {"country": "NO", "name": 1}, "z": 2}]
    cells = read_events(events, ATTRIBUTES)
    same(readable(cells, ATTRIBUTES), events, ATTRIBUTES)
    assert set(cells.errors) == {1, 2}
    assert "mapping" in cells.errors[1]
    assert "'x'" in cells.errors[2]


def test_no_events() -> None:
    assert len(read_events([], ATTRIBUTES)) == 0
    assert len(read_events(iter([{"x": 1}]), ATTRIBUTES)) == 1
    assert readable(read_events([{}], Attributes()), ATTRIBUTES) == [{}]


@pytest.mark.parametrize("events", [{"x": 1}, 5, "text", None])
def test_what_is_no_batch_is_refused(events: object) -> None:
    with pytest.raises(EventError, match="into a list"):
        read_events(events, ATTRIBUTES)


def test_dicts_that_hold_json() -> None:
    events = [{"body": json.dumps({"x": 3}), "x": 9}, {"x": 9}, 5]
    cells = read_events(events, ATTRIBUTES, json="body")
    assert readable(cells, ATTRIBUTES) == [{"x": [(0, INT, 3)]}, "error", "error"]
    with pytest.raises(EventError, match="must be text"):
        read_events([{"body": {"x": 3}}], ATTRIBUTES, json="body")


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.datetimes(), st.decimals(places=3)
)
events = st.lists(
    st.dictionaries(st.sampled_from(["x", "y", "z", "seller.country"]), scalars | st.lists(scalars, max_size=3)),
    max_size=4,
)


@given(events)
def test_against_the_reference(batch: list[dict[str, Any]]) -> None:
    same(readable(read_events(batch, ATTRIBUTES), ATTRIBUTES), batch, ATTRIBUTES)
