"""The structure `auto`: built from coded expressions, matches coded events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from watchword.coding.codebook import CONSTANT_DIMENSION
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64
from watchword.structures.auto.build_layout import build_layout
from watchword.structures.auto.describe import always_candidates, candidates_of, describe
from watchword.structures.auto.entries import build_entries
from watchword.structures.auto.layout import BLOCK_ENTRIES, Layout
from watchword.structures.auto.match import match_events
from watchword.structures.auto.verify import drop_repetitions, new_state
from watchword.structures.structure import U32, Input, Matches, Parameters, Structure, match_in_room


@dataclass(slots=True)
class Auto(Structure):
    Parts: ClassVar[type[Layout]] = Layout

    layout: Layout
    usual_matches: float = 64.0  # per event, by the last batch

    @classmethod
    def build(cls, given: Input, parameters: Parameters) -> tuple[Auto, I64]:
        coded, selectivity = given.coded, given.selectivity
        cost = selectivity.of(coded.conditions)
        built = build_layout(coded, build_entries(coded, cost), cost, selectivity.presence, given.book)
        return cls(built.layout), built.order

    @classmethod
    def restore(cls, parts: Layout) -> Auto:
        return cls(parts)

    def parts(self) -> Layout:
        return self.layout

    def match(self, events: CodedEvents) -> Matches:
        count = len(events.starts) - 1
        state = new_state(self.layout, events)

        def step(first: int, starts: I64, out: U32) -> int:
            done = match_events(self.layout, events, first, starts, state._replace(out=out))
            if done < count:
                state.seen[:] = 0  # the event that did not fit is matched again
            return done

        starts, expression = match_in_room(step, count, self.usual_matches, BLOCK_ENTRIES + 8)
        self.usual_matches = 64.0 + starts[count] / max(1, count)
        if events.several.any():
            drop_repetitions(starts, expression, events.several)
        return Matches(starts, expression[: starts[count]], state.counts)

    def describe(self) -> dict[str, Any]:
        return {"name": "auto", **describe(self.layout)}

    def always_candidates(self) -> I64:
        return always_candidates(self.layout, CONSTANT_DIMENSION)

    def candidates_of(self, events: CodedEvents) -> I64:
        return candidates_of(self.layout, events)

    def unsatisfiable(self) -> I64:
        return np.arange(self.layout.entered_count, self.layout.expression_count)
