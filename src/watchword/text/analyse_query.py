"""A parsed query in the terms of its fields' analyzers.

Words and phrases are analysed as documents are: a word of several terms becomes a phrase, one of none is left out.
Prefixes, wildcards, fuzzy words and regular expressions are pieces of terms, so they only get the characters folded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from watchword.text.analyzers import Analyzer
from watchword.text.parse_query import parse_query
from watchword.text.query import (
    AllOf,
    AnyOf,
    AtLeast,
    Fuzzy,
    Leaf,
    Not,
    Nothing,
    Phrase,
    Prefix,
    Query,
    Quoted,
    Regex,
    Term,
    Wildcard,
    Word,
    all_of,
    any_of,
    at_least,
    children_of,
)
from watchword.text.settings import TextSettings


@lru_cache(maxsize=4096)
def analysed_query(text: str, field: str, settings: TextSettings, keep_optional: bool = False) -> Query:
    """The analysed tree of the query `text` of MATCHES on this field.

    `keep_optional`: with the clauses that decide nothing, for they are worth highlighting too.
    """
    query = _analysed(parse_query(text, field, settings.default_operator), settings, keep_optional)
    return Nothing(field) if query is None else query


def _analysed(query: Query, settings: TextSettings, keep_optional: bool) -> Query | None:
    """None where nothing of the query is left."""
    if isinstance(query, Leaf):
        return _analysed_leaf(query, settings.analyzer_of(query.field))
    parts = [_analysed(part, settings, keep_optional) for part in children_of(query)]
    if isinstance(query, AllOf):
        parts = _with_optional(query.children, parts, keep_optional)
    children = [part for part in parts if part is not None]
    if not children:
        return None
    match query:
        case Not():
            return Not(children[0])
        case AnyOf():
            return any_of(children)
        case AtLeast(count):
            return at_least(min(count, len(children)), children)
    return all_of(children)


def _with_optional(before: Sequence[Query], parts: list[Query | None], keep_optional: bool) -> list[Query | None]:
    """Optional clauses decide nothing beside required ones. Where analysis left none of those, one must hold."""
    required = [
        part for part, one in zip(parts, before, strict=True) if not isinstance(one, Not) and not _optional(one)
    ]
    some_must_hold = bool(required) and all(part is None for part in required)
    for place, part in enumerate(parts):
        if part is not None and _optional(before[place]):
            parts[place] = any_of(children_of(part)) if some_must_hold else part if keep_optional else None
    return parts


def _optional(query: Query) -> bool:
    return isinstance(query, AtLeast) and query.count == 0


def _analysed_leaf(leaf: Leaf, analyzer: Analyzer) -> Query | None:
    match leaf:
        case Word(field, text, at):
            return _terms(field, text, 0, at, analyzer)
        case Quoted(field, text, slop, at):
            return _terms(field, text, slop, at, analyzer)
        case Prefix(field, text, at):
            return Prefix(field, analyzer.fold(text), at)
        case Wildcard(field, segments, at):
            return Wildcard(field, tuple(_folded(segment, analyzer) for segment in segments), at)
        case Fuzzy(field, text, edits, at):
            return Fuzzy(field, analyzer.fold(text), edits, at)
        case Regex(field, pattern, _, at):
            return Regex(field, pattern, analyzer.fold("A") == "a", at)  # folding the pattern would make \W a \w
    return leaf


def _terms(field: str, text: str, slop: int, at: int, analyzer: Analyzer) -> Query | None:
    tokens = analyzer.tokens(text)
    if not tokens:
        return None
    if len(tokens) == 1:
        return Term(field, tokens[0].term, at)
    terms = tuple(token.term for token in tokens)
    positions = tuple(token.position - tokens[0].position for token in tokens)
    return Phrase(field, terms, positions, slop, at)


def _folded(segment: tuple[str | None, ...], analyzer: Analyzer) -> tuple[str | None, ...]:
    folded: list[str | None] = []
    run = ""
    for character in (*segment, None):
        if character is None:
            folded += [*analyzer.fold(run), None]
            run = ""
        else:
            run += character
    return tuple(folded[:-1])
