"""Expressions as JSON, for services. One object per node:

    {"and": [node, ...]}   {"or": [node, ...]}   {"not": node}   {"truth": true | false | null}
    {"attribute": "price", "operator": "<=", "value": 580}
    {"attribute": "model", "operator": "not in", "value": ["a", "b"]}
    {"attribute": "price", "operator": "between", "value": [10, 20]}
    {"attribute": "model", "operator": "like", "value": "50!%", "escape": "!"}
    {"attribute": "body", "operator": "matches", "value": "+google \"quarterly results\"~2"}
    {"attribute": "color", "operator": "is null"}

Times are {"timestamp": "2024-05-01T12:00:00"} or {"date": "2024-05-01"}.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, NoReturn, ParamSpec, TypeVar

from watchword.errors import ExpressionError, LimitError
from watchword.language import construct
from watchword.language.expression import And, Expression, Not, Operator, Or, Predicate, Truth, Value
from watchword.language.fold import fold
from watchword.language.render import SIGNS
from watchword.limits import NESTING

P = ParamSpec("P")
T = TypeVar("T")

_OPERATORS: Final = {
    **{sign: (operator, False) for operator, sign in SIGNS.items()},
    "<>": (Operator.EQUAL, True),
    "in": (Operator.IN, False),
    "not in": (Operator.IN, True),
    "between": (Operator.BETWEEN, False),
    "not between": (Operator.BETWEEN, True),
    "like": (Operator.LIKE, False),
    "not like": (Operator.LIKE, True),
    "ilike": (Operator.ILIKE, False),
    "not ilike": (Operator.ILIKE, True),
    "rlike": (Operator.RLIKE, False),
    "not rlike": (Operator.RLIKE, True),
    "matches": (Operator.MATCHES, False),
    "is null": (Operator.IS_NULL, False),
    "is not null": (Operator.IS_NULL, True),
}
_SPELLINGS: Final = {**_OPERATORS, "==": (Operator.EQUAL, False), "!=": (Operator.EQUAL, True)}
_WORDS: Final = {meaning: word for word, meaning in _OPERATORS.items()}
_DEPTH: Final = 2 * NESTING + 2  # of objects: each parenthesis of text may hold an Or and an And


def to_wire(expression: Expression) -> dict[str, Any]:
    """The JSON form, of dicts, lists and scalars."""
    return fold(expression, _leaf_to_wire, _node_to_wire)


def _leaf_to_wire(leaf: Predicate | Truth) -> dict[str, Any]:
    if isinstance(leaf, Truth):
        return {"truth": leaf.value}
    wire: dict[str, Any] = {"attribute": leaf.attribute, "operator": _WORDS[leaf.operator, leaf.negated]}
    operands = [_constant_to_wire(operand) for operand in leaf.operands]
    if leaf.operator in (Operator.IN, Operator.BETWEEN):
        wire["value"] = operands
    elif operands:
        wire["value"] = operands[0]
        if len(operands) > 1:
            wire["escape"] = operands[1]
    return wire


def _node_to_wire(node: And | Or | Not, children: list[dict[str, Any]]) -> dict[str, Any]:
    if isinstance(node, Not):
        return {"not": children[0]}
    return {"and" if isinstance(node, And) else "or": children}


def _constant_to_wire(value: Value) -> Any:
    return {"timestamp": value.isoformat()} if isinstance(value, dt.datetime) else value


class _Place(NamedTuple):
    """A JSON path, spelled only when an error needs it."""

    above: _Place | None
    step: str

    def __str__(self) -> str:
        steps = []
        place: _Place | None = self
        while place is not None:
            steps.append(place.step)
            place = place.above
        return "".join(reversed(steps))


class _Join(NamedTuple):
    """The last `size` trees that were read become one."""

    key: str
    size: int


def from_wire(wire: object) -> Expression:
    """The tree of a JSON form. Errors name the place as a JSON path."""
    trees: list[Expression] = []
    pending: list[_Join | tuple[object, _Place, int]] = [(wire, _Place(None, "$"), 1)]
    while pending:
        step = pending.pop()
        if isinstance(step, _Join):
            first = len(trees) - step.size
            trees[first:] = [_joined(step.key, trees[first:])]
            continue
        node, place, depth = step
        key, below = _only_pair(node, place)
        if key == "attribute":
            trees.append(_read_predicate(below, place))
        elif key == "truth":
            trees.append(_read_truth(below, place))
        elif depth > _DEPTH:
            raise LimitError(f"objects nest more than {_DEPTH} deep: simplify the expression")
        elif key == "not":
            pending += [_Join(key, 1), (below, _Place(place, ".not"), depth + 1)]
        else:
            place = _Place(place, f".{key}")
            children = _read_list(below, place)
            pending.append(_Join(key, len(children)))
            for position in reversed(range(len(children))):
                pending.append((children[position], _Place(place, f"[{position}]"), depth + 1))
    return trees.pop()


def _only_pair(wire: object, place: _Place) -> tuple[str, Any]:
    """The key that says what the node is, and what stands there: the whole object of a predicate."""
    if not isinstance(wire, Mapping):
        _fail(place, wire, "an object")
    if "attribute" in wire:
        return "attribute", wire
    ((key, below),) = wire.items() if len(wire) == 1 else ((None, None),)
    if key not in ("and", "or", "not", "truth"):
        _fail(place, sorted(map(str, wire)), "one of the keys and, or, not, truth, or attribute and operator")
    return key, below


def _joined(key: str, parts: list[Expression]) -> Expression:
    if key == "not":
        return Not(parts[0])
    return construct.all_of(parts) if key == "and" else construct.any_of(parts)


def _read_truth(wire: object, place: _Place) -> Truth:
    if wire is not None and not isinstance(wire, bool):
        _fail(_Place(place, ".truth"), wire, "true, false or null")
    return Truth(wire)


def _read_predicate(wire: Mapping[str, Any], place: _Place) -> Expression:
    unknown = sorted(str(key) for key in wire if key not in ("attribute", "operator", "value", "escape"))
    if unknown:
        _fail(place, unknown[0], "only the keys attribute, operator, value and escape")
    attribute = _made(_Place(place, ".attribute"), construct.name, wire["attribute"])
    word = wire.get("operator")
    if not isinstance(word, str) or word.lower() not in _SPELLINGS:
        _fail(_Place(place, ".operator"), word, f"one of {', '.join(_OPERATORS)}")
    operator, negated = _SPELLINGS[word.lower()]
    if operator is Operator.IS_NULL:
        if "value" in wire:
            _fail(_Place(place, ".value"), wire["value"], f"no value: {word} has none")
        return construct.is_null(attribute, negated)
    if "value" not in wire:
        _fail(place, sorted(wire), "also the key value")
    if "escape" in wire and operator not in (Operator.LIKE, Operator.ILIKE):
        _fail(_Place(place, ".escape"), wire["escape"], "an escape only with like and ilike")
    value, place = wire["value"], _Place(place, ".value")
    if operator is Operator.IN:
        return _made(place, construct.among, attribute, _read_constants(value, place), negated)
    if operator is Operator.BETWEEN:
        bounds = _read_constants(value, place)
        if len(bounds) != 2:
            _fail(place, f"{len(bounds)} constants", "the low and the high bound")
        return _made(place, construct.between, attribute, bounds[0], bounds[1], negated)
    constant = _read_constant(value, place)
    if operator in (Operator.LIKE, Operator.ILIKE, Operator.RLIKE):
        return _made(place, construct.like, attribute, operator, constant, wire.get("escape"), negated)
    if operator is Operator.MATCHES:
        return _made(place, construct.matches, attribute, constant)
    return _made(place, construct.compare, attribute, operator, constant, negated)


def _read_list(wire: object, place: _Place) -> Sequence[Any]:
    if not isinstance(wire, (list, tuple)) or not wire:
        _fail(place, wire, "an array that is not empty")
    return wire


def _read_constants(wire: object, place: _Place) -> list[Value | None]:
    return [
        _read_constant(value, _Place(place, f"[{position}]")) for position, value in enumerate(_read_list(wire, place))
    ]


def _read_constant(wire: object, place: _Place) -> Value | None:
    if not isinstance(wire, Mapping):
        return _made(place, construct.constant, wire)
    ((key, text),) = wire.items() if len(wire) == 1 else ((None, None),)
    if key not in ("timestamp", "date") or not isinstance(text, str):
        _fail(place, wire, 'a constant; times are {"timestamp": "2024-05-01T12:00:00"} or {"date": "2024-05-01"}')
    if key == "date" and len(text) > len("YYYY-MM-DD"):
        _fail(_Place(place, ".date"), text, "YYYY-MM-DD")
    return _made(_Place(place, f".{key}"), construct.instant, text)


def _made(place: _Place, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `make` makes; where it refuses, the error names the path."""
    try:
        return make(*args, **kwargs)
    except ExpressionError as error:
        error.args = (f"at {place}: {error}",)
        raise


def _fail(place: _Place, found: object, expected: str) -> NoReturn:
    shown = repr(found)
    shown = shown if len(shown) <= 60 else shown[:60] + "..."
    raise ExpressionError(f"at {place}: found {shown}, expected {expected}", found=shown, expected=expected)
