"""An expression as the jumps of its predicates: what the head runs on one event.

    (a = 1 OR NOT b < 2) AND c LIKE 'x%'

    leaf  what         must be  then  else          entry = 2
    2     a = 1        true     0     1
    1     b < 2        false    0     REJECT
    0     c LIKE 'x%'  true     ACCEPT REJECT

Only true matches, so three-valued logic needs no third value here: with every NOT pushed down to the predicates, an
expression is true exactly if the same ANDs and ORs over "this predicate is true" or "is false" hold. Each predicate
then knows where to go next, and evaluation needs no stack however deep the expression nests.

The same walk picks the access keys: leaves of which at least one must hold for the expression to hold. For AND they
are the cheapest child's, for OR those of all children.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from watchword.coding.raw import RAW
from watchword.coding.values import TEXT
from watchword.index.query_words import fields_of, query_words
from watchword.language.expression import And, Expression, Not, Operator, Predicate, Truth, Value
from watchword.language.patterns import segments
from watchword.text.analyse_query import analysed_query
from watchword.text.query import Query
from watchword.text.settings import TextSettings

# The columns of a leaf.
OPERATOR: Final = 0
ORDERS: Final = 1  # of a comparison: which orders of value and constant satisfy it, four bits for each constant;
# of a text query: does it name other fields?
NEGATED: Final = 2
WANTED: Final = 3  # the truth it must have: TRUE, or FALSE under an odd number of NOTs
FAMILY: Final = 4  # of its constants
ATTRIBUTE: Final = 5
YES: Final = 6  # the next leaf if it has the wanted truth
NO: Final = 7  # the next leaf if not
FIRST: Final = 8  # its constants: FIRST .. LAST
LAST: Final = 9
LEAF_COLUMNS: Final = 10

# The columns of a raw value (see `watchword.coding.values`): of constants, and of an event's cells as evaluated.
KIND: Final = 0
BITS: Final = 1
LENGTH: Final = 2
CONSTANT_COLUMNS: Final = 3

ACCEPT: Final = -1
REJECT: Final = -2
_LAST_COMPILED: Final = -3  # stands for the entry of the node that was compiled just before

LESS: Final = 0  # orders of a value and a constant
SAME: Final = 1
MORE: Final = 2
UNORDERED: Final = 3  # NaN
_ORDERS: Final = {
    Operator.EQUAL: 1 << SAME,
    Operator.LESS: 1 << LESS,
    Operator.LESS_EQUAL: 1 << LESS | 1 << SAME,
    Operator.GREATER: 1 << MORE,
    Operator.GREATER_EQUAL: 1 << SAME | 1 << MORE,
    Operator.BETWEEN: 1 << SAME | 1 << MORE | (1 << LESS | 1 << SAME) << 4,
}

FALSE: Final = 0
UNKNOWN: Final = 1
TRUE: Final = 2

BOOLEANS: Final = 1
NUMBERS: Final = 2
TIMES: Final = 3
TEXTS: Final = 4
FAMILY_OF_KIND: Final = (0, BOOLEANS, NUMBERS, NUMBERS, NUMBERS, TIMES, TIMES, TEXTS, 0)

ANY_RUN: Final = 0xFF  # % and _ in a stored LIKE pattern: bytes that never occur in UTF-8
ANY_ONE: Final = 0xFE

# What visiting a subscription by a key costs: how often that key will be true of an event, by rule of thumb.
# An equality costs as many as use its value, since what many subscriptions ask for is likely to be common.
_EQUALITY_COST: Final = 512  # at most
_PRESENT_COST: Final = 1024
_NEGATED_COST: Final = 2048
_ALWAYS_COST: Final = 1 << 40
_KEYS_PER_IN: Final = 1024  # longer lists are found by the presence of their attribute
_WORD_COST: Final = 1  # a document has few of all words

Keys = tuple[int, list[int]]
"""Cost, and the leaves as in `Program.keys`."""

Uses = dict[tuple[str, Value], int]
"""How many predicates asked for a value of an attribute so far."""


@dataclass(slots=True)
class Program:
    """One expression, its leaves and constants numbered on from those that are stored already."""

    leaf_base: int
    constant_base: int
    text_base: int
    entry: int = ACCEPT
    leaves: list[int] = field(default_factory=list)  # LEAF_COLUMNS for each
    constants: list[int] = field(default_factory=list)  # CONSTANT_COLUMNS for each
    text: bytearray = field(default_factory=bytearray)
    keys: list[int] = field(default_factory=list)  # leaves found by their constants, or ~leaf by their attribute
    always: bool = False  # can be true of an event without any of its attributes


def compile_expression(
    program: Program,
    expression: Expression,
    attribute_number: Callable[[str], int],
    uses: Uses,
    settings: TextSettings,
) -> None:
    """Write the leaves from the last to the first, so that every jump goes to a leaf that is there already.

    A number among the waiting nodes means that so many keys just found, of the children of one node, become one.
    """
    waiting: list[tuple[Expression | int, bool, int, int]] = [(expression, True, ACCEPT, REJECT)]
    found: list[Keys] = []
    label = ACCEPT
    while waiting:
        node, wanted, yes, no = waiting.pop()
        if isinstance(node, int):
            found[-node:] = [_join_keys(found[-node:], every=wanted)]
            continue
        if yes == _LAST_COMPILED:
            yes = label
        elif no == _LAST_COMPILED:
            no = label
        if isinstance(node, Predicate):
            label = program.leaf_base + len(program.leaves) // LEAF_COLUMNS
            if node.operator is Operator.MATCHES:
                query = analysed_query(str(node.operands[0]), node.attribute, settings)
                found.append(_add_query(program, query, node, wanted, attribute_number, label, yes, no))
                continue
            found.append(_key(node, wanted, label, uses))
            _add_leaf(program, node, wanted, attribute_number(node.attribute), yes, no)
        elif isinstance(node, Not):
            waiting.append((node.child, not wanted, yes, no))
        elif isinstance(node, Truth):
            label = yes if node.value is wanted else no
            found.append((_ALWAYS_COST, []) if node.value is wanted else (0, []))
        else:
            every = isinstance(node, And) is wanted
            waiting.append((len(node.children), every, 0, 0))
            chained = (_LAST_COMPILED, no) if every else (yes, _LAST_COMPILED)
            waiting.extend((child, wanted, *chained) for child in node.children[:-1])
            waiting.append((node.children[-1], wanted, yes, no))
    cost, keys = found[0]
    program.entry = label
    program.always = cost >= _ALWAYS_COST
    program.keys = [] if program.always else keys


def _join_keys(children: list[Keys], every: bool) -> Keys:
    if every:
        return min(children, key=itemgetter(0))
    return sum(map(itemgetter(0), children)), [leaf for _, leaves in children for leaf in leaves]


def _key(predicate: Predicate, wanted: bool, leaf: int, uses: Uses) -> Keys:
    operator, operands = predicate.operator, predicate.operands
    positive = predicate.negated is not wanted
    if operator is Operator.IS_NULL and positive:
        return _ALWAYS_COST, []
    if not positive:
        return _NEGATED_COST, [~leaf]
    if operator is Operator.EQUAL or (operator is Operator.IN and 0 < len(operands) <= _KEYS_PER_IN):
        cost = 0
        for operand in operands:
            used = uses[predicate.attribute, operand] = uses.get((predicate.attribute, operand), 0) + 1
            cost += min(used, _EQUALITY_COST)
        return cost, [leaf]
    return _PRESENT_COST, [~leaf]


def _add_query(
    program: Program,
    query: Query,
    predicate: Predicate,
    wanted: bool,
    attribute_number: Callable[[str], int],
    leaf: int,
    yes: int,
    no: int,
) -> Keys:
    """A leaf whose constants are the words it is found by. Whether the query holds is decided outside."""
    fields = fields_of(query)
    for name in fields:
        attribute_number(name)  # events are read for the attributes that are known
    elsewhere = fields != {predicate.attribute}
    words = None if elsewhere or not wanted else query_words(query)
    first = program.constant_base + len(program.constants) // CONSTANT_COLUMNS
    for word in words or ():
        _add_text(program, word.encode("utf-8", "surrogatepass"))
    program.leaves += (
        predicate.operator,
        elsewhere,
        False,
        TRUE if wanted else FALSE,
        TEXTS,
        attribute_number(predicate.attribute),
        yes,
        no,
        first,
        program.constant_base + len(program.constants) // CONSTANT_COLUMNS,
    )
    if elsewhere:
        return _ALWAYS_COST, []
    if words is None:
        return (_PRESENT_COST if wanted else _NEGATED_COST), [~leaf]
    return _WORD_COST * len(words), [leaf]


def _add_leaf(program: Program, predicate: Predicate, wanted: bool, attribute: int, yes: int, no: int) -> None:
    operator, operands = predicate.operator, predicate.operands
    first = program.constant_base + len(program.constants) // CONSTANT_COLUMNS
    if operator is Operator.LIKE:
        _add_text(program, _stored_pattern(*operands))  # type: ignore[arg-type]
        kind = TEXT
    elif operator is Operator.IN:
        kind = _add_list(program, operands)
    elif operands:
        for operand in operands:
            kind = _add_constant(program, operand)
    else:
        kind = 0
    program.leaves += (
        operator,
        _ORDERS.get(operator, 0),
        predicate.negated,
        TRUE if wanted else FALSE,
        FAMILY_OF_KIND[kind],
        attribute,
        yes,
        no,
        first,
        program.constant_base + len(program.constants) // CONSTANT_COLUMNS,
    )


def _add_list(program: Program, operands: tuple[Value, ...]) -> int:
    """Sorted, for binary search. Texts order by their bytes as they do by code points."""
    kind = 0
    for operand in sorted(set(operands)):
        kind = _add_constant(program, operand)
    return kind


def _add_constant(program: Program, value: Value) -> int:
    if isinstance(value, str):
        return _add_text(program, value.encode("utf-8", "surrogatepass"))
    kind, bits = RAW[type(value)](value)
    program.constants += (kind, bits, 0)
    return kind


def _add_text(program: Program, encoded: bytes) -> int:
    program.constants += (TEXT, program.text_base + len(program.text), len(encoded))
    program.text += encoded
    return TEXT


def _stored_pattern(pattern: str, escape: str | None = None) -> bytes:
    """The UTF-8 of a LIKE pattern with its wildcards as bytes of their own and its escapes resolved."""
    any_one = bytes((ANY_ONE,))
    return bytes((ANY_RUN,)).join(
        b"".join(any_one if sign is None else sign.encode("utf-8", "surrogatepass") for sign in segment)
        for segment in segments(pattern, escape)
    )
