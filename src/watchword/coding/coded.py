"""Expressions in codes, negation pushed down to the predicates: what every structure is built from.

    expression e: nodes node_starts[e] .. node_starts[e + 1] in prefix order: AND, OR, LEAF
    node n:       its subtree ends before node end[n] (counted from the expression's first node);
                  a LEAF's condition is condition[n]
    condition c:  dimension[c], and the codes that satisfy it: low[c] .. high[c], or, where set_of[c] >= 0,
                  the intervals set_starts[s] .. set_starts[s + 1] of set_low, set_high (low and high span them)
                  none satisfies it if low > high
                  form[c]: the operator whose true codes these are (or PREFIX ...), 0 if they are its false ones

On an attribute with one value a condition asks whether its code is in the set. On a list (or a set, or range, of a
symmetric event) it asks for ANY code or ALL codes: mode says which, for lists and for sets apart.
No AND is directly below an AND, no OR below an OR.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from watchword.coding.values import I32, I64, U8

ANY: Final = 0
LIST_ALL: Final = 1
SET_ALL: Final = 2


class Conditions(NamedTuple):
    dimension: I32
    low: I32
    high: I32
    mode: U8
    set_of: I32
    set_starts: I64
    set_low: I32
    set_high: I32
    form: U8


class CodedExpressions(NamedTuple):
    node_starts: I64
    kind: U8
    end: I32
    condition: I32
    conditions: Conditions
