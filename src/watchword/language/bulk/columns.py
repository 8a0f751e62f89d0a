"""From the tape to the columns of an ExpressionTable."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.coding.values import I32, I64, TEXT, U8, Values
from watchword.kernel import lean
from watchword.language.bulk.characters import QUOTE
from watchword.language.bulk.names import number_names
from watchword.language.bulk.tape import DOUBLED, DROPPED
from watchword.language.table import LEAF, ExpressionTable


class _Columns(NamedTuple):
    node_starts: I64
    kind: U8
    operands: I32
    leaf_starts: I64
    name_starts: I64
    name_lengths: I64
    operator: U8
    negated: U8
    constant_starts: I64
    constant_kind: U8
    bits: I64
    length: I32
    text: U8


def to_table(tape: I64, ends: I64, text: U8) -> ExpressionTable:
    """The table of the rows that have entries."""
    ends = ends[np.flatnonzero(np.diff(ends, prepend=0))]
    nodes, leaves, constants, text_bytes = _sizes(tape)
    columns = _Columns(
        np.zeros(len(ends), np.int64),
        np.empty(nodes, np.uint8),
        np.empty(nodes, np.int32),
        np.zeros(len(ends), np.int64),
        np.empty(leaves, np.int64),
        np.empty(leaves, np.int64),
        np.empty(leaves, np.uint8),
        np.empty(leaves, np.uint8),
        np.zeros(leaves + 1, np.int64),
        np.empty(constants, np.uint8),
        np.empty(constants, np.int64),
        np.empty(constants, np.int32),
        np.empty(text_bytes, np.uint8),
    )
    text_bytes = _fill(tape, ends, text, columns)
    numbers, names = number_names(text, columns.name_starts, columns.name_lengths)
    return ExpressionTable(
        columns.node_starts,
        columns.kind,
        columns.operands,
        columns.leaf_starts,
        numbers,
        columns.operator,
        columns.negated,
        columns.constant_starts,
        Values(columns.constant_kind, columns.bits, columns.length, columns.text[:text_bytes]),
        names,
    )


@lean
def _sizes(tape: I64) -> tuple[int, int, int, int]:
    """Nodes, leaves, constants, and bytes of strings as they are written."""
    nodes, leaves, constants, text_bytes = 0, 0, 0, 0
    i = 1
    while i < tape[0, 0]:
        nodes += tape[i, 0] != DROPPED
        if tape[i, 0] == LEAF:
            leaves += 1
            operands = tape[i + 1, 2]
            constants += operands
            for j in range(i + 2, i + 2 + operands):
                text_bytes += tape[j, 2]
            i += 1 + operands
        i += 1
    return nodes, leaves, constants, text_bytes


@lean
def _fill(tape: I64, ends: I64, text: U8, columns: _Columns) -> int:
    """Write the columns; the bytes of strings as they are meant."""
    node, leaf, constant, text_end = 0, 0, 0, 0
    for row in range(1, len(ends)):
        i = ends[row - 1]
        while i < ends[row]:
            kind = tape[i, 0]
            if kind != DROPPED:
                columns.kind[node] = kind
                columns.operands[node] = 0 if kind == LEAF else tape[i, 1]
                node += 1
            if kind == LEAF:
                columns.name_starts[leaf] = tape[i, 1]
                columns.name_lengths[leaf] = tape[i, 2]
                i += 1
                columns.operator[leaf] = tape[i, 0]
                columns.negated[leaf] = tape[i, 1]
                for _ in range(tape[i, 2]):
                    i += 1
                    kind, bits, length = tape[i, 0], tape[i, 1], tape[i, 2]
                    if kind in (TEXT, DOUBLED):
                        stop = _copy_string(text, bits, length, kind == DOUBLED, columns.text, text_end)
                        kind, bits, length, text_end = TEXT, text_end, stop - text_end, stop
                    columns.constant_kind[constant] = kind
                    columns.bits[constant] = bits
                    columns.length[constant] = length
                    constant += 1
                leaf += 1
                columns.constant_starts[leaf] = constant
            i += 1
        columns.node_starts[row] = node
        columns.leaf_starts[row] = leaf
    return text_end


@lean
def _copy_string(text: U8, start: int, length: int, doubled: bool, into: U8, end: int) -> int:
    """Copy one string to where the others end; where they end now."""
    i = start
    while i < start + length:
        into[end] = text[i]
        end += 1
        i += 2 if doubled and text[i] == QUOTE else 1
    return end
