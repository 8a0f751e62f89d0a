"""Many expressions as columns: what bulk loading produces and segments are built from.

expression e: nodes    node_starts[e] .. node_starts[e+1], in prefix order
node n:       kind[n]  AND, OR (count[n] children follow), NOT (one child), TRUE, FALSE, UNKNOWN, LEAF
the leaves of all expressions, in order, are the predicates 0, 1, 2, ...
predicate p:  attribute[p] (an index into names), operator[p], negated[p],
              operands constants constant_starts[p] .. constant_starts[p+1]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from watchword.coding.values import I32, I64, U8, Values

AND: Final = 1
OR: Final = 2
NOT: Final = 3
TRUE: Final = 4
FALSE: Final = 5
UNKNOWN: Final = 6
LEAF: Final = 7


@dataclass(slots=True)
class ExpressionTable:
    node_starts: I64
    kind: U8
    count: I32
    leaf_starts: I64  # predicates of expression e: leaf_starts[e] .. leaf_starts[e+1]
    attribute: I32
    operator: U8
    negated: U8
    constant_starts: I64
    constants: Values
    names: list[str]

    def __len__(self) -> int:
        return len(self.node_starts) - 1
