"""Every way to use the API wrongly: what is raised or reported, and that nothing else changes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.index.answers import matched

from watchword.errors import (
    EventError,
    ExpressionError,
    LimitError,
    SubscriptionIdError,
    UnknownStructureError,
    WatchwordError,
)
from watchword.index.index import Index
from watchword.language.builder import col
from watchword.language.expression import Operator, Predicate
from watchword.limits import LIST_LENGTH


@pytest.fixture(params=[False, True], ids=["in the head", "sealed"])
def index(request: Any) -> Index:
    index = Index()
    index.subscribe_many([("a", "x = 1"), ("b", "x = 2"), ("c", "y IS NULL")])
    if request.param:
        index.flush()
    return index


def unchanged(index: Index) -> bool:
    return len(index) == 3 and matched(index, [{"x": 1}, {"x": 2, "y": 3}]) == [["a", "c"], ["b"]]


# --- subscriptions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    ["", "x =", "x = 1 OR", "x = 'a", 3, None, b"x = 1", {"op": "nonsense"}, Predicate("x", Operator.IN, ())],
)
def test_a_bad_expression_changes_nothing(index: Index, source: Any) -> None:
    for identifier in ("a", "new"):
        with pytest.raises(ExpressionError):
            index.subscribe(identifier, source)
    assert "new" not in index
    assert unchanged(index)


def test_an_expression_beyond_a_limit_changes_nothing(index: Index) -> None:
    with pytest.raises(LimitError):
        index.subscribe("a", col("x").isin(list(range(LIST_LENGTH + 1))))
    assert unchanged(index)


def test_a_bad_first_subscription_does_not_choose_the_type_of_ids() -> None:
    index = Index()
    with pytest.raises(ExpressionError):
        index.subscribe(1, "x =")
    assert index.subscribe_many([(2, "x ="), ("text", "x = 1")])["row"].to_pylist() == [0]
    assert index.match({"x": 1}) == ["text"]


@pytest.mark.parametrize("identifier", [None, 1.5, True, b"a", ("a",), 2**63, -(2**63) - 1, 7, np.int64(7), "\ud800"])
def test_a_wrong_id_changes_nothing(index: Index, identifier: Any) -> None:
    with pytest.raises(SubscriptionIdError):
        index.subscribe(identifier, "x = 1")
    errors = index.subscribe_many([(identifier, "x = 1")])
    assert errors["row"].to_pylist() == [0]
    index.flush()
    assert identifier not in index
    assert unchanged(index)


def test_numbers_of_numpy_are_ids() -> None:
    index = Index()
    small: Any = np.int32(5)
    index.subscribe(small, "x = 1")
    index.subscribe_many([(np.int64(6), "x = 1")])
    assert sorted(index.match({"x": 1})) == [5, 6]
    assert small in index
    assert index.unsubscribe(small)


@pytest.mark.parametrize("identifier", [2**63, 2**70, -(2**63) - 1, 8, "7"])
def test_an_integer_that_cannot_be_an_id(identifier: Any) -> None:
    index = Index()
    index.subscribe(7, "x = 1")
    for _ in range(2):
        assert identifier not in index
        index.flush()


@pytest.mark.parametrize("identifier", ["zzz", 7, 2**70, 1.0, None, True, "\ud800", ["a"]])
def test_an_id_that_is_not_there(index: Index, identifier: Any) -> None:
    assert identifier not in index
    if isinstance(identifier, (str, int)) and not isinstance(identifier, bool) and identifier not in (2**70, "\ud800"):
        assert index.unsubscribe(identifier) is False
    for ask in (lambda: index.expression(identifier), lambda: index.explain(identifier, {})):
        with pytest.raises(SubscriptionIdError):
            ask()
    assert unchanged(index)


def test_the_error_table_of_pairs(index: Index) -> None:
    errors = index.subscribe_many(
        [
            ("d", "x = 4"),
            ("a", "x = "),
            (None, "x = 1"),
            (5, "x = 1"),
            "ab",
            ("e", "x = 5", "more"),
            {"id": "f", "expression": "x = 6"},
            {"id": "g"},
            ("h", col("x") == 8),
            ("d", "x = 9"),
            ("d", "x LIKE 3"),
        ]
    )
    assert errors.schema.names == ["row", "id", "reason"]
    assert errors["row"].to_pylist() == [1, 2, 3, 4, 5, 7, 10]
    assert errors["id"].to_pylist()[:3] == ["a", None, "5"]
    assert errors["id"].to_pylist()[-1] == "d"
    assert all(errors["reason"].to_pylist())
    assert matched(index, [{"x": x, "y": 0} for x in (1, 4, 6, 8, 9)]) == [["a"], [], ["f"], ["h"], ["d"]]


def test_the_error_table_of_columns(index: Index) -> None:
    rows = [("d", "x = 4"), ("a", "x ="), (None, "x = 1"), (None, "x ="), ("e", None), ("d", "x = 5"), ("f", "x = 6")]
    table = pa.table({"expression": [text for _, text in rows], "id": [name for name, _ in rows], "tenant": [1] * 7})
    errors = index.subscribe_many(table)
    assert errors["row"].to_pylist() == [1, 2, 3, 4]
    assert errors["id"].to_pylist() == ["a", None, None, "e"]
    assert errors.schema.types == [pa.int64(), pa.string(), pa.string()]
    assert matched(index, [{"x": x, "y": 0} for x in (1, 4, 5, 6)]) == [["a"], [], ["d"], ["f"]]


def test_nothing_to_subscribe(index: Index) -> None:
    empty = pa.table({"id": pa.array([], pa.string()), "expression": pa.array([], pa.string())})
    nothings: list[Any] = [[], iter(()), empty, empty.to_pandas()]
    for nothing in nothings:
        assert index.subscribe_many(nothing).num_rows == 0
    assert Index().subscribe_many([]).num_rows == 0
    assert unchanged(index)


@pytest.mark.parametrize(
    "columns",
    [
        {"id": ["n"]},
        {"expression": ["x = 1"]},
        {"ID": ["n"], "expression": ["x = 1"]},
        {"id": [1], "expression": ["x = 1"]},
        {"id": [1.5], "expression": ["x = 1"]},
        {"id": [b"n"], "expression": ["x = 1"]},
    ],
)
def test_columns_that_are_no_subscriptions(index: Index, columns: dict[str, list[Any]]) -> None:
    for table in (pa.table(columns), pd.DataFrame(columns)):
        with pytest.raises(SubscriptionIdError, match=r"id|column"):
            index.subscribe_many(table)
    assert unchanged(index)


def test_ids_of_mixed_types_in_a_frame(index: Index) -> None:
    with pytest.raises(SubscriptionIdError):
        index.subscribe_many(pd.DataFrame({"id": ["n", 1], "expression": ["x = 1", "x = 1"]}))
    assert unchanged(index)


def test_unsigned_ids_beyond_64_bits() -> None:
    table = pa.table({"id": pa.array([2**63], pa.uint64()), "expression": ["x = 1"]})
    with pytest.raises(SubscriptionIdError):
        Index().subscribe_many(table)


@pytest.mark.parametrize("nonsense", [None, 3, object()])
def test_subscriptions_of_no_known_form(index: Index, nonsense: Any) -> None:
    with pytest.raises((WatchwordError, TypeError)):
        index.subscribe_many(nonsense)
    assert unchanged(index)


def test_an_unknown_structure() -> None:
    with pytest.raises(UnknownStructureError, match=r"no structure 'fancy'.*auto"):
        Index(structure="fancy")


# --- events ---------------------------------------------------------------------------------------------------

BAD_EVENTS: list[Any] = [{"x": b"bytes"}, 3, None, {1: 2}, {"x": object()}]


@pytest.mark.parametrize("event", BAD_EVENTS)
def test_match_raises_on_a_bad_event(index: Index, event: Any) -> None:
    with pytest.raises(EventError):
        index.match(event)


def test_bad_events_are_reported_and_match_nothing(index: Index) -> None:
    batch = [{"x": 1}, *BAD_EVENTS, {"x": 2}]
    for threads in (1, 2):
        errors: list[tuple[Any, str]] = []
        found = matched(index, batch, errors=errors, threads=threads)
        assert found == [["a", "c"], [], [], [], [], [], ["b", "c"]]
        assert [event for event, _ in errors] == [1, 2, 3, 4, 5]
        assert all(reason for _, reason in errors)


def test_bad_events_are_warned_of(index: Index) -> None:
    with pytest.warns(UserWarning, match="event 1 could not be read and matches nothing"):
        index.match_batch([{"x": 1}, 3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        index.match_batch([{"x": 1}])


def test_bad_events_are_named_by_their_id(index: Index) -> None:
    errors: list[tuple[Any, str]] = []
    table = index.match_batch([{"name": "good", "x": 1}, {"name": "bad", "x": b""}], id="name", errors=errors)
    assert table["event"].to_pylist() == ["good", "good"]
    assert [event for event, _ in errors] == ["bad"]


def test_bad_json_is_reported(index: Index) -> None:
    texts = ['{"x": 1}', "{", "[1]", None, '{"x": 2, "y": 1}', '{"x": }']
    right = [["a", "c"], [], [], [], ["b"], []]
    for events, options in (
        (pa.array(texts), {}),
        (pa.table({"body": texts}), {"json": "body"}),
        (pd.DataFrame({"body": texts}), {"json": "body"}),
        ([{"body": text} for text in texts], {"json": "body"}),
    ):
        errors: list[tuple[Any, str]] = []
        assert matched(index, events, errors=errors, **options) == right
        assert [event for event, _ in errors] == [1, 2, 3, 5]


@pytest.mark.parametrize("events", [{"x": 1}, "text", 3, None])
def test_events_of_no_known_form(index: Index, events: Any) -> None:
    with pytest.raises(EventError):
        index.match_batch(events)


@pytest.mark.parametrize("events", [pa.table({"x": [1]}), pd.DataFrame({"x": [1]})])
@pytest.mark.parametrize("option", ["id", "json"])
def test_a_missing_column_is_named(index: Index, events: Any, option: str) -> None:
    options: dict[str, Any] = {option: "nowhere"}
    with pytest.raises(EventError, match="nowhere"):
        index.match_batch(events, **options)


def test_ids_of_events_of_every_form(index: Index) -> None:
    rows = [{"name": "first", "x": 1, "y": 0}, {"name": "second", "x": 2, "y": 0}]
    for events in (rows, pa.Table.from_pylist(rows), pa.Table.from_pylist(rows).to_batches()[0], pd.DataFrame(rows)):
        assert index.match_batch(events, id="name").to_pylist() == [
            {"event": "first", "subscription": "a"},
            {"event": "second", "subscription": "b"},
        ]


def test_ids_of_events_that_come_one_by_one(index: Index) -> None:
    events = ({"name": f"event {x}", "x": x, "y": 0} for x in range(3))
    assert index.match_batch(events, id="name")["event"].to_pylist() == ["event 1", "event 2"]


def test_ids_of_events_in_json_texts(index: Index) -> None:
    """Either the names inside are found, or it is said that they are not."""
    texts = pa.array(['{"name": "first", "x": 1, "y": 0}', '{"name": "second", "x": 2, "y": 0}'])
    try:
        named = index.match_batch(texts, id="name")["event"].to_pylist()
    except WatchwordError:
        return
    assert named == ["first", "second"]


def test_ids_of_mixed_types_of_events(index: Index) -> None:
    with pytest.raises(EventError):
        index.match_batch([{"name": 1, "x": 1}, {"name": "second", "x": 2}], id="name")


def test_zero_events(index: Index) -> None:
    nothings: list[Any] = [[], iter(()), pa.table({"x": pa.array([], pa.int64())}), pa.array([], pa.string())]
    for nothing in nothings:
        for threads in (1, 4):
            table = index.match_batch(nothing, threads=threads)
            assert table.num_rows == 0
            assert table.schema.names == ["event", "subscription"]


def test_zero_subscriptions() -> None:
    index = Index()
    for _ in range(2):
        assert index.match({"x": 1}) == []
        assert matched(index, [{"x": 1}, {}, {"x": [1]}], threads=2) == [[], [], []]
        assert index.unsubscribe("a") is False
        assert len(index) == 0
        index.flush()
    assert index.stats()["subscriptions"] == 0


def test_more_threads_than_events(index: Index) -> None:
    for threads in (0, 2, 3, 16):
        assert matched(index, [{"x": 1, "y": 1}, {"x": 2}], threads=threads) == [["a"], ["b", "c"]]
        assert matched(index, [{"x": 1}], threads=threads) == [["a", "c"]]


# --- coded batches --------------------------------------------------------------------------------------------


def test_a_coded_batch_outlives_segments(index: Index) -> None:
    coded = index.encode([{"x": 1, "y": 1}, {"x": 2}])
    index.subscribe("d", "x >= 1")
    index.subscribe_many([("a", "x = 2"), ("e", "y = 1")])
    for _ in range(2):
        for threads in (1, 2):
            assert matched(index, coded, threads=threads) == [["d", "e"], ["a", "b", "c", "d"]]
        index.flush()
    assert index.unsubscribe("d")
    assert matched(index, coded) == [["e"], ["a", "b", "c"]]


@pytest.mark.parametrize("seal", [False, True])
def test_a_coded_batch_and_attributes_that_became_known_later(index: Index, seal: bool) -> None:
    """Its cells lack them: the matches must be right all the same, or it must be said."""
    coded = index.encode([{"x": 1, "late": 5}, {"x": 2, "y": 3}])
    index.subscribe_many([("d", "late = 5"), ("e", "late IS NULL AND x = 2"), ("f", "late IS NULL AND x = 1")])
    if seal:
        index.flush()
    try:
        found = matched(index, coded)
    except WatchwordError:
        return
    assert found == [["a", "c", "d"], ["b", "e"]]


def test_a_coded_batch_reports_its_bad_events_every_time(index: Index) -> None:
    coded = index.encode([{"x": 1}, 3])
    for _ in range(2):
        errors: list[tuple[Any, str]] = []
        assert matched(index, coded, errors=errors) == [["a", "c"], []]
        assert [event for event, _ in errors] == [1]


def test_a_coded_batch_keeps_its_ids(index: Index) -> None:
    coded = index.encode(pa.table({"name": ["p", "q"], "x": [1, 2], "y": [0, 0]}), id="name")
    for threads in (1, 2):
        assert index.match_batch(coded, threads=threads)["event"].to_pylist() == ["p", "q"]


def test_patterns_and_threads(index: Index) -> None:
    """Every thread codes its own part of the events."""
    index.subscribe_many([("p", "t LIKE '%b%c%'"), ("i", "t ILIKE 'AB%'"), ("r", "t RLIKE 'c$'"), ("n", "t IS NULL")])
    index.flush()
    texts = ["abc", "xyz", None, "Abx", "bcd", None, "c", "ab"]
    right = [["i", "p", "r"], [], ["n"], ["i"], ["p"], ["n"], ["r"], ["i"]]
    for events in ([{"t": text, "y": 1} for text in texts], pa.table({"t": texts, "y": [1] * 8})):
        for threads in (1, 2, 3, 8):
            assert matched(index, events, threads=threads) == right


def test_training_events_may_be_bad() -> None:
    index = Index(training=[{"x": 1}, 3, {"x": b""}])
    index.subscribe("a", "x = 1")
    index.flush()
    assert index.match({"x": 1}) == ["a"]


@pytest.mark.plain
def test_the_core_path() -> None:
    index = Index(training=[{"model": "iphone5s", "price": 500}])
    index.subscribe("s1", "model = 'iphone5s' AND color = 'silver' AND price <= 580")
    index.subscribe_many(
        [("s2", "price BETWEEN 500 AND 600"), ("s3", "NOT price = 1 OR model LIKE '%5_'"), ("s4", "x")]
    )
    event = {"model": "iphone5s", "color": "silver", "price": 550}
    for _ in range(2):
        assert sorted(index.match(event)) == ["s1", "s2", "s3"]
        assert matched(index, [event, {"price": [1, 700]}, {"color": "red"}]) == [["s1", "s2", "s3"], [], []]
        index.flush()
    assert index.unsubscribe("s2")
    assert sorted(index.match(event)) == ["s1", "s3"]
    assert "false" in str(index.explain("s1", {"model": "other"}))
