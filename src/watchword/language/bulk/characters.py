"""Words, blanks and names of SQL text as bytes: what the kernels that parse a row read first.

Every function takes (text, i, end): the bytes of many rows, where to read, and where this row ends. Functions that
read something return the position behind it, or GIVE_UP. A kernel gives up on anything it is not sure of; the row
then goes to the parser for single expressions, which gives the tree or the error message.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from watchword.coding.values import U8
from watchword.kernel import inlined, lean

GIVE_UP: Final = -1

_LETTER: Final = 1  # A-Z a-z _
_DIGIT: Final = 2
_BLANK: Final = 4  # space, tab, line ends

QUOTE: Final = ord("'")
DOUBLE_QUOTE: Final = ord('"')
BACKTICK: Final = ord("`")
OPENING: Final = ord("(")
CLOSING: Final = ord(")")
COMMA: Final = ord(",")
DOT: Final = ord(".")
MINUS: Final = ord("-")

_CLASSES: Final = np.zeros(256, np.uint8)
_CLASSES[[*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1), ord("_")]] = _LETTER
_CLASSES[ord("0") : ord("9") + 1] = _DIGIT
_CLASSES[[ord(" "), ord("\t"), ord("\n"), ord("\r")]] = _BLANK

_CAPITALS: Final = np.arange(256) & 0xDF  # clears the bit of small letters; no digit becomes a letter


def _packed(word: str) -> int:
    packed = 0
    for letter in word.encode():
        packed = packed << 7 | letter
    return packed


AND_WORD: Final = _packed("AND")
OR_WORD: Final = _packed("OR")
NOT_WORD: Final = _packed("NOT")
IN_WORD: Final = _packed("IN")
BETWEEN_WORD: Final = _packed("BETWEEN")
LIKE_WORD: Final = _packed("LIKE")
ILIKE_WORD: Final = _packed("ILIKE")
RLIKE_WORD: Final = _packed("RLIKE")
REGEXP_WORD: Final = _packed("REGEXP")
IS_WORD: Final = _packed("IS")
NULL_WORD: Final = _packed("NULL")
TRUE_WORD: Final = _packed("TRUE")
FALSE_WORD: Final = _packed("FALSE")
DATE_WORD: Final = _packed("DATE")
TIMESTAMP_WORD: Final = _packed("TIMESTAMP")
MATCHES_WORD: Final = _packed("MATCHES")
_LONGEST: Final = len("TIMESTAMP")  # nine letters of seven bits just fit
_RESERVED: Final = (
    AND_WORD,
    OR_WORD,
    NOT_WORD,
    IN_WORD,
    BETWEEN_WORD,
    LIKE_WORD,
    ILIKE_WORD,
    RLIKE_WORD,
    REGEXP_WORD,
    IS_WORD,
    NULL_WORD,
    TRUE_WORD,
    FALSE_WORD,
    _packed("ESCAPE"),
)


@lean
def is_letter(byte: int) -> bool:
    return bool(_CLASSES[byte] == _LETTER)


@lean
def is_digit(byte: int) -> bool:
    return bool(_CLASSES[byte] == _DIGIT)


@lean
def skip_blanks(text: U8, i: int, end: int) -> int:
    while i < end and _CLASSES[text[i]] == _BLANK:
        i += 1
    return i


@lean
def word_end(text: U8, i: int, end: int) -> int:
    while i < end and _CLASSES[text[i]] & (_LETTER | _DIGIT):
        i += 1
    return i


@inlined
def packed_word(text: U8, i: int, stop: int) -> int:
    """The word in capitals as one integer, to compare with the words above; 0 if it is longer than all of them."""
    packed = 0
    if stop - i <= _LONGEST:
        for j in range(i, stop):
            packed = packed << 7 | _CAPITALS[text[j]]
    return packed


@lean
def is_reserved(word: int) -> bool:
    return word in _RESERVED


@inlined
def ends_cleanly(text: U8, stop: int, end: int) -> bool:
    """Whether a keyword or number that stops here stands apart from what follows."""
    return stop == end or _CLASSES[text[stop]] == _BLANK or text[stop] == OPENING or text[stop] == CLOSING
