"""The structure `auto`: built from coded expressions, matches coded events."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from watchword.coding.codebook import Codebook
from watchword.coding.coded import CodedExpressions
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64
from watchword.structures.auto.build_layout import build_layout
from watchword.structures.auto.entries import build_entries
from watchword.structures.auto.layout import BLOCK_ENTRIES, U32, Layout
from watchword.structures.auto.match import match_events
from watchword.structures.auto.verify import drop_repetitions, new_state
from watchword.structures.selectivity import Selectivity


@dataclass(slots=True)
class Matches:
    """Expressions that hold: those of event e are expression[starts[e] : starts[e + 1]], in no order."""

    starts: I64
    expression: U32
    candidates: int


@dataclass(slots=True)
class Auto:
    layout: Layout
    usual_matches: float = 64.0  # per event, by the last batch: room for so many is made at first

    @classmethod
    def build(cls, coded: CodedExpressions, book: Codebook, selectivity: Selectivity) -> tuple[Auto, I64]:
        """The structure, and the order of its expressions: new number -> the one in `coded`."""
        cost = selectivity.of(coded.conditions)
        built = build_layout(coded, build_entries(coded, cost), cost, selectivity.presence, book)
        return cls(built.layout), built.order

    def match(self, events: CodedEvents) -> Matches:
        count = len(events.starts) - 1
        starts = np.zeros(count + 1, np.int64)
        room = int(1.2 * self.usual_matches * count) + BLOCK_ENTRIES + 8
        state = new_state(self.layout, events, np.empty(room, np.uint32))
        done = 0
        while done < count:
            done = match_events(self.layout, events, done, starts, state)
            if done < count:
                grown = np.empty(2 * len(state.out) + self.layout.expression_count + 8, np.uint32)
                grown[: starts[done]] = state.out[: starts[done]]
                state.seen[:] = 0  # the event that did not fit is matched again
                state = state._replace(out=grown)
        self.usual_matches = 64.0 + starts[count] / max(1, count)
        if events.several.any():
            drop_repetitions(starts, state.out, events.several)
        return Matches(starts, state.out[: starts[count]], int(state.counters[0]))
