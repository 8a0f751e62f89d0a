"""Random queries, their text, and random documents that meet: few words, every kind of leaf."""

from __future__ import annotations

from hypothesis import strategies as st

from watchword.text.query import (
    AllOf,
    AnyOf,
    AtLeast,
    Fuzzy,
    Leaf,
    Not,
    Prefix,
    Query,
    Quoted,
    Regex,
    Wildcard,
    Word,
    all_of,
    any_of,
    at_least,
)

WORDS = [
    "ab",
    "abc",
    "b",
    "ba",
    "c",
    "acb",
    "Ab",
    "AND",
    "OR",
    "NOT",
    "a:b",
    'q"u',
    "a*",
    "-a",
    "x\\",
    "wi-fi",
    "a&&b",
    "é",
    "(",
    "~2",
]
SIMPLE = ["ab", "abc", "b", "ba", "c", "acb", "bc", "a"]
SPECIAL = ':^~[]{}<>+-/()"\\*?!&| \t'


def words(alphabet: list[str]) -> st.SearchStrategy[str]:
    return st.sampled_from(alphabet)


def leaves(alphabet: list[str], fields: list[str]) -> st.SearchStrategy[Query]:
    field, word = st.sampled_from(fields), words(alphabet)
    segment = st.lists(st.none() | st.sampled_from("abc*?"), max_size=3).map(tuple)
    phrase = st.lists(word, min_size=1, max_size=4).map(" ".join)
    return st.one_of(
        st.builds(Word, field, word),
        st.builds(Word, field, word),
        st.builds(Quoted, field, phrase, st.integers(0, 4)),
        st.builds(Prefix, field, st.sampled_from(["", "a", "ab", "A*"])),
        st.builds(Wildcard, field, st.lists(segment, min_size=1, max_size=3).map(tuple)).filter(_is_wildcard),
        st.builds(Fuzzy, field, word, st.integers(1, 2)),
        st.builds(Regex, field, st.sampled_from(["a+", "(?i)A.", "b|ab", "a/b", r"\w[^b]", r"\\/"])),
    )


def _is_wildcard(leaf: Wildcard) -> bool:
    """Not a word or a prefix, which are leaves of their own."""
    return None in leaf.segments[0] or len(leaf.segments) > 2 or (len(leaf.segments) == 2 and leaf.segments[1] != ())


def queries(alphabet: list[str] = WORDS, fields: tuple[str, ...] = ("f", "g.h", "a b")) -> st.SearchStrategy[Query]:
    return st.recursive(
        leaves(alphabet, list(fields)),
        lambda below: st.one_of(
            st.lists(below, min_size=2, max_size=4).map(all_of),
            st.lists(below, min_size=2, max_size=4).map(any_of),
            st.tuples(st.integers(1, 4), st.lists(below, min_size=4, max_size=5)).map(lambda pair: at_least(*pair)),
            below.map(Not),
        ),
        max_leaves=8,
    )


def to_text(query: Query, field: str = "f") -> str:
    """A text that parses to this tree on this field: every child of a join in parentheses."""
    match query:
        case Not(child):
            return f"NOT {_unit(child, field)}"
        case AllOf(children):
            return " ".join(_unit(child, field) for child in children)
        case AnyOf(children):
            return " OR ".join(_unit(child, field) for child in children)
        case AtLeast(count, children):
            return f"({' '.join(_unit(child, field) for child in children)})@{count}"
    text = _leaf(query)
    return text if query.field == field else f"{escaped(query.field)}:{text}"


def _unit(query: Query, field: str) -> str:
    text = to_text(query, field)
    return f"({text})" if isinstance(query, (Not, AllOf, AnyOf)) else text


def _leaf(leaf: Leaf) -> str:
    match leaf:
        case Word(_, text):
            return escaped(text)
        case Quoted(_, text, slop):
            return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' + (f"~{slop}" if slop else "")
        case Prefix(_, text):
            return escaped(text) + "*"
        case Wildcard(_, segments):
            return "*".join("".join("?" if one is None else escaped(one) for one in segment) for segment in segments)
        case Fuzzy(_, text, edits):
            return escaped(text) + ("~" if edits == 2 else "~1")
        case Regex(_, pattern):
            return "/" + pattern.replace("/", "\\/") + "/"
    raise AssertionError(leaf)


def escaped(text: str) -> str:
    text = "".join("\\" + sign if sign in SPECIAL else sign for sign in text)
    return "\\" + text if text in ("AND", "OR", "NOT") else text
