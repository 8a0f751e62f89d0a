"""The tree of a text query: leaves on one field each, joined by AllOf, AnyOf, AtLeast and Not.

    google "quarterly results"~2 -rumo*
      parsed     AllOf(Word(google), Quoted(quarterly results, 2), Not(Prefix(rumo)))
      analysed   AllOf(Term(googl), Phrase((quarterli, result), (0, 1), 2), Not(Prefix(rumo)))

Word and Quoted hold text as it was written; analysis makes a Term or a Phrase of each. Every leaf knows the
position in the query's text where it begins; trees that differ only in positions are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as column


@dataclass(frozen=True, slots=True)
class Word:
    field: str
    text: str
    at: int = column(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Quoted:
    field: str
    text: str
    slop: int = 0
    at: int = column(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Term:
    field: str
    text: str
    at: int = column(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Terms in this order; where stop words stood between them, `positions` (from 0) leaves gaps."""

    field: str
    terms: tuple[str, ...]
    positions: tuple[int, ...]
    slop: int = 0
    at: int = column(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Prefix:
    field: str
    text: str
    at: int = column(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Wildcard:
    """The pattern cut at its `*` into segments, as patterns of LIKE are cut at `%`; a `?` is a None in them."""

    field: str
    segments: tuple[tuple[str | None, ...], ...]
    at: int = column(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Fuzzy:
    field: str
    text: str
    edits: int
    at: int = column(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Regex:
    """An RE2 pattern of a whole term."""

    field: str
    pattern: str
    ignore_case: bool = False
    at: int = column(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Nothing:
    """Holds for no text: of the query, analysis left nothing."""

    field: str
    at: int = column(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class AllOf:
    children: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    children: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class AtLeast:
    """More than one of the children, and not all of them; or 0, where something beside them is required: they decide
    nothing then, and analysis leaves them out."""

    count: int
    children: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Not:
    child: Query


Leaf = Word | Quoted | Term | Phrase | Prefix | Wildcard | Fuzzy | Regex | Nothing
Query = Leaf | AllOf | AnyOf | AtLeast | Not


def children_of(query: Query) -> tuple[Query, ...]:
    if isinstance(query, Not):
        return (query.child,)
    return query.children if isinstance(query, (AllOf, AnyOf, AtLeast)) else ()


def all_of(parts: Sequence[Query]) -> Query:
    """One AllOf over all parts; an AllOf among them gives its own children."""
    children: list[Query] = []
    for part in parts:
        children.extend(part.children if isinstance(part, AllOf) else (part,))
    return children[0] if len(children) == 1 else AllOf(tuple(children))


def any_of(parts: Sequence[Query]) -> Query:
    """One AnyOf over all parts; an AnyOf among them gives its own children."""
    children: list[Query] = []
    for part in parts:
        children.extend(part.children if isinstance(part, AnyOf) else (part,))
    return children[0] if len(children) == 1 else AnyOf(tuple(children))


def at_least(count: int, parts: Sequence[Query]) -> Query:
    """`count` of the parts, 0 to all of them."""
    if count == 1:
        return any_of(parts)
    return all_of(parts) if count == len(parts) else AtLeast(count, tuple(parts))
