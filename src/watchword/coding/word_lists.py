"""Which text queries are only words, all of them required: `+w1 +w2`, or `w1 w2` where a bare list means all."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean
from watchword.text.words import LONGEST_WORD

_SPACE: Final = ord(" ")
_PLUS: Final = ord("+")
_A, _D, _N, _O, _R, _T = (ord(letter) for letter in "ADNORT")


@lean
def mark_word_lists(text: U8, begins: I64, lengths: I32, all_by_default: bool, marks: npt.NDArray[np.bool_]) -> None:
    """Take the mark off the queries that are not: those with anything but letters, digits, `+` and spaces of ASCII."""
    for i in range(len(begins)):
        if marks[i]:
            marks[i] = _is_word_list(text, begins[i], begins[i] + lengths[i], all_by_default)


@lean
def _is_word_list(text: U8, at: int, end: int, all_by_default: bool) -> bool:
    words, marked = 0, 0
    while at < end:
        if text[at] == _SPACE:
            at += 1
            continue
        if text[at] == _PLUS:
            marked += 1
            at += 1
        first = at
        while at < end and _is_letter_or_digit(text[at]):
            at += 1
        if not 0 < at - first <= LONGEST_WORD or (at < end and text[at] != _SPACE) or _is_operator(text, first, at):
            return False
        words += 1
    return words > 0 and (marked == words or (marked == 0 and (all_by_default or words == 1)))


@lean
def _is_letter_or_digit(byte: int) -> bool:
    return 97 <= byte <= 122 or 65 <= byte <= 90 or 48 <= byte <= 57


@lean
def _is_operator(text: U8, first: int, end: int) -> bool:
    """AND, OR, NOT."""
    if end - first == 2:
        return bool(text[first] == _O and text[first + 1] == _R)
    if end - first == 3:
        a, b, c = text[first], text[first + 1], text[first + 2]
        return bool((a == _A and b == _N and c == _D) or (a == _N and b == _O and c == _T))
    return False
