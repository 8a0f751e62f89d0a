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
    MISSING,
    PATTERN_EMPTY_SET,
    PATTERN_FAILS,
    PATTERN_HOLDS,
    PATTERN_HOLDS_PARTLY,
    Codebook,
)
from watchword.coding.coded import ANY, LIST_ALL, SET_ALL, CodedExpressions, Conditions
from watchword.coding.dimensions import ANY_TEXT, HOLDS, LEAF_HOLDS, PREFIX
from watchword.coding.text_leaves import LEAF_HOLDS as HOLDING
from watchword.coding.values import I32, I64, U8
from watchword.kernel import inlined, lean
from watchword.language.expression import Operator
from watchword.language.table import AND, FALSE, LEAF, NOT, OR, TRUE, ExpressionTable

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
    operands: I64
    code: I32


class _Out(NamedTuple):
    """Columns large enough for all that may come, and how much of each is used."""

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
    form: U8
    used: I64  # nodes, conditions, sets, intervals


class _Scratch(NamedTuple):
    """Intervals of one predicate; a frame per open AND, OR or NOT."""

    low: I32
    high: I32
    left: I64  # children to come
    flip: U8  # is what stands below negated?
    node_of: I64  # its output node, -1: none
    kind_of: U8  # its output kind


def build_coded(table: ExpressionTable, coding: Coding) -> CodedExpressions:
    predicates = _Predicates(coding.dimension, coding.form, table.negated, coding.first, coding.count, coding.code)
    node_starts = np.zeros(len(table) + 1, np.int64)
    out = _new_out(table, predicates)
    most = int(predicates.operands.max(initial=0)) + 4
    depth = int(np.diff(table.node_starts).max(initial=0)) + 2
    scratch = _Scratch(
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.empty(depth, np.int64),
        np.empty(depth, np.uint8),
        np.empty(depth, np.int64),
        np.empty(depth, np.uint8),
    )
    _push_down(
        table.node_starts,
        table.kind,
        table.count,
        table.leaf_starts,
        predicates,
        coding.book,
        scratch,
        node_starts,
        out,
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
            out.form[:conditions],
        ),
    )


def _new_out(table: ExpressionTable, predicates: _Predicates) -> _Out:
    patterns = int(((predicates.form == HOLDS) | (predicates.form == LEAF_HOLDS)).sum())
    nodes, conditions = len(table.kind) + 2 * patterns, len(table.kind) + patterns
    may_be_set = (predicates.form == _IN) | (predicates.form == HOLDS) | (predicates.negated != 0)
    if (table.kind == NOT).any():
        may_be_set[:] = True
    intervals = int((predicates.operands[may_be_set] + 4).sum()) * 2
    return _Out(
        np.empty(nodes, np.uint8),
        np.empty(nodes, np.int32),
        np.full(nodes, -1, np.int32),
        np.empty(conditions, np.int32),
        np.empty(conditions, np.int32),
        np.empty(conditions, np.int32),
        np.empty(conditions, np.uint8),
        np.empty(conditions, np.int32),
        np.zeros(2 * int(may_be_set.sum()) + 1, np.int64),
        np.empty(intervals, np.int32),
        np.empty(intervals, np.int32),
        np.zeros(conditions, np.uint8),
        np.zeros(4, np.int64),
    )


@lean
def _push_down(
    node_starts: I64,
    kind: U8,
    children: I32,
    leaf_starts: I64,
    predicates: _Predicates,
    book: Codebook,
    scratch: _Scratch,
    out_starts: I64,
    out: _Out,
) -> None:
    left, flip, node_of, kind_of = scratch.left, scratch.flip, scratch.node_of, scratch.kind_of
    for e in range(len(node_starts) - 1):
        base = out.used[0]
        leaf = leaf_starts[e]
        depth = 0
        left[0], flip[0], node_of[0], kind_of[0] = 1, 0, -1, 0
        for n in range(node_starts[e], node_starts[e + 1]):
            negative, parent_kind = flip[depth], kind_of[depth]
            left[depth] -= 1
            if kind[n] == AND or kind[n] == OR:
                joined = kind[n] if negative == 0 else (OR if kind[n] == AND else AND)
                node = -1
                if parent_kind != joined:
                    node = out.used[0]
                    out.kind[node] = joined
                    out.used[0] += 1
                depth += 1
                left[depth], flip[depth], node_of[depth], kind_of[depth] = children[n], negative, node, joined
            elif kind[n] == NOT:
                depth += 1
                left[depth], flip[depth], node_of[depth], kind_of[depth] = 1, 1 - negative, -1, parent_kind
            elif kind[n] == LEAF:
                _add_predicate(out, base, predicates, leaf, negative == 1, book, parent_kind, scratch)
                leaf += 1
            else:
                true = kind[n] == (TRUE if negative == 0 else FALSE)
                _add_condition(out, base, CONSTANT_DIMENSION, 1, 1 if true else 0, ANY)
            while depth > 0 and left[depth] == 0:
                if node_of[depth] >= 0:
                    out.end[node_of[depth]] = out.used[0] - base
                depth -= 1
        out_starts[e + 1] = out.used[0]


@inlined
def _add_condition(out: _Out, base: int, dimension: int, low: int, high: int, mode: int) -> None:
    node, condition = out.used[0], out.used[1]
    out.kind[node], out.node_condition[node], out.end[node] = LEAF, condition, node + 1 - base
    out.dimension[condition], out.low[condition], out.high[condition] = dimension, low, high
    out.mode[condition], out.set_of[condition] = mode, -1
    out.used[0] += 1
    out.used[1] += 1


@lean
def _add_set(out: _Out, base: int, dimension: int, low: I32, high: I32, size: int, mode: int) -> None:
    """A condition of several intervals, ascending and apart."""
    if size == 0:
        _add_condition(out, base, dimension, 1, 0, mode)
        return
    _add_condition(out, base, dimension, low[0], high[size - 1], mode)
    if size == 1:
        return
    number, first = out.used[2], out.used[3]
    out.set_of[out.used[1] - 1] = number
    for i in range(size):
        out.set_low[first + i], out.set_high[first + i] = low[i], high[i]
    out.set_starts[number + 1] = first + size
    out.used[2] += 1
    out.used[3] += size


@inlined
def _add_predicate(
    out: _Out,
    base: int,
    predicates: _Predicates,
    p: int,
    denied: bool,
    book: Codebook,
    parent_kind: int,
    scratch: _Scratch,
) -> None:
    form, dimension = predicates.form[p], predicates.dimension[p]
    if form == _EQUAL and predicates.negated[p] == 0 and not denied:
        code = predicates.code[predicates.first[p]]
        _add_condition(out, base, dimension, code, code, ANY)
        out.form[out.used[1] - 1] = form
    elif form == _BETWEEN and predicates.negated[p] == 0 and not denied:
        first = predicates.first[p]
        _add_condition(out, base, dimension, predicates.code[first], predicates.code[first + 1], ANY)
        out.form[out.used[1] - 1] = form
    else:
        _add_other(out, base, predicates, p, denied, book, parent_kind, scratch)


@lean
def _add_other(
    out: _Out,
    base: int,
    predicates: _Predicates,
    p: int,
    denied: bool,
    book: Codebook,
    parent_kind: int,
    scratch: _Scratch,
) -> None:
    form, negated, dimension = predicates.form[p], predicates.negated[p] != 0, predicates.dimension[p]
    wants_false = negated != denied
    low, high = scratch.low, scratch.high
    if form == HOLDS:
        _add_pattern(out, base, book, dimension, negated, denied, parent_kind, low, high)
    elif form == LEAF_HOLDS:
        _add_leaf(out, base, book, dimension, denied, parent_kind)
    elif form == _IS_NULL:
        if wants_false:
            _add_condition(out, base, dimension, 1, book.codes[dimension] - 1, ANY)
        else:
            _add_condition(out, base, dimension, 0, 0, ANY)
    else:
        codes = predicates.code[predicates.first[p] : predicates.first[p] + predicates.operands[p]]
        family_low, family_high, last_ordered = _family_of(book, dimension, form, codes)
        size = _true_codes(form, codes, family_low, last_ordered, low, high)
        if wants_false:
            size = _complement(family_low, family_high, low, high, size)
        size = _with_empties(low, high, size, wants_false, denied)
        mode = (LIST_ALL if wants_false else 0) | (SET_ALL if denied else 0)
        _add_set(out, base, dimension, low, high, size, mode)
        if not wants_false:
            out.form[out.used[1] - 1] = form


@lean
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


@lean
def _true_codes(form: int, codes: I32, first: int, last: int, low: I32, high: I32) -> int:
    """The intervals of codes for which the predicate is true."""
    if form == _IN:
        return _union_of_codes(codes, low, high)
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


@lean
def _union_of_codes(codes: I32, low: I32, high: I32) -> int:
    """The codes of an IN list as intervals: `low` holds them sorted first."""
    size = len(codes)
    for i in range(size):
        low[i] = codes[i]
    _sort(low, size)
    intervals = 0
    for i in range(size):
        code = low[i]
        if intervals > 0 and code <= high[intervals - 1] + 1:
            high[intervals - 1] = code
        else:
            low[intervals], high[intervals] = code, code
            intervals += 1
    return intervals


@lean
def _sort(values: I32, size: int) -> None:
    """In place, by heap: lists may be long, and nothing here allocates."""
    for start in range(size // 2 - 1, -1, -1):
        _sift(values, start, size)
    for last in range(size - 1, 0, -1):
        values[0], values[last] = values[last], values[0]
        _sift(values, 0, last)


@lean
def _sift(values: I32, root: int, size: int) -> None:
    while 2 * root + 1 < size:
        child = 2 * root + 1
        if child + 1 < size and values[child] < values[child + 1]:
            child += 1
        if values[root] >= values[child]:
            return
        values[root], values[child] = values[child], values[root]
        root = child


@lean
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


@lean
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


@lean
def _add_pattern(
    out: _Out,
    base: int,
    book: Codebook,
    dimension: int,
    negated: bool,
    denied: bool,
    parent_kind: int,
    low: I32,
    high: I32,
) -> None:
    """A general pattern: its own dimension says whether it holds, the plain one that there are texts at all."""
    if not negated and not denied:
        _add_condition(out, base, dimension, PATTERN_HOLDS, PATTERN_HOLDS_PARTLY, ANY)
        out.form[out.used[1] - 1] = HOLDS
        return
    node = -1
    if parent_kind != AND:
        node = out.used[0]
        out.kind[node] = AND
        out.used[0] += 1
    low[0] = PATTERN_HOLDS if negated and denied else PATTERN_FAILS
    low[1] = PATTERN_EMPTY_SET if denied else PATTERN_HOLDS_PARTLY
    high[0], high[1] = low[0], low[1]
    _add_set(out, base, dimension, low, high, 2, ANY)
    plain = book.plain[book.attribute[dimension]]
    wants_false = negated != denied
    low[0], high[0] = book.text_base[plain], book.codes[plain] - 1
    size = _with_empties(low, high, 1, wants_false, denied)
    mode = (LIST_ALL if wants_false else 0) | (SET_ALL if denied else 0)
    _add_set(out, base, plain, low, high, size, mode)
    if node >= 0:
        out.end[node] = out.used[0] - base


@lean
def _add_leaf(out: _Out, base: int, book: Codebook, dimension: int, denied: bool, parent_kind: int) -> None:
    """A leaf of a text query holds where its dimension says so; it fails where there is a text and it does not."""
    if not denied:
        _add_condition(out, base, dimension, HOLDING, HOLDING, ANY)
        out.form[out.used[1] - 1] = _EQUAL
        return
    node = -1
    if parent_kind != AND:
        node = out.used[0]
        out.kind[node] = AND
        out.used[0] += 1
    _add_condition(out, base, dimension, MISSING, MISSING, ANY)
    _add_condition(out, base, book.present[book.attribute[dimension]], HOLDING, HOLDING, ANY)
    out.form[out.used[1] - 1] = _EQUAL
    if node >= 0:
        out.end[node] = out.used[0] - base
