"""An expression tree as SQL text, valid in DuckDB and Spark too but for MATCHES, that parses back to an equal tree."""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

from watchword.language.expression import And, Expression, Not, Operator, Or, Predicate, Truth, Value
from watchword.language.fold import children_of, fold
from watchword.language.sql import RESERVED

SIGNS: Final = {
    Operator.EQUAL: "=",
    Operator.LESS: "<",
    Operator.LESS_EQUAL: "<=",
    Operator.GREATER: ">",
    Operator.GREATER_EQUAL: ">=",
}
_BARE_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED_ELSEWHERE: Final = """
    ALL ANALYSE ANALYZE ANTI ANY ARRAY AS ASC ASYMMETRIC BOTH CASE CAST CHECK COLLATE COLUMN CONSTRAINT CREATE CROSS
    DEFAULT DEFERRABLE DESC DISTINCT DO ELSE END EXCEPT FETCH FOR FOREIGN FROM FULL GLOB GRANT GROUP HAVING INITIALLY
    INNER INTERSECT INTO JOIN LAMBDA LATERAL LEADING LEFT LIMIT MINUS NATURAL OFFSET ON ONLY ORDER OUTER PIVOT PLACING
    PRIMARY QUALIFY REFERENCES RETURNING RIGHT SELECT SEMI SIMILAR SOME SUMMARIZE SYMMETRIC TABLE THEN TO TRAILING
    UNION UNIQUE UNPIVOT USING VARIADIC WHEN WHERE WINDOW WITH
"""  # names here, but reserved words in DuckDB or Spark
_QUOTED: Final = RESERVED.union(_RESERVED_ELSEWHERE.split())


def to_sql(expression: Expression) -> str:
    return fold(expression, _leaf_sql, _joined_sql)


def _leaf_sql(leaf: Predicate | Truth) -> str:
    if isinstance(leaf, Truth):
        return "NULL" if leaf.value is None else str(leaf.value).upper()
    if leaf.operator is Operator.MATCHES:
        return f"MATCHES({name_sql(leaf.attribute)}, {constant_sql(leaf.operands[0])})"
    return f"{name_sql(leaf.attribute)} {condition_sql(leaf)}"


def _joined_sql(node: And | Or | Not, parts: list[str]) -> str:
    if isinstance(node, Not):
        return f"NOT ({parts[0]})" if isinstance(node.child, (And, Or)) else f"NOT {parts[0]}"
    if isinstance(node, Or):
        return " OR ".join(parts)
    children = children_of(node)
    return " AND ".join(
        f"({part})" if isinstance(child, Or) else part for child, part in zip(children, parts, strict=True)
    )


def name_sql(attribute: str) -> str:
    return ".".join(_part_sql(part) for part in attribute.split("."))


def _part_sql(part: str) -> str:
    if _BARE_NAME.fullmatch(part) and part.upper() not in _QUOTED:
        return part
    return '"' + part.replace('"', '""') + '"'


def condition_sql(predicate: Predicate) -> str:
    """What stands after the attribute's name (MATCHES has it in parentheses)."""
    constants = [constant_sql(operand) for operand in predicate.operands]
    not_ = "NOT " if predicate.negated else ""
    match predicate.operator:
        case Operator.IS_NULL:
            return f"IS {not_}NULL"
        case Operator.BETWEEN:
            return f"{not_}BETWEEN {constants[0]} AND {constants[1]}"
        case Operator.IN:
            return f"{not_}IN ({', '.join(constants)})"
        case Operator.LIKE | Operator.ILIKE | Operator.RLIKE:
            escape = f" ESCAPE {constants[1]}" if len(constants) > 1 else ""
            return f"{not_}{predicate.operator.name} {constants[0]}{escape}"
    return f"{'<>' if predicate.negated else SIGNS[predicate.operator]} {constants[0]}"


def constant_sql(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, float):
        digits = repr(value)
        # Elsewhere a long decimal without an exponent is a DECIMAL, whose way to a float64 may round twice.
        return digits if "e" in digits or len(digits) <= 16 else digits + "e0"
    return str(value)
