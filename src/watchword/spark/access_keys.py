"""Access keys as numbers: what a subscription waits for and what an event has, hashed the same way.

    price = 3 AND colour IN ('red', 'blue')   waits for  (price, 3)
    price < 3 OR colour = 'red'               waits for  (price)  or  (colour, red)
    colour IS NULL                            waits for  nothing: any event may do
    {"price": 3, "colour": "red"}             has        (price) (price, 3) (colour) (colour, red), and nothing

An expression that is true of an event waits for something that the event has: of an AND one child's keys are enough, of
an OR every child's are needed. A key becomes a bucket: its hash modulo their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import xxhash

from watchword.coding.cells import Cells
from watchword.coding.hashing import hash_bytes, mix
from watchword.coding.values import FLOAT, I32, I64, INT, TEXT, U8, Values
from watchword.kernel import kernel
from watchword.language.expression import And, Expression, Not, Operator, Predicate, Truth
from watchword.language.table_rows import from_expressions

U64 = npt.NDArray[np.uint64]

ANY: Final = 0  # the bucket of what may be true of any event
_EQUALITIES: Final = (Operator.EQUAL, Operator.IN)
_PRESENT_COST: Final = 1_000  # an attribute is there that much more often than it has one value
_ANY_COST: Final = 1_000_000_000
Access = tuple[int, tuple[Predicate, ...], tuple[str, ...], bool]  # cost, values, attributes, any event


def access(expression: Expression) -> Access:
    """The cheapest keys of which a match needs one."""
    if isinstance(expression, Predicate):
        if expression.operator is Operator.IS_NULL and not expression.negated:
            return _ANY_COST, (), (), True
        if expression.operator in _EQUALITIES and not expression.negated:
            return len(expression.operands), (expression,), (), False
        return _PRESENT_COST, (), (expression.attribute,), False
    if isinstance(expression, Truth):
        return (_ANY_COST, (), (), True) if expression.value else (0, (), (), False)
    if isinstance(expression, Not):
        return _ANY_COST, (), (), True
    children = [access(child) for child in expression.children]
    if isinstance(expression, And):
        return min(children, key=lambda child: child[0])
    cost, values, attributes, anything = zip(*children, strict=True)
    return sum(cost), sum(values, ()), sum(attributes, ()), any(anything)


def buckets_of_expressions(expressions: Sequence[Expression], buckets: int) -> list[list[int]]:
    """The buckets that each subscription waits in."""
    found = [access(expression) for expression in expressions]
    rows = [row for row, one in enumerate(found) for _ in one[1]]
    table = from_expressions([predicate for one in found for predicate in one[1]])
    names = _name_hashes([table.names[number] for number in table.attribute.tolist()])
    counts = np.diff(table.constant_starts)
    keys = _hashed(table.constants, np.repeat(names, counts)) % np.uint64(buckets)
    waiting: list[set[int]] = [{ANY} if one[3] else set() for one in found]
    for row, key in zip(np.repeat(np.array(rows, np.int64), counts).tolist(), keys.tolist(), strict=True):
        waiting[row].add(key)
    present = [(row, name) for row, one in enumerate(found) for name in one[2]]
    for (row, _), name in zip(present, _name_hashes([name for _, name in present]).tolist(), strict=True):
        waiting[row].add(name % buckets)
    return [sorted(one) for one in waiting]


def buckets_of_events(cells: Cells, names: Sequence[str], buckets: int) -> tuple[I64, I32]:
    """For event e the buckets[starts[e] : starts[e + 1]] that it visits, ascending; the first is `ANY`."""
    hashes = _name_hashes(names)[cells.attribute]
    event = np.repeat(np.arange(len(cells)), np.diff(cells.starts))
    visits = np.zeros((len(cells), buckets), np.bool_)
    visits[:, ANY] = True
    visits[event, (hashes % np.uint64(buckets)).astype(np.int64)] = True
    visits[event, (_hashed(cells.values, hashes) % np.uint64(buckets)).astype(np.int64)] = True
    starts = np.zeros(len(cells) + 1, np.int64)
    np.cumsum(visits.sum(axis=1), out=starts[1:])
    return starts, np.nonzero(visits)[1].astype(np.int32)


def _name_hashes(names: Sequence[str]) -> U64:
    """Also the keys of the attributes being there."""
    return np.array([xxhash.xxh3_64_intdigest(name.encode("utf-8", "surrogatepass")) for name in names], np.uint64)


def _hashed(values: Values, names: U64) -> U64:
    """The keys of attributes having these values; `names` are the hashes of the attributes."""
    bits = np.ascontiguousarray(values.bits)
    return _value_keys(values.kind, bits, bits.view(np.float64), values.length, values.text, names)


@kernel
def _value_keys(kind: U8, bits: I64, numbers: npt.NDArray[np.float64], length: I32, text: U8, names: U64) -> U64:
    out = np.empty(len(kind), np.uint64)
    for i in range(len(kind)):
        of, value = np.uint64(kind[i]), np.uint64(bits[i])
        if kind[i] == TEXT:
            value = hash_bytes(text, bits[i], length[i])
        elif kind[i] == FLOAT and numbers[i] == np.floor(numbers[i]) and abs(numbers[i]) < 9.0e18:
            of, value = np.uint64(INT), np.uint64(np.int64(numbers[i]))  # 3.0 is 3
        out[i] = mix(names[i] ^ mix(value + of * np.uint64(0x9E3779B97F4A7C15)))
    return out
