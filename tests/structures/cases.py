"""Structures built without an index: random expressions coded with one codebook, and events coded with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from tests.index.answers import Event

from watchword.coding.attributes import Attributes
from watchword.coding.build_codebook import build_codebook
from watchword.coding.build_coded import build_coded
from watchword.coding.coded import CodedExpressions
from watchword.coding.encode import CodedEvents, encode
from watchword.coding.encode_patterns import PatternCoder
from watchword.coding.expand_matches import expand_matches
from watchword.coding.read_events import read_events
from watchword.coding.text_coder import TextCoder
from watchword.index.incoming import read_subscriptions
from watchword.index.segment import take_predicates
from watchword.language.expression import Expression
from watchword.language.table_rows import take
from watchword.structures.registry import checked_parameters, structure_class
from watchword.structures.selectivity import from_conditions, from_events
from watchword.structures.structure import Input, Matches
from watchword.text.settings import DEFAULT


@dataclass
class Workbench:
    """One codebook over all expressions; parts of them can be coded, to be built from or inserted."""

    trees: Sequence[Expression | str]

    def __post_init__(self) -> None:
        self.table = read_subscriptions(list(enumerate(self.trees)), pa.int64()).table
        self.coding = build_codebook(expand_matches(self.table, DEFAULT))
        self.coder = PatternCoder(self.coding.book, self.coding.patterns)
        self.attributes = Attributes()
        numbers = self.attributes.add(self.coding.names)
        self.local = np.full(len(self.attributes), -1, np.int32)
        self.local[numbers] = np.arange(len(numbers), dtype=np.int32)

    def coded(self, rows: Iterable[int]) -> CodedExpressions:
        wanted = np.fromiter(rows, np.int64)
        part = take_predicates(self.coding, self.table.leaf_starts, wanted)
        return build_coded(take(self.table, wanted), part)

    def events(self, events: Sequence[Event]) -> CodedEvents:
        return encode(
            read_events(list(events), self.attributes), self.coding.book, self.coder, TextCoder([], 0), self.local
        )

    def given(self, rows: Iterable[int], training: Sequence[Event] | None = None) -> Input:
        coded = self.coded(rows)
        book = self.coding.book
        if training is None:
            return Input(coded, book, from_conditions(book, coded.conditions, len(coded.node_starts) - 1))
        sample = self.events(training)
        return Input(coded, book, from_events(book, sample), sample)

    def build(
        self,
        name: str,
        rows: Iterable[int],
        training: Sequence[Event] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> Any:
        """The structure; the order it gave must be the one given (all but `auto` keep it)."""
        given = self.given(rows, training)
        structure, order = structure_class(name).build(given, checked_parameters(name, parameters or {}))
        assert order.tolist() == list(range(len(order)))
        return structure


def found(matches: Matches) -> list[list[int]]:
    starts = matches.starts.tolist()
    return [sorted(matches.expression[a:b].tolist()) for a, b in pairwise(starts)]
