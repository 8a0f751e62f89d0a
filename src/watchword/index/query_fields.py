"""Which field each expression of a table has text queries on, where one number can say it all."""

from __future__ import annotations

from typing import Final

import numpy as np

from watchword.coding.values import I32, I64, U8
from watchword.kernel import kernel
from watchword.language.expression import Operator
from watchword.language.table import NOT, ExpressionTable

NO_TEXT: Final = -1
SEVERAL: Final = -2  # more than one MATCHES, or under NOT, or one that may name other fields

_MATCHES: Final = int(Operator.MATCHES)
_COLON: Final = ord(":")


def text_fields(table: ExpressionTable) -> I32:
    """The attribute of the one MATCHES of each expression, or NO_TEXT, or SEVERAL."""
    constants = table.constants
    return _fields(
        table.node_starts,
        table.kind,
        table.leaf_starts,
        table.attribute,
        table.operator,
        table.constant_starts,
        constants.bits,
        constants.length,
        constants.text,
    )


@kernel
def _fields(
    node_starts: I64,
    kind: U8,
    leaf_starts: I64,
    attribute: I32,
    operator: U8,
    constant_starts: I64,
    begins: I64,
    lengths: I32,
    text: U8,
) -> I32:
    out = np.full(len(node_starts) - 1, NO_TEXT, np.int32)
    for e in range(len(out)):
        for p in range(leaf_starts[e], leaf_starts[e + 1]):
            if operator[p] != _MATCHES:
                continue
            constant = constant_starts[p]
            first = begins[constant]
            names_field = False
            for i in range(first, first + lengths[constant]):
                names_field |= text[i] == _COLON
            out[e] = attribute[p] if out[e] == NO_TEXT and not names_field else SEVERAL
        if out[e] >= 0:
            for n in range(node_starts[e], node_starts[e + 1]):
                if kind[n] == NOT:
                    out[e] = SEVERAL
    return out
