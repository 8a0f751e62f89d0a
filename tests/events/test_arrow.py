"""Arrow tables to cells: every type, slices, chunks, nested columns."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.events.reference import readable, same

from watchword.coding import from_arrow
from watchword.coding.attributes import Attributes
from watchword.coding.cells import LIST
from watchword.coding.read_events import read_events
from watchword.coding.values import EMPTY, FLOAT, INT, OTHER, TEXT, TIME, TIME_PLUS
from watchword.errors import EventError

X = Attributes(["x"])


def check(column: Any) -> None:
    """A column x, whole, cut and in chunks, gives what its values as dicts give."""
    rows = [{"x": value} for value in column.to_pylist()]
    same(readable(read_events(pa.table({"x": column}), X), X), rows, X)
    same(readable(read_events(pa.record_batch({"x": column}), X), X), rows, X)
    for first in range(min(len(rows), 12)):
        same(readable(read_events(pa.table({"x": column}).slice(first, 5), X), X), rows[first : first + 5], X)
    pieces = pa.chunked_array([column.slice(0, 2), column.slice(2, 0), column.slice(2)])
    same(readable(read_events(pa.table({"x": pieces}), X), X), rows, X)


class Wrapped(pa.ExtensionType):  # type: ignore[misc]
    """An extension type that adds nothing to its storage."""

    def __init__(self, storage: Any) -> None:
        super().__init__(storage, "tests.wrapped")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""


INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]


@pytest.mark.parametrize("type", INTEGERS, ids=str)
def test_integers(type: Any) -> None:
    lowest, highest = (np.iinfo(type.to_pandas_dtype()).min, np.iinfo(type.to_pandas_dtype()).max)
    check(pa.array([1, None, lowest, highest, 0, highest - 1, None, 5, 6, 7, 8], type))
    check(pa.array([lowest, highest, 3], type))


def test_unsigned_beyond_int64() -> None:
    check(pa.array([2**63 - 1, 2**63, 2**63 + 1, 2**63 + 2048, 2**64 - 2048, 2**64 - 1, None], pa.uint64()))


@pytest.mark.parametrize("type", [pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_floats(type: Any) -> None:
    values = np.array([0.1, -0.0, np.nan, np.inf, -np.inf, 5e-324, 65504, 3.0], type.to_pandas_dtype())
    check(pa.array(values, type))
    check(pa.array(values, type, mask=np.arange(8) % 3 == 0))


TEXTS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint32(), pa.large_string()),
]


@pytest.mark.parametrize("type", TEXTS, ids=str)
def test_texts(type: Any) -> None:
    check(pa.array(["a", None, "", "größe", "a text that is longer than twelve bytes", "a", None, "\U0001f600"], type))


def test_dictionaries() -> None:
    with_null = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2, 1, 0]), pa.array([7, None, 9]))
    check(with_null)
    check(pa.DictionaryArray.from_arrays(pa.array([0, None, 0]), pa.array([Decimal("0.1")])))


@pytest.mark.parametrize("type", [pa.decimal128(38, 5), pa.decimal256(60, 5)], ids=str)
def test_decimals(type: Any) -> None:
    texts = ["0.1", "-0.1", "7", "0.5", "9007199254740993", "123456789012345678901234567890", "-99999999999999999999"]
    check(pa.array([Decimal(text) for text in texts] + [None], type))


def test_booleans() -> None:
    check(pa.array([True, None, False, True] * 5))
    check(pa.array([True, False] * 9))


def test_dates_and_times() -> None:
    days = [dt.date(2024, 2, 29), None, dt.date(1969, 12, 31), dt.date(1, 1, 1), dt.date(9999, 12, 31)]
    check(pa.array(days, pa.date32()))
    check(pa.array(days, pa.date64()))
    for unit in ("s", "ms", "us"):
        check(pa.array([0, None, -1, 86_399, 1_700_000_000], pa.timestamp(unit)))
        check(pa.array([0, None, -1, 86_399, 1_700_000_000], pa.timestamp(unit, "America/New_York")))
    check(pa.array([0, 1, -1, 1_000, None, 1_500, -1_000_000], pa.timestamp("ns")))
    check(pa.array([0, 1, -1, 1_000, None, 1_500, -1_000_000], pa.timestamp("ns", "Europe/Oslo")))


def test_nanoseconds_lie_between_microseconds() -> None:
    cells = read_events(pa.table({"x": pa.array([1_500, -1, 2_000], pa.timestamp("ns"))}), X)
    assert readable(cells, X) == [{"x": [(0, TIME_PLUS, 1)]}, {"x": [(0, TIME_PLUS, -1)]}, {"x": [(0, TIME, 2)]}]


@pytest.mark.parametrize("type", [pa.timestamp("s"), pa.timestamp("ms")], ids=str)
def test_times_beyond_int64_keep_their_order(type: Any) -> None:
    cells = read_events(pa.table({"x": pa.array([-(2**63), 2**63 - 1], type)}), X)
    assert cells.values.bits[0] < -(2**62)
    assert cells.values.bits[1] > 2**62


def test_nulls_only() -> None:
    check(pa.nulls(9))
    check(pa.nulls(9, pa.string()))
    check(pa.array([], pa.int64()))


def test_run_ends_and_extensions() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 9], pa.int32()), pa.array([5, None, 6]))
    cells = read_events(pa.table({"x": runs.slice(1, 4)}), X)
    assert [row and row["x"][0][2] for row in readable(cells, X) if isinstance(row, dict)] == [5, {}, 6, 6]
    for storage in (pa.array([1, None, 3]), pa.array([["a"], None, []])):
        check(pa.ExtensionArray.from_storage(Wrapped(storage.type), storage))


LISTS = [pa.list_, pa.large_list, pa.list_view, pa.large_list_view]


@pytest.mark.parametrize("type", LISTS, ids=lambda make: make.__name__)
def test_lists(type: Any) -> None:
    check(pa.array([[1, 2], None, [], [None], [3, None, 4], [], [5]], type(pa.int64())))
    check(pa.array([["a", None], [], None, ["", "größe"], ["b"]], type(pa.string())))
    check(pa.array([[], [], None], type(pa.float64())))
    check(pa.array([[None, None], None, []], type(pa.null())))


def test_lists_of_a_fixed_size() -> None:
    check(pa.array([[1, 2], None, [3, None], [4, 5]], pa.list_(pa.int64(), 2)))
    check(pa.array([[], None, []], pa.list_(pa.int64(), 0)))


def test_a_null_list_may_hide_values() -> None:
    array = pa.Array.from_buffers(
        pa.list_(pa.int64()), 3, [pa.py_buffer(b"\x05"), pa.py_buffer(np.array([0, 1, 3, 4], np.int32))],
        children=[pa.array([1, 2, 3, 4])],
    )  # fmt: skip
    assert array.to_pylist() == [[1], None, [4]]
    check(array)


def test_structs() -> None:
    names = Attributes(["a.b", "a.c.d", "a.c.list", "a", "e"])
    rows: list[Any] = [
        {"a": {"b": 1, "c": {"d": "x", "list": [1, None]}, "unused": 3}, "e": 2.5},
        {"a": None, "e": None},
        {"a": {"b": None, "c": None}, "e": 1.0},
        {"a": {"b": 4, "c": {"d": None, "list": []}}, "e": None},
    ]
    table = pa.Table.from_pylist(rows)
    same(readable(read_events(table, names), names), rows, names)
    same(readable(read_events(table.slice(1, 2), names), names), rows[1:3], names)
    same(readable(read_events(pa.concat_tables([table, table.slice(2)]), names), names), rows + rows[2:], names)


def test_a_null_struct_may_hide_values() -> None:
    struct = pa.StructArray.from_arrays([pa.array([1, 2, 3])], ["b"], mask=pa.array([False, True, False]))
    names = Attributes(["a.b"])
    cells = read_events(pa.table({"a": struct}).slice(1), names)
    assert readable(cells, names) == [{}, {"a.b": [(0, INT, 3)]}]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[[1], None, []], [], None]),
        pa.array([[{"b": 1}], [None, {"b": 2}], None, []]),
        pa.array([[[("a", 1)]], [], None], pa.list_(pa.map_(pa.string(), pa.int64()))),
        pa.array([[[1], [2]], None], pa.list_(pa.list_(pa.int64()), 2)),
    ],
    ids=lambda column: str(column.type),
)
def test_elements_that_are_records_or_lists_compare_with_nothing(column: Any) -> None:
    check(column)


def test_wrapped_lists_inside_lists() -> None:
    inner = pa.ExtensionArray.from_storage(Wrapped(pa.list_(pa.int64())), pa.array([[1], None]))
    cells = read_events(pa.table({"x": pa.ListArray.from_arrays([0, 2], inner)}), X)
    assert readable(cells, X) == [{"x": [(LIST, OTHER, 0), (LIST, OTHER, 0)]}]


def of_map(item: Any) -> Any:
    return pa.map_(pa.string(), item)


def test_the_keys_of_a_map_are_attributes_themselves() -> None:
    names = Attributes(["a", "b", "größe", "c.d", "m", "m.a"])
    rows: list[Any] = [{"a": 1, "x": 2, "größe": 3}, None, {}, {"b": None, "a": 4, "c.d": 5}]
    table = pa.table({"m": pa.array([row and list(row.items()) for row in rows], of_map(pa.int64()))})
    rows[1] = {}
    same(readable(read_events(table, names), names), rows, names)
    same(readable(read_events(table.slice(3), names), names), rows[3:], names)
    same(readable(read_events(pa.concat_tables([table.slice(3), table]), names), names), [rows[3], *rows], names)


def test_maps_of_lists_and_in_structs() -> None:
    names = Attributes(["s.a", "a", "s.m.a"])
    type = pa.struct([("m", pa.map_(pa.large_string(), pa.list_(pa.string())))])
    rows: list[Any] = [{"m": [("a", ["x", None]), ("b", ["y"])]}, None, {"m": [("a", [])]}, {"m": None}]
    cells = read_events(pa.table({"s": pa.array(rows, type)}), names)
    assert readable(cells, names) == [
        {"s.a": [(LIST, TEXT, b"x"), (LIST, OTHER, 0)]}, {}, {"s.a": [(LIST, EMPTY, 0)]}, {},
    ]  # fmt: skip


def test_of_two_equal_keys_the_last_counts() -> None:
    names = Attributes(["a", "b"])
    rows = [[("a", 1), ("a", 2)], [("a", 1), ("b", 2), ("a", None)], [("a", 3)]]
    table = pa.table({"m": pa.array(rows, of_map(pa.int64()))})
    wanted: list[Any] = [{"a": [(0, INT, 2)]}, {"b": [(0, INT, 2)]}, {"a": [(0, INT, 3)]}]
    assert readable(read_events(table, names), names) == wanted
    twice = pa.table([table.column(0), table.column(0)], ["m", "n"])  # read row by row
    assert readable(read_events(twice, names), names) == wanted


def test_two_lists_of_one_name_do_not_merge() -> None:
    lists = of_map(pa.list_(pa.int64()))
    wanted: list[Any] = [{"x": [(LIST, INT, 3)]}]
    keys = pa.table({"m": pa.array([[("x", [1, 2]), ("x", [3])]], lists)})
    columns = pa.table([pa.array([[1, 2]]), pa.array([[3]])], ["x", "x"])
    key_and_column = pa.table([pa.array([[("x", [1, 2])]], lists), pa.array([[3]])], ["m", "x"])
    for table in (keys, columns, key_and_column):
        assert readable(read_events(table, X), X) == wanted


def test_the_records_of_a_map_have_its_keys_in_front() -> None:
    names = Attributes(["a.b", "a.d", "k.z", "s.a.b", "x"])
    record = pa.struct([("b", pa.int64()), ("c", of_map(pa.int64())), ("unused", pa.binary())])
    entries = [("a", {"b": 1, "c": [("d", 2)], "unused": b"x"}), ("e", None)]
    column = pa.array([entries, None, [("a", None)], [("a", {"b": 3, "c": None, "unused": None})]], of_map(record))
    rows: list[Any] = [{"a": {"b": 1, "d": 2}}, {}, {}, {"a": {"b": 3}}]
    same(readable(read_events(pa.table({"m": column}), names), names), rows, names)
    same(readable(read_events(pa.table({"m": column}).slice(2), names), names), rows[2:], names)
    inside = pa.StructArray.from_arrays([column], ["m"])
    same(readable(read_events(pa.table({"s": inside}), names), names), [{"s": row} for row in rows], names)
    maps = pa.array([[("k", [("z", 7)])]], of_map(of_map(pa.int64())))
    same(readable(read_events(pa.table({"m": maps}), names), names), [{"k": {"z": 7}}], names)


def test_of_two_columns_the_last_counts() -> None:
    names = Attributes(["a.b", "c"])
    structs = pa.array([{"b": 1}, None, {"b": None}])
    table = pa.table([pa.array([7, 8, 9]), structs, pa.array([1, 2, 3])], ["a.b", "a", "c"])
    rows = table.to_pylist()
    same(readable(read_events(table, names), names), rows, names)
    twice = pa.table([pa.array([1, None]), pa.array(["x", "y"])], ["c", "c"])
    assert readable(read_events(twice, names), names) == [{"c": [(0, TEXT, b"x")]}, {"c": [(0, TEXT, b"y")]}]
    inside = pa.array([{"m": [("b", 1)]}, None], pa.struct([("m", pa.map_(pa.string(), pa.int64()))]))
    of_struct = pa.table([pa.array([2, 3]), inside], ["a.b", "a"])
    assert readable(read_events(of_struct, names), names) == [{"a.b": [(0, INT, 1)]}, {"a.b": [(0, INT, 3)]}]
    keys = pa.array([[("a.b", 5), ("a", 4)], []], of_map(pa.int64()))
    of_map_and_struct = pa.table([structs.slice(0, 2), keys, pa.array([None, 6])], ["a", "m", "c"])
    assert readable(read_events(of_map_and_struct, names), names) == [{"a.b": [(0, INT, 5)]}, {"c": [(0, INT, 6)]}]


REFUSED = [
    pa.array([b"x"]),
    pa.array([1], pa.time32("s")),
    pa.array([1], pa.duration("us")),
    pa.array([[b"x"]]),
]


@pytest.mark.parametrize("column", REFUSED, ids=lambda column: str(column.type))
def test_types_without_a_value_matter_only_where_used(column: Any) -> None:
    table = pa.table({"x": column, "z": [1]})
    assert readable(read_events(table, Attributes(["z", "y"])), Attributes(["z"])) == [{"z": [(0, INT, 1)]}]
    with pytest.raises(EventError, match=r"column 'x'.*cast it"):
        read_events(table, X)


def test_maps_that_cannot_be_read() -> None:
    of_bytes = pa.table({"m": pa.array([[("1", b"x")]], of_map(pa.binary()))})
    by_number = pa.table({"m": pa.array([[(1, 2)]], pa.map_(pa.int64(), pa.int64()))})
    for table in (of_bytes, by_number):
        assert readable(read_events(table, X), X) == [{}]
        with pytest.raises(EventError, match=r"column 'm'.*cast"):
            read_events(table, Attributes(["1"]))


def test_damaged_text_is_refused() -> None:
    broken = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 1], np.int32)), pa.py_buffer(b"\xff")]
    )
    with pytest.raises(EventError, match=r"column 'x'.*UTF-8"):
        read_events(pa.table({"x": broken}), X)


def test_tables_without_rows_or_columns() -> None:
    assert len(read_events(pa.table({"x": pa.array([], pa.int64())}), X)) == 0
    assert len(read_events(pa.table({}), X)) == 0
    assert readable(read_events(pa.table({"y": [1, 2]}), X), X) == [{}, {}]
    assert readable(read_events(pa.table({"x": [1, 2]}).select([]), X), X) == [{}, {}]


def test_an_event_too_large_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_arrow, "EVENT_VALUES", 3)
    cells = read_events(pa.table({"x": [[1, 2], [1, 2, 3, 4], [5]]}), X)
    assert readable(cells, X) == [{"x": [(LIST, INT, 1), (LIST, INT, 2)]}, "error", {"x": [(LIST, INT, 5)]}]
    assert "split" in cells.errors[1]


def test_many_columns_and_rows_come_in_event_order() -> None:
    """More events than the sort takes at once."""
    rng = np.random.default_rng(7)
    names = [f"c{i}" for i in range(9)]
    table = pa.table(
        {name: pa.array(rng.integers(0, 99, 5000), mask=rng.random(5000) < 0.1 * i) for i, name in enumerate(names)}
    )
    same(readable(read_events(table, Attributes(names)), Attributes(names)), table.to_pylist(), Attributes(names))


def test_pandas() -> None:
    names = Attributes(["n", "t", "c", "when", "3", "d.e", "mixed"])
    frame = pd.DataFrame(
        {
            "n": [1.5, None, 3.0],
            "t": ["a", None, "b"],
            "c": pd.Categorical(["u", "v", None]),
            "when": np.array(["2024-01-01", "NaT", "1969-12-31T23:59:59.5"], "datetime64[ns]"),
            3: [1, 2, 3],
        },
        index=[7, 8, 9],
    )
    rows: list[Any] = [
        {"n": 1.5, "t": "a", "c": "u", "when": dt.datetime(2024, 1, 1), "3": 1},
        {"c": "v", "3": 2},
        {"n": 3.0, "t": "b", "when": dt.datetime(1969, 12, 31, 23, 59, 59, 500_000), "3": 3},
    ]
    same(readable(read_events(frame, names), names), rows, names)
    extra = [{"d": {"e": [1, None]}, "mixed": "x"}, {"mixed": 5}, {"mixed": 2**70}]
    frame["d"] = pd.Series([{"e": [1, None]}, None, None], frame.index, dtype=object)
    frame["mixed"] = pd.Series(["x", 5, 2**70], frame.index, dtype=object)
    both = [one | other for one, other in zip(rows, extra, strict=True)]
    same(readable(read_events(frame, names), names), both, names)
    big = pd.DataFrame({"n": pd.Series([2**70, 1], dtype=object)})
    assert readable(read_events(big, names), names) == [{"n": [(0, FLOAT, 2.0**70)]}, {"n": [(0, INT, 1)]}]


def test_pandas_frames_with_few_or_equal_columns() -> None:
    assert readable(read_events(pd.DataFrame({"y": [1, 2]}), X), X) == [{}, {}]
    assert readable(read_events(pd.DataFrame(index=[1, 2, 3]), X), X) == [{}, {}, {}]
    assert len(read_events(pd.DataFrame({"x": []}), X)) == 0
    twice = pd.DataFrame([[1, 2], [3, 4]], columns=["x", "x"])
    assert readable(read_events(twice, X), X) == [{"x": [(0, INT, 2)]}, {"x": [(0, INT, 4)]}]
    numbers = pd.DataFrame({"x": pd.array([2**53 + 1, None], dtype="Int64")})
    assert readable(read_events(numbers, X), X) == [{"x": [(0, INT, 2**53 + 1)]}, {}]


def test_maps_in_pandas() -> None:
    names = Attributes(["a", "s.k", "mixed"])
    type = of_map(pa.int64())
    maps = pa.array([[("a", 1)], None, [("a", 2)]], type)
    structs = pa.array([{"m": [("k", 3)]}, None, None], pa.struct([("m", type)]))
    frame = pa.table({"m": pa.chunked_array([maps.slice(0, 1), maps.slice(1)]), "s": structs}).to_pandas(
        types_mapper=pd.ArrowDtype
    )
    rows: list[Any] = [{"a": 1, "s": {"k": 3}}, {}, {"a": 2}]
    same(readable(read_events(frame, names), names), rows, names)
    frame["mixed"] = pd.Series(["x", 5, None], dtype=object)
    rows = [rows[0] | {"mixed": "x"}, {"mixed": 5}, rows[2]]
    same(readable(read_events(frame, names), names), rows, names)


def test_json_in_a_column() -> None:
    table = pa.table({"body": ['{"x": 3}', None], "x": [9, 9]})
    for events in (table, table.to_batches()[0], table.to_pandas(), table.to_pylist()):
        assert readable(read_events(events, X, json="body"), X) == [{"x": [(0, INT, 3)]}, "error"]
    for events in (table, table.to_pandas()):
        with pytest.raises(EventError, match=r"'none'.*'body'"):
            read_events(events, X, json="none")
    with pytest.raises(EventError, match="int64"):
        read_events(table, X, json="x")


COLUMNS: dict[str, Any] = {
    "i": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "u": (pa.uint64(), st.integers(0, 2**64 - 1)),
    "f": (pa.float64(), st.floats()),
    "s": (pa.string(), st.text(max_size=4)),
    "d": (pa.decimal128(30, 4), st.decimals(-(10**20), 10**20, places=4)),
    "t": (pa.timestamp("us"), st.datetimes()),
    "r.b": (pa.bool_(), st.booleans()),
    "r.l": (pa.list_(pa.int16()), st.lists(st.none() | st.integers(-9, 9), max_size=3)),
}


def nested(name: str, columns: dict[str, Any]) -> Any:
    fields = [key for key in columns if key.startswith(name + ".")]
    return pa.StructArray.from_arrays([columns.pop(key) for key in fields], [key[len(name) + 1 :] for key in fields])


@settings(max_examples=60)
@given(
    st.lists(st.fixed_dictionaries({name: st.none() | values for name, (_, values) in COLUMNS.items()}), max_size=12)
)
def test_tables_against_the_reference(rows: list[dict[str, Any]]) -> None:
    names = Attributes(COLUMNS)
    columns = {name: pa.array([row[name] for row in rows], type) for name, (type, _) in COLUMNS.items()}
    table = pa.table({"r": nested("r", columns), **columns})
    same(readable(read_events(table, names), names), rows, names)
    same(readable(read_events(table.slice(3, 5), names), names), rows[3:8], names)
