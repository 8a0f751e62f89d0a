"""Rows of SQL text to a tape of nodes in prefix order, in one pass over the bytes.

Prefix order wants an AND or OR before its operands, but the text shows it after the first. So every level (the row
itself, and each parenthesis) reserves a node for its OR, and every operand of that OR one for its AND:

    text      a = 1  AND  ( b = 2  OR  c = 3 )
    reserved  or and a    or and b     and c
    kept         AND a    OR     b         c

A node reserved for fewer than two operands stays DROPPED. An AND that is all there is in parentheses gives its
operands to the AND around it, and an OR that is all there is of an AND to the OR around that: so ANDs within ANDs and
ORs within ORs become one. Behind NOT nothing is given on.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from watchword.coding.values import I64, U8
from watchword.kernel import inlined, lean
from watchword.language.bulk.characters import (
    AND_WORD,
    CLOSING,
    FALSE_WORD,
    GIVE_UP,
    NOT_WORD,
    OPENING,
    OR_WORD,
    TRUE_WORD,
    ends_cleanly,
    is_letter,
    packed_word,
    skip_blanks,
    word_end,
)
from watchword.language.bulk.predicates import read_predicate
from watchword.language.bulk.tape import DROPPED, most_entries, put
from watchword.language.table import AND, FALSE, NOT, OR, TRUE
from watchword.limits import EXPRESSION_BYTES, EXPRESSION_NODES, NESTING

# Near a limit the parser for single expressions decides.
_SAFE_BYTES: Final = EXPRESSION_BYTES // 2
_SAFE_ENTRIES: Final = EXPRESSION_NODES // 2
_SAFE_NESTING: Final = NESTING // 2

# One level, a row of `levels`:
_OR_NODE: Final = 0
_OR_COUNT: Final = 1  # operands of its OR before the open AND
_AND_NODE: Final = 2
_AND_COUNT: Final = 3  # operands of the open AND so far
_ONLY_OR: Final = 4  # the OR in parentheses that is the open AND's first operand, or -1
_BEHIND_NOT: Final = 5
_NESTING: Final = 6  # parentheses and NOTs around this level
_FIELDS: Final = 7


def new_levels() -> I64:
    return np.zeros((_SAFE_NESTING + 2, _FIELDS), np.int64)


@lean
def read_rows(
    starts: I64, text: U8, present: npt.NDArray[np.bool_], row: int, tape: I64, ends: I64, levels: I64
) -> int:
    """Read rows from this one on while the tape has room; the first that was not reached.

    The entries of row r are ends[r] .. ends[r + 1]; it has none if it was given up. `levels` is for its work.
    """
    while row < len(present):
        start, end = starts[row], starts[row + 1]
        used = tape[0, 0]
        ends[row] = used
        if present[row] and end - start <= _SAFE_BYTES:
            if used + most_entries(end - start) > len(tape):
                break
            if not _read_row(text, start, end, tape, levels) or tape[0, 0] - used > _SAFE_ENTRIES:
                tape[0, 0] = used
        row += 1
        ends[row] = tape[0, 0]
    return row


@lean
def _read_row(text: U8, i: int, end: int, tape: I64, levels: I64) -> bool:
    depth = 0
    _open_level(tape, levels[0], False, 0)
    while True:
        i, nots = _read_nots(text, i, end, tape)
        nesting = levels[depth, _NESTING] + nots
        if i >= end or nesting > _SAFE_NESTING:
            return False
        if text[i] == OPENING:
            depth += 1
            if nesting == _SAFE_NESTING:
                return False
            _open_level(tape, levels[depth], nots > 0, nesting + 1)
            i += 1
            continue
        i = _read_leaf(text, i, end, tape)
        if i == GIVE_UP:
            return False
        levels[depth, _AND_COUNT] += 1
        i = skip_blanks(text, i, end)
        while i < end and text[i] == CLOSING and depth > 0:
            depth -= 1
            _close_level(tape, levels[depth + 1], levels[depth])
            i = skip_blanks(text, i + 1, end)
        if i == end:
            _close_or(tape, levels[0])
            return depth == 0
        stop = word_end(text, i, end)
        word = packed_word(text, i, stop)
        if not ends_cleanly(text, stop, end) or word not in (AND_WORD, OR_WORD):
            return False
        if word == OR_WORD:
            _close_and(tape, levels[depth])
            _open_and(tape, levels[depth])
        i = stop


@inlined
def _read_nots(text: U8, i: int, end: int, tape: I64) -> tuple[int, int]:
    """The position behind any NOTs, and how many there were."""
    nots = 0
    while True:
        i = skip_blanks(text, i, end)
        stop = word_end(text, i, end)
        if packed_word(text, i, stop) != NOT_WORD or not ends_cleanly(text, stop, end):
            return i, nots
        put(tape, NOT, 1, 0)
        nots += 1
        i = stop


@inlined
def _read_leaf(text: U8, i: int, end: int, tape: I64) -> int:
    if is_letter(text[i]):
        stop = word_end(text, i, end)
        word = packed_word(text, i, stop)
        if word in (TRUE_WORD, FALSE_WORD):
            put(tape, TRUE if word == TRUE_WORD else FALSE, 0, 0)
            return stop if ends_cleanly(text, stop, end) else GIVE_UP
    return read_predicate(text, i, end, tape)


@lean
def _open_level(tape: I64, level: I64, behind_not: bool, nesting: int) -> None:
    level[_OR_NODE] = put(tape, DROPPED, 0, 0)
    level[_OR_COUNT] = 0
    level[_BEHIND_NOT] = behind_not
    level[_NESTING] = nesting
    _open_and(tape, level)


@lean
def _open_and(tape: I64, level: I64) -> None:
    level[_AND_NODE] = put(tape, DROPPED, 0, 0)
    level[_AND_COUNT] = 0
    level[_ONLY_OR] = -1


@lean
def _close_and(tape: I64, level: I64) -> None:
    only_or = level[_ONLY_OR]
    if level[_AND_COUNT] > 1:
        _keep(tape, level[_AND_NODE], AND, level[_AND_COUNT])
        level[_OR_COUNT] += 1
    elif only_or >= 0:
        level[_OR_COUNT] += tape[only_or, 1]
        tape[only_or, 0] = DROPPED
    else:
        level[_OR_COUNT] += 1


@lean
def _close_or(tape: I64, level: I64) -> None:
    _close_and(tape, level)
    if level[_OR_COUNT] > 1:
        _keep(tape, level[_OR_NODE], OR, level[_OR_COUNT])


@lean
def _keep(tape: I64, node: int, kind: int, operands: int) -> None:
    tape[node, 0] = kind
    tape[node, 1] = operands


@lean
def _close_level(tape: I64, level: I64, around: I64) -> None:
    """Close a parenthesis: it becomes one operand, or several, of the open AND around it."""
    _close_or(tape, level)
    operands = 1
    if not level[_BEHIND_NOT]:
        if level[_OR_COUNT] > 1:
            if around[_AND_COUNT] == 0:
                around[_ONLY_OR] = level[_OR_NODE]
        elif level[_AND_COUNT] > 1:
            tape[level[_AND_NODE], 0] = DROPPED
            operands = level[_AND_COUNT]
    around[_AND_COUNT] += operands
