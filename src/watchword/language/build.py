"""The one door for the notations: SQL text, column conditions, JSON, and trees themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from watchword.errors import ExpressionError, LimitError
from watchword.language import construct
from watchword.language.builder import Condition
from watchword.language.expression import And, Expression, Not, Operator, Or, Predicate, Truth
from watchword.language.fold import fold
from watchword.language.render import to_sql
from watchword.language.size import check_size
from watchword.language.sql import parse
from watchword.language.wire import from_wire
from watchword.limits import EXPRESSION_BYTES

Source = str | Condition | Mapping[str, object] | Expression


def to_expression(source: Source) -> Expression:
    """The tree of an expression in any notation. Raises ExpressionError or LimitError."""
    if isinstance(source, str):
        return parse(source)
    if isinstance(source, Condition):
        source = source.expression
    if isinstance(source, Mapping):
        return _checked(from_wire(source))
    if isinstance(source, (Predicate, Truth, Not, And, Or)):
        check_size(source)
        return _checked(fold(source, _rebuilt_leaf, _rebuilt_node))
    raise ExpressionError(
        f"an expression must be SQL text, a condition on columns, or a JSON object, not {type(source).__name__}"
    )


def _checked(expression: Expression) -> Expression:
    check_size(expression)
    size = len(to_sql(expression).encode())
    if size > EXPRESSION_BYTES:
        raise LimitError(f"an expression of {size} bytes as SQL, the limit is {EXPRESSION_BYTES}: split it")
    return expression


def _rebuilt_leaf(leaf: Predicate | Truth) -> Expression:
    """Trees made by hand may hold anything: build the leaf again as the notations do."""
    if isinstance(leaf, Truth):
        if leaf.value is None or isinstance(leaf.value, bool):
            return leaf
        raise ExpressionError(f"Truth({leaf.value!r}): give True, False or None")
    attribute, operands, negated = construct.name(leaf.attribute), leaf.operands, leaf.negated
    match leaf.operator:
        case Operator.IN:
            return construct.among(attribute, operands, negated)
        case Operator.BETWEEN if len(operands) == 2:
            return construct.between(attribute, operands[0], operands[1], negated)
        case Operator.LIKE | Operator.ILIKE | Operator.RLIKE if 1 <= len(operands) <= 2:
            escape = operands[1] if len(operands) == 2 else None
            return construct.like(attribute, leaf.operator, operands[0], escape, negated)
        case Operator.MATCHES if len(operands) == 1:
            if negated:
                raise ExpressionError("MATCHES has no negated form: use Not")
            return construct.matches(attribute, operands[0])
        case Operator.IS_NULL if not operands:
            return construct.is_null(attribute, negated)
        case Operator.EQUAL if len(operands) == 1:
            return construct.compare(attribute, Operator.EQUAL, operands[0], negated)
        case Operator.LESS | Operator.LESS_EQUAL | Operator.GREATER | Operator.GREATER_EQUAL if len(operands) == 1:
            if negated:
                raise ExpressionError(f"{leaf.operator.name} has no negated form: use Not, or the opposite comparison")
            return construct.compare(attribute, leaf.operator, operands[0])
    raise ExpressionError(f"{leaf.operator!r} with {len(operands)} operands is no predicate")


def _rebuilt_node(node: And | Or | Not, children: Sequence[Expression]) -> Expression:
    if isinstance(node, Not):
        return Not(children[0])
    return construct.all_of(children) if isinstance(node, And) else construct.any_of(children)
