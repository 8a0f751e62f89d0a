"""The matching tree of Gryphon (BE-Tree section 7.2, and its source, Aguilera et al., PODC 1999).

    row 0: a = 1 AND b = 2      state 0: test a ---------------------------- * --> test b
    row 1: a = 1 AND b <= 5              |  1..1                  |  3..3            |  2..2
    row 2: a = 3                         state 1: test b          state: row 2       state: row 3
    row 3: b = 2                                  |  2..2   |  0..5
                                                  state:    state:
                                                  row 0     row 1

A row is a conjunction with its conditions in the tree's order of attributes. A state is reached by results that are
all true of the event. It has the rows that need no more tests, and a chain of tests: one for each attribute that comes
next in some row below; the star leads to the next test of the chain. A result of a test is an equality or a range.

Compressed: an attribute that no row of a state has next is not in its chain, so nothing is walked that only don't-cares
lead through. Where a single row is left, it stays in the state, and its remaining conditions are checked one by one.

Invariant: a row stands in the state of its first depth[state] conditions; all of them are indexed ones, and if it has
more of those, it is alone there, and the state has no test. Attributes come by rank, the most frequent first (or, with
`rarest_first`, last). Cost: 32 bytes per state, 24 per test, 12 per condition.
An event visits every state whose results are all true of it. A test with many equalities, and a chain of many tests,
are also found by hash.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.hashing import mix
from watchword.coding.values import I32, I64
from watchword.kernel import lean

MANY: Final = 16  # equalities of a test, tests of a state, from which on they are hashed

STATES: Final = 0  # places in `used`
TESTS: Final = 1
HASHED: Final = 2


class States(NamedTuple):
    low: I32  # the result that leads here
    high: I32
    test: I32  # whose result that is
    sibling: I32  # the next result of that test, of its kind (equality or range), -1
    depth: I32
    tests: I32  # how many
    first_test: I32  # -1 without
    first_row: I32


class Tests(NamedTuple):
    dimension: I32
    state: I32  # whose test it is
    star: I32  # the next test of that state, -1
    equalities: I32  # how many
    first_equality: I32  # the state it leads to, -1 without
    first_range: I32


class Rows(NamedTuple):
    conjunction: I32
    next: I32  # of the same state, -1
    indexed: I32  # how many of its conditions have results; the others come behind
    starts: I64
    dimension: I32
    low: I32
    high: I32


class Tree(NamedTuple):
    states: States
    tests: Tests
    rows: Rows
    row_of: I32  # conjunction -> row
    slots: I32  # open addressing: state << 1 of a test's equality, test << 1 | 1 of a state's attribute, -1
    used: I64  # STATES, TESTS, HASHED


@lean
def _slot(tree: Tree, kind: int, owner: int, value: int) -> int:
    key = (np.uint64(owner) << np.uint64(32)) + (np.uint64(value) << np.uint64(1)) + np.uint64(kind)
    return np.int64(mix(key * np.uint64(0x9E3779B97F4A7C15)) & np.uint64(len(tree.slots) - 1))


@lean
def hashed_state(tree: Tree, test: int, code: int) -> int:
    """The state behind an equality of a test that has many, -1 if there is none."""
    slot = _slot(tree, 0, test, code)
    while tree.slots[slot] >= 0:
        state = np.int64(tree.slots[slot] >> 1)
        if tree.slots[slot] & 1 == 0 and tree.states.test[state] == test and tree.states.low[state] == code:
            return state
        slot = (slot + 1) & (len(tree.slots) - 1)
    return np.int64(-1)


@lean
def hashed_test(tree: Tree, state: int, dimension: int) -> int:
    """The test of an attribute in a state that has many, -1 if there is none."""
    slot = _slot(tree, 1, state, dimension)
    while tree.slots[slot] >= 0:
        test = np.int64(tree.slots[slot] >> 1)
        if tree.slots[slot] & 1 and tree.tests.state[test] == state and tree.tests.dimension[test] == dimension:
            return test
        slot = (slot + 1) & (len(tree.slots) - 1)
    return np.int64(-1)


@lean
def _take_slot(tree: Tree, slot: int, content: int) -> None:
    while tree.slots[slot] >= 0:
        slot = (slot + 1) & (len(tree.slots) - 1)
    tree.slots[slot] = content
    tree.used[HASHED] += 1


@lean
def hash_state(tree: Tree, state: int) -> None:
    _take_slot(tree, _slot(tree, 0, tree.states.test[state], tree.states.low[state]), state << 1)


@lean
def hash_test(tree: Tree, test: int) -> None:
    _take_slot(tree, _slot(tree, 1, tree.tests.state[test], tree.tests.dimension[test]), test << 1 | 1)


@lean
def hash_all(tree: Tree) -> None:
    """Fill the empty slots."""
    tree.used[HASHED] = 0
    for test in range(tree.used[TESTS]):
        if tree.tests.equalities[test] > MANY:
            state = np.int64(tree.tests.first_equality[test])
            while state >= 0:
                hash_state(tree, state)
                state = np.int64(tree.states.sibling[state])
        if tree.states.tests[tree.tests.state[test]] > MANY:
            hash_test(tree, test)


@lean
def new_state(tree: Tree, test: int, low: int, high: int, depth: int) -> int:
    """A state without rows and tests, as the first result of its kind (of no test: the root)."""
    state, states = tree.used[STATES], tree.states
    tree.used[STATES] += 1
    states.low[state], states.high[state], states.test[state], states.depth[state] = low, high, test, depth
    states.sibling[state], states.first_test[state], states.first_row[state] = -1, -1, -1
    states.tests[state] = 0
    if test >= 0:
        if low == high:
            states.sibling[state] = tree.tests.first_equality[test]
            tree.tests.first_equality[test] = state
            tree.tests.equalities[test] += 1
        else:
            states.sibling[state] = tree.tests.first_range[test]
            tree.tests.first_range[test] = state
    return state


@lean
def new_test(tree: Tree, state: int, dimension: int) -> int:
    """A test without results, as the first of the state's chain."""
    test, tests = tree.used[TESTS], tree.tests
    tree.used[TESTS] += 1
    tests.dimension[test], tests.state[test], tests.star[test] = dimension, state, tree.states.first_test[state]
    tests.equalities[test], tests.first_equality[test], tests.first_range[test] = 0, -1, -1
    tree.states.first_test[state] = test
    tree.states.tests[state] += 1
    return test
