"""Rows of an ExpressionTable: from and to expression trees, joined, and picked.

    from_expressions  trees       -> table
    to_expression     table, row  -> tree
    concatenate       tables      -> one table, their names merged
    take              table, rows -> the table of those rows, in that order

All walk the prefix order with a stack, so no depth of nesting can exhaust Python's own.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from watchword.coding.ranges import positions, starts_of
from watchword.coding.values import BOOL, FLOAT, I32, I64, INT, TEXT, TIME, Values
from watchword.language.expression import And, Expression, Not, Operator, Or, Predicate, Truth, Value
from watchword.language.table import AND, FALSE, LEAF, NOT, OR, TRUE, UNKNOWN, ExpressionTable
from watchword.limits import INTEGER_MAX, INTEGER_MIN

_EPOCH: Final = dt.datetime(1970, 1, 1)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_TRUTH_KINDS: Final = {True: TRUE, False: FALSE, None: UNKNOWN}
_TRUTHS: Final = {TRUE: Truth(True), FALSE: Truth(False), UNKNOWN: Truth(None)}


@dataclass(slots=True)
class _Columns:
    """The columns of a table while they grow, as plain lists."""

    node_starts: list[int] = field(default_factory=lambda: [0])
    kind: list[int] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    leaf_starts: list[int] = field(default_factory=lambda: [0])
    attribute: list[int] = field(default_factory=list)
    operator: list[int] = field(default_factory=list)
    negated: list[bool] = field(default_factory=list)
    constant_starts: list[int] = field(default_factory=lambda: [0])
    constant_kind: list[int] = field(default_factory=list)
    bits: list[int] = field(default_factory=list)
    length: list[int] = field(default_factory=list)
    text: bytearray = field(default_factory=bytearray)
    names: dict[str, int] = field(default_factory=dict)

    def add_row(self, expression: Expression) -> None:
        waiting = [expression]
        while waiting:
            node = waiting.pop()
            children: tuple[Expression, ...] = ()
            if isinstance(node, Predicate):
                self.kind.append(LEAF)
                self.add_predicate(node)
            elif isinstance(node, Truth):
                self.kind.append(_TRUTH_KINDS[node.value])
            elif isinstance(node, Not):
                self.kind.append(NOT)
                children = (node.child,)
            else:
                self.kind.append(AND if isinstance(node, And) else OR)
                children = node.children
            self.count.append(len(children))
            waiting.extend(reversed(children))
        self.node_starts.append(len(self.kind))
        self.leaf_starts.append(len(self.attribute))

    def add_predicate(self, predicate: Predicate) -> None:
        self.attribute.append(self.names.setdefault(predicate.attribute, len(self.names)))
        self.operator.append(predicate.operator)
        self.negated.append(predicate.negated)
        for value in predicate.operands:
            self.add_constant(value)
        self.constant_starts.append(len(self.bits))

    def add_constant(self, value: Value) -> None:
        length = 0
        if isinstance(value, str):
            encoded = value.encode("utf-8", "surrogatepass")
            kind, bits, length = TEXT, len(self.text), len(encoded)
            self.text += encoded
        elif isinstance(value, bool):
            kind, bits = BOOL, int(value)
        elif isinstance(value, dt.datetime):
            kind, bits = TIME, (value - _EPOCH) // _MICROSECOND
        elif isinstance(value, int) and INTEGER_MIN <= value <= INTEGER_MAX:
            kind, bits = INT, value
        else:  # a float, or an integer beyond int64 that is exactly one
            kind, bits = FLOAT, int(np.float64(value).view(np.int64))
        self.constant_kind.append(kind)
        self.bits.append(bits)
        self.length.append(length)

    def table(self) -> ExpressionTable:
        return ExpressionTable(
            np.array(self.node_starts, np.int64),
            np.array(self.kind, np.uint8),
            np.array(self.count, np.int32),
            np.array(self.leaf_starts, np.int64),
            np.array(self.attribute, np.int32),
            np.array(self.operator, np.uint8),
            np.array(self.negated, np.uint8),
            np.array(self.constant_starts, np.int64),
            Values(
                np.array(self.constant_kind, np.uint8),
                np.array(self.bits, np.int64),
                np.array(self.length, np.int32),
                np.array(self.text, np.uint8),
            ),
            list(self.names),
        )


def from_expressions(expressions: Iterable[Expression]) -> ExpressionTable:
    columns = _Columns()
    for expression in expressions:
        columns.add_row(expression)
    return columns.table()


def to_expression(table: ExpressionTable, row: int) -> Expression:
    """The tree of one row. Read backwards, prefix order has every node's children ready on a stack."""
    nodes = slice(int(table.node_starts[row]), int(table.node_starts[row + 1]))
    leaf = int(table.leaf_starts[row + 1])
    ready: list[Expression] = []
    for kind, count in zip(table.kind[nodes][::-1].tolist(), table.count[nodes][::-1].tolist(), strict=True):
        if kind == LEAF:
            leaf -= 1
            ready.append(_predicate(table, leaf))
        elif kind == NOT:
            ready.append(Not(ready.pop()))
        elif kind in _TRUTHS:
            ready.append(_TRUTHS[kind])
        else:
            children = tuple(ready.pop() for _ in range(count))
            ready.append(And(children) if kind == AND else Or(children))
    return ready.pop()


def _predicate(table: ExpressionTable, leaf: int) -> Predicate:
    constants = range(int(table.constant_starts[leaf]), int(table.constant_starts[leaf + 1]))
    return Predicate(
        table.names[table.attribute[leaf]],
        Operator(int(table.operator[leaf])),
        tuple(constant(table.constants, number) for number in constants),
        bool(table.negated[leaf]),
    )


def constant(values: Values, number: int) -> Value:
    """The constant of this number as the Python value it came from."""
    kind, bits = values.kind[number], int(values.bits[number])
    if kind == TEXT:
        return values.text[bits : bits + int(values.length[number])].tobytes().decode("utf-8", "surrogatepass")
    if kind == BOOL:
        return bool(bits)
    if kind == TIME:
        return _EPOCH + bits * _MICROSECOND
    return bits if kind == INT else float(np.int64(bits).view(np.float64))


def concatenate(tables: Sequence[ExpressionTable]) -> ExpressionTable:
    """The rows of all tables, one table after the other."""
    if not tables:
        return from_expressions(())
    numbers: dict[str, int] = {}
    attribute, bits, text_start = [], [], 0
    for table in tables:
        new = np.array([numbers.setdefault(name, len(numbers)) for name in table.names], np.int32)
        attribute.append(new[table.attribute])
        values = table.constants
        bits.append(np.where(values.kind == TEXT, values.bits + text_start, values.bits))
        text_start += len(values.text)
    return ExpressionTable(
        _join_starts([table.node_starts for table in tables]),
        np.concatenate([table.kind for table in tables]),
        np.concatenate([table.count for table in tables]),
        _join_starts([table.leaf_starts for table in tables]),
        np.concatenate(attribute),
        np.concatenate([table.operator for table in tables]),
        np.concatenate([table.negated for table in tables]),
        _join_starts([table.constant_starts for table in tables]),
        Values(
            np.concatenate([table.constants.kind for table in tables]),
            np.concatenate(bits),
            np.concatenate([table.constants.length for table in tables]),
            np.concatenate([table.constants.text for table in tables]),
        ),
        list(numbers),
    )


def take(table: ExpressionTable, rows: I64) -> ExpressionTable:
    """These rows in this order (a row may come twice), with no text and no names but theirs."""
    node_starts, nodes = _pick(table.node_starts, rows)
    leaf_starts, leaves = _pick(table.leaf_starts, rows)
    constant_starts, constants = _pick(table.constant_starts, leaves)
    values = table.constants
    kind, bits, length = values.kind[constants], values.bits[constants], values.length[constants]
    text_starts = starts_of(length)
    attribute, names = _used_names(table.attribute[leaves], table.names)
    return ExpressionTable(
        node_starts,
        table.kind[nodes],
        table.count[nodes],
        leaf_starts,
        attribute,
        table.operator[leaves],
        table.negated[leaves],
        constant_starts,
        Values(
            kind,
            np.where(kind == TEXT, text_starts[:-1], bits),
            length,
            values.text[positions(bits, text_starts)],
        ),
        names,
    )


def _used_names(attribute: I32, names: list[str]) -> tuple[I32, list[str]]:
    """The same attributes renumbered for a list without the names that none of them has."""
    used = np.zeros(len(names), np.bool_)
    used[attribute] = True
    new = (np.cumsum(used) - 1).astype(np.int32)
    return new[attribute], [names[number] for number in np.flatnonzero(used).tolist()]


def _join_starts(columns: Sequence[I64]) -> I64:
    return starts_of(np.concatenate([np.diff(column) for column in columns]))


def _pick(starts: I64, numbers: I64) -> tuple[I64, I64]:
    """For these ranges of `starts`: the starts of the ranges side by side, and the old places of what they hold."""
    first = starts[numbers]
    new_starts = starts_of(starts[numbers + 1] - first)
    return new_starts, positions(first, new_starts)
