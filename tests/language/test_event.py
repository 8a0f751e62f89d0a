"""Events as plain Python values."""

from __future__ import annotations

import datetime as dt
import enum
import math
from collections import OrderedDict
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from watchword.coding.event import Range, flatten
from watchword.errors import EventError, LimitError
from watchword.limits import EVENT_NESTING, EVENT_VALUES

OSLO = dt.timezone(dt.timedelta(hours=2))


class Colour(enum.StrEnum):
    RED = "red"


class Size(enum.IntEnum):
    BIG = 3


VALUES: list[tuple[object, object]] = [
    (True, True),
    (3, 3),
    (2.5, 2.5),
    ("x", "x"),
    (Decimal("1.10"), Decimal("1.10")),
    (Decimal("-Infinity"), -math.inf),
    (np.bool_(True), True),
    (np.int8(-3), -3),
    (np.uint64(2**64 - 1), 2**64 - 1),
    (np.float32(0.5), 0.5),
    (np.float64(0.1), 0.1),
    (np.str_("x"), "x"),
    (np.array(3), 3),
    (Colour.RED, "red"),
    (Size.BIG, 3),
    (pa.scalar(3, pa.int16()), 3),
    (pa.scalar("x"), "x"),
    (pa.scalar([1, None]), [1, None]),
    (dt.date(2024, 5, 1), dt.datetime(2024, 5, 1)),
    (dt.datetime(2024, 5, 1, 12), dt.datetime(2024, 5, 1, 12)),
    (dt.datetime(2024, 5, 1, 12, tzinfo=OSLO), dt.datetime(2024, 5, 1, 10)),
    (pd.Timestamp("2024-05-01 12:00", tz=OSLO), dt.datetime(2024, 5, 1, 10)),
    (pd.Timestamp("2024-05-01 12:00:00.000000001"), pd.Timestamp("2024-05-01 12:00:00.000000001")),
    (np.datetime64("2024-05-01"), dt.datetime(2024, 5, 1)),
    (np.datetime64("2024-05-01T12:00:00.000000001"), pd.Timestamp("2024-05-01 12:00:00.000000001")),
    (pa.scalar(1, pa.timestamp("us", tz="UTC")), dt.datetime(1970, 1, 1, 0, 0, 0, 1)),
    ([1, None, "a"], [1, None, "a"]),
    ((np.int8(1), dt.date(2024, 5, 1)), [1, dt.datetime(2024, 5, 1)]),
    (np.arange(2), [0, 1]),
    (np.array(["2024-05-01"], "datetime64[ns]"), [dt.datetime(2024, 5, 1)]),
    ([], []),
    ([{"b": 1}, [2], (), 3, OrderedDict(c=4)], [None, None, None, 3, None]),
    ([np.zeros(2), pa.scalar([1]), pa.scalar({"b": 1}), np.array(5)], [None, None, None, 5]),
    (np.zeros((2, 3)), [None, None]),
    (pa.scalar([[1], None]), [None, None]),
    ({1, None}, frozenset({1, None})),
    (frozenset({"a"}), frozenset({"a"})),
    (Range(1, np.float64(2.5)), Range(1, 2.5)),
]


@pytest.mark.parametrize(("value", "plain"), VALUES, ids=[f"{type(v).__name__}-{v}" for v, _ in VALUES])
def test_value(value: object, plain: object) -> None:
    read = flatten({"x": value})["x"]
    assert read == plain
    assert type(read) is type(plain)


@pytest.mark.parametrize(
    "value", [None, pd.NaT, pd.NA, np.datetime64("NaT"), pa.scalar(None), pa.scalar(None, pa.int8())]
)
def test_null_is_missing(value: object) -> None:
    assert flatten({"x": value}) == {}


def test_nan_is_a_value() -> None:
    assert math.isnan(flatten({"x": Decimal("NaN")})["x"])  # type: ignore[arg-type]


def test_records_become_dotted_names() -> None:
    event = {"a": {"b": 1, "c": OrderedDict(d=2, e=None)}, "f": pa.scalar({"g": 3}), "h": {}}
    assert flatten(event) == {"a.b": 1, "a.c.d": 2, "f.g": 3}


def test_the_last_of_a_name_counts() -> None:
    assert flatten({"a": {"b": 1}, "a.b": 2}) == {"a.b": 2}
    assert flatten({"a.b": 2, "a": {"b": None}}) == {}


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (3, "must be a mapping"),
        ([("a", 1)], "must be a mapping"),
        ({1: 2}, "name 1 is not a string"),
        ({"a": {1: 2}}, "name 1 inside 'a' is not a string"),
        ({"a": {"b": b"x"}}, r"attribute 'a\.b': a value of type bytes"),
        ({"a": object()}, "attribute 'a': a value of type object"),
        ({"a": dt.time(1)}, "type time"),
        ({"a": dt.timedelta(1)}, "type timedelta"),
        ({"a": np.timedelta64(1, "s")}, "type timedelta64"),
        ({"a": 1j}, "type complex"),
        ({"a": [Range(1, 2)]}, "a Range inside a list"),
        ({"a": [{1}]}, "a set inside a list"),
        ({"a": {(1, 2)}}, "a tuple inside a list"),
        ({"a": [b"x"]}, "type bytes"),
        ({"a": pa.scalar(b"x")}, "type bytes"),
        ({"a": np.datetime64("20000", "Y")}, "outside the years"),
        ({"a": dt.datetime(1, 1, 1, tzinfo=OSLO)}, "outside the years"),
        ({"a": pa.scalar(10**17, pa.timestamp("s"))}, "cannot be read"),
    ],
)
def test_refusals(event: Any, message: str) -> None:
    with pytest.raises(EventError, match=message):
        flatten(event)


def test_limits() -> None:
    event: dict[str, object] = {"a": 1}
    for _ in range(EVENT_NESTING - 1):
        event = {"a": event}
    assert len(flatten(event)) == 1
    with pytest.raises(LimitError, match="nest more than"):
        flatten({"a": event})
    half = [0] * (EVENT_VALUES // 2)
    with pytest.raises(LimitError, match="more than"):
        flatten({"a": half, "b": half})
    with pytest.raises(EventError, match="elements"):
        flatten({"a": [0] * (EVENT_VALUES + 1)})


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((3, 1), "holds no value"),
        ((1, 1, True), "holds no value"),
        ((1, 1, False, True), "holds no value"),
        ((None, None), "at least one bound"),
        ((1, "a"), "different types"),
        ((math.nan, 1), "NaN"),
        ((False, True), "booleans"),
        (([1], 2), "a list inside"),
        ((b"x", 2), "type bytes"),
    ],
)
def test_range_refusals(bounds: Any, message: str) -> None:
    with pytest.raises(EventError, match=message):
        Range(*bounds)


@pytest.mark.parametrize(
    ("bound", "plain"), [(dt.date(2024, 5, 1), dt.datetime(2024, 5, 1)), (np.int64(3), 3), (Decimal("2.5"), 2.5)]
)
def test_range_bounds_are_plain(bound: Any, plain: Any) -> None:
    assert Range(bound, None) == Range(plain, None)
    assert Range(None, bound) == Range(None, plain)
