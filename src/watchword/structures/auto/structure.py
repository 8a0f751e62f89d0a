"""The structure `auto`: built from coded expressions, matches coded events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import numpy as np

from watchword.coding.codebook import CONSTANT_DIMENSION
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64
from watchword.structures.auto.build_layout import build_layout
from watchword.structures.auto.describe import always_candidates, candidates_of, describe
from watchword.structures.auto.entries import build_entries
from watchword.structures.auto.layout import BLOCK_ENTRIES, Layout
from watchword.structures.auto.match import match_events
from watchword.structures.auto.verify import State, drop_repetitions, new_state
from watchword.structures.structure import U32, Input, Matches, Parameters, Structure, match_in_room

MOST_SPARE: Final = 1 << 18  # matches: a megabyte, which an allocator keeps at hand


@dataclass(slots=True)
class Auto(Structure):
    Parts: ClassVar[type[Layout]] = Layout

    layout: Layout
    usual_matches: float = 64.0  # per event, by the last batch
    _pool: list[State] = field(default_factory=list)  # what one match worked with, the next one takes

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
        with_several = bool(events.several.any())
        try:
            own = self._pool.pop()
        except IndexError:
            own = new_state(self.layout)
        own.counts[:] = 0
        for_batch = self._for_batch(events, with_several)

        def step(first: int, starts: I64, out: U32) -> int:
            done = match_events(self.layout, events, first, starts, own._replace(out=out, **for_batch))
            if done < count and "seen" in for_batch:
                for_batch["seen"][:] = 0  # the event that did not fit is matched again
            return done

        # room that is not written to costs nothing, a second try does
        least = BLOCK_ENTRIES + 8 + min(self.layout.expression_count, MOST_SPARE)
        starts, expression = match_in_room(step, count, self.usual_matches, least)
        self.usual_matches = 64.0 + int(starts[count]) / max(1, count)
        if with_several:
            drop_repetitions(starts, expression, events.several)
            expression = expression[: starts[count]]
        counts = own.counts.copy()
        self._pool.append(own)
        return Matches(starts, expression, counts)

    def _for_batch(self, events: CodedEvents, with_several: bool) -> dict[str, Any]:
        """What this batch needs beside a state from the pool."""
        fields: dict[str, Any] = {"code": events.code}
        if with_several:
            dimensions = len(self.layout.directory) - 1
            fields["first"] = np.zeros(dimensions, np.int64)
            fields["last"] = np.zeros(dimensions, np.int64)
            fields["flags"] = np.zeros(dimensions, np.uint8)
        if self.layout.any_repeated:
            fields["seen"] = np.zeros(self.layout.expression_count, np.int32)
        return fields

    def describe(self) -> dict[str, Any]:
        return {"name": "auto", **describe(self.layout)}

    def always_candidates(self) -> I64:
        return always_candidates(self.layout, CONSTANT_DIMENSION)

    def candidates_of(self, events: CodedEvents) -> I64:
        return candidates_of(self.layout, events)

    def unsatisfiable(self) -> I64:
        return np.arange(self.layout.entered_count, self.layout.expression_count)
