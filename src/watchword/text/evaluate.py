"""The oracle of text: an analysed query evaluated directly on an event, in three-valued (Kleene) logic.

a leaf's field             the leaf
missing, or not a text     unknown
a text                     whether some of its tokens match
a list or set              of the field of MATCHES: some element must satisfy the whole query
                           of a field that the query names: some element must satisfy the leaf
a Range                    unknown
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from watchword.coding.event import EventValue
from watchword.text.analyse_query import analysed_query
from watchword.text.analyzers import Token
from watchword.text.document import Document, document
from watchword.text.query import AllOf, AnyOf, AtLeast, Leaf, Not, Nothing, Query, children_of
from watchword.text.settings import TextSettings

LeafTruth = Callable[[Leaf], bool | None]


@dataclass(frozen=True, slots=True)
class Highlight:
    """A term that matched, and where it stands in the text of `field` (of its element of this number, in a list)."""

    field: str
    element: int | None
    term: str
    begin: int
    end: int


def evaluate_query(query: Query, leaf_truth: LeafTruth) -> bool | None:
    """True, False, or None for unknown, given that of each leaf."""
    match query:
        case Not(child):
            truth = evaluate_query(child, leaf_truth)
            return None if truth is None else not truth
        case AllOf(children):
            return _enough(len(children), [evaluate_query(child, leaf_truth) for child in children])
        case AnyOf(children):
            return _enough(1, [evaluate_query(child, leaf_truth) for child in children])
        case AtLeast(count, children):
            return _enough(count, [evaluate_query(child, leaf_truth) for child in children])
    return leaf_truth(query)


def _enough(wanted: int, truths: Sequence[bool | None]) -> bool | None:
    if truths.count(True) >= wanted:
        return True
    return False if len(truths) - truths.count(False) < wanted else None


def matched_terms(query: Query, tokens: Sequence[Token]) -> list[tuple[str, int, int]]:
    """The terms that an analysed query matches among the tokens of a text, each with where it begins and ends.

    Words that the query excludes are not among them.
    """
    found = _matched(query, Document(tokens))
    return [(token.term, token.begin, token.end) for token in found]


def matches(field: str, text: str, event: Mapping[str, EventValue], settings: TextSettings) -> bool | None:
    """MATCHES(field, 'text') on an event that `flatten` has read."""
    return _Reading(field, text, event, settings).truth()


def highlights(field: str, text: str, event: Mapping[str, EventValue], settings: TextSettings) -> list[Highlight]:
    """Which terms matched and where: of a list the elements that satisfy the query, if any does."""
    return _Reading(field, text, event, settings, keep_optional=True).highlights()


class _Reading:
    """One query on one event."""

    def __init__(
        self,
        field: str,
        text: str,
        event: Mapping[str, EventValue],
        settings: TextSettings,
        keep_optional: bool = False,
    ) -> None:
        self.field = field
        self.query = analysed_query(text, field, settings, keep_optional)
        self.event = event
        self.settings = settings

    def truth(self) -> bool | None:
        value = self.event.get(self.field)
        if isinstance(value, (list, frozenset)):
            return _enough(1, [self.truth_of(element) for element in value])
        return self.truth_of(value)

    def truth_of(self, element: object) -> bool | None:
        """With this as the value of the field of MATCHES."""
        return evaluate_query(self.query, lambda leaf: self.leaf_truth(leaf, element))

    def leaf_truth(self, leaf: Leaf, element: object) -> bool | None:
        value = element if leaf.field == self.field else self.event.get(leaf.field)
        if isinstance(value, (list, frozenset)):
            return _enough(1, [self.holds(leaf, part) for part in value])
        return self.holds(leaf, value)

    def holds(self, leaf: Leaf, value: object) -> bool | None:
        if not isinstance(value, str):
            return None
        return bool(self.document(leaf.field, value).matched(leaf))

    def document(self, field: str, text: str) -> Document:
        return document(self.settings.analyzer_of(field).name, text)

    def highlights(self) -> list[Highlight]:
        fields = dict.fromkeys([self.field, *(leaf.field for leaf in _positive_leaves(self.query))])
        return [highlight for field in fields for highlight in self.highlights_in(field)]

    def highlights_in(self, field: str) -> Iterator[Highlight]:
        value = self.event.get(field)
        elements = list(value) if isinstance(value, (list, frozenset)) else [value]
        truths = [self.truth_of(element) for element in elements] if field == self.field else []
        for number, element in enumerate(elements):
            if isinstance(element, str) and not (True in truths and truths[number] is not True):
                for token in _matched(self.query, self.document(field, element), field):
                    place = number if isinstance(value, list) else None
                    yield Highlight(field, place, token.term, token.begin, token.end)


def _matched(query: Query, text: Document, field: str | None = None) -> list[Token]:
    found = {
        (token.begin, token.end): token
        for leaf in _positive_leaves(query)
        if field is None or leaf.field == field
        for token in text.matched(leaf)
    }
    return [found[place] for place in sorted(found)]


def _positive_leaves(query: Query, negated: bool = False) -> Iterator[Leaf]:
    if isinstance(query, Not):
        yield from _positive_leaves(query.child, not negated)
    elif isinstance(query, Leaf):
        if not negated and not isinstance(query, Nothing):
            yield query
    else:
        for child in children_of(query):
            yield from _positive_leaves(child, negated)
