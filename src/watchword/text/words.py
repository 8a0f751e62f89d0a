"""Words of a text: what lies between the word boundaries of Unicode's annex 29, as far as it can be a term.

    "The well-kept wi-fi can't do 3.14, snake_case 漢字"
     The well kept  wi fi can't do 3.14  snake_case 漢 字

A word is a run of letters and digits. One sign between two letters (apostrophe, full stop, colon) or two digits
(full stop, comma, apostrophe) stays inside, as do underscores and, behind each character, the marks that combine
with it. Ideographs and Hiragana are words one by one; Katakana runs are words, as are runs of Thai, Lao, Khmer and
Burmese, which write no spaces. Everything else, symbols and emoji included, is between words. These are the words
that Lucene's StandardTokenizer finds, except that it also finds emoji.

Text beyond ASCII is read by this module; `scan_words` finds the same words in ASCII.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import regex

LONGEST_WORD: Final = 255
"""Characters. A longer word is cut into pieces of this length, as Lucene does, which are words of their own."""

_MARKS: Final = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]*+"
_HEBREW: Final = rf"(?:\p{{WB=Hebrew_Letter}}{_MARKS})"
_LETTER: Final = rf"(?:[\p{{WB=ALetter}}\p{{WB=Hebrew_Letter}}]{_MARKS})"
_DIGIT: Final = rf"(?:\p{{WB=Numeric}}{_MARKS})"
_JOINT: Final = rf"(?:\p{{WB=ExtendNumLet}}{_MARKS})"
_IN_WORD: Final = rf"(?:[\p{{WB=MidLetter}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}]{_MARKS})"
_IN_NUMBER: Final = rf"(?:[\p{{WB=MidNum}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}]{_MARKS})"
_QUOTE: Final = rf"(?:\p{{WB=Double_Quote}}{_MARKS})"
_APOSTROPHE: Final = rf"(?:\p{{WB=Single_Quote}}{_MARKS})"

_LETTERS_AND_DIGITS: Final = rf"""
    (?: {_HEBREW} {_QUOTE} (?={_HEBREW})
      | {_LETTER} (?:{_IN_WORD} (?={_LETTER}))?+
      | {_DIGIT} (?:{_IN_NUMBER} (?={_DIGIT}))?+
    )++
    (?:(?<={_HEBREW.replace("*+", "*")}) {_APOSTROPHE})?+
"""
_KATAKANA: Final = rf"(?:\p{{WB=Katakana}}{_MARKS})++"
_RUN: Final = rf"(?:{_LETTERS_AND_DIGITS}|{_KATAKANA})"

_WORD: Final = regex.compile(
    rf"""(?P<word>
        {_JOINT}*+ {_RUN} (?:{_JOINT}++ {_RUN})*+ {_JOINT}*+
      | [[\p{{Han}}\p{{Hiragana}}]&&\p{{WB=Other}}] {_MARKS}
      | (?:[\p{{LB=SA}}&&\p{{WB=Other}}] {_MARKS})++
    ) | {_JOINT}++""",
    regex.VERSION1 | regex.VERBOSE,
)


def words(text: str) -> Iterator[tuple[int, int]]:
    """Where each word begins and ends, in characters."""
    for found in _WORD.finditer(text):
        if found["word"] is not None:  # else a run of underscores alone
            yield from _pieces(*found.span())


def runs_without_spaces(text: str) -> Iterator[tuple[int, int]]:
    """Where each run of characters begins and ends that `str.isspace` does not count as space."""
    for found in _NO_SPACES.finditer(text):
        yield from _pieces(*found.span())


_NO_SPACES: Final = regex.compile(r"[^\s\x1c-\x1f]+")


def _pieces(begin: int, end: int) -> Iterator[tuple[int, int]]:
    for first in range(begin, end, LONGEST_WORD):
        yield first, min(first + LONGEST_WORD, end)
