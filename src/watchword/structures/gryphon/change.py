"""One row more or less in the tree.

A new row goes down the results that it has conditions for. Where there is none it gets one, and stays behind it. A row
that stood alone with conditions left, in the state where it passes, goes a step down itself first.
"""

from __future__ import annotations

import numpy as np

from watchword.coding.values import I64
from watchword.kernel import lean
from watchword.structures.expressions import append, longer
from watchword.structures.gryphon.build import with_slots
from watchword.structures.gryphon.tree import (
    HASHED,
    MANY,
    STATES,
    TESTS,
    Rows,
    States,
    Tests,
    Tree,
    hash_state,
    hash_test,
    hashed_state,
    hashed_test,
    new_state,
    new_test,
)


def with_rows(tree: Tree, new: Rows, count: int, conditions: int) -> Tree:
    """With these rows, of no state yet, behind the first `count`, which have so many conditions."""
    old, last = tree.rows, count + len(new.conjunction)
    rows = Rows(
        append(old.conjunction, count, new.conjunction),
        append(old.next, count, new.next),
        append(old.indexed, count, new.indexed),
        append(old.starts, count + 1, new.starts[1:] + conditions),
        append(old.dimension, conditions, new.dimension),
        append(old.low, conditions, new.low),
        append(old.high, conditions, new.high),
    )
    return tree._replace(rows=rows, row_of=append(tree.row_of, count, np.arange(count, last, dtype=np.int32)))


def insert_rows(tree: Tree, first: int, last: int) -> Tree:
    while True:
        first = _insert(tree, first, last)
        if first == last:
            return tree
        states, tests, _ = tree.used.tolist()
        more = _most_new(tree, first)
        tree = tree._replace(
            states=States(*(longer(column, states, more) for column in tree.states)),
            tests=Tests(*(longer(column, tests, more) for column in tree.tests)),
        )
        if not _has_slots(tree, first):
            tree = with_slots(_only_used(tree), _most_hashed(tree, first))._replace(
                states=tree.states, tests=tree.tests
            )


def _only_used(tree: Tree) -> Tree:
    states, tests, _ = tree.used.tolist()
    return tree._replace(
        states=States(*(column[:states] for column in tree.states)),
        tests=Tests(*(column[:tests] for column in tree.tests)),
    )


@lean
def _most_new(tree: Tree, row: int) -> int:
    """More states, or tests, than the row can need: its own, and those of a row that goes down before it."""
    return 2 * (np.int64(tree.rows.indexed[row]) + 2)


@lean
def _most_hashed(tree: Tree, row: int) -> int:
    """A result and its test, each with all that have not been hashed before it."""
    return 2 * _most_new(tree, row) * (MANY + 1)


@lean
def _has_slots(tree: Tree, row: int) -> bool:
    return 2 * (tree.used[HASHED] + _most_hashed(tree, row)) <= len(tree.slots)


@lean
def _insert(tree: Tree, first: int, last: int) -> int:
    """Insert rows first .. last - 1; the one for which there was no room, or `last`."""
    for row in range(first, last):
        more = _most_new(tree, row)
        if tree.used[STATES] + more > len(tree.states.low) or tree.used[TESTS] + more > len(tree.tests.star):
            return row
        if not _has_slots(tree, row):
            return row
        _insert_row(tree, row)
    return last


@lean
def _insert_row(tree: Tree, row: int) -> None:
    states, rows = tree.states, tree.rows
    state = np.int64(0)
    while True:
        depth, head = states.depth[state], np.int64(states.first_row[state])
        if head >= 0 and rows.indexed[head] > depth:
            states.first_row[state] = -1
            _add_to_state(tree, _child(tree, state, head), head)
        elif head < 0 and states.first_test[state] < 0:
            break
        if rows.indexed[row] == depth:
            break
        state = _child(tree, state, row)
    _add_to_state(tree, state, row)


@lean
def _add_to_state(tree: Tree, state: int, row: int) -> None:
    tree.rows.next[row], tree.states.first_row[state] = tree.states.first_row[state], row


@lean
def _child(tree: Tree, state: int, row: int) -> int:
    """The state behind the row's next condition, which is made where there is none."""
    at = tree.rows.starts[row] + tree.states.depth[state]
    dimension, low, high = tree.rows.dimension[at], tree.rows.low[at], tree.rows.high[at]
    test = find_test(tree, state, dimension)
    if test < 0:
        test = new_test(tree, state, dimension)
        count = tree.states.tests[state]
        if count > MANY:
            other = test
            while other >= 0:
                hash_test(tree, other)
                other = np.int64(tree.tests.star[other]) if count == MANY + 1 else np.int64(-1)
    child = find_child(tree, test, low, high)
    if child < 0:
        child = new_state(tree, test, low, high, tree.states.depth[state] + 1)
        count = tree.tests.equalities[test]
        if low == high and count > MANY:
            other = child
            while other >= 0:
                hash_state(tree, other)
                other = np.int64(tree.states.sibling[other]) if count == MANY + 1 else np.int64(-1)
    return child


@lean
def find_test(tree: Tree, state: int, dimension: int) -> int:
    if tree.states.tests[state] > MANY:
        return hashed_test(tree, state, dimension)
    test = np.int64(tree.states.first_test[state])
    while test >= 0 and tree.tests.dimension[test] != dimension:
        test = np.int64(tree.tests.star[test])
    return test


@lean
def find_child(tree: Tree, test: int, low: int, high: int) -> int:
    if low == high and tree.tests.equalities[test] > MANY:
        return hashed_state(tree, test, low)
    child = np.int64(tree.tests.first_equality[test] if low == high else tree.tests.first_range[test])
    while child >= 0 and (tree.states.low[child] != low or tree.states.high[child] != high):
        child = np.int64(tree.states.sibling[child])
    return child


@lean
def delete_rows(tree: Tree, conjunctions: I64) -> None:
    """Take their rows out of their states. A state that gets empty stays, for rows to come."""
    states, rows = tree.states, tree.rows
    for conjunction in conjunctions:
        row, state = np.int64(tree.row_of[conjunction]), np.int64(0)
        while not _take_out(rows, states, state, row):
            at = rows.starts[row] + states.depth[state]
            test = find_test(tree, state, rows.dimension[at])
            state = find_child(tree, test, rows.low[at], rows.high[at])


@lean
def _take_out(rows: Rows, states: States, state: int, row: int) -> bool:
    """Take the row out of the state; was it there?"""
    if rows.indexed[row] > states.depth[state] and states.first_row[state] != row:
        return False
    before, at = np.int64(-1), np.int64(states.first_row[state])
    while at != row:
        before, at = at, np.int64(rows.next[at])
    if before < 0:
        states.first_row[state] = rows.next[row]
    else:
        rows.next[before] = rows.next[row]
    return True
