"""From an expression table and its coding to coded expressions: NOT is pushed down, predicates become conditions.

An expression matches where it is true, and Kleene's AND and OR are true just where their two-valued readings of
"is true" are. So after De Morgan every predicate asks either "is it true?" or "is it false?", each a set of codes,
and unknown needs no third value any more.

    what is asked                 codes                          a list       a set or range
    p                             true codes                     any          any
    p negated (<>, NOT IN ...)    false codes, empty list        all          any
    NOT p                         false codes, empty list/set    all          all
    NOT (p negated)               true codes, empty set          any          all
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.build_codebook import Coding
from watchword.coding.codebook import (
    CONSTANT_DIMENSION,
    EMPTY_LIST,
    EMPTY_SET,
    PATTERN_EMPTY_SET,
    PATTERN_FAILS,
    PATTERN_HOLDS,
    PATTERN_HOLDS_PARTLY,
    Codebook,
)
from watchword.coding.coded import ANY, LIST_ALL, SET_ALL, CodedExpressions, Conditions
from watchword.coding.dimensions import ANY_TEXT, HOLDS, PREFIX
from watchword.coding.values import I32, I64, U8
from watchword.kernel import kernel
from watchword.language.expression import Operator
from watchword.language.table import AND, LEAF, NOT, OR, TRUE, ExpressionTable
from watchword.limits import EXPRESSION_NODES

_EQUAL: Final = int(Operator.EQUAL)
_LESS: Final = int(Operator.LESS)
_LESS_EQUAL: Final = int(Operator.LESS_EQUAL)
_GREATER: Final = int(Operator.GREATER)
_GREATER_EQUAL: Final = int(Operator.GREATER_EQUAL)
_BETWEEN: Final = int(Operator.BETWEEN)
_IN: Final = int(Operator.IN)
_IS_NULL: Final = int(Operator.IS_NULL)


class _Predicates(NamedTuple):
    dimension: I32
    form: U8
    negated: U8
    first: I64
    count: I64
    code: I32


class _Out(NamedTuple):
    """Growing columns, and how much of each is used."""

    kind: U8
    end: I32
    node_condition: I32
    dimension: I32
    low: I32
    high: I32
    mode: U8
    set_of: I32
    set_starts: I64
    set_low: I32
    set_high: I32
    used: I64  # nodes, conditions, sets, intervals


def build_coded(table: ExpressionTable, coding: Coding) -> CodedExpressions:
    predicates = _Predicates(coding.dimension, coding.form, table.negated, coding.first, coding.count, coding.code)
    node_starts, out = _push_down(
        table.node_starts, table.kind, table.count, table.leaf_starts, predicates, coding.book
    )
    nodes, conditions, sets, intervals = out.used
    return CodedExpressions(
        node_starts,
        out.kind[:nodes],
        out.end[:nodes],
        out.node_condition[:nodes],
        Conditions(
            out.dimension[:conditions],
            out.low[:conditions],
            out.high[:conditions],
            out.mode[:conditions],
            out.set_of[:conditions],
            out.set_starts[: sets + 1],
            out.set_low[:intervals],
            out.set_high[:intervals],
        ),
    )


@kernel
def _push_down(
    node_starts: I64, kind: U8, count: I32, leaf_starts: I64, predicates: _Predicates, book: Codebook
) -> tuple[I64, _Out]:
    out = _new_out(len(kind) + 64, len(predicates.form) + 64, 64)
    out_starts = np.zeros(len(node_starts), np.int64)
    # one frame per open AND, OR or NOT: children to come, negated below?, its output node (-1: none), its output kind
    depth_limit = EXPRESSION_NODES + 2
    left, flip = np.zeros(depth_limit, np.int64), np.zeros(depth_limit, np.uint8)
    node_of, kind_of = np.zeros(depth_limit, np.int64), np.zeros(depth_limit, np.uint8)
    for e in range(len(node_starts) - 1):
        base = out.used[0]
        leaf = leaf_starts[e]
        depth = 0
        left[0], flip[0], node_of[0], kind_of[0] = 1, 0, -1, 0
        for n in range(node_starts[e], node_starts[e + 1]):
            negative = flip[depth]
            left[depth] -= 1
            if kind[n] == AND or kind[n] == OR:
                joined = kind[n] if negative == 0 else (OR if kind[n] == AND else AND)
                parent_kind, node = kind_of[depth], -1
                if parent_kind != joined:
                    out = _room(out, 1, 0, 0)
                    node = out.used[0]
                    out.kind[node], out.node_condition[node] = joined, -1
                    out.used[0] += 1
                depth += 1
                left[depth], flip[depth], node_of[depth], kind_of[depth] = count[n], negative, node, joined
            elif kind[n] == NOT:
                parent_kind = kind_of[depth]
                depth += 1
                left[depth], flip[depth], node_of[depth], kind_of[depth] = 1, 1 - negative, -1, parent_kind
            elif kind[n] == LEAF:
                out = _add_predicate(out, base, predicates, leaf, negative == 1, book, kind_of[depth])
                leaf += 1
            else:
                true = kind[n] == TRUE if negative == 0 else kind[n] == TRUE + 1
                out = _add_condition(out, base, CONSTANT_DIMENSION, 1, 1 if true else 0, ANY)
            while depth > 0 and left[depth] == 0:
                if node_of[depth] >= 0:
                    out.end[node_of[depth]] = out.used[0] - base
                depth -= 1
        out_starts[e + 1] = out.used[0]
    return out_starts, out


@kernel
def _new_out(nodes: int, conditions: int, intervals: int) -> _Out:
    set_starts = np.zeros(intervals + 1, np.int64)
    return _Out(
        np.empty(nodes, np.uint8),
        np.empty(nodes, np.int32),
        np.empty(nodes, np.int32),
        np.empty(conditions, np.int32),
        np.empty(conditions, np.int32),
        np.empty(conditions, np.int32),
        np.empty(conditions, np.uint8),
        np.empty(conditions, np.int32),
        set_starts,
        np.empty(intervals, np.int32),
        np.empty(intervals, np.int32),
        np.zeros(4, np.int64),
    )


@kernel
def _room(out: _Out, nodes: int, conditions: int, intervals: int) -> _Out:
    """Room for so many more of each: the same columns, or copies twice as large."""
    used = out.used
    enough = (
        used[0] + nodes <= len(out.kind)
        and used[1] + conditions <= len(out.dimension)
        and max(used[2] + 1, used[3] + intervals) <= len(out.set_low)
    )
    if enough:
        return out
    new = _new_out(
        max(len(out.kind), 2 * (used[0] + nodes)) if used[0] + nodes > len(out.kind) else len(out.kind),
        2 * (used[1] + conditions) if used[1] + conditions > len(out.dimension) else len(out.dimension),
        2 * (max(used[2] + 1, used[3] + intervals)),
    )
    new.kind[: used[0]] = out.kind[: used[0]]
    new.end[: used[0]] = out.end[: used[0]]
    new.node_condition[: used[0]] = out.node_condition[: used[0]]
    new.dimension[: used[1]] = out.dimension[: used[1]]
    new.low[: used[1]] = out.low[: used[1]]
    new.high[: used[1]] = out.high[: used[1]]
    new.mode[: used[1]] = out.mode[: used[1]]
    new.set_of[: used[1]] = out.set_of[: used[1]]
    new.set_starts[: used[2] + 1] = out.set_starts[: used[2] + 1]
    new.set_low[: used[3]] = out.set_low[: used[3]]
    new.set_high[: used[3]] = out.set_high[: used[3]]
    new.used[:] = used
    return new


@kernel
def _add_condition(out: _Out, base: int, dimension: int, low: int, high: int, mode: int) -> _Out:
    out = _room(out, 1, 1, 0)
    node, condition = out.used[0], out.used[1]
    out.kind[node], out.node_condition[node], out.end[node] = LEAF, condition, node + 1 - base
    out.dimension[condition], out.low[condition], out.high[condition] = dimension, low, high
    out.mode[condition], out.set_of[condition] = mode, -1
    out.used[0] += 1
    out.used[1] += 1
    return out


@kernel
def _add_set(out: _Out, base: int, dimension: int, low: I32, high: I32, size: int, mode: int) -> _Out:
    """A condition of several intervals, ascending and apart."""
    if size == 0:
        return _add_condition(out, base, dimension, 1, 0, mode)
    out = _add_condition(out, base, dimension, low[0], high[size - 1], mode)
    if size == 1:
        return out
    out = _room(out, 0, 0, size)
    number, first = out.used[2], out.used[3]
    out.set_of[out.used[1] - 1] = number
    out.set_low[first : first + size] = low[:size]
    out.set_high[first : first + size] = high[:size]
    out.set_starts[number + 1] = first + size
    out.used[2] += 1
    out.used[3] += size
    return out


@kernel
def _add_predicate(
    out: _Out, base: int, predicates: _Predicates, p: int, denied: bool, book: Codebook, parent_kind: int
) -> _Out:
    form, negated = predicates.form[p], predicates.negated[p] != 0
    dimension = predicates.dimension[p]
    if form == HOLDS:
        return _add_pattern(out, base, book, dimension, negated, denied, parent_kind)
    count = predicates.count[p]
    low, high = np.empty(count + 4, np.int32), np.empty(count + 4, np.int32)
    codes = predicates.code[predicates.first[p] : predicates.first[p] + count]
    wants_false = negated != denied
    if form == _IS_NULL:
        if wants_false:
            return _add_condition(out, base, dimension, 1, book.codes[dimension] - 1, ANY)
        return _add_condition(out, base, dimension, 0, 0, ANY)
    family_low, family_high, last_ordered = _family_of(book, dimension, form, codes)
    size = _true_codes(form, codes, family_low, last_ordered, low, high)
    if wants_false:
        size = _complement(family_low, family_high, low, high, size)
    size = _with_empties(low, high, size, wants_false, denied)
    mode = (LIST_ALL if wants_false else 0) | (SET_ALL if denied else 0)
    return _add_set(out, base, dimension, low, high, size, mode)


@kernel
def _family_of(book: Codebook, dimension: int, form: int, codes: I32) -> tuple[int, int, int]:
    """First and last code of the values that the predicate is true or false of; the last one that has an order."""
    last = book.codes[dimension] - 1
    bases = (book.text_base[dimension], book.bool_base[dimension], book.time_base[dimension])
    at = bases[0] if form == ANY_TEXT else np.int64(codes[0])
    for base in bases:
        if base > 0:
            if at >= base:
                return base, last, last
            last = base - 1
    if book.number_ordered[dimension]:
        return book.number_base[dimension], last, last - 1
    return book.number_base[dimension], last, last


@kernel
def _true_codes(form: int, codes: I32, first: int, last: int, low: I32, high: I32) -> int:
    """The intervals of codes for which the predicate is true."""
    if form == _IN:
        ordered = np.sort(codes)
        size = 0
        for code in ordered:
            if size > 0 and code <= high[size - 1] + 1:
                high[size - 1] = code
            else:
                low[size], high[size] = code, code
                size += 1
        return size
    low[0], high[0] = first, last
    if form == _EQUAL:
        low[0], high[0] = codes[0], codes[0]
    elif form == _LESS:
        high[0] = codes[0] - 1
    elif form == _LESS_EQUAL:
        high[0] = codes[0]
    elif form == _GREATER:
        low[0] = codes[0] + 1
    elif form == _GREATER_EQUAL:
        low[0] = codes[0]
    elif form == _BETWEEN:
        low[0], high[0] = codes[0], codes[1]
    elif form == PREFIX:
        low[0], high[0] = codes[0], codes[1] - 1
    return 1 if low[0] <= high[0] else 0


@kernel
def _complement(first: int, last: int, low: I32, high: I32, size: int) -> int:
    """In place: what the intervals leave of first..last."""
    gaps = 0
    begin = first
    for i in range(size):
        end, following = low[i] - 1, high[i] + 1
        if begin <= end:
            low[gaps], high[gaps] = begin, end
            gaps += 1
        begin = following
    if begin <= last:
        low[gaps], high[gaps] = begin, last
        gaps += 1
    return gaps


@kernel
def _with_empties(low: I32, high: I32, size: int, wants_false: bool, denied: bool) -> int:
    """The empty list has no element that makes a predicate true, the empty set none for which a denial fails."""
    first, last = EMPTY_LIST, EMPTY_SET
    if not wants_false:
        first = EMPTY_SET
    if not denied:
        last = EMPTY_LIST
    if first > last:
        return size
    if size > 0 and low[0] == last + 1:
        low[0] = first
        return size
    for i in range(size, 0, -1):
        low[i], high[i] = low[i - 1], high[i - 1]
    low[0], high[0] = first, last
    return size + 1


@kernel
def _add_pattern(
    out: _Out, base: int, book: Codebook, dimension: int, negated: bool, denied: bool, parent_kind: int
) -> _Out:
    """A general pattern: its own dimension says whether it holds, the plain one that there are texts at all."""
    low, high = np.empty(4, np.int32), np.empty(4, np.int32)
    if not negated and not denied:
        return _add_condition(out, base, dimension, PATTERN_HOLDS, PATTERN_HOLDS_PARTLY, ANY)
    size = 1
    if negated and denied:
        low[0], high[0], low[1], high[1], size = PATTERN_HOLDS, PATTERN_HOLDS, PATTERN_EMPTY_SET, PATTERN_EMPTY_SET, 2
    elif negated:
        low[0], high[0], low[1], high[1], size = (
            PATTERN_FAILS,
            PATTERN_FAILS,
            PATTERN_HOLDS_PARTLY,
            PATTERN_HOLDS_PARTLY,
            2,
        )
    else:
        low[0], high[0], low[1], high[1], size = PATTERN_FAILS, PATTERN_FAILS, PATTERN_EMPTY_SET, PATTERN_EMPTY_SET, 2
    node = -1
    if parent_kind != AND:
        out = _room(out, 1, 0, 0)
        node = out.used[0]
        out.kind[node], out.node_condition[node] = AND, -1
        out.used[0] += 1
    out = _add_set(out, base, dimension, low, high, size, ANY)
    plain = book.plain[book.attribute[dimension]]
    wants_false = negated != denied
    low[0], high[0] = book.text_base[plain], book.codes[plain] - 1
    size = _with_empties(low, high, 1, wants_false, denied)
    mode = (LIST_ALL if wants_false else 0) | (SET_ALL if denied else 0)
    out = _add_set(out, base, plain, low, high, size, mode)
    if node >= 0:
        out.end[node] = out.used[0] - base
    return out
