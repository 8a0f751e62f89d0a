"""The grammar of text queries: trees, refusals with their positions, limits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.text.queries import WORDS, queries, to_text

from watchword.errors import ExpressionError, LimitError, QueryError
from watchword.language.sql import parse
from watchword.limits import (
    NAME_BYTES,
    PATTERN_BYTES,
    PHRASE_SLOP,
    QUERY_CHARACTERS,
    QUERY_CLAUSES,
    QUERY_NESTING,
)
from watchword.text.parse_query import parse_query
from watchword.text.query import (
    AllOf,
    AnyOf,
    AtLeast,
    Fuzzy,
    Not,
    Prefix,
    Query,
    Quoted,
    Regex,
    Wildcard,
    Word,
    children_of,
)


def word(text: str, field: str = "body") -> Word:
    return Word(field, text)


A, B, C, D = word("a"), word("b"), word("c"), word("d")

TREES: list[tuple[str, Query]] = [
    ("a", A),
    (" a\t", A),
    ("a b\nc", AllOf((A, B, C))),
    ("a\u3000b", AllOf((A, B))),
    ("a AND b", AllOf((A, B))),
    ("a && b", AllOf((A, B))),
    ("a OR b", AnyOf((A, B))),
    ("a || b", AnyOf((A, B))),
    ("a and b", AllOf((A, word("and"), B))),
    ("NOT a", Not(A)),
    ("!a", Not(A)),
    ("! a", Not(A)),
    ("-a", Not(A)),
    ("NOT NOT a", Not(Not(A))),
    ("-(-a)", Not(Not(A))),
    ("-a -b", AllOf((Not(A), Not(B)))),
    ("a -b", AllOf((A, Not(B)))),
    ("a NOT b", AllOf((A, Not(B)))),
    ("a AND NOT b", AllOf((A, Not(B)))),
    ("a AND -b", AllOf((A, Not(B)))),
    ("a OR NOT b", AnyOf((A, Not(B)))),
    # AND binds tighter than OR, OR tighter than a list
    ("a AND b OR c", AnyOf((AllOf((A, B)), C))),
    ("a OR b AND c", AnyOf((A, AllOf((B, C))))),
    ("a OR b c", AllOf((AnyOf((A, B)), C))),
    ("a b OR c d", AllOf((A, AnyOf((B, C)), D))),
    ("a AND (b OR c)", AllOf((A, AnyOf((B, C))))),
    ("a AND(b OR c)", AllOf((A, AnyOf((B, C))))),
    ("a AND (b AND (c d))", AllOf((A, B, C, D))),
    ("(a OR b) OR c", AnyOf((A, B, C))),
    ("((a))", A),
    ("NOT (a b)", Not(AllOf((A, B)))),
    # a mark makes the unmarked optional
    ("+a", A),
    ("+a b", AllOf((AtLeast(0, (B,)), A))),
    ("b +a c -d", AllOf((AtLeast(0, (B, C)), A, Not(D)))),
    ("+a +b", AllOf((A, B))),
    ("+a b AND c", AllOf((A, B, C))),
    ("a AND b c", AllOf((A, B, C))),
    ("+a b OR c", AllOf((AtLeast(0, (AnyOf((B, C)),)), A))),
    ("+(a b) c", AllOf((AtLeast(0, (C,)), A, B))),
    ("c (+a b)", AllOf((C, AtLeast(0, (B,)), A))),
    # so many of them
    ("(a b c)@2", AtLeast(2, (A, B, C))),
    ("(a b c)@1", AnyOf((A, B, C))),
    ("(a b c)@3", AllOf((A, B, C))),
    ("(+a b c)@1", AllOf((AnyOf((B, C)), A))),
    ("(+a b c -d)@2", AllOf((A, B, C, Not(D)))),
    ("(a b c)@2 d", AllOf((AtLeast(2, (A, B, C)), D))),
    ("(a b c)@2^3", AtLeast(2, (A, B, C))),
    ("(a b c)^3@2", AtLeast(2, (A, B, C))),
    # phrases, patterns, boosts
    ('"a b"', Quoted("body", "a b")),
    ('"a b"~3', Quoted("body", "a b", 3)),
    ('"a \\"b\\" \\\\"', Quoted("body", 'a "b" \\')),
    ('"a* AND (b"', Quoted("body", "a* AND (b")),
    ('""', Quoted("body", "")),
    ("a*", Prefix("body", "a")),
    ("*", Prefix("body", "")),
    ("w?n*d", Wildcard("body", (("w", None, "n"), ("d",)))),
    ("*a", Wildcard("body", ((), ("a",)))),
    ("a**", Wildcard("body", (("a",), (), ()))),
    ("a?", Wildcard("body", (("a", None),))),
    (r"a\*", word("a*")),
    (r"\**", Prefix("body", "*")),
    (r"\?*?", Wildcard("body", (("?",), (None,)))),
    ("roam~", Fuzzy("body", "roam", 2)),
    ("roam~1", Fuzzy("body", "roam", 1)),
    ("roam~2^1.5", Fuzzy("body", "roam", 2)),
    (r"ro\~am~1", Fuzzy("body", "ro~am", 1)),
    ("/ab+[c d]/", Regex("body", "ab+[c d]")),
    (r"/a\/b\d/", Regex("body", r"a/b\d")),
    ("/a:b/", Regex("body", "a:b")),
    ("a^2.5 b^.5 (c)^3", AllOf((A, B, C))),
    ('"a b"~1^2', Quoted("body", "a b", 1)),
    # fields
    ("title:a b", AllOf((word("a", "title"), B))),
    ("title:(a body:b)", AllOf((word("a", "title"), B))),
    ("-title:a*", Not(Prefix("title", "a"))),
    ('seller.name:"a b"~1', Quoted("seller.name", "a b", 1)),
    (r"home\ country:a", word("a", "home country")),
    ("title:/a/ AND title:a~", AllOf((Regex("title", "a"), Fuzzy("title", "a", 2)))),
    # signs that are part of a word
    ("wi-fi", word("wi-fi")),
    ("a+b", word("a+b")),
    ("yahoo! a", AllOf((word("yahoo!"), A))),
    ("AT&T a&&b", AllOf((word("AT&T"), word("a&&b")))),
    ("and/or", word("and/or")),
    ("me@here.org", word("me@here.org")),
    ("ANDROID NOTE ORB", AllOf((word("ANDROID"), word("NOTE"), word("ORB")))),
    ("o'hara", word("o'hara")),
    (r"\AND \-a \(", AllOf((word("AND"), word("-a"), word("(")))),
    ("größe 東京", AllOf((word("größe"), word("東京")))),
]

ANY_TREES: list[tuple[str, Query]] = [
    ("a b", AnyOf((A, B))),
    ("a", A),
    ("a b -c", AllOf((AnyOf((A, B)), Not(C)))),
    ("a AND b c", AllOf((AtLeast(0, (C,)), A, B))),
    ("a OR b c", AnyOf((A, B, C))),
    ("+a b", AllOf((AtLeast(0, (B,)), A))),
    ("(a b c)@2", AtLeast(2, (A, B, C))),
    ("-a -b", AllOf((Not(A), Not(B)))),
    ("(a b) c", AnyOf((A, B, C))),
]

REFUSALS: list[tuple[str, int, str]] = [
    ("", 0, "found nothing, expected a word, a phrase or '('"),
    ("  ", 2, "found the end"),
    ("()", 1, "found ')', expected a word"),
    ("(a", 2, "found the end, expected ')'"),
    ("a)", 1, "found ')', expected another word, or the end"),
    ("a AND", 5, "found the end"),
    ("AND a", 0, "found 'AND'"),
    ("a OR OR b", 5, "found 'OR'"),
    ("a || && b", 5, "found '&&'"),
    ("NOT", 3, "found the end"),
    ("a (NOT )", 7, "found ')'"),
    ("+", 1, "directly behind '+'"),
    ("a - b", 3, "found a space, expected a word, a phrase or '(' directly behind '-'"),
    ("+-a", 1, "directly behind '+'"),
    ("+NOT a", 1, "found 'NOT'"),
    ("NOT -a", 4, "found '-a'"),
    ("+a OR b", 0, "no '+' before an alternative"),
    ("a OR +b c", 5, "no '+' before an alternative"),
    ("a AND +b OR c", 6, "no '+' before an alternative"),
    ('a "b c', 2, "found a phrase without its end"),
    ('"a"~', 4, "found the end, expected a whole number"),
    ('"a"~x', 4, "expected a whole number"),
    ('"a"b', 3, "expected a space"),
    ('a"b"', 1, "expected a space"),
    ("a(b)", 1, "expected a space"),
    ("a~3", 2, "expected 1 or 2 edits"),
    ("a~0.8", 2, "expected 1 or 2 edits"),
    ("a~1b", 3, "expected a space"),
    ("a*~", 2, "cannot be fuzzy"),
    ("~", 0, "found '~'"),
    ("a^", 2, "expected a number"),
    ("a^x", 2, "expected a number"),
    ("^2", 0, "found '^'"),
    ("/a", 0, "a regular expression without its end"),
    ("b /(/", 2, "RE2 can read"),
    ("/(?=a)/", 0, "look-around"),
    ("//", 0, "between '/' and '/'"),
    ("/a/i", 3, "expected a space"),
    (":a", 0, "found ':'"),
    ("title:", 6, "found the end"),
    ("title: a", 6, "found a space"),
    ("title:-a", 6, "found '-a'"),
    ("title:AND b", 6, "found 'AND'"),
    ("a:b:c", 3, "found ':'"),
    ("tit*:a", 0, "without wildcards"),
    ("[a TO b]", 0, "found '['"),
    ("price:{1 TO 5}", 6, "found '{'"),
    ("price:>5", 6, "found '>5'"),
    ("a]", 1, "found ']'"),
    ("(a b)@3", 5, "expected a number from 1 to 2"),
    ("(a b)@0", 5, "expected a number from 1 to 2"),
    ("(+a -b)@1", 7, "expected no number"),
    ("(a b)@", 6, "expected a whole number"),
    ("(a b)@2c", 7, "expected a space"),
    ("a\\", 2, "behind the backslash"),
]


@pytest.mark.parametrize(("text", "tree"), TREES, ids=[ascii(text) for text, _ in TREES])
def test_tree(text: str, tree: Query) -> None:
    assert parse_query(text, "body") == tree


@pytest.mark.parametrize(("text", "tree"), ANY_TREES, ids=[text for text, _ in ANY_TREES])
def test_tree_where_one_word_is_enough(text: str, tree: Query) -> None:
    assert parse_query(text, "body", "or") == tree


@pytest.mark.parametrize(("text", "position", "message"), REFUSALS, ids=[ascii(text) for text, _, _ in REFUSALS])
def test_refusal(text: str, position: int, message: str) -> None:
    with pytest.raises(QueryError) as refused:
        parse_query(text, "body")
    error = refused.value
    assert error.position == error.query_position == position
    assert message in str(error)
    assert str(error).startswith(f"at position {position}: found {error.found}, expected {error.expected}\n")
    assert str(error).splitlines()[-1] == " " * (2 + position) + "^"


@pytest.mark.parametrize(("text", "position"), [(text, position) for text, position, _ in REFUSALS])
def test_refusal_within_sql(text: str, position: int) -> None:
    before = "price <= 3 AND\nNOT MATCHES(body, '"
    query = "it's OR " + text
    with pytest.raises(QueryError) as refused:
        parse(f"{before}{query.replace(chr(39), chr(39) * 2)}')")
    error = refused.value
    assert error.query_position == 8 + position
    assert error.position == len(before) + 9 + position
    assert f"(position {8 + position} of the query)" in str(error)


def test_leaves_know_where_they_stand() -> None:
    found = []
    waiting = [parse_query('a "b c" -title:d* OR (e~1 /f/ g?h)', "body")]
    while waiting:
        node = waiting.pop(0)
        waiting += children_of(node)
        if not children_of(node):
            found.append(node.at)  # type: ignore[union-attr]
    assert sorted(found) == [0, 2, 15, 22, 26, 30]


@settings(max_examples=400, deadline=None)
@given(queries())
def test_round_trip(query: Query) -> None:
    assert parse_query(to_text(query), "f") == query


_PIECES = [text for text, *_ in (*TREES, *REFUSALS)] + WORDS + list('():"~^@+-!/*?\\ ') + ["AND ", " OR ", "NOT "]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(_PIECES) | st.text(max_size=3), max_size=8), st.integers(0, 9), st.booleans())
def test_any_text_is_a_tree_or_a_refusal(pieces: list[str], cut: int, all_by_default: bool) -> None:
    text = "".join(pieces)[cut:]
    operator = "and" if all_by_default else "or"
    query, refused = None, None
    try:
        query = parse_query(text, "f", operator)
    except ExpressionError as error:
        refused = error
    if refused is None:
        assert parse_query(f"({text})", "f", operator) == query
    else:
        assert refused.position in range(len(text) + 1)


@pytest.mark.parametrize(
    ("within", "beyond"),
    [
        ("a" * QUERY_CHARACTERS, "a" * (QUERY_CHARACTERS + 1)),
        ("a " * QUERY_CLAUSES, "a " * (QUERY_CLAUSES + 1)),
        (f"{'(' * QUERY_NESTING}a{')' * QUERY_NESTING}", f"{'(' * (QUERY_NESTING + 1)}a"),
        ("NOT " * QUERY_NESTING + "a", "NOT " * (QUERY_NESTING + 1) + "a"),
        ("NOT (" * (QUERY_NESTING // 2) + "a" + ")" * (QUERY_NESTING // 2), "-(" * (QUERY_NESTING // 2) + "NOT a"),
        (" (a)" * QUERY_CLAUSES, " (a)" * QUERY_CLAUSES + " -a"),
        (f"{'f' * NAME_BYTES}:a", f"{'f' * (NAME_BYTES + 1)}:a"),
        (f"/{'a' * PATTERN_BYTES}/", f"/{'a' * (PATTERN_BYTES + 1)}/"),
        (f"({'a ' * 24})@12", f"({'a ' * 100})@50"),
        (f"({'a ' * 500})@2 ({'a ' * 500})@499", f"({'a ' * 500})@2 ({'a ' * 500})@495"),
    ],
    ids=[
        "characters",
        "clauses",
        "parentheses",
        "nots",
        "both",
        "many",
        "name",
        "pattern",
        "half of them",
        "two groups",
    ],
)
def test_limits(within: str, beyond: str) -> None:
    parse_query(within, "body")
    with pytest.raises(LimitError):
        parse_query(beyond, "body")
    with pytest.raises(LimitError, match="at position 14: "):
        parse(f"MATCHES(body, '{beyond}')")


def test_slop_is_limited() -> None:
    assert parse_query(f'"a b"~{PHRASE_SLOP}', "body") == Quoted("body", "a b", PHRASE_SLOP)
    for slop in (PHRASE_SLOP + 1, 10**30):
        with pytest.raises(QueryError, match=f"expected a number up to {PHRASE_SLOP}"):
            parse_query(f'"a b"~{slop}', "body")
