"""Bottom-up over an expression tree, without recursion: trees may nest deeper than Python's call stack allows.

And(a, Not(b))    leaf(a) = x    leaf(b) = y    join(Not, [y]) = z    join(And, [x, z]) = the result
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from watchword.language.expression import And, Expression, Not, Or, Predicate, Truth

T = TypeVar("T")

_VISIT = -1


def children_of(node: Expression) -> tuple[Expression, ...]:
    if isinstance(node, Not):
        return (node.child,)
    return node.children if isinstance(node, (And, Or)) else ()


def fold(
    expression: Expression,
    leaf: Callable[[Predicate | Truth], T],
    join: Callable[[And | Or | Not, list[T]], T],
) -> T:
    """`leaf` of every predicate and truth; `join` of every other node with the results of its children, in order."""
    results: list[T] = []
    pending: list[tuple[Expression, int]] = [(expression, _VISIT)]
    while pending:
        node, size = pending.pop()
        if isinstance(node, (Predicate, Truth)):
            results.append(leaf(node))
        elif size == _VISIT:
            children = children_of(node)
            pending.append((node, len(children)))
            pending.extend((child, _VISIT) for child in reversed(children))
        else:
            first = len(results) - size
            joined = join(node, results[first:])
            del results[first:]
            results.append(joined)
    return results.pop()
