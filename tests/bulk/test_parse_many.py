"""Bulk parsing gives what the parser for single expressions gives: the same trees, the same errors."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.language.strategies import expressions

from watchword.errors import ExpressionError
from watchword.language.bulk import Parsed, column, parse_many
from watchword.language.expression import And, Operator, Or, Predicate
from watchword.language.render import to_sql
from watchword.language.sql import RESERVED, parse
from watchword.language.table_rows import to_expression
from watchword.limits import LIST_LENGTH, NAME_BYTES, NESTING, PATTERN_BYTES, QUERY_CHARACTERS, QUERY_CLAUSES

PLAIN = """
a = 1|a == 1|a<>1|a!=-1|a < 0|a<=1|a>-5|a >= 9|a = 999999999999999999|a=1.5|a = -0.0|a = 1e5 AND b > 2.5E-3
a = 'x'|a = ''|a = 'it''s'|a = ''''|a > 'größe 🙂'|a = '\\' OR b = 'c\\''d'|"größe" = 3|`a b` = 3|"in" = 1
a = TRUE|a <> false|TRUE|NOT FALSE|a|a AND NOT b OR c|seller.country = 'de'|_x1.y_2.z3 < 4|(a)|((a = 1))
a = DATE '2024-02-29'|a < timestamp '1969-12-31 23:59:59.000001'|a > TIMESTAMP '2024-01-01T01:02:03.5'
a IN (1)|a in ( 1 ,2.5,\t-3 )|a NOT IN ('x','y''z')|a IN(DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:01')
a BETWEEN 1 AND 2.5|a NOT BETWEEN 'a' AND 'b'|a between date '2024-01-01' and date '2024-12-31'
a LIKE 'x%'|a NOT LIKE '%x_'|a ILIKE 'É'|a RLIKE 'a+b'|a not regexp '^a\\.b$'|a IS NULL|a is not null
a = 1 AND b = 2 AND c = 3|a = 1 OR b = 2 OR c = 3|a = 1 AND b = 2 OR c = 3 AND d = 4|a AND (b AND (c AND d)) AND e
a OR (b OR (c OR d)) OR e|(a OR b) AND (c OR d)|((a OR b)) OR (c AND d)|(a AND b) AND c|a AND ((b OR c))
NOT (a AND b)|NOT (a AND b) AND c|NOT NOT a = 1|NOT (NOT (a OR b) AND c)|(NOT a) AND b|((a AND b) OR (c))
(((a OR b)) AND c) OR d|(((a AND b)) OR c) AND d|a=1 AND(b=2)OR(c=3)|NOT(a)|date = 1 AND timestamp < 2
MATCHES(body, 'a')|matches (  "the body" , ' +w1 -w_2  w3 ' )|MATCHES(a.b, '"wi-fi it''s"~20 U.S. goog*') AND c
NOT MATCHES(a,'+"x y" z1*')OR(MATCHES(b, 'a AND b OR -"c d" AND and'))|matches = 1 AND matches|MATCHES(m, '""  a')
MATCHES(a, 'g?o* *f ? AND* b~ b~1 (c OR NOT d~2) -(e "f g") AND ((h))')|MATCHES(a, 'NOT (b)')
"""
FORMS = [form for line in PLAIN.strip("\n").split("\n") for form in line.split("|")] + ["a  \r\n=\t1"]

ODD = """
|(|)|a =|a = b|= 1|a 1|a = 1 b = 2|a = 1)|(a = 1|a = 'x|"a = 1|a = 1 AND|OR a|a NOT|a NOT 1|a IS|a IS NOT|a IS 5
5 >= a|'x' = a|TRUE = a|a = NULL|NULL|a IS TRUE|a IS NOT FALSE|a IN ()|a IN (1, 'x', NULL)|a IN (1,)|a IN (TRUE, 2)
a BETWEEN 1 AND 'x'|a BETWEEN NULL AND 2|a BETWEEN TRUE AND FALSE|a < TRUE|a LIKE 5|a LIKE 'x!%' ESCAPE '!'|a RLIKE '('
a = +3|a = - 3|a = 5.|a = .5|a = 007|a = 1.2.3|a = 1_000|a = 0x1F|a = 5AND b|a = 5b|a = 1e|a = 1e400|a = 1e-400|a = --5
a = 9223372036854775807|a = -9223372036854775808|a = 9223372036854775808|a = 18446744073709551616|a = 1e23|a = 0.1e-22
a = 0.30000000000000004|a = 9007199254740993.0|a = 123456789012345678.5|a = 100000000000000000000000
a = DATE '2023-02-29'|a = DATE '1900-02-29'|a = DATE '2000-02-29'|a = DATE '0000-01-01'|a = DATE '2024-13-01'
a = DATE '2024-01-01 00:00:00'|a = TIMESTAMP '2024-01-01'|a = TIMESTAMP '2024-01-01 24:00:00'|a = DATE'2024-01-01'
a = TIMESTAMP '2024-01-01 00:00:00+01:00'|a = TIMESTAMP '2024-01-01 00:00:00.1234567'|a = TIMESTAMP '2024-01-01 00:00'
a = DATE|a = DATE '|a = DATE ''|a = TIMESTAMP '2024-01-01x00:00:00'|a = TIMESTAMP '2024-01-01 00:00:00.'|a = DATE '2024'
größe = 1|a."b c" = 1|"a"."b" = 1|"a""b" = 1|"" = 1|a. = 1|a.1 = 1|a.in = 1|a . b = 1|$a = 1|a$ = 1|@a = 1
a = 'x'AND b|a = 1 -- c|a = 1 /* c */ AND b|a = 1 # c|a = 1;|a <=> 1|a => 1|a === 1|a ! = 1|a << 1|a::int = 1
a LIKE'x'|a IN(1)AND b|a = e'x'|N'x' = a|a = x'1f'|f(a) = 1|MATCHES(a, 'b')|a = 1 AND AND b|a NOT NOT IN (1)
a = {{b}}|{# a #} b|SHOW a|show = 1|a\x00 = 1|a\xa0= 1|a\x0b= 1|a = '\x00'|a RLIKE '(?=x)'|a IN (1 2)|a IN 1
a NOT = 1|a NOT IS NULL
MATCHES|MATCHES(|MATCHES(a|MATCHES(a,|MATCHES(a,'b'|MATCHES(a 'b')|MATCHES(a,,'b')|MATCHES()|MATCHES('a', 'b')
MATCHES(a, 'b', 1)|MATCHES(a, 'b c', 2) AND d|MATCHES(a, 'b', 2)|MATCHES(a, NULL)|MATCHES(a, 3)|MATCHES(a, b)
MATCHES(a, '')|MATCHES(a, ' ')|MATCHES(a, '+')|MATCHES(a, 'a -')|MATCHES(a, '"b')|MATCHES(a, '"b"c')|MATCHES(a, 'b"c"')
MATCHES(a, 'AND')|MATCHES(a, 'b AND')|MATCHES(a, 'OR b')|MATCHES(a, 'b AND OR c')|MATCHES(a, 'b AND AND c')
MATCHES(a, '+b OR c')|MATCHES(a, 'b OR c +d')|MATCHES(a, '+b AND c')|MATCHES(a, 'b AND -c')|MATCHES(a, 'b AND +AND')
MATCHES(a, 'NOT b')|MATCHES(a, 'b NOT')|MATCHES(a, '-NOT')|MATCHES(a, 'NOT NOT b')|MATCHES(a, '+-b')|MATCHES(a, '*')
MATCHES(a, 'b~1 c~ d?e *f g**')|MATCHES(a, 'b**c')|MATCHES(a, 'x:b')|MATCHES(a, 'x:')|MATCHES(a, '/b+/')
MATCHES(a, '(b c)@2')|MATCHES(a, '(b c)@3')|MATCHES(a, 'b^2')|MATCHES(a, '"b"~')|MATCHES(a, '"b"~9999')
MATCHES(a, '"b"~99999')|MATCHES(a, '"b c"~2x')|MATCHES(a, 'b*c')|MATCHES(a, 'b* AND c')|MATCHES(a, 'AND* OR*')
MATCHES(a, 'größe "x ö"')|MATCHES(a, 'b	c')|MATCHES(a, '/(/')|MATCHES(a, '-  b')|MATCHES(a, '.b')|MATCHES(a, '"b" "c"')
MATCHES(a, 'b''')|a = MATCHES(b, 'c')|MATCHES(a, 'b') = 1|MATCHES(a, 'b') c|MATCHES(a.in, 'b')|"MATCHES"(a, 'b')
x.MATCHES(a, 'b')|MATCHES (a = 1)|MATCHESX(a, 'b')|MATCHES(a, N'b')|MATCHES(a, 'b' 'c')|MATCHES(MATCHES, 'b')
NOT MATCHES NOT NULL
"""
ODDITIES = [form for line in ODD.strip("\n").split("\n") for form in line.split("|")] + [
    "\u0131s = 1",
    "a || b",
    "a\n=\n'\n'",
    "é",
    "\t",
    "'",
]


def outcome(text: str) -> str:
    try:
        return repr(parse(text))
    except ExpressionError as error:
        return str(error)


def outcomes(parsed: Parsed) -> dict[int, str]:
    """The tree or the error of each row. Trees are compared as they print: 1, 1.0 and True differ."""
    trees = {int(row): repr(to_expression(parsed.table, i)) for i, row in enumerate(parsed.rows)}
    return trees | dict(parsed.errors)


def check(texts: Sequence[str]) -> Parsed:
    parsed = parse_many(pa.array(texts, pa.string()))
    assert outcomes(parsed) == {row: outcome(text) for row, text in enumerate(texts)}
    assert len(parsed.rows) + len(parsed.errors) == len(texts)
    assert parsed.rows.tolist() == sorted(parsed.rows.tolist())
    return parsed


@pytest.fixture
def without_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that the kernels give up fail."""

    def refuse(text: str) -> None:
        raise ExpressionError(f"given up: {text}")

    monkeypatch.setattr(column, "parse", refuse)
    monkeypatch.setattr(column, "_is_good", lambda operator, text: operator == Operator.RLIKE)


def test_plain_forms_parse_alike() -> None:
    assert not check(FORMS).errors


def test_odd_forms_parse_or_fail_alike() -> None:
    check(ODDITIES)


@pytest.mark.usefixtures("without_parser")
def test_plain_forms_never_fall_back() -> None:
    assert parse_many(pa.array(FORMS)).errors == []


@pytest.mark.parametrize("word", sorted(RESERVED))
@pytest.mark.parametrize("form", ["{} = 1", "a = {}", "a {} 1", "{}", "a AND {}", "a {} b", "x.{} = 1"])
def test_reserved_words_stand_where_the_parser_wants_them(form: str, word: str) -> None:
    check([form.format(word), form.format(word.lower()), form.format(word + "s")])


@settings(max_examples=25, deadline=None)
@given(st.lists(expressions(), min_size=1, max_size=30))
def test_rendered_expressions_come_back(trees: list[Predicate]) -> None:
    parsed = parse_many(pa.array([to_sql(tree) for tree in trees]))
    assert parsed.errors == []
    assert [to_expression(parsed.table, row) for row in range(len(trees))] == trees


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32))
def test_broken_texts_parse_or_fail_alike(seed: int) -> None:
    rng = random.Random(seed)
    pieces = [*FORMS, *ODDITIES, *RESERVED, *"()=<>,.'\"`-+;# \n"]
    texts = []
    for _ in range(50):
        text = " AND ".join(rng.choices(FORMS, k=rng.randint(1, 3)))
        start = rng.randint(0, len(text))
        texts.append(text[:start] + rng.choice(["", " ", rng.choice(pieces)]) + text[start + rng.randint(0, 3) :])
        texts.append(rng.choice(["", " "]).join(rng.choices(pieces, k=4)))
    check(texts)


@pytest.mark.usefixtures("without_parser")
def test_short_decimals_are_exact() -> None:
    rng = random.Random(1)
    numbers = [f"{rng.randint(0, 10**9)}.{rng.randint(0, 10**6)}e{rng.randint(-16, 16)}" for _ in range(2000)]
    parsed = parse_many(pa.array([f"a = -{number}" for number in numbers]))
    assert parsed.table.constants.bits.view(np.float64).tolist() == [-float(number) for number in numbers]


@pytest.mark.usefixtures("without_parser")
def test_all_times_of_the_years_1_to_9999() -> None:
    rng = random.Random(2)
    span = dt.datetime.max - dt.datetime.min
    times = [dt.datetime.min, dt.datetime.max, *(dt.datetime.min + rng.random() * span for _ in range(2000))]
    parsed = parse_many(pa.array([f"a = TIMESTAMP '{time.isoformat(' ', 'microseconds')}'" for time in times]))
    assert parsed.table.constants.bits.tolist() == [
        (time - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1) for time in times
    ]


def test_rows_near_and_beyond_the_limits() -> None:
    many = ",".join(map(str, range(LIST_LENGTH // 2 + 5)))
    texts = ["b = 1", f"a IN ({many})", f"a IN ({many},{many})"]
    texts += [f"{'n' * length} = 1" for length in (NAME_BYTES // 2, NAME_BYTES, NAME_BYTES + 1)]
    texts += [f"a LIKE '{'p' * length}'" for length in (PATTERN_BYTES // 2, PATTERN_BYTES, PATTERN_BYTES + 1)]
    for depth in (NESTING // 2 - 1, NESTING // 2, NESTING // 2 + 1, NESTING, NESTING + 1):
        texts += [
            "(" * depth + "a" + ")" * depth,
            "NOT " * depth + "a",
            "NOT (" * (depth // 2) + "a OR b" + ")" * (depth // 2),
        ]
        texts += ["(" * depth + "a", "(a OR " * depth + "a" + ")" * depth]
    check(texts)


@pytest.mark.usefixtures("without_parser")
def test_the_tape_grows_for_rows_of_many_short_parts() -> None:
    texts = ["a = 1", " OR ".join("a" * 5000), "(" * 120 + "a" + ")" * 120, f"a IN ({','.join('1' * 9000)})", "b = 2"]
    trees = outcomes(parse_many(pa.array(texts)))
    assert trees == {row: repr(parse(text)) for row, text in enumerate(texts)}


def test_bad_patterns_are_errors_and_leave_no_names() -> None:
    texts = ["good RLIKE 'a+'", "bad RLIKE '('", "x = 1 AND worse RLIKE '(?=y)'", "good RLIKE '(''|b)'"] * 3
    parsed = check(texts)
    assert sorted(parsed.table.names) == ["good"]
    assert [row % 4 for row, _ in parsed.errors] == [1, 2] * 3


def test_bad_queries_are_errors_and_leave_no_names() -> None:
    texts = ["MATCHES(good, 'a b')", "MATCHES(bad, 'a (')", "x = 1 AND MATCHES(worse, '/(/')", "MATCHES(good, 'a (b)')"]
    parsed = check(texts * 3)
    assert sorted(parsed.table.names) == ["good"]
    assert [row % 4 for row, _ in parsed.errors] == [1, 2] * 3


def test_queries_near_and_beyond_the_limits() -> None:
    lengths = (QUERY_CLAUSES // 2, QUERY_CLAUSES, QUERY_CLAUSES + 1)
    queries = [word * length for length in lengths for word in ("a", "a ", "- ", '"" ')]
    queries += ["a" * QUERY_CHARACTERS, "a" * (QUERY_CHARACTERS + 1), '"a"~999', '"a"~0001', "-a " * 400]
    for depth in (15, 16, 17, 32, 33, 64, 65):
        queries += [before * depth + "a" + ")" * depth for before in ("(", "NOT (", "-(")]
    check([f"MATCHES(a, '{query}')" for query in queries])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32))
def test_queries_are_judged_alike(seed: int) -> None:
    rng = random.Random(seed)
    pieces = [
        "a",
        "w1",
        "+(",
        "-(",
        "NOT (",
        "?",
        "~1",
        "~",
        "~3",
        "AND",
        "OR",
        "NOT",
        '"b c"',
        "~2",
        "*",
        "+",
        "-",
        " ",
        "  ",
        "''",
        ".",
        '"',
        "(",
        ")",
        "é",
        "a*",
    ]
    queries = [rng.choice(["", " "]).join(rng.choices(pieces, k=rng.randint(1, 7))) for _ in range(50)]
    check([f"MATCHES(a, '{query}')" for query in queries])


def test_the_table_of_an_example() -> None:
    parsed = parse_many(pa.array(["x = 1", None, "price <= 580 AND (color = 'r''d' OR NOT sold)", "x ="]))
    assert parsed.rows.tolist() == [0, 2]
    assert [row for row, _ in parsed.errors] == [1, 3]
    assert "null" in parsed.errors[0][1]
    assert parsed.table.names == ["x", "price", "color", "sold"]
    tree = to_expression(parsed.table, 1)
    assert isinstance(tree, And)
    assert tree.children[0] == Predicate("price", Operator.LESS_EQUAL, (580,))
    assert isinstance(tree.children[1], Or)
    assert tree.children[1].children[0] == Predicate("color", Operator.EQUAL, ("r'd",))


TEXTS = [
    "a = 1",
    None,
    "größe = 'ß'",
    "",
    "b IN ('x''y', 'z')",
    "a ==",
    None,
    "NOT (c OR d)",
    "e = DATE '2024-01-01'",
] * 2
WANTED = {row: outcome(text) if text is not None else None for row, text in enumerate(TEXTS)}


def columns() -> dict[str, pa.Array | pa.ChunkedArray]:
    strings = pa.array(TEXTS)
    return {
        "string": strings,
        "large": strings.cast(pa.large_string()),
        "view": pa.array(TEXTS, pa.string_view()),
        "dictionary": strings.dictionary_encode(),
        "sliced": pa.array(["x = 0", None, *TEXTS, "y = 0"]).slice(2, len(TEXTS)),
        "chunked": pa.chunked_array([strings[:1], strings[:0], strings[1:5], strings[5:]]),
        "chunked large": pa.chunked_array([strings[:7], strings[7:]]).cast(pa.large_string()),
    }


@pytest.mark.parametrize("rows", [1, 4, 1 << 15])
@pytest.mark.parametrize("kind", columns())
def test_columns_of_any_layout(kind: str, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column, "_PIECE_ROWS", rows)
    found = outcomes(parse_many(columns()[kind]))
    assert {row: None if TEXTS[row] is None else text for row, text in found.items()} == WANTED


def test_pieces_end_at_few_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column, "_PIECE_BYTES", 12)
    pieces = list(column._pieces(pa.array(["a = 1", "b = 2", "a much longer = 3", "", "c = 4"])))
    assert [(first, len(piece)) for first, piece in pieces] == [(0, 2), (2, 1), (3, 2)]


def test_no_rows() -> None:
    for empty in (pa.array([], pa.string()), pa.chunked_array([], pa.string()), pa.array(["a"]).slice(1)):
        parsed = parse_many(empty)
        assert (len(parsed.table), parsed.rows.tolist(), parsed.errors) == (0, [], [])
    assert [row for row, _ in parse_many(pa.nulls(2)).errors] == [0, 1]


def test_texts_that_are_not_utf8_are_errors() -> None:
    offsets, data = np.array([0, 5, 10, 15], np.int32), b"a = 1b = \xffc = 3"
    texts = pa.Array.from_buffers(pa.string(), 3, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    parsed = parse_many(texts)
    assert parsed.rows.tolist() == [0, 2]
    assert parsed.errors == [(1, "the expression is not UTF-8 from byte 4: encode it as UTF-8")]


def test_a_column_of_another_type_is_refused() -> None:
    with pytest.raises(ExpressionError, match="int64, expected string"):
        parse_many(pa.array([1]))
