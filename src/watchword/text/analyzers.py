"""Analyzers turn a text into terms with positions, by name.

    standard     words (see `words`), case folded
    english      the same, without possessive 's and stop words, stemmed by Porter's algorithm
    whitespace   runs of characters between spaces, as they are
    keyword      the whole text as one term, as it is
    ngram(q)     every q characters in a row of the folded text, q from 1 to 8

Folding is `str.casefold`, so ß is ss; nothing is normalised: an é of one code point and one of two are different.
Each word takes a position, stop words too. `tokens` is the meaning of an analyzer; `tokenise` gives the same terms
and positions for many texts at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Final, NamedTuple

from watchword.errors import TextSettingsError
from watchword.text.english import english_term
from watchword.text.words import runs_without_spaces, words

LONGEST_GRAM: Final = 8


class Token(NamedTuple):
    """A term at a position; `begin` and `end` count characters of the text it stands in."""

    term: str
    position: int
    begin: int
    end: int


class Cut(Enum):
    """How a text is cut into pieces, of which terms are made."""

    WORDS = "words"
    SPACES = "spaces"
    WHOLE = "whole"
    GRAMS = "grams"


class Piece(NamedTuple):
    text: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Analyzer:
    name: str
    cut: Cut
    fold: Callable[[str], str]
    """What becomes of the characters, which is all that prefixes, wildcards, fuzzy terms and patterns get."""
    term_of: Callable[[str], str | None]
    """The term of a folded piece; None: it takes a position, but is no term."""
    gram: int = 0

    def tokens(self, text: str) -> list[Token]:
        found = []
        for position, (piece, begin, end) in enumerate(self.pieces(text)):
            term = self.term_of(piece)
            if term is not None:
                found.append(Token(term, position, begin, end))
        return found

    def pieces(self, text: str) -> Iterator[Piece]:
        """The folded pieces; each takes a position."""
        if self.cut is Cut.GRAMS:
            yield from _grams(text, self.gram, self.fold)
            return
        for begin, end in _CUTTING[self.cut](text):
            yield Piece(self.fold(text[begin:end]), begin, end)

    @property
    def makes_terms(self) -> bool:
        """Whether a piece may become another term or none."""
        return self.term_of is not _same


def _whole(text: str) -> Iterator[tuple[int, int]]:
    if text:
        yield 0, len(text)


def _grams(text: str, q: int, fold: Callable[[str], str]) -> Iterator[Piece]:
    """One character may fold to several, so each folded one remembers where it comes from."""
    folded = [(letter, i) for i, character in enumerate(text) for letter in fold(character)]
    for first in range(len(folded) - q + 1):
        gram = folded[first : first + q]
        yield Piece("".join(letter for letter, _ in gram), gram[0][1], gram[-1][1] + 1)


_CUTTING: Final = {Cut.WORDS: words, Cut.SPACES: runs_without_spaces, Cut.WHOLE: _whole}
_NGRAM: Final = re.compile(r"ngram\(\s*([0-9]{1,9})\s*\)")


def _same(text: str) -> str:
    return text


@cache
def _named(name: str) -> Analyzer | None:
    return {
        "standard": Analyzer(name, Cut.WORDS, str.casefold, _same),
        "english": Analyzer(name, Cut.WORDS, str.casefold, english_term),
        "whitespace": Analyzer(name, Cut.SPACES, _same, _same),
        "keyword": Analyzer(name, Cut.WHOLE, _same, _same),
    }.get(name)


@cache
def _grams_of(q: int) -> Analyzer:
    return Analyzer(f"ngram({q})", Cut.GRAMS, str.casefold, _same, q)


def analyzer(name: str) -> Analyzer:
    """The analyzer of this name, always the same object."""
    grams = _NGRAM.fullmatch(name)
    if grams and 1 <= int(grams[1]) <= LONGEST_GRAM:
        return _grams_of(int(grams[1]))
    found = None if grams else _named(name)
    if found is None:
        raise TextSettingsError(
            f"no analyzer is called {name!r}: use standard, english, whitespace, keyword, "
            f"or ngram(q) with q from 1 to {LONGEST_GRAM}"
        )
    return found
