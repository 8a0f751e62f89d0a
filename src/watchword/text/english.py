"""What the `english` analyzer does to a folded word: possessive off, stop words out, Porter's stem."""

from __future__ import annotations

import threading
from typing import Final

import Stemmer

# fmt: off
STOP_WORDS: Final = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to",
    "was", "will", "with",
))
# fmt: on
"""The 33 words that Lucene's English analyzer leaves out."""

_POSSESSIVE: Final = ("'s", "\N{RIGHT SINGLE QUOTATION MARK}s", "\N{FULLWIDTH APOSTROPHE}s")
_SHORTEST: Final = 3  # Porter's own program leaves words of one and two letters as they are


class _Stemmers(threading.local):
    """A stemmer keeps its state in itself, so every thread has its own."""

    def __init__(self) -> None:
        self.porter = Stemmer.Stemmer("porter", 0)


_stemmers: Final = _Stemmers()


def english_term(folded: str) -> str | None:
    """The term that a folded word stands for, None for a stop word."""
    word = folded[:-2] if folded.endswith(_POSSESSIVE) else folded
    return None if word in STOP_WORDS else stem(word)


def stem(word: str) -> str:
    """The stem of a word in lower case by Porter's algorithm of 1980."""
    return str(_stemmers.porter.stemWord(word)) if len(word) >= _SHORTEST else word
