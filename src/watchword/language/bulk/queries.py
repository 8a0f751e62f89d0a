"""Which queries of MATCHES are plainly right, so that the parser of queries need not judge them.

    google results   +google -rumours   "quarterly results"~2   g?og* gogle~1   google AND (results OR earnings)

ASCII words with wildcards or edits, phrases of words, parentheses, each with one mark or NOT at most; AND and OR
between them. Whatever else stands there, right or wrong, is for the parser of queries.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean
from watchword.language.bulk.characters import (
    AND_WORD,
    CLOSING,
    DOUBLE_QUOTE,
    GIVE_UP,
    MINUS,
    NOT_WORD,
    OPENING,
    OR_WORD,
    is_digit,
)
from watchword.language.expression import Operator
from watchword.language.table import ExpressionTable
from watchword.limits import QUERY_CLAUSES, QUERY_NESTING

_MATCHES: Final = int(Operator.MATCHES)
_SAFE_BYTES: Final = QUERY_CLAUSES  # at most half as many clauses, for each is followed by a space
_SAFE_NESTING: Final = QUERY_NESTING // 4  # each parenthesis may have a NOT before it

_FIRST: Final = 1  # a character that a word may begin with: A-Z a-z 0-9 _
_INSIDE: Final = 2  # one that may stand inside it: also - . , '
_WILD: Final = 4  # * ?
_CLASSES: Final = np.zeros(256, np.uint8)
_CLASSES[[ord(sign) for sign in "-.,'"]] = _INSIDE
_CLASSES[[*range(ord("0"), ord("9") + 1), *range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1), ord("_")]] = (
    _FIRST | _INSIDE
)
_CLASSES[[ord("*"), ord("?")]] = _WILD

_SPACE: Final = ord(" ")
_PLUS: Final = ord("+")
_ONE: Final = ord("1")
_TWO: Final = ord("2")
_TILDE: Final = ord("~")
_MOST_DIGITS: Final = 3  # any such slop is within the limit


def unsure_queries(table: ExpressionTable) -> I64:
    """The predicates whose query is left to the parser of queries."""
    unsure = np.zeros(len(table.operator), np.bool_)
    values = table.constants
    _mark_unsure(table.operator, table.constant_starts, values.bits, values.length, values.text, unsure)
    return np.flatnonzero(unsure)


@lean
def _mark_unsure(
    operator: U8, constant_starts: I64, bits: I64, length: I32, text: U8, unsure: npt.NDArray[np.bool_]
) -> None:
    for leaf in range(len(operator)):
        if operator[leaf] == _MATCHES:
            number = constant_starts[leaf]
            unsure[leaf] = not _is_plain(text, bits[number], bits[number] + length[number])


@lean
def _is_plain(text: U8, i: int, end: int) -> bool:
    if end - i > _SAFE_BYTES:
        return False
    has_plus, has_or = False, False  # + in a query with OR is refused where they meet
    after_unit, after_not = False, False
    depth = 0
    while True:
        while i < end and text[i] == _SPACE:
            i += 1
        if i == end:
            return after_unit and depth == 0 and not (has_plus and has_or)
        marked = text[i] == _PLUS or text[i] == MINUS
        if marked:
            has_plus |= text[i] == _PLUS
            i += 1
        if i < end and text[i] == OPENING:
            depth += 1
            if depth > _SAFE_NESTING or (marked and after_not):
                return False
            after_unit, after_not = False, False
            i += 1
            continue
        start = i
        if i < end and text[i] == CLOSING:
            if marked or not after_unit or depth == 0:
                return False
            depth -= 1
            i += 1
        else:
            i = _unit_end(text, i, end)
        if i == GIVE_UP or (i < end and text[i] != _SPACE and text[i] != CLOSING):
            return False
        connector = _connector(text, start, i)
        if after_not and (marked or connector != 0):
            return False
        if connector != 0 and (marked or (connector != NOT_WORD and not after_unit)):
            return False
        has_or |= connector == OR_WORD
        after_unit = connector == 0
        after_not = connector == NOT_WORD


@lean
def _unit_end(text: U8, i: int, end: int) -> int:
    """Behind the word, the pattern, the fuzzy word or the phrase that begins here."""
    if i == end:
        return GIVE_UP
    if text[i] == DOUBLE_QUOTE:
        return _phrase_end(text, i + 1, end)
    if not _CLASSES[text[i]] & (_FIRST | _WILD):
        return GIVE_UP
    wild = False
    while i < end and _CLASSES[text[i]] & (_INSIDE | _WILD):
        wild |= _CLASSES[text[i]] == _WILD
        i += 1
    if wild or i == end or text[i] != _TILDE:
        return i
    i += 1
    return i + 1 if i < end and (text[i] == _ONE or text[i] == _TWO) else i


@lean
def _phrase_end(text: U8, i: int, end: int) -> int:
    while i < end and (text[i] == _SPACE or _CLASSES[text[i]] & _INSIDE):
        i += 1
    if i == end or text[i] != DOUBLE_QUOTE:
        return GIVE_UP
    i += 1
    if i == end or text[i] != _TILDE:
        return i
    first = i + 1
    i = first
    while i < end and is_digit(text[i]):
        i += 1
    return i if 0 < i - first <= _MOST_DIGITS else GIVE_UP


@lean
def _connector(text: U8, start: int, stop: int) -> int:
    """AND, OR or NOT in capitals, if the word is one of them, else 0."""
    if stop - start > 3:
        return 0
    word = 0
    for i in range(start, stop):
        word = word << 7 | text[i]
    return word if word in (AND_WORD, OR_WORD, NOT_WORD) else 0
