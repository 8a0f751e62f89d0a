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
from watchword.kernel import kernel
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
    used: I64  # entries, conditions, instruction words, split intervals


@kernel
def build_entries(coded: CodedExpressions, cost: F64) -> Entries:
    """`cost` of a condition: how often it is true."""
    out = _new(len(coded.node_starts) + 64, len(coded.condition) + 64, 64, 64)
    for e in range(len(coded.node_starts) - 1):
        first = coded.node_starts[e]
        entries = out.used[0]
        if _is_flat(coded, first, coded.node_starts[e + 1]):
            out = _enter_flat(out, coded, cost, e, first, coded.node_starts[e + 1])
        else:
            out = _enter_tree(out, coded, cost, e, first, coded.node_starts[e + 1])
        if out.used[0] - entries > 1:
            out.repeated[entries : out.used[0]] = 1
    return out


@kernel
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


@kernel
def _is_simple(coded: CodedExpressions, c: int) -> bool:
    return coded.conditions.set_of[c] < 0 and coded.conditions.mode[c] == ANY


@kernel
def _enter_flat(out: Entries, coded: CodedExpressions, cost: F64, e: int, first: int, last: int) -> Entries:
    begin = first if last - first == 1 else first + 1
    best = coded.condition[begin]
    for n in range(begin, last):
        if cost[coded.condition[n]] < cost[best]:
            best = coded.condition[n]
    return _emit(out, coded, e, best, coded.condition[begin:last], last - begin, NO_PROGRAM)


@kernel
def _enter_tree(out: Entries, coded: CodedExpressions, cost: F64, e: int, first: int, last: int) -> Entries:
    costs = _costs(coded, cost, first, last)
    size = last - first
    waiting, shared, program = np.empty(size + 1, np.int64), np.empty(size + 1, np.int64), np.empty(size + 1, np.int64)
    conditions = np.empty(size + 1, np.int32)  # those of the ANDs above: the first `shared` of them hold here too
    depth = 1
    waiting[0], shared[0], program[0] = first, 0, NO_PROGRAM
    while depth > 0:
        depth -= 1
        n, count, rest = waiting[depth], shared[depth], program[depth]
        if coded.kind[n] == LEAF:
            conditions[count] = coded.condition[n]
            out = _emit(out, coded, e, coded.condition[n], conditions, count + 1, rest)
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
        fits = count + leaves <= CONDITIONS_PER_ENTRY and sets <= SETS_PER_ENTRY
        best_is_leaf = coded.kind[best] == LEAF
        if not best_is_leaf and count + leaves > 0:
            fits = fits and (count + leaves) * (coded.end[best] - (best - first)) <= CONDITIONS_OVER_BRANCHES
        if fits:
            count = _inherit(coded, first, n, end, conditions, count)
        if rest == NO_PROGRAM:
            if not fits:
                out, rest = _write_program(out, coded, first, n, end, True)
            elif branches > (0 if best_is_leaf else 1):
                out, rest = _write_program(out, coded, first, n, end, False)
        if not best_is_leaf:
            waiting[depth], shared[depth], program[depth] = best, count, rest
            depth += 1
            continue
        if not fits:
            conditions[count] = coded.condition[best]
            count += 1
        out = _emit(out, coded, e, coded.condition[best], conditions, count, rest)
    return out


@kernel
def _costs(coded: CodedExpressions, cost: F64, first: int, last: int) -> F64:
    """Of each node: of a leaf its own, of an AND its cheapest child's, of an OR all its children's."""
    out = np.empty(last - first, np.float64)
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
    return out


@kernel
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


@kernel
def _inherit(coded: CodedExpressions, first: int, n: int, end: int, conditions: I32, count: int) -> int:
    child = n + 1
    while child < end:
        if coded.kind[child] == LEAF:
            conditions[count] = coded.condition[child]
            count += 1
        child = first + coded.end[child]
    return count


@kernel
def _write_program(
    out: Entries, coded: CodedExpressions, first: int, n: int, end: int, with_leaves: bool
) -> tuple[Entries, int]:
    """The conjunction of the AND's children, or of those that are not leaves."""
    begin = out.used[2]
    out = _room(out, 0, 0, 3 * (end - n), 0)
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
            following = out.used[2] + 3 * _leaves(coded, child, after)
            _write_node(out, coded, first, child, ACCEPT if child == last else following)
        child = after
    return out, begin


@kernel
def _leaves(coded: CodedExpressions, n: int, end: int) -> int:
    count = 0
    for i in range(n, end):
        if coded.kind[i] == LEAF:
            count += 1
    return count


@kernel
def _write_node(out: Entries, coded: CodedExpressions, first: int, n: int, if_true: int) -> None:
    """The leaves of a subtree become instructions in their order; where they lead is known from the counts."""
    size = first + coded.end[n] - n
    node, yes, no = np.empty(size + 1, np.int64), np.empty(size + 1, np.int64), np.empty(size + 1, np.int64)
    node[0], yes[0], no[0] = n, if_true, REJECT
    depth = 1
    while depth > 0:
        depth -= 1
        m, t, f = node[depth], yes[depth], no[depth]
        if coded.kind[m] == LEAF:
            at = out.used[2]
            out.instructions[at], out.instructions[at + 1], out.instructions[at + 2] = coded.condition[m], t, f
            out.used[2] += 3
            continue
        # children are pushed last to first so that they are written first to last
        end = first + coded.end[m]
        begin, at = depth, out.used[2]
        child = m + 1
        while child < end:
            after = first + coded.end[child]
            following = at + 3 * _leaves(coded, child, after)
            is_last = after == end
            node[depth] = child
            if coded.kind[m] == AND:
                yes[depth], no[depth] = t if is_last else following, f
            else:
                yes[depth], no[depth] = t, f if is_last else following
            depth += 1
            at = following
            child = after
        node[begin:depth] = node[begin:depth][::-1].copy()
        yes[begin:depth] = yes[begin:depth][::-1].copy()
        no[begin:depth] = no[begin:depth][::-1].copy()


@kernel
def _emit(
    out: Entries, coded: CodedExpressions, e: int, key: int, conditions: I32, count: int, program: int
) -> Entries:
    """An entry under condition `key`; none if it can never be true."""
    for i in range(count):
        if coded.conditions.low[conditions[i]] > coded.conditions.high[conditions[i]]:
            return out
    dimension, low, high = coded.conditions.dimension[key], coded.conditions.low[key], coded.conditions.high[key]
    if low == MISSING:
        # true also of an event without the attribute: found through the constant dimension
        return _append(out, e, CONSTANT_DIMENSION, 1, 1, conditions, count, program, -1, 0)
    number = coded.conditions.set_of[key]
    if number < 0 or coded.conditions.mode[key] != ANY:
        return _append(out, e, dimension, low, high, conditions, count, program, -1, 0)
    begin, end = coded.conditions.set_starts[number], coded.conditions.set_starts[number + 1]
    if end - begin > KEYS_PER_SET:
        return _append(out, e, dimension, low, high, conditions, count, program, -1, 0)
    for i in range(begin, end):
        low, high = coded.conditions.set_low[i], coded.conditions.set_high[i]
        out = _room(out, 0, 0, 0, 1)
        split = out.used[3]
        out.split_dimension[split], out.split_low[split], out.split_high[split] = dimension, low, high
        out.used[3] += 1
        out = _append(out, e, dimension, low, high, conditions, count, program, key, -1 - split)
    return out


@kernel
def _append(
    out: Entries,
    e: int,
    dimension: int,
    low: int,
    high: int,
    conditions: I32,
    count: int,
    program: int,
    replaced: int,
    replacement: int,
) -> Entries:
    out = _room(out, 1, count, 0, 0)
    entry, at = out.used[0], out.used[1]
    out.expression[entry], out.program[entry], out.repeated[entry] = e, program, 0
    out.key_dimension[entry], out.key_low[entry], out.key_high[entry] = dimension, low, high
    for i in range(count):
        out.condition[at + i] = replacement if conditions[i] == replaced else conditions[i]
    out.used[0] += 1
    out.used[1] += count
    out.starts[entry + 1] = at + count
    return out


@kernel
def _new(entries: int, conditions: int, instructions: int, splits: int) -> Entries:
    starts = np.zeros(entries + 1, np.int64)
    return Entries(
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
        starts,
        np.empty(conditions, np.int32),
        np.empty(entries, np.int32),
        np.empty(entries, np.uint8),
        np.empty(instructions, np.int32),
        np.empty(splits, np.int32),
        np.empty(splits, np.int32),
        np.empty(splits, np.int32),
        np.zeros(4, np.int64),
    )


@kernel
def _room(out: Entries, entries: int, conditions: int, instructions: int, splits: int) -> Entries:
    """Room for so many more of each: the same columns, or copies twice as large."""
    used = out.used
    sizes = (len(out.expression), len(out.condition), len(out.instructions), len(out.split_low))
    needs = (used[0] + entries, used[1] + conditions, used[2] + instructions, used[3] + splits)
    if needs[0] <= sizes[0] and needs[1] <= sizes[1] and needs[2] <= sizes[2] and needs[3] <= sizes[3]:
        return out
    new = _new(
        2 * needs[0] if needs[0] > sizes[0] else sizes[0],
        2 * needs[1] if needs[1] > sizes[1] else sizes[1],
        2 * needs[2] if needs[2] > sizes[2] else sizes[2],
        2 * needs[3] if needs[3] > sizes[3] else sizes[3],
    )
    new.expression[: used[0]] = out.expression[: used[0]]
    new.key_dimension[: used[0]] = out.key_dimension[: used[0]]
    new.key_low[: used[0]] = out.key_low[: used[0]]
    new.key_high[: used[0]] = out.key_high[: used[0]]
    new.starts[: used[0] + 1] = out.starts[: used[0] + 1]
    new.condition[: used[1]] = out.condition[: used[1]]
    new.program[: used[0]] = out.program[: used[0]]
    new.repeated[: used[0]] = out.repeated[: used[0]]
    new.instructions[: used[2]] = out.instructions[: used[2]]
    new.split_dimension[: used[3]] = out.split_dimension[: used[3]]
    new.split_low[: used[3]] = out.split_low[: used[3]]
    new.split_high[: used[3]] = out.split_high[: used[3]]
    new.used[:] = used
    return new
