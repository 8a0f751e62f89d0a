"""From entries to the layout of `auto`: which entries become lists, which blocks, and in which order.

Entries under one code, if few, are a list of records. Others are sorted so that neighbours ask about the same
dimensions, cut into blocks of up to 512, and each block takes the form that is smaller for what it costs to read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from watchword.coding.codebook import Codebook
from watchword.coding.coded import ANY, CodedExpressions
from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64
from watchword.errors import LimitError
from watchword.kernel import kernel
from watchword.structures.auto.asked import POINT, RANGE, SINGLE, Asked, Rest
from watchword.structures.auto.blocks import cut, store
from watchword.structures.auto.entries import NO_PROGRAM, Entries
from watchword.structures.auto.layout import DIRECTORY_COLUMNS, PACKED, Layout, Tests
from watchword.structures.auto.records import point_lists, range_lists, write_records

LIST_ENTRIES: Final = 32  # entries under one code from which on they become blocks
RANGE_LIST_ENTRIES: Final = 48  # entries under intervals of one dimension, likewise

F64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(slots=True)
class Built:
    layout: Layout
    order: I64  # new expression number -> the one it had


def build_layout(coded: CodedExpressions, entries: Entries, cost: F64, presence: F64, book: Codebook) -> Built:
    entries, asked, cost = _with_splits(coded, entries, cost)
    rest = _rest(entries, asked, cost, presence)
    order, group_starts = _group(entries, rest, asked, presence)
    point_groups, range_groups, single_groups = _lists(entries, rest, order, group_starts)
    points, ranges = _members(order, group_starts, point_groups), _members(order, group_starts, range_groups)
    singles = _members(order, group_starts, single_groups)
    in_blocks = ~(point_groups | range_groups | single_groups)
    blocked = _members(order, group_starts, in_blocks)
    # singles come first: the number of their expression is their place in `ranges`
    expressions, renumbered = _number_expressions(
        entries, np.concatenate([singles, points, ranges, blocked]), len(coded.node_starts) - 1
    )
    entries = entries._replace(expression=renumbered[entries.expression].astype(np.int32))
    tests, test_of = _tests(entries, asked, rest)
    word_type = np.uint16 if max(len(book.codes), int(book.codes.max())) < 65_535 else np.uint32
    empty = np.empty(0, word_type)
    block_groups = starts_of(np.diff(group_starts)[in_blocks])
    chunks = cut(entries, rest, asked, blocked, block_groups, presence, empty.itemsize)
    packed = np.concatenate([points, ranges, chunks.of_kind(PACKED)])
    words, offsets = write_records(entries, asked, rest, test_of, packed, empty)
    directory = np.zeros((len(book.codes) + 1, DIRECTORY_COLUMNS), np.int32)
    eq_starts = point_lists(entries, points, offsets, directory)
    range_lists(entries, ranges, offsets[len(points) :], singles, directory)
    stored = store(chunks, entries, directory, offsets[len(points) + len(ranges) :], singles, word_type)
    _check_sizes(words, stored.rows)
    return Built(
        Layout(
            directory=directory,
            eq_starts=eq_starts,
            words=words,
            blocks=stored.blocks,
            columns=stored.columns,
            pairs=stored.pairs,
            rows=stored.rows,
            expressions=stored.expressions,
            programs=stored.programs,
            ranges=stored.ranges,
            tests=tests,
            expression_count=len(coded.node_starts) - 1,
            entered_count=len(np.unique(entries.expression)),
            any_repeated=int(entries.repeated.any()),
        ),
        expressions,
    )


def _check_sizes(*arrays: npt.NDArray[Any]) -> None:
    """Offsets are 32 bits wide."""
    if max(map(len, arrays)) > np.iinfo(np.int32).max:
        raise LimitError("too many subscriptions for one segment: load them in several calls of subscribe_many")


def _lists(entries: Entries, rest: Rest, order: I64, group_starts: I64) -> tuple[Mask, Mask, Mask]:
    """The groups that become lists: of few entries under one code; of few under intervals; of few of these that have
    nothing else to verify."""
    sizes = np.diff(group_starts)
    heads = order[group_starts[:-1]]
    dimension, entry_class = entries.key_dimension[heads], rest.entry_class[heads]
    is_point = entry_class == POINT
    ranged = np.bincount(dimension, np.where(is_point, 0, sizes))
    few = ~is_point & (ranged[dimension] < RANGE_LIST_ENTRIES)
    return is_point & (sizes < LIST_ENTRIES), few & (entry_class == RANGE), few & (entry_class == SINGLE)


def _members(order: I64, group_starts: I64, groups: Mask) -> I64:
    return order[np.repeat(groups, np.diff(group_starts))]


def _with_splits(coded: CodedExpressions, entries: Entries, cost: F64) -> tuple[Entries, Asked, F64]:
    """Put the split intervals behind the coded conditions."""
    known, splits = len(coded.conditions.dimension), len(entries.split_dimension)
    condition = np.where(entries.condition < 0, known - 1 - entries.condition, entries.condition)
    entries = entries._replace(condition=condition.astype(np.int32))
    c = coded.conditions
    asked = Asked(
        np.concatenate([c.dimension, entries.split_dimension]),
        np.concatenate([c.low, entries.split_low]),
        np.concatenate([c.high, entries.split_high]),
        np.concatenate([c.mode, np.zeros(splits, np.uint8)]),
        np.concatenate([c.set_of, np.full(splits, -1, np.int32)]),
        c.set_starts,
        c.set_low,
        c.set_high,
    )
    return entries, asked, np.concatenate([cost, np.zeros(splits)])


@kernel
def _rest(entries: Entries, asked: Asked, cost: F64, presence: F64) -> Rest:
    count = len(entries.expression)
    starts, condition = np.zeros(count + 1, np.int64), np.empty(len(entries.condition), np.int32)
    simple, entry_class = np.zeros(count, np.int32), np.zeros(count, np.uint8)
    shares = np.empty(np.diff(entries.starts).max() if count else 0, np.float64)
    n = 0
    for e in range(count):
        first = n
        is_point = entries.key_low[e] == entries.key_high[e]
        for wants_simple in (True, False):
            begin = n
            for i in range(entries.starts[e], entries.starts[e + 1]):
                c = entries.condition[i]
                is_simple = asked.set_of[c] < 0 and asked.mode[c] == ANY
                if is_simple != wants_simple:
                    continue
                if is_simple and is_point and _is_key(entries, asked, e, c):
                    continue
                # whoever verifies this has the key's attribute: what is rare then comes first, and mostly ends it
                share = cost[c]
                if asked.dimension[c] == entries.key_dimension[e]:
                    share /= presence[asked.dimension[c]]
                at = n
                while at > begin and shares[at - 1 - begin] > share:
                    condition[at], shares[at - begin] = condition[at - 1], shares[at - 1 - begin]
                    at -= 1
                condition[at], shares[at - begin] = c, share
                n += 1
            if wants_simple:
                simple[e] = n - begin
        starts[e + 1] = n
        if not is_point:
            only_key = n - first == 1 and simple[e] == 1 and _is_key(entries, asked, e, condition[first])
            plain = entries.program[e] == NO_PROGRAM and entries.repeated[e] == 0
            entry_class[e] = SINGLE if only_key and plain else RANGE
    return Rest(starts, condition[:n], simple, entry_class)


@kernel
def _is_key(entries: Entries, asked: Asked, e: int, c: int) -> bool:
    return (
        asked.dimension[c] == entries.key_dimension[e]
        and asked.low[c] == entries.key_low[e]
        and asked.high[c] == entries.key_high[e]
    )


def _group(entries: Entries, rest: Rest, asked: Asked, presence: F64) -> tuple[I64, I64]:
    """Entries by key: dimension, points before ranges, code. In large groups, like ones side by side."""
    point_code = np.where(rest.entry_class == POINT, entries.key_low, 0).astype(np.int64)
    key = ((entries.key_dimension.astype(np.int64) * 3 + rest.entry_class) << 32) | point_code
    order = np.argsort(key, kind="stable")
    sorted_key = key[order]
    first = np.flatnonzero(np.concatenate([[True], sorted_key[1:] != sorted_key[:-1]])) if len(key) else key
    starts = np.append(first, len(key))
    sizes = np.diff(starts)
    large = np.repeat(sizes >= LIST_ENTRIES, sizes)
    some = order[large]
    rank = np.empty(len(presence), np.int64)
    rank[np.argsort(presence, kind="stable")] = np.arange(len(presence))
    first_rank, second_rank, third_rank = _rarest(rest, asked, rank, some)
    width = entries.key_low[some] ^ entries.key_high[some]
    level = np.frexp(width.astype(np.float64))[1].astype(np.int64)
    keys = (
        entries.key_high[some],
        entries.key_low[some],
        entries.key_low[some] >> level,
        level,
        third_rank,
        second_rank,
        first_rank,
        key[some],
    )
    order[large] = some[np.lexsort(keys)]
    return order, starts


@kernel
def _rarest(rest: Rest, asked: Asked, rank: I64, entries: I64) -> tuple[I64, I64, I64]:
    """The ranks of the three rarest dimensions that each entry asks about."""
    out = np.full((3, len(entries)), -1, np.int64)
    for i in range(len(entries)):
        for k in range(rest.starts[entries[i]], rest.starts[entries[i] + 1]):
            r = rank[asked.dimension[rest.condition[k]]]
            for place in range(3):
                if out[place, i] < 0 or r < out[place, i]:
                    out[place, i], r = r, out[place, i]
                if r < 0 or r == out[place, i]:
                    break
    return out[0], out[1], out[2]


def _number_expressions(entries: Entries, order: I64, count: int) -> tuple[I64, I64]:
    """Expressions in the order in which their first entries are stored: old numbers, and where each went."""
    place = np.full(count, len(order), np.int64)
    np.minimum.at(place, entries.expression[order], np.arange(len(order)))
    expressions = np.argsort(place, kind="stable")
    renumbered = np.empty(count, np.int64)
    renumbered[expressions] = np.arange(count)
    return expressions, renumbered


def _tests(entries: Entries, asked: Asked, rest: Rest) -> tuple[Tests, I32]:
    """The conditions that records and programs name by number, and the number of each."""
    named = np.zeros(len(asked.dimension), bool)
    named[entries.instructions[::3]] = True
    conditions = rest.condition
    named[conditions[(asked.set_of[conditions] >= 0) | (asked.mode[conditions] != ANY)]] = True
    kept = np.flatnonzero(named)
    number = np.full(len(named), -1, np.int32)
    number[kept] = np.arange(len(kept), dtype=np.int32)
    instructions = entries.instructions.copy()
    instructions[::3] = number[instructions[::3]]
    # sets no test names any more are dropped with them
    sets = asked.set_of[kept]
    used = np.unique(sets[sets >= 0])
    new_set = np.full(len(asked.set_starts), -1, np.int32)
    new_set[used] = np.arange(len(used), dtype=np.int32)
    sizes = np.diff(asked.set_starts)[used]
    starts = starts_of(sizes)
    where = np.repeat(asked.set_starts[used] - starts[:-1], sizes) + np.arange(starts[-1])
    return (
        Tests(
            asked.dimension[kept],
            asked.low[kept],
            asked.high[kept],
            asked.mode[kept],
            np.where(sets >= 0, new_set[sets], -1).astype(np.int32),
            starts,
            asked.set_low[where],
            asked.set_high[where],
            instructions,
        ),
        number,
    )
