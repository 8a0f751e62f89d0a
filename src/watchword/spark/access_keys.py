"""Access keys as numbers: what a subscription waits for and what an event has, hashed the same way.

    price = 3 AND colour IN ('red', 'blue')   waits for  (price, 3)
    price < 3 OR colour = 'red'               waits for  (price)  or  (colour, red)
    colour IS NULL                            waits for  anything: any event may do
    {"price": 3, "colour": "red"}             has        (price) (price, 3) (colour) (colour, red)

An expression that is true of an event waits for something that the event has: of an AND the keys of one child are
enough, the rarest ones, of an OR every child's are needed. NOT turns AND into OR; what is missing is unknown, so below
it too a predicate waits for its attribute to be there.

How rare a key is comes from `Frequencies`: counted by `statistics`, or else a value is taken to be a thousand times as
rare as its attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from watchword.coding.cells import Cells
from watchword.coding.hashing import hash_bytes, mix
from watchword.coding.values import FLOAT, I32, I64, INT, TEXT, U8, Values
from watchword.kernel import inlined, kernel
from watchword.language.expression import Operator
from watchword.language.table import AND, FALSE, LEAF, NOT, OR, TRUE, ExpressionTable

U64 = npt.NDArray[np.uint64]
F64 = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

VALUE_SHARE: Final = 1e-3  # of the events that have an attribute, those with one value of it, where nobody has counted
_ANY_COST: Final = 1e6
TWO_63: Final = 2.0**63
_EQUAL: Final = int(Operator.EQUAL)
_IN: Final = int(Operator.IN)
_IS_NULL: Final = int(Operator.IS_NULL)
_ELSEWHERE: Final = 255  # a text query that may name other fields


class Frequencies(NamedTuple):
    """How often events have a key: a share of all events."""

    keys: U64  # ascending
    share: F64
    unseen: float  # of an attribute that is not among them
    unseen_value: float  # of a value that is not among them, as a share of the events with its attribute


class Keys(NamedTuple):
    """For subscription or event i: keys[starts[i] : starts[i + 1]]."""

    starts: I64
    keys: U64
    anything: Flags  # a subscription that may be true of any event


class Nodes(NamedTuple):
    """Of an ExpressionTable."""

    node_starts: I64
    kind: U8
    children: I32


NOTHING_COUNTED: Final = Frequencies(np.empty(0, np.uint64), np.empty(0), 1.0, VALUE_SHARE)


def keys_of_table(table: ExpressionTable, frequencies: Frequencies = NOTHING_COUNTED) -> Keys:
    """What each expression waits for."""
    names = name_keys(table.names)[table.attribute]
    values = value_keys(table.constants, np.repeat(names, np.diff(table.constant_starts)))
    places = np.searchsorted(frequencies.keys, names), np.searchsorted(frequencies.keys, values)
    attribute_share = _share_of(frequencies, names, places[0], np.full(len(names), frequencies.unseen))
    of_attribute = np.repeat(attribute_share, np.diff(table.constant_starts))
    value_share = _share_of(frequencies, values, places[1], of_attribute * frequencies.unseen_value)
    nodes = Nodes(table.node_starts, table.kind, table.count)
    predicates = _with_queries_elsewhere(table), table.negated, table.constant_starts
    cheapest = _cheapest(nodes, *predicates, attribute_share, value_share)
    return Keys(*_chosen(nodes, cheapest, *predicates, names, values))


def _with_queries_elsewhere(table: ExpressionTable) -> U8:
    """The operators; queries that may name other fields than their own can hold without it."""
    operator = table.operator.copy()
    for leaf in np.flatnonzero(operator == Operator.MATCHES).tolist():
        if b":" in table.constants.text_at(int(table.constant_starts[leaf])):
            operator[leaf] = _ELSEWHERE
    return operator


def keys_of_events(cells: Cells, names: Sequence[str]) -> Keys:
    """What each event has; `names` are those of the cells' attributes."""
    attributes = name_keys(names)[cells.attribute]
    both = np.stack([attributes, value_keys(cells.values, attributes)], axis=1).reshape(-1)
    return Keys(2 * cells.starts, both, np.zeros(len(cells), np.bool_))


def name_keys(names: Sequence[str]) -> U64:
    """The keys of attributes being there."""
    return np.array([xxhash.xxh3_64_intdigest(name.encode("utf-8", "surrogatepass")) for name in names], np.uint64)


def value_keys(values: Values, names: U64) -> U64:
    """The keys of attributes having these values; `names` are the keys of the attributes."""
    bits = np.ascontiguousarray(values.bits)
    return _value_keys(values.kind, bits, bits.view(np.float64), values.length, values.text, names)


def _share_of(frequencies: Frequencies, keys: U64, place: I64, unknown: F64) -> F64:
    if len(frequencies.keys) == 0:
        return unknown
    place = np.minimum(place, len(frequencies.keys) - 1)
    return np.where(frequencies.keys[place] == keys, frequencies.share[place], unknown)


@kernel
def _value_keys(kind: U8, bits: I64, numbers: F64, length: I32, text: U8, names: U64) -> U64:
    out = np.empty(len(kind), np.uint64)
    for i in range(len(kind)):
        of, value = np.uint64(kind[i]), np.uint64(bits[i])
        if kind[i] == TEXT:
            value = hash_bytes(text, bits[i], length[i])
        elif kind[i] == FLOAT and -TWO_63 <= numbers[i] < TWO_63 and numbers[i] == np.floor(numbers[i]):
            of, value = np.uint64(INT), np.uint64(np.int64(numbers[i]))  # 3.0 is 3
        out[i] = mix(names[i] ^ mix(value + of * np.uint64(0x9E3779B97F4A7C15)))
    return out


@inlined
def _is_equality(operator: int, negated: int, below: int) -> bool:
    return operator in (_EQUAL, _IN) and negated == 0 and below == 0


@inlined
def _needs_every_child(kind: int, below: int) -> bool:
    return (kind == OR) == (below == 0)


@kernel
def _cheapest(
    table: Nodes, operator: U8, negated: U8, constant_starts: I64, attribute_share: F64, value_share: F64
) -> tuple[I64, I64, I64]:
    """Of every node the cheapest child (row 0: as it stands, row 1: below a NOT), where it ends, and its leaf.

    Read backwards, prefix order has the children of every node ready on a stack.
    """
    node_starts, kind, children = table
    cost = np.zeros((2, len(kind)), np.float64)
    best = np.zeros((2, len(kind)), np.int64)
    end = np.arange(1, len(kind) + 1)
    leaf_of = np.zeros(len(kind), np.int64)
    ready = np.empty(len(kind) + 1, np.int64)
    leaf = len(operator)
    for e in range(len(node_starts) - 2, -1, -1):
        depth = 0
        for n in range(node_starts[e + 1] - 1, node_starts[e] - 1, -1):
            if kind[n] == LEAF:
                leaf -= 1
                leaf_of[n] = leaf
                cost[0, n] = cost[1, n] = attribute_share[leaf]
                if operator[leaf] == _IS_NULL:
                    cost[negated[leaf], n] = _ANY_COST
                elif operator[leaf] == _ELSEWHERE:
                    cost[0, n] = cost[1, n] = _ANY_COST
                elif _is_equality(operator[leaf], negated[leaf], 0):
                    cost[0, n] = value_share[constant_starts[leaf] : constant_starts[leaf + 1]].sum()
            elif kind[n] == TRUE or kind[n] == FALSE:
                cost[0 if kind[n] == TRUE else 1, n] = _ANY_COST
            elif kind[n] == NOT:
                depth -= 1
                end[n] = end[ready[depth]]
                cost[0, n], cost[1, n] = cost[1, ready[depth]], cost[0, ready[depth]]
            elif kind[n] == AND or kind[n] == OR:
                depth -= children[n]
                for below in range(2):
                    every = _needs_every_child(kind[n], below)
                    cost[below, n] = 0.0 if every else np.inf
                    for child in ready[depth : depth + children[n]]:
                        end[n] = max(end[n], end[child])
                        if every:
                            cost[below, n] += cost[below, child]
                        elif cost[below, child] < cost[below, n]:
                            cost[below, n], best[below, n] = cost[below, child], child
            ready[depth] = n
            depth += 1
    return best, end, leaf_of


@kernel
def _chosen(
    table: Nodes,
    cheapest: tuple[I64, I64, I64],
    operator: U8,
    negated: U8,
    constant_starts: I64,
    names: U64,
    values: U64,
) -> tuple[I64, U64, Flags]:
    """From each root down to the leaves that are waited for."""
    node_starts, kind, children = table
    best, end, leaf_of = cheapest
    waiting = np.empty(len(kind) + 1, np.int64)  # twice the node, and one more below a NOT
    starts = np.zeros(len(node_starts), np.int64)
    anything = np.zeros(len(node_starts) - 1, np.bool_)
    out = np.empty(len(names) + len(values), np.uint64)
    used = 0
    for e in range(len(node_starts) - 1):
        waiting[0], depth = 2 * node_starts[e], 1
        while depth > 0:
            depth -= 1
            n, below = waiting[depth] >> 1, waiting[depth] & 1
            if kind[n] == LEAF:
                leaf = leaf_of[n]
                if operator[leaf] == _ELSEWHERE or (operator[leaf] == _IS_NULL and negated[leaf] == below):
                    anything[e] = True
                elif _is_equality(operator[leaf], negated[leaf], below):
                    for c in range(constant_starts[leaf], constant_starts[leaf + 1]):
                        out[used] = values[c]
                        used += 1
                else:
                    out[used] = names[leaf]
                    used += 1
            elif kind[n] == NOT:
                waiting[depth] = 2 * (n + 1) + 1 - below
                depth += 1
            elif kind[n] == AND or kind[n] == OR:
                every = _needs_every_child(kind[n], below)
                child = n + 1 if every else best[below, n]
                for _ in range(children[n] if every else 1):
                    waiting[depth] = 2 * child + below
                    depth += 1
                    child = end[child]
            elif kind[n] == (FALSE if below else TRUE):
                anything[e] = True
        starts[e + 1] = used
    return starts, out[:used].copy(), anything
