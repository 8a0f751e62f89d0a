"""The walk of an event through the tree: every state whose results are all true of it."""

from __future__ import annotations

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.kernel import inlined, lean
from watchword.structures.conjunctive import State, Subjects, accept, enter, leave
from watchword.structures.event_values import some_code_in
from watchword.structures.gryphon.tree import MANY, Tree, hashed_state, hashed_test
from watchword.structures.structure import NODES, PREDICATES, U32


@lean
def match_events(
    subjects: Subjects, tree: Tree, events: CodedEvents, first: int, starts: I64, out: U32, state: State, waiting: I32
) -> int:
    """`waiting` has room for all states: those that are reached and not yet visited."""
    states, tests = tree.states, tree.tests
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + subjects.count > len(out):
            return e
        many = enter(state, events, e)
        visited, depth = 0, 1
        waiting[0] = 0
        while depth > 0:
            depth -= 1
            node = np.int64(waiting[depth])
            visited += 1
            if states.first_row[node] >= 0:
                n = _check_rows(subjects, tree, node, state, out, n, many)
            if states.tests[node] > MANY:
                depth = _jump(tree, events, e, node, state, many, waiting, depth)
                continue
            test = np.int64(states.first_test[node])
            while test >= 0:
                if state.value[tests.dimension[test]] != 0:
                    depth = _follow(tree, test, state, many, waiting, depth)
                test = np.int64(tests.star[test])
        state.counts[NODES] += visited
        leave(state, events, e, many)
        starts[e + 1] = n
    return len(events.starts) - 1


@inlined
def _check_rows(subjects: Subjects, tree: Tree, node: int, state: State, out: U32, n: int, many: bool) -> int:
    """Accept the state's rows whose remaining conditions hold."""
    rows, depth, checked = tree.rows, tree.states.depth[node], 0
    row = np.int64(tree.states.first_row[node])
    while row >= 0:
        at, end = rows.starts[row] + depth, rows.starts[row + 1]
        begin = at
        while at < end and _holds(state, rows.dimension[at], rows.low[at], rows.high[at], many):
            at += 1
        checked += at - begin
        if at == end:
            n = accept(subjects, state, out, n, rows.conjunction[row], many)
        else:
            checked += 1
        row = np.int64(rows.next[row])
    state.counts[PREDICATES] += checked
    return n


@inlined
def _holds(state: State, d: int, low: int, high: int, many: bool) -> bool:
    return some_code_in(state, d, low, high) if many else low <= state.value[d] <= high


@lean
def _jump(
    tree: Tree, events: CodedEvents, e: int, node: int, state: State, many: bool, waiting: I32, depth: int
) -> int:
    """Follow the tests of the event's attributes in a long chain, once each."""
    before = -1
    for i in range(events.starts[e], events.starts[e + 1]):
        d = events.dimension[i]
        if events.code[i] == 0 or d == before:
            continue
        before = d
        test = hashed_test(tree, node, d)
        if test >= 0:
            depth = _follow(tree, test, state, many, waiting, depth)
    return depth


@inlined
def _follow(tree: Tree, test: int, state: State, many: bool, waiting: I32, depth: int) -> int:
    """Let the states wait that results of the test lead to, once each."""
    states, d = tree.states, tree.tests.dimension[test]
    child = np.int64(tree.tests.first_equality[test])
    looked_at = 0
    if tree.tests.equalities[test] > MANY and not many:
        child = hashed_state(tree, test, state.value[d])
        if child >= 0:
            waiting[depth] = child
            depth += 1
        child = np.int64(-1)
    while child >= 0:
        looked_at += 1
        if _holds(state, d, states.low[child], states.low[child], many):
            waiting[depth] = child
            depth += 1
        child = np.int64(states.sibling[child])
    child = np.int64(tree.tests.first_range[test])
    while child >= 0:
        looked_at += 1
        if _holds(state, d, states.low[child], states.high[child], many):
            waiting[depth] = child
            depth += 1
        child = np.int64(states.sibling[child])
    state.counts[PREDICATES] += looked_at
    return depth
