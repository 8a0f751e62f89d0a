"""From coded expressions to entries: where each expression is found, and what is left to verify there.

    model = 7 AND price <= 9 AND (a = 1 OR b = 2)
    entry   key  model 7        conditions  price <= 9        program  (a = 1 OR b = 2)

    (x = 1 AND y <= 2) OR z = 3
    entry   key  x 1            conditions  y <= 2
    entry   key  z 3

Invariant: if an expression is true of an event, at least one of its entries has a true key, true conditions and a
true program; if all three are true of an entry, its expression is true. An AND is entered under its cheapest child,
an OR under every child, so no expression grows: entries are at most as many as predicates (DESIGN section 4).
An expression with several entries may be met several times in an event; they are marked `repeated`.

A program is the rest of an expression that is not a plain conjunction, as a chain of tests with jumps:
instruction i is (condition, where to go if it is true, where if false); ACCEPT and REJECT end it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.codebook import CONSTANT_DIMENSION, MISSING
from watchword.coding.coded import ANY, CodedExpressions
from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean
from watchword.language.table import AND, LEAF, OR

F64 = npt.NDArray[np.float64]

ACCEPT: Final = -1
REJECT: Final = -2
NO_PROGRAM: Final = -1

CONDITIONS_PER_ENTRY: Final = 200  # beyond it a program verifies the conjunction
SETS_PER_ENTRY: Final = 24
CONDITIONS_OVER_BRANCHES: Final = 4096  # conditions that an OR's branches may repeat
KEYS_PER_SET: Final = 1024  # intervals of one set that are entered one by one


class Entries(NamedTuple):
    expression: I32
    key_dimension: I32
    key_low: I32
    key_high: I32
    starts: I64  # entry -> its conditions
    condition: I32  # an index into the coded conditions; -1 - i stands for `split` interval i
    program: I32  # entry -> its first instruction, or NO_PROGRAM
    repeated: U8
    instructions: I32  # (condition, if true, if false)
    split_dimension: I32  # a set that is a key is entered once for each of its intervals
    split_low: I32
    split_high: I32


class _Work(NamedTuple):
    """What a run writes to: with `fill` 0 it only counts."""

    out: Entries
    used: I64  # entries, conditions, instruction words, split intervals
    fill: int
    costs: F64  # of the nodes of the expression at hand
    node: I64  # a stack of subtrees to enter
    shared: I64  # how many of `conditions` hold there
    rest: I64  # the program to run there
    conditions: I32  # those of the ANDs above
    jump: I64  # a stack of subtrees to write as a program
    if_true: I64
    if_false: I64


def build_entries(coded: CodedExpressions, cost: F64) -> Entries:
    """`cost` of a condition: how often it is true."""
    most = int(np.diff(coded.node_starts).max(initial=0)) + 2
    counted = _work(_room(0, 0, 0, 0), most, fill=0)
    _enter(coded, cost, counted)
    work = _work(_room(*counted.used.tolist()), most, fill=1)
    _enter(coded, cost, work)
    return work.out


def _room(entries: int, conditions: int, instructions: int, splits: int) -> Entries:
    return Entries(
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
        np.zeros(entries + 1, np.int64),
        np.empty(conditions, np.int32),
        np.empty(entries, np.int32),
        np.zeros(entries, np.uint8),
        np.empty(instructions, np.int32),
        np.empty(splits, np.int32),
        np.empty(splits, np.int32),
        np.empty(splits, np.int32),
    )


def _work(out: Entries, most: int, *, fill: int) -> _Work:
    return _Work(
        out,
        np.zeros(4, np.int64),
        fill,
        np.empty(most, np.float64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int32),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
    )


@lean
def _enter(coded: CodedExpressions, cost: F64, work: _Work) -> None:
    for e in range(len(coded.node_starts) - 1):
        first, last = coded.node_starts[e], coded.node_starts[e + 1]
        entries = work.used[0]
        if _is_flat(coded, first, last):
            _enter_flat(work, coded, cost, e, first, last)
        else:
            _enter_tree(work, coded, cost, e, first, last)
        if work.fill and work.used[0] - entries > 1:
            for entry in range(entries, work.used[0]):
                work.out.repeated[entry] = 1


@lean
def _is_flat(coded: CodedExpressions, first: int, last: int) -> bool:
    """One leaf, or an AND of leaves only, few enough for an entry."""
    if last - first == 1:
        return True
    if coded.kind[first] != AND or last - first - 1 > CONDITIONS_PER_ENTRY:
        return False
    sets = 0
    for n in range(first + 1, last):
        if coded.kind[n] != LEAF:
            return False
        if not _is_simple(coded, coded.condition[n]):
            sets += 1
    return sets <= SETS_PER_ENTRY


@lean
def _is_simple(coded: CodedExpressions, c: int) -> bool:
    return coded.conditions.set_of[c] < 0 and coded.conditions.mode[c] == ANY


@lean
def _enter_flat(work: _Work, coded: CodedExpressions, cost: F64, e: int, first: int, last: int) -> None:
    begin = first if last - first == 1 else first + 1
    best = coded.condition[begin]
    for n in range(begin, last):
        work.conditions[n - begin] = coded.condition[n]
        if cost[coded.condition[n]] < cost[best]:
            best = coded.condition[n]
    _emit(work, coded, e, best, last - begin, NO_PROGRAM)


@lean
def _enter_tree(work: _Work, coded: CodedExpressions, cost: F64, e: int, first: int, last: int) -> None:
    _cost_nodes(work.costs, coded, cost, first, last)
    costs, waiting, shared, program, conditions = work.costs, work.node, work.shared, work.rest, work.conditions
    depth = 1
    waiting[0], shared[0], program[0] = first, 0, NO_PROGRAM
    while depth > 0:
        depth -= 1
        n, count, rest = waiting[depth], shared[depth], program[depth]
        if coded.kind[n] == LEAF:
            conditions[count] = coded.condition[n]
            _emit(work, coded, e, coded.condition[n], count + 1, rest)
            continue
        end = first + coded.end[n]
        if coded.kind[n] == OR:
            child = n + 1
            while child < end:
                waiting[depth], shared[depth], program[depth] = child, count, rest
                depth += 1
                child = first + coded.end[child]
            continue
        best, leaves, sets, branches = _children(coded, costs, first, n, end)
        sets += _sets_among(coded, conditions, count)
        fits = count + leaves <= CONDITIONS_PER_ENTRY and sets <= SETS_PER_ENTRY
        best_is_leaf = coded.kind[best] == LEAF
        if not best_is_leaf and count + leaves > 0:
            fits = fits and (count + leaves) * (coded.end[best] - (best - first)) <= CONDITIONS_OVER_BRANCHES
        if rest == NO_PROGRAM and not fits:
            rest = _write_program(work, coded, first, n, end, True)
        elif rest == NO_PROGRAM and branches > (0 if best_is_leaf else 1):
            rest = _write_program(work, coded, first, n, end, False)
        if fits:
            count = _inherit(coded, first, n, end, conditions, count)
        if not best_is_leaf:
            waiting[depth], shared[depth], program[depth] = best, count, rest
            depth += 1
            continue
        if not fits:
            count = min(count, CONDITIONS_PER_ENTRY)
            conditions[count] = coded.condition[best]
            count += 1
        _emit(work, coded, e, coded.condition[best], count, rest)


@lean
def _cost_nodes(out: F64, coded: CodedExpressions, cost: F64, first: int, last: int) -> None:
    """Of each node: of a leaf its own, of an AND its cheapest child's, of an OR all its children's."""
    for n in range(last - 1, first - 1, -1):
        if coded.kind[n] == LEAF:
            out[n - first] = cost[coded.condition[n]]
            continue
        total = np.inf if coded.kind[n] == AND else 0.0
        child = n + 1
        while child < first + coded.end[n]:
            if coded.kind[n] == AND:
                total = min(total, out[child - first])
            else:
                total += out[child - first]
            child = first + coded.end[child]
        out[n - first] = total


@lean
def _sets_among(coded: CodedExpressions, conditions: I32, count: int) -> int:
    sets = 0
    for i in range(count):
        if not _is_simple(coded, conditions[i]):
            sets += 1
    return sets


@lean
def _children(coded: CodedExpressions, costs: F64, first: int, n: int, end: int) -> tuple[int, int, int, int]:
    """Of an AND: the cheapest child, and how many leaves, leaves that are no plain interval, and branches it has."""
    best, leaves, sets, branches = n + 1, 0, 0, 0
    child = n + 1
    while child < end:
        if costs[child - first] < costs[best - first]:
            best = child
        if coded.kind[child] == LEAF:
            leaves += 1
            if not _is_simple(coded, coded.condition[child]):
                sets += 1
        else:
            branches += 1
        child = first + coded.end[child]
    return best, leaves, sets, branches


@lean
def _inherit(coded: CodedExpressions, first: int, n: int, end: int, conditions: I32, count: int) -> int:
    child = n + 1
    while child < end:
        if coded.kind[child] == LEAF:
            conditions[count] = coded.condition[child]
            count += 1
        child = first + coded.end[child]
    return count


@lean
def _write_program(work: _Work, coded: CodedExpressions, first: int, n: int, end: int, with_leaves: bool) -> int:
    """The conjunction of the AND's children, or of those that are not leaves; where it begins."""
    begin = work.used[2]
    last = n
    child = n + 1
    while child < end:
        if with_leaves or coded.kind[child] != LEAF:
            last = child
        child = first + coded.end[child]
    child = n + 1
    while child < end:
        after = first + coded.end[child]
        if with_leaves or coded.kind[child] != LEAF:
            following = work.used[2] + 3 * _leaves(coded, child, after)
            _write_node(work, coded, first, child, ACCEPT if child == last else following)
        child = after
    return begin


@lean
def _leaves(coded: CodedExpressions, n: int, end: int) -> int:
    count = 0
    for i in range(n, end):
        if coded.kind[i] == LEAF:
            count += 1
    return count


@lean
def _write_node(work: _Work, coded: CodedExpressions, first: int, n: int, if_true: int) -> None:
    """The leaves of a subtree become instructions in their order; where they lead is known from the counts."""
    node, yes, no = work.jump, work.if_true, work.if_false
    node[0], yes[0], no[0] = n, if_true, REJECT
    depth = 1
    while depth > 0:
        depth -= 1
        m, t, f = node[depth], yes[depth], no[depth]
        if coded.kind[m] == LEAF:
            _write_instruction(work, coded.condition[m], t, f)
            continue
        # children are put on the stack last to first, so that they are written first to last
        children = 0
        child = m + 1
        while child < first + coded.end[m]:
            children += 1
            child = first + coded.end[child]
        at = work.used[2]
        child = m + 1
        for i in range(children):
            after = first + coded.end[child]
            following = at + 3 * _leaves(coded, child, after)
            place = depth + children - 1 - i
            is_last = i == children - 1
            node[place] = child
            if coded.kind[m] == AND:
                yes[place], no[place] = t if is_last else following, f
            else:
                yes[place], no[place] = t, f if is_last else following
            at = following
            child = after
        depth += children


@lean
def _write_instruction(work: _Work, condition: int, if_true: int, if_false: int) -> None:
    at = work.used[2]
    work.used[2] += 3
    if work.fill:
        instructions = work.out.instructions
        instructions[at], instructions[at + 1], instructions[at + 2] = condition, if_true, if_false


@lean
def _emit(work: _Work, coded: CodedExpressions, e: int, key: int, count: int, program: int) -> None:
    """An entry under condition `key` with the first `count` of the conditions; none if it can never be true."""
    for i in range(count):
        condition = work.conditions[i]
        if coded.conditions.low[condition] > coded.conditions.high[condition]:
            return
    dimension, low, high = coded.conditions.dimension[key], coded.conditions.low[key], coded.conditions.high[key]
    if low == MISSING:
        # true also of an event without the attribute: found through the constant dimension
        _append(work, e, CONSTANT_DIMENSION, 1, 1, count, program, -1, 0)
        return
    number = coded.conditions.set_of[key]
    if number >= 0 and coded.conditions.mode[key] == ANY:
        begin, end = coded.conditions.set_starts[number], coded.conditions.set_starts[number + 1]
        if end - begin <= KEYS_PER_SET:
            for i in range(begin, end):
                low, high = coded.conditions.set_low[i], coded.conditions.set_high[i]
                split = work.used[3]
                work.used[3] += 1
                if work.fill:
                    out = work.out
                    out.split_dimension[split], out.split_low[split], out.split_high[split] = dimension, low, high
                _append(work, e, dimension, low, high, count, program, key, -1 - split)
            return
    _append(work, e, dimension, low, high, count, program, -1, 0)


@lean
def _append(
    work: _Work,
    e: int,
    dimension: int,
    low: int,
    high: int,
    count: int,
    program: int,
    replaced: int,
    replacement: int,
) -> None:
    entry, at = work.used[0], work.used[1]
    work.used[0] += 1
    work.used[1] += count
    if work.fill:
        out = work.out
        out.expression[entry], out.program[entry] = e, program
        out.key_dimension[entry], out.key_low[entry], out.key_high[entry] = dimension, low, high
        for i in range(count):
            condition = work.conditions[i]
            out.condition[at + i] = replacement if condition == replaced else condition
        out.starts[entry + 1] = at + count
