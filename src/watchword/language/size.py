"""The size of a tree against the limits, for trees that no text of limited size stands for."""

from __future__ import annotations

from watchword.errors import LimitError
from watchword.language.expression import And, Expression, Not, Or
from watchword.language.fold import children_of
from watchword.limits import EXPRESSION_NODES, NESTING


def check_size(expression: Expression) -> None:
    """Nodes, and nesting as it is counted in text: a NOT, or parentheses, inside another."""
    nodes = 0
    pending = [(expression, 0)]
    while pending:
        node, depth = pending.pop()
        nodes += 1
        if isinstance(node, Not):
            depth += 1
        if depth > NESTING:
            raise LimitError(f"more than {NESTING} parentheses and NOTs inside one another: simplify the expression")
        for child in children_of(node):
            parenthesised = isinstance(child, Or) or (isinstance(child, And) and isinstance(node, Not))
            pending.append((child, depth + parenthesised))
        if nodes + len(pending) > EXPRESSION_NODES:
            raise LimitError(f"more than {EXPRESSION_NODES} predicates, ANDs, ORs and NOTs: split the expression")
