"""A workload parsed and coded once, so that every structure is built from the same arrays and matches the same codes.

    expressions --parse--> table --codebook over all--> coded(rows), given(rows)       what structures are built from
    events      --read, encode--> events                                               what they match
                                    a sample of them, evaluated directly --> expected  what they must find

Equal subscriptions are not merged, unlike in an `Index`: a paper's structure gets them as its paper says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np
import pyarrow as pa

from watchword.bench.check import check_ids
from watchword.bench.measure import seconds
from watchword.coding.attributes import Attributes
from watchword.coding.build_codebook import Coding, build_codebook
from watchword.coding.build_coded import build_coded
from watchword.coding.cells import Cells
from watchword.coding.coded import CodedExpressions
from watchword.coding.encode import CodedEvents, encode
from watchword.coding.encode_patterns import PatternCoder
from watchword.coding.expand_matches import expand_matches
from watchword.coding.read_events import read_events
from watchword.coding.text_coder import TextCoder
from watchword.coding.values import I32, I64
from watchword.errors import WatchwordError
from watchword.index.incoming import read_subscriptions
from watchword.index.segment import take_predicates
from watchword.language.table import ExpressionTable
from watchword.language.table_rows import take
from watchword.structures.registry import checked_parameters, structure_class
from watchword.structures.selectivity import from_conditions, from_events
from watchword.structures.structure import Input, Matches, Parameters, Structure
from watchword.text.settings import DEFAULT
from watchword.workloads import EventsForm, Workload

SAMPLE: Final = 6  # events that the oracle evaluates
TRAINING: Final = 5_000  # more do not make the statistics better


@dataclass(slots=True)
class Coded:
    workload: Workload
    table: ExpressionTable
    coding: Coding
    patterns: PatternCoder
    texts: TextCoder
    attributes: Attributes
    local: I32
    events: CodedEvents
    training: CodedEvents | None
    whole: dict[bool, Input] = field(default_factory=dict)  # all subscriptions, with training or without
    expected: list[I64] = field(default_factory=list)  # for each event of the sample what holds, ordered

    @classmethod
    def of(cls, workload: Workload, most_events: int) -> Coded:
        incoming = read_subscriptions(workload.subscriptions, None)
        if incoming.errors:
            row, _, reason = incoming.errors[0]
            raise WatchwordError(f"{workload.name}: subscription {row} was refused: {reason}")
        expanded = expand_matches(incoming.table, DEFAULT)
        coding = build_codebook(expanded)
        patterns, texts = PatternCoder(coding.book, coding.patterns), TextCoder(coding.text_fields, coding.first_leaf)
        attributes = Attributes()
        numbers = attributes.add(coding.names)
        local = np.full(len(attributes), -1, np.int32)
        local[numbers] = np.arange(len(numbers), dtype=np.int32)
        nothing = encode(read_events([], attributes), coding.book, patterns, texts, local)
        made = cls(workload, expanded.table, coding, patterns, texts, attributes, local, nothing, None)
        made.events = made.code(made.read(workload.events.slice(0, most_events)))
        if len(workload.training):
            made.training = made.code(made.read(workload.training.slice(0, TRAINING)))
        made.whole = {training: made.given(np.arange(len(made)), training=training) for training in (False, True)}
        scan, _ = structure_class("scan").build(made.whole[False], {})
        made.expected = found(scan.match(made.some(0, SAMPLE)))
        return made

    def __len__(self) -> int:
        """Subscriptions."""
        return len(self.table)

    def read(self, events: pa.Table) -> Cells:
        return read_events(events, self.attributes, json=self.json)

    def code(self, cells: Cells) -> CodedEvents:
        return encode(cells, self.coding.book, self.patterns, self.texts, self.local)

    def some(self, first: int, last: int) -> CodedEvents:
        """The events first .. last - 1."""
        events = self.events
        return events._replace(starts=events.starts[first : last + 1], several=events.several[first:last])

    @property
    def json(self) -> str | None:
        """The column of events that are JSON texts."""
        return "event" if self.workload.events_form is EventsForm.JSON else None

    @property
    def event_count(self) -> int:
        return len(self.events.several)

    def reading_seconds(self, first: int, last: int) -> float:
        """To read and code these events, beside matching them."""
        some = self.workload.events.slice(first, last - first)
        return seconds(lambda: self.code(self.read(some)))

    def coded(self, rows: I64) -> CodedExpressions:
        part = take_predicates(self.coding, self.table.leaf_starts, rows)
        return build_coded(take(self.table, rows), part)

    def given(self, rows: I64, *, training: bool) -> Input:
        coded, book = self.coded(rows), self.coding.book
        if self.training is None or not training:
            return Input(coded, book, from_conditions(book, coded.conditions, len(rows)))
        return Input(coded, book, from_events(book, self.training), self.training)

    def build(self, name: str, parameters: Parameters, rows: I64, *, training: bool) -> tuple[Structure, I64]:
        """The structure, and its numbers of these rows."""
        given = self.given(rows, training=training)
        return structure_class(name).build(given, checked_parameters(name, parameters))

    def check(self, name: str, structure: Structure, order: I64) -> None:
        """Of the sample the structure finds what direct evaluation found. `order`: its numbers -> subscriptions."""
        for event, ids in enumerate(found(structure.match(self.some(0, len(self.expected))))):
            check_ids(f"{self.workload.name}, {name}, event {event}", order[ids], self.expected[event])


def found(matches: Matches) -> list[I64]:
    return [np.sort(matches.expression[a:b]).astype(np.int64) for a, b in pairwise(matches.starts.tolist())]
