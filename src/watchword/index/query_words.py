"""Under which words a head finds a text query: words of which a document must have one for the query to hold."""

from __future__ import annotations

from collections.abc import Iterator

from watchword.text.query import AllOf, AnyOf, AtLeast, Leaf, Nothing, Phrase, Query, Term, children_of


def query_words(query: Query) -> list[str] | None:
    """None where no words will do: the query may hold for a document with none of its own."""
    match query:
        case Nothing():
            return []
        case Term(_, text):
            return [text]
        case Phrase(_, terms):
            return [max(terms, key=len)]  # long words are rare ones, by rule of thumb
        case AllOf(children):
            choices = [words for words in map(query_words, children) if words is not None]
            return min(choices, key=_cost) if choices else None
        case AnyOf(children) | AtLeast(_, children):
            found = [query_words(child) for child in children]
            return None if None in found else [word for words in found for word in words or ()]
    return None


def _cost(words: list[str]) -> tuple[int, int]:
    return len(words), -min(map(len, words), default=0)


def fields_of(query: Query) -> set[str]:
    return {leaf.field for leaf in _leaves(query)}


def _leaves(query: Query) -> Iterator[Leaf]:
    if isinstance(query, Leaf):
        yield query
    for child in children_of(query):
        yield from _leaves(child)
