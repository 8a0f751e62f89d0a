"""One predicate of SQL text, from the attribute's name on."""

from __future__ import annotations

from typing import Final

from watchword.coding.values import BOOL, FLOAT, I64, INT, TEXT, U8
from watchword.kernel import inlined, lean
from watchword.language.bulk.characters import (
    AND_WORD,
    BACKTICK,
    BETWEEN_WORD,
    CLOSING,
    COMMA,
    DOT,
    DOUBLE_QUOTE,
    GIVE_UP,
    ILIKE_WORD,
    IN_WORD,
    IS_WORD,
    LIKE_WORD,
    MATCHES_WORD,
    NOT_WORD,
    NULL_WORD,
    OPENING,
    OR_WORD,
    REGEXP_WORD,
    RLIKE_WORD,
    ends_cleanly,
    is_letter,
    is_reserved,
    packed_word,
    skip_blanks,
    word_end,
)
from watchword.language.bulk.constants import read_constant
from watchword.language.bulk.tape import DOUBLED, put
from watchword.language.expression import Operator
from watchword.language.table import LEAF
from watchword.limits import LIST_LENGTH, NAME_BYTES, PATTERN_BYTES

_EQUAL: Final = int(Operator.EQUAL)
_LESS: Final = int(Operator.LESS)
_LESS_EQUAL: Final = int(Operator.LESS_EQUAL)
_GREATER: Final = int(Operator.GREATER)
_GREATER_EQUAL: Final = int(Operator.GREATER_EQUAL)
_BETWEEN: Final = int(Operator.BETWEEN)
_IN: Final = int(Operator.IN)
_LIKE: Final = int(Operator.LIKE)
_ILIKE: Final = int(Operator.ILIKE)
_RLIKE: Final = int(Operator.RLIKE)
_IS_NULL: Final = int(Operator.IS_NULL)
_MATCHES: Final = int(Operator.MATCHES)
_STANDS_ALONE: Final = 100  # no operator: the name is a condition and must be TRUE

_EQUALS_SIGN: Final = ord("=")
_LESS_SIGN: Final = ord("<")
_GREATER_SIGN: Final = ord(">")
_EXCLAMATION: Final = ord("!")
_LARGE_M: Final = ord("M")
_SMALL_M: Final = ord("m")

# Near a limit the parser for single expressions decides.
_SAFE_NAME: Final = NAME_BYTES // 2
_SAFE_PATTERN: Final = PATTERN_BYTES // 2
_SAFE_LIST: Final = LIST_LENGTH // 2


@lean
def read_predicate(text: U8, i: int, end: int, tape: I64) -> int:
    if text[i] == _SMALL_M or text[i] == _LARGE_M:
        inside = _inside_matches(text, i, end)
        if inside != GIVE_UP:
            return _read_matches(text, inside, end, tape)
    start, stop, i = _read_name(text, i, end)
    if i == GIVE_UP or stop - start > _SAFE_NAME:
        return GIVE_UP
    put(tape, LEAF, start, stop - start)
    operator, negated, i = _read_operator(text, skip_blanks(text, i, end), end)
    if i == GIVE_UP:
        return GIVE_UP
    leaf = put(tape, operator, negated, 0)
    if operator == _STANDS_ALONE:
        tape[leaf, 0] = _EQUAL
        put(tape, BOOL, 1, 0)
    elif operator != _IS_NULL:
        i = _read_constants(text, skip_blanks(text, i, end), end, operator, leaf, tape)
    tape[leaf, 2] = tape[0, 0] - leaf - 1
    return i


@lean
def _inside_matches(text: U8, i: int, end: int) -> int:
    """Behind `MATCHES(`, if that stands here; the word alone may be a name."""
    stop = word_end(text, i, end)
    if packed_word(text, i, stop) != MATCHES_WORD:
        return GIVE_UP
    stop = skip_blanks(text, stop, end)
    return stop + 1 if stop < end and text[stop] == OPENING else GIVE_UP


@lean
def _read_matches(text: U8, i: int, end: int, tape: I64) -> int:
    """A name, a comma, a string and the closing parenthesis. The query in the string is judged later."""
    i = skip_blanks(text, i, end)
    if i == end:
        return GIVE_UP
    start, stop, i = _read_name(text, i, end)
    if i == GIVE_UP or stop - start > _SAFE_NAME:
        return GIVE_UP
    put(tape, LEAF, start, stop - start)
    leaf = put(tape, _MATCHES, 0, 1)
    i = skip_blanks(text, i, end)
    if i == end or text[i] != COMMA:
        return GIVE_UP
    i = read_constant(text, skip_blanks(text, i + 1, end), end, tape)
    if i == GIVE_UP or _family(tape[leaf + 1, 0]) != TEXT:
        return GIVE_UP
    i = skip_blanks(text, i, end)
    return i + 1 if i < end and text[i] == CLOSING else GIVE_UP


@inlined
def _read_name(text: U8, i: int, end: int) -> tuple[int, int, int]:
    """Where the name begins and stops, and the position behind it."""
    if text[i] == DOUBLE_QUOTE or text[i] == BACKTICK:
        stop = i + 1
        while stop < end and text[stop] != text[i]:
            stop += 1
        doubled = stop + 1 < end and text[stop + 1] == text[i]
        return i + 1, stop, (GIVE_UP if stop >= end or stop == i + 1 or doubled else stop + 1)
    start = i
    while i < end and is_letter(text[i]):
        stop = word_end(text, i, end)
        if is_reserved(packed_word(text, i, stop)):
            return start, stop, GIVE_UP
        if stop == end or text[stop] != DOT:
            return start, stop, stop
        i = stop + 1
    return start, i, GIVE_UP


@inlined
def _read_operator(text: U8, i: int, end: int) -> tuple[int, int, int]:
    """The operator at i, 1 if it is negated, and the position behind it."""
    if i == end or text[i] == CLOSING:
        return _STANDS_ALONE, 0, i
    if not is_letter(text[i]):
        return _read_sign(text[i], text[i + 1] if i + 1 < end else 0, i)
    stop = word_end(text, i, end)
    word = packed_word(text, i, stop)
    if word in (AND_WORD, OR_WORD):
        return _STANDS_ALONE, 0, i
    return _read_operator_word(text, word, stop, end)


@inlined
def _read_sign(first: int, second: int, i: int) -> tuple[int, int, int]:
    with_equals = second == _EQUALS_SIGN
    i += 2 if with_equals else 1
    if first == _EQUALS_SIGN:
        return _EQUAL, 0, i
    if first == _EXCLAMATION and with_equals:
        return _EQUAL, 1, i
    if first == _LESS_SIGN and second == _GREATER_SIGN:
        return _EQUAL, 1, i + 1
    if first == _LESS_SIGN:
        return (_LESS_EQUAL if with_equals else _LESS), 0, i
    if first == _GREATER_SIGN:
        return (_GREATER_EQUAL if with_equals else _GREATER), 0, i
    return 0, 0, GIVE_UP


@lean
def _read_operator_word(text: U8, word: int, stop: int, end: int) -> tuple[int, int, int]:
    """IN, BETWEEN, LIKE and so on, NOT before them, and IS [NOT] NULL. The first word stops at `stop`."""
    after_is = word == IS_WORD
    if after_is:
        word, stop = _next_word(text, stop, end)
    negated = word == NOT_WORD
    if negated:
        word, stop = _next_word(text, stop, end)
    operator = 0
    if after_is:
        operator = _IS_NULL if word == NULL_WORD else 0
    elif word == IN_WORD:
        operator = _IN
    elif word == BETWEEN_WORD:
        operator = _BETWEEN
    elif word == LIKE_WORD:
        operator = _LIKE
    elif word == ILIKE_WORD:
        operator = _ILIKE
    elif word in (RLIKE_WORD, REGEXP_WORD):
        operator = _RLIKE
    if operator == 0 or not ends_cleanly(text, stop, end):
        return 0, 0, GIVE_UP
    return operator, 1 if negated else 0, stop


@inlined
def _next_word(text: U8, i: int, end: int) -> tuple[int, int]:
    """The word behind the one that stops at i, and where it stops; no word if the first does not end cleanly."""
    if not ends_cleanly(text, i, end):
        return 0, i
    i = skip_blanks(text, i, end)
    stop = word_end(text, i, end)
    return packed_word(text, i, stop), stop


@inlined
def _read_constants(text: U8, i: int, end: int, operator: int, leaf: int, tape: I64) -> int:
    """One constant, the two of BETWEEN, or a list; all of one type."""
    if operator == _IN:
        if i == end or text[i] != OPENING:
            return GIVE_UP
        i = skip_blanks(text, i + 1, end)
    while True:
        i = read_constant(text, i, end, tape)
        if i == GIVE_UP or _family(tape[tape[0, 0] - 1, 0]) != _family(tape[leaf + 1, 0]):
            return GIVE_UP
        if operator < _BETWEEN:
            return i
        if operator > _IN:
            return i if tape[leaf + 1, 2] <= _SAFE_PATTERN and _family(tape[leaf + 1, 0]) == TEXT else GIVE_UP
        if operator == _BETWEEN:
            if tape[0, 0] == leaf + 3:
                return i
            word, i = _next_word(text, i, end)
            if word != AND_WORD or not ends_cleanly(text, i, end):
                return GIVE_UP
        else:
            i = skip_blanks(text, i, end)
            if i == end or tape[0, 0] - leaf > _SAFE_LIST:
                return GIVE_UP
            if text[i] == CLOSING:
                return i + 1
            if text[i] != COMMA:
                return GIVE_UP
            i += 1
        i = skip_blanks(text, i, end)


@inlined
def _family(kind: int) -> int:
    """Integers and floats are one type."""
    return INT if kind == FLOAT else TEXT if kind == DOUBLED else kind
