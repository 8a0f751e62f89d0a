"""JSON texts to cells: always what `json.loads` and then the dicts would give."""

from __future__ import annotations

import json
import random
import struct
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.events.reference import Event, expected, readable

from watchword.coding import from_json
from watchword.coding.attributes import Attributes
from watchword.coding.cells import LIST
from watchword.coding.json_numbers import read_number
from watchword.coding.parts import writable
from watchword.coding.read_events import read_events
from watchword.coding.values import FLOAT, INT, U8
from watchword.errors import EventError
from watchword.limits import EVENT_VALUES

NAMES = Attributes(["a", "b", "a.b", "a.b.c", "größe", "", "a.", ".a"])

SOUND = [
    "{}",
    ' \t\r\n{ "a" : 1 , "b" : [ 1 , "x" , null , true , false , -2.5e-3 ] } \n',
    '{"a":{"b":{"c":"deep"}},"b":null,"größe":"\\u00fc\\n\\ud83d\\ude00 \\"q\\" \\\\ \\/"}',
    '{"a":[],"b":{},"z":{"y":[1,{}]}}',
    '{"":0,"a":{"":"x"},".a":-0,"unknown":"\\u0041\\ud800"}',
    '{"a":9223372036854775807,"b":-9223372036854775808}',
    '{"a":9223372036854775808,"b":1e400,"a.b":123456789012345678901234567890}',
    '{"a":0.1,"b":1.7976931348623157e308,"größe":5e-324,"a.b":-0.0}',
    '{"a":[[1],{"b":1},[],{},"x",null,[[["deep"]]]],"b":2,"z":[{"a":[{}]}]}',
    '{"a":1,"a":2}',
    '{"a":1,"a":null}',
    '{"a":{"b":1},"a":{"c":2}}',
    '{"a":{"b":1},"a":3}',
    '{"a":3,"a":{"b":1}}',
    '{"z":{"a":1},"z":null,"a":{"b":1},"a.b":2}',
    '{"a.b":2,"a":{"b":null}}',
    '{"\\u0061":7}',
    '{"a":"tab\\tand\\u0000nul"}',
    '{"a":' + '{"a":' * 70 + "1" + "}" * 71,
]

BROKEN = [
    "",
    " ",
    "null",
    "3",
    "[]",
    '"{}"',
    "{}}",
    "{} {}",
    "{",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,"a":1}',
    '{"a":1 "b":2}',
    '{"a" 1}',
    "{a:1}",
    "{'a':1}",
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":-}',
    '{"a":1e}',
    '{"a":1e+}',
    '{"a":0x10}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":-Infinity}',
    '{"a":nul}',
    '{"a":truex}',
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{"a":[1 2]}',
    '{"a":[1}',
    '{"a":"\\x41"}',
    '{"a":"\\u12G4"}',
    '{"a":"\\u12"}',
    '{"a":"line\nbreak"}',
    '{"a":"open}',
    '{"a":"\\',
    '{"a":1}\x00',
    '\ufeff{"a":1}',
    '{"a":1} // comment',
    '{"a":' + "[" * 100_000,
    '{"a":' * 2_000,
    '{"a":' + "9" * 5_000 + "}",
]


def no_constant(word: str) -> NoReturn:
    raise ValueError(word)


def wanted(text: str | None, attributes: Attributes = NAMES) -> Event:
    """What Python's reader and the dicts make of a text."""
    try:
        return expected(json.loads(text or "", parse_constant=no_constant), attributes)
    except (ValueError, RecursionError):
        return "error"


def check(texts: list[str | None], attributes: Attributes = NAMES) -> None:
    actual = readable(read_events(pa.array(texts, pa.string()), attributes), attributes)
    for text, one in zip(texts, actual, strict=True):
        assert one == wanted(text, attributes), text


@pytest.mark.plain
@pytest.mark.parametrize("text", SOUND, ids=range(len(SOUND)))
def test_sound(text: str) -> None:
    check([text])


@pytest.mark.plain
@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_broken(text: str) -> None:
    assert wanted(text) == "error"
    check([text])


@pytest.mark.plain
@pytest.mark.parametrize(
    "text",
    [
        '{"a.b":[1,2],"a.b":[3]}',
        '{"a.b":[1,2],"a":{"b":[3]}}',
        '{"a":{"b":[1,2]},"a.b":[3]}',
        '{"a":{"b":[1,2]},"a":{"b":[3]}}',
        '{"a":{"b":[1,2],"b":[3]}}',
        '{"a":{"b":[1,2]},"\\u0061.b":[3]}',
    ],
)
def test_two_lists_of_one_name_do_not_merge(text: str) -> None:
    check([text])
    cells = read_events(pa.array([text]), NAMES)
    assert readable(cells, NAMES) == [{"a.b": [(LIST, INT, 3)]}]


def test_all_together() -> None:
    """Rows that Python reads between rows that the kernel reads."""
    check([*SOUND, *BROKEN, None, *reversed(SOUND), *BROKEN, None])
    check([])
    check([None])


def test_the_kernel_reads_what_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_json, "from_dicts", None)
    numbers = '{"a":0.1,"b":1e22,"größe":-12345678.901234567,"a.b":-9223372036854775799}'
    check([*SOUND[:3], numbers, '{"z":{"y":[1,2]},"a":{"b":{"c":1},"d":"\\ud800"}}'])


def test_errors_say_why() -> None:
    cells = read_events(pa.array(['{"a": }', None, "[1]", '{"a": NaN}', '{"a":' * 2_000]), NAMES)
    for row, part in enumerate(["at character 6", "null", "mapping", "NaN", "nested"]):
        assert part in cells.errors[row]


@pytest.mark.parametrize("text", [text for text in SOUND if len(text) < 150], ids=range(len(SOUND) - 1))
def test_every_truncation(text: str) -> None:
    """Cut at every character, alone in its buffer and beside what would complete it."""
    cut = [text[:end] for end in range(len(text) + 1)]
    check(list(cut))
    for piece in cut:
        check([piece])


def test_damaged_at_random() -> None:
    rng = random.Random(3)
    texts: list[str | None] = []
    for _ in range(4_000):
        text = list(rng.choice(SOUND[:-1]))
        for _ in range(rng.randint(1, 2)):
            at = rng.randrange(len(text) + 1)
            text[at : at + rng.randint(0, 2)] = rng.choice([*'"\\{}[],:1.e-u\té', ""])
        texts.append("".join(text))
    check(texts)


def test_slices_chunks_and_types() -> None:
    texts: list[Any] = [json.dumps({"a": i, "b": f"é{i}"}) for i in range(50)]
    for type in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        array = pa.array(texts, type)
        rows = [wanted(text) for text in texts]
        assert readable(read_events(array, NAMES), NAMES) == rows
        assert readable(read_events(array.slice(7, 9), NAMES), NAMES) == rows[7:16]
        chunks = pa.chunked_array([array.slice(3, 4), array.slice(0, 0), array.slice(20)])
        assert readable(read_events(chunks, NAMES), NAMES) == rows[3:7] + rows[20:]
    assert len(read_events(pa.chunked_array([], pa.string()), NAMES)) == 0
    assert readable(read_events(pa.nulls(2), NAMES), NAMES) == ["error", "error"]


def test_the_output_grows() -> None:
    """More cells than bytes suggest, and one string larger than all room for decoded ones."""
    check([json.dumps(event) for event in ({"a": [1] * 3_000}, {"a": "\n" * 5_000}, {"b": [2] * 9_000})])


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_json, "EVENT_BYTES", 10)
    cells = read_events(pa.array(['{"a":1}', '{"a":10000}']), NAMES)
    assert len(readable(cells, NAMES)[0]) == 1
    assert "more than 10 bytes" in cells.errors[1]


@pytest.mark.long
def test_too_many_values_are_an_error() -> None:
    lists = "{" + ",".join([f'"{i}":[]' for i in range(EVENT_VALUES + 1)]) + "}"
    cells = read_events(pa.array([lists, '{"a":1}']), NAMES)
    assert set(cells.errors) == {0}
    assert cells.starts.tolist() == [0, 0, 1]


def test_many_nested_records() -> None:
    records = {f"r{i}": {"x": i} for i in range(100)}
    names = Attributes(["r0.x", "r99.x", "a.r5.x", "b"])
    check([json.dumps(records), json.dumps({"a": records, "b": 2})], names)
    long = "n" * 5_000
    check([json.dumps({long: {"a": 1}, "b": 2}), json.dumps({long: 3})], Attributes([long, long + ".a", "b"]))


def test_damaged_text_is_refused() -> None:
    broken = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(struct.pack("2i", 0, 8)), pa.py_buffer(b'{"a":"\xff}')]
    )
    with pytest.raises(EventError, match="UTF-8"):
        read_events(broken, NAMES)


number_texts = st.from_regex(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,22})?([eE][-+]?[0-9]{1,3})?", fullmatch=True)


@settings(max_examples=400)
@given(st.one_of(number_texts, st.floats(allow_nan=False, allow_infinity=False).map(repr), st.integers().map(str)))
@example("9007199254740993.0")
@example("1.5e-27")
@example("0.000000000000000000000000001")
@example("8.9884656743115785407")
@example("9223372036854775807.5e-20")
@example("4503599627370497.5")
@example("4503599627370496.5")
@example("1e22")
@example("1e23")
def test_numbers(text: str) -> None:
    check(['{"a":' + text + "}"])


def as_bytes(text: str) -> U8:
    return writable(np.frombuffer(text.encode(), np.uint8))


def test_printed_floats_are_read_by_the_kernel() -> None:
    """All the digits of ordinary float64s, halfway cases among them, exactly and without Python's help."""
    rng = random.Random(5)
    values = [rng.uniform(-1000, 1000) * 10 ** rng.randint(-8, 8) for _ in range(3_000)]
    texts = [repr(value) for value in values] + [f"{(rng.getrandbits(52) | 1 << 52) + 0.5:.1f}" for _ in range(300)]
    for text in texts:
        data = as_bytes(text)
        after, kind, _, value = read_number(data, 0, len(data))
        assert after == len(text)
        assert kind == FLOAT
        assert value == float(text), text


def test_whole_numbers_up_to_the_last() -> None:
    for value in (0, 7, 10**18, 922337203685477580 * 10 - 1, -(10**18)):
        data = as_bytes(str(value))
        assert read_number(data, 0, len(data))[:3] == (len(data), INT, value)


keys = st.sampled_from(["a", "b", "a.b", "c", "größe", "", "\n"])
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
records: Any = st.recursive(
    st.dictionaries(keys, scalars | st.lists(scalars, max_size=4), max_size=5),
    lambda inner: st.dictionaries(keys, inner | scalars, max_size=4),
    max_leaves=6,
)


@settings(max_examples=200)
@given(st.lists(records, max_size=4), st.booleans(), st.sampled_from([None, 1]))
def test_against_the_reference(events: list[Any], ascii_only: bool, indent: int | None) -> None:
    texts: list[str | None] = [json.dumps(event, ensure_ascii=ascii_only, indent=indent) for event in events]
    check(texts)
