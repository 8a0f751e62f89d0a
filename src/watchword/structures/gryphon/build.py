"""The tree of all rows at once: rows sorted by their conditions, then state by state, breadth first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.coding.ranges import positions, starts_of
from watchword.coding.values import I32, I64
from watchword.kernel import kernel, lean
from watchword.structures.conjunctions import VERIFY, Conjunctions
from watchword.structures.gryphon.tree import MANY, Rows, States, Tests, Tree, hash_all, new_state, new_test


class Ordering(NamedTuple):
    """Which conditions are indexed, and in which order."""

    rank: I32  # dimension -> its place in the order of tests
    ranges: bool  # are ranges indexed, or equalities only?


def build_tree(c: Conjunctions, ordering: Ordering) -> Tree:
    count = len(c.expression)
    rows = _sorted(rows_of(c, 0, count, ordering), ordering.rank)
    most = 1 + _count_states(rows)
    states = States(*(np.empty(most, np.int32) for _ in States._fields))
    tests = Tests(*(np.empty(most, np.int32) for _ in Tests._fields))
    row_of = np.empty(count, np.int32)
    row_of[rows.conjunction] = np.arange(count)
    tree = Tree(states, tests, rows, row_of, np.empty(0, np.int32), np.zeros(3, np.int64))
    _grow_states(tree, np.empty(most, np.int32))
    return with_slots(_trimmed(tree))


def with_slots(tree: Tree, more: int = 0) -> Tree:
    """With a hash table for what it has to hold, and `more`."""
    some = tree.tests.equalities > MANY
    wanted = int(tree.tests.equalities[some].sum()) + int(tree.states.tests[tree.states.tests > MANY].sum()) + more
    tree = tree._replace(slots=np.full(1 << max(4, (2 * wanted).bit_length()), -1, np.int32))
    hash_all(tree)
    return tree


def _trimmed(tree: Tree) -> Tree:
    states, tests, _ = tree.used.tolist()
    return tree._replace(
        states=States(*(column[:states].copy() for column in tree.states)),
        tests=Tests(*(column[:tests].copy() for column in tree.tests)),
    )


def rows_of(c: Conjunctions, first: int, last: int, ordering: Ordering) -> Rows:
    """Conjunctions first .. last - 1 as rows in that order, of no state yet."""
    size = int(c.starts[last] - c.starts[first])
    rows = Rows(
        np.arange(first, last, dtype=np.int32),
        np.full(last - first, -1, np.int32),
        np.zeros(last - first, np.int32),
        c.starts[first : last + 1] - c.starts[first],
        *(np.empty(size, np.int32) for _ in range(3)),
    )
    _order_conditions(c, ordering, rows)
    return rows


@kernel
def _order_conditions(c: Conjunctions, ordering: Ordering, rows: Rows) -> None:
    """Indexed ones by rank, then the others, rarest attribute first. A set of codes makes VERIFY."""
    codes = np.int64(1) << 31
    for row in range(len(rows.conjunction)):
        conjunction = rows.conjunction[row]
        begin, end = c.starts[conjunction], c.starts[conjunction + 1]
        key = np.empty(end - begin, np.int64)
        for i in range(begin, end):
            indexed = ordering.ranges or c.low[i] == c.high[i]
            rank = np.int64(ordering.rank[c.dimension[i]])
            if indexed:
                rows.indexed[row] += 1
                key[i - begin] = rank * codes + c.low[i]
            else:
                key[i - begin] = (2 * len(ordering.rank) - rank) * codes
            if c.set_of[i] >= 0:
                c.flags[conjunction] |= VERIFY
        ranked = np.argsort(key, kind="mergesort")
        for i in range(end - begin):
            at, condition = rows.starts[row] + i, begin + ranked[i]
            rows.dimension[at] = c.dimension[condition]
            rows.low[at], rows.high[at] = c.low[condition], c.high[condition]


def _sorted(rows: Rows, rank: I32) -> Rows:
    """Rows with the same beginning together, one that is the beginning of others before them."""
    heads = rows.starts[:-1]
    first = rank[rows.dimension[heads]].astype(np.int64) << 31 | rows.low[heads]
    first[rows.indexed == 0] = -1
    order = np.argsort(first, kind="stable")
    ends = np.flatnonzero(np.diff(first[order], append=-2)) + 1
    _sort_groups(rows, rank, order, ends, np.empty_like(order))
    lengths = np.diff(rows.starts)[order]
    starts = starts_of(lengths)
    conditions = positions(heads[order], starts)
    return Rows(
        rows.conjunction[order],
        rows.next,
        rows.indexed[order],
        starts,
        rows.dimension[conditions],
        rows.low[conditions],
        rows.high[conditions],
    )


@lean
def _sort_groups(rows: Rows, rank: I32, order: I64, ends: I64, other: I64) -> None:
    """Sort each group of rows by merging: runs of 1, 2, 4, ..."""
    begin = np.int64(0)
    for end in ends:
        run = np.int64(1)
        while run < end - begin:
            for low in range(begin, end, 2 * run):
                middle, high = min(low + run, end), min(low + 2 * run, end)
                a, b = low, middle
                for i in range(low, high):
                    if b == high or (a < middle and not _comes_before(rows, rank, order[b], order[a])):
                        other[i] = order[a]
                        a += 1
                    else:
                        other[i] = order[b]
                        b += 1
            for i in range(begin, end):
                order[i] = other[i]
            run *= 2
        begin = end


@lean
def _comes_before(rows: Rows, rank: I32, a: int, b: int) -> bool:
    shorter = min(rows.indexed[a], rows.indexed[b])
    for i in range(shorter):
        x, y = rows.starts[a] + i, rows.starts[b] + i
        if rows.dimension[x] != rows.dimension[y]:
            return rank[rows.dimension[x]] < rank[rows.dimension[y]]
        if rows.low[x] != rows.low[y]:
            return rows.low[x] < rows.low[y]
        if rows.high[x] != rows.high[y]:
            return rows.high[x] < rows.high[y]
    return rows.indexed[a] < rows.indexed[b]


@lean
def _shared(rows: Rows, a: int, b: int) -> int:
    """How many indexed conditions two rows have in common from the first on."""
    n = np.int64(0)
    while n < rows.indexed[a] and n < rows.indexed[b] and same_condition(rows, rows.starts[a] + n, rows.starts[b] + n):
        n += 1
    return n


@lean
def same_condition(rows: Rows, x: int, y: int) -> bool:
    return rows.dimension[x] == rows.dimension[y] and rows.low[x] == rows.low[y] and rows.high[x] == rows.high[y]


@lean
def _count_states(rows: Rows) -> int:
    """The states behind the root: as deep as a row shares its conditions with a neighbour, and one more."""
    count, before = 0, np.int64(0)
    for row in range(len(rows.indexed)):
        behind = _shared(rows, row, row + 1) if row + 1 < len(rows.indexed) else np.int64(0)
        deepest = (behind if behind > before else before) + 1
        if deepest > rows.indexed[row]:
            deepest = np.int64(rows.indexed[row])
        count += deepest - before if deepest > before else 0
        before = behind
    return count


@lean
def _grow_states(tree: Tree, ends: I32) -> None:
    """From the root on. Row numbers `first_row` .. `ends` are a state's until its turn comes."""
    states, rows = tree.states, tree.rows
    new_state(tree, -1, 0, 0, 0)
    states.first_row[0], ends[0] = 0, len(rows.conjunction)
    state = 0
    while state < tree.used[0]:
        row, end, depth = np.int64(states.first_row[state]), np.int64(ends[state]), states.depth[state]
        if end - row > 1:
            ended = row
            while row < end and rows.indexed[row] == depth:
                rows.next[row] = row + 1 if row + 1 < end and rows.indexed[row + 1] == depth else -1
                row += 1
            states.first_row[state] = ended if row > ended else -1
            _grow_tests(tree, ends, state, row, end)
        elif end == row:
            states.first_row[state] = -1
        state += 1


@lean
def _grow_tests(tree: Tree, ends: I32, state: int, row: int, end: int) -> None:
    """The tests of a state for rows row .. end - 1: last ones first, so that the chains are in order."""
    states, rows, depth = tree.states, tree.rows, tree.states.depth[state]
    test = np.int64(-1)
    while end > row:
        last = rows.starts[end - 1] + depth
        begin = end - 1
        while begin > row and same_condition(rows, rows.starts[begin - 1] + depth, last):
            begin -= 1
        if test < 0 or tree.tests.dimension[test] != rows.dimension[last]:
            test = new_test(tree, state, rows.dimension[last])
        child = new_state(tree, test, rows.low[last], rows.high[last], depth + 1)
        states.first_row[child], ends[child] = begin, end
        end = begin
