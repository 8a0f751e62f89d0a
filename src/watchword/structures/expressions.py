"""Coded expressions that more can be added to, and whether one of them holds: direct evaluation.

The arrays have room behind what is used, so that adding costs what is added. A structure keeps its expressions to
verify what it cannot index; `scan` has nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from watchword.coding.coded import CodedExpressions, Conditions
from watchword.kernel import lean
from watchword.language.table import LEAF, OR
from watchword.structures.event_values import condition_holds

MOST_OPEN: Final = 1024  # ANDs and ORs inside one another: NESTING allows half as many

Item = TypeVar("Item", bound=np.generic)


def append(array: npt.NDArray[Item], used: int, added: npt.NDArray[Item]) -> npt.NDArray[Item]:
    """`added` behind the first `used` items; in a copy with room to grow where it does not fit."""
    needed = used + len(added)
    if needed > len(array):
        grown = np.empty(max(needed, len(array) + (len(array) >> 1) + 16), array.dtype)
        grown[:used] = array[:used]
        array = grown
    array[used:needed] = added
    return array


def longer(array: npt.NDArray[Item], used: int, more: int) -> npt.NDArray[Item]:
    """The array, or, where `more` items do not fit behind the used ones, a copy with room to grow."""
    if used + more <= len(array):
        return array
    copy = np.zeros(used + more + (used >> 1), array.dtype)
    copy[:used] = array[:used]
    return copy


class Used(NamedTuple):
    """How much of each group of columns is used."""

    expressions: int = 0
    nodes: int = 0
    conditions: int = 0
    sets: int = 0
    intervals: int = 0


@dataclass(slots=True)
class Expressions:
    coded: CodedExpressions
    used: Used

    @classmethod
    def of(cls, coded: CodedExpressions) -> Expressions:
        return cls(coded, _used(coded))

    def __len__(self) -> int:
        return self.used.expressions

    def add(self, more: CodedExpressions) -> None:
        """Expressions in the same codes; the first of them gets the next number."""
        used, added = self.used, _used(more)
        old, new = self.coded, more.conditions
        no_set = new.set_of < 0
        conditions = Conditions(
            append(old.conditions.dimension, used.conditions, new.dimension),
            append(old.conditions.low, used.conditions, new.low),
            append(old.conditions.high, used.conditions, new.high),
            append(old.conditions.mode, used.conditions, new.mode),
            append(
                old.conditions.set_of,
                used.conditions,
                np.where(no_set, new.set_of, new.set_of + np.int32(used.sets)).astype(np.int32),
            ),
            append(old.conditions.set_starts, used.sets + 1, new.set_starts[1:] + used.intervals),
            append(old.conditions.set_low, used.intervals, new.set_low),
            append(old.conditions.set_high, used.intervals, new.set_high),
            append(old.conditions.form, used.conditions, new.form),
        )
        is_leaf = more.kind == LEAF
        self.coded = CodedExpressions(
            append(old.node_starts, used.expressions + 1, more.node_starts[1:] + used.nodes),
            append(old.kind, used.nodes, more.kind),
            append(old.end, used.nodes, more.end),
            append(
                old.condition,
                used.nodes,
                np.where(is_leaf, more.condition + np.int32(used.conditions), more.condition).astype(np.int32),
            ),
            conditions,
        )
        self.used = Used(*(a + b for a, b in zip(used, added, strict=True)))

    def trimmed(self) -> CodedExpressions:
        """Without the room behind what is used."""
        coded, used, conditions = self.coded, self.used, self.coded.conditions
        return CodedExpressions(
            coded.node_starts[: used.expressions + 1],
            coded.kind[: used.nodes],
            coded.end[: used.nodes],
            coded.condition[: used.nodes],
            Conditions(
                conditions.dimension[: used.conditions],
                conditions.low[: used.conditions],
                conditions.high[: used.conditions],
                conditions.mode[: used.conditions],
                conditions.set_of[: used.conditions],
                conditions.set_starts[: used.sets + 1],
                conditions.set_low[: used.intervals],
                conditions.set_high[: used.intervals],
                conditions.form[: used.conditions],
            ),
        )


def _used(coded: CodedExpressions) -> Used:
    """Of arrays without room to grow."""
    conditions = coded.conditions
    return Used(
        len(coded.node_starts) - 1,
        len(coded.kind),
        len(conditions.dimension),
        len(conditions.set_starts) - 1,
        len(conditions.set_low),
    )


@lean
def expression_holds(coded: CodedExpressions, expression: int, state: Any) -> bool:
    """Direct evaluation; `state` has the event's values, and room for MOST_OPEN numbers in `open_nodes`."""
    first = coded.node_starts[expression]
    kind, end, open_nodes = coded.kind, coded.end, state.open_nodes
    n = first
    depth = 0
    truth = False
    while True:
        if kind[n] != LEAF:
            open_nodes[depth] = n
            depth += 1
            n += 1
            continue
        truth = condition_holds(coded.conditions, coded.condition[n], state)
        n += 1
        while depth > 0:
            parent = open_nodes[depth - 1]
            after = first + end[parent]
            if truth != (kind[parent] == OR) and n < after:
                break  # an AND with a true child, an OR with a false one: the next child decides
            n = after
            depth -= 1
        if depth == 0:
            return truth
