"""A segment: an immutable set of subscriptions, coded and indexed.

    subscription row  --row_starts-->  expression  --structure-->  found by events
    rows of expression e: row_starts[e] .. row_starts[e + 1]; without duplicates a row is its expression

Expressions are numbered as the structure stores them, so what an event finds lies side by side. Rows are removed by
writing the version of the index from which on they are gone: a match that began before still sees them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from watchword.coding.build_codebook import Coding, build_codebook
from watchword.coding.build_coded import build_coded
from watchword.coding.cells import Cells
from watchword.coding.codebook import Codebook
from watchword.coding.encode import CodedEvents, encode
from watchword.coding.encode_patterns import PatternCoder
from watchword.coding.expand_matches import Expanded
from watchword.coding.patterns import GeneralPattern
from watchword.coding.ranges import positions, starts_of
from watchword.coding.text_coder import TextCoder
from watchword.coding.text_leaves import TextField, leaves_on_many_words
from watchword.coding.values import I32, I64, U8
from watchword.index.duplicates import first_equal
from watchword.index.identifiers import Identifiers
from watchword.index.query_fields import text_fields
from watchword.index.sources import Sources
from watchword.kernel import inlined, lean
from watchword.language.table import ExpressionTable
from watchword.language.table_rows import take
from watchword.room import room
from watchword.structures.registry import checked_parameters, structure_class
from watchword.structures.selectivity import from_conditions, from_events
from watchword.structures.structure import U32, Input, Parameters, Structure
from watchword.text.settings import DEFAULT, TextSettings


@dataclass(frozen=True, slots=True)
class Kind:
    """Which structure segments get, its parameters, and how they read texts."""

    name: str
    parameters: Parameters
    text: TextSettings = DEFAULT

    @classmethod
    def of(cls, name: str, parameters: Parameters, text: TextSettings = DEFAULT) -> Kind:
        return cls(name, checked_parameters(name, parameters), text)


@dataclass(slots=True)
class Segment:
    book: Codebook
    patterns: list[GeneralPattern]
    text_fields: list[TextField]
    first_leaf: int
    names: list[str]
    kind: Kind
    structure: Structure
    row_starts: I64  # empty where no expression has two rows
    identifiers: Identifiers
    sources: Sources
    deleted_at: I64 = field(default_factory=lambda: np.empty(0, np.int64))
    """Row -> version from which on it is gone, 0 while it stands; empty until the first row goes."""
    deleted_bits: U8 = field(default_factory=lambda: np.empty(0, np.uint8))
    """Row -> has it such a version? A match asks these few bytes first: they stay in the cache."""
    deleted: int = 0
    last_deleted: int = 0
    """The version from which on the row that went last is gone."""
    saved_as: dict[str, str] = field(default_factory=dict)
    """Folder -> the file in it that holds the segment."""
    pattern_coder: PatternCoder = field(init=False)
    text_coder: TextCoder = field(init=False)
    _text_field_of_rows: I32 | None = None

    def __post_init__(self) -> None:
        self.pattern_coder = PatternCoder(self.book, self.patterns)
        self.text_coder = TextCoder(self.text_fields, self.first_leaf)

    def __len__(self) -> int:
        return len(self.identifiers.array)

    def encode(self, cells: Cells, local_attribute: I32) -> CodedEvents:
        return encode(cells, self.book, self.pattern_coder, self.text_coder, local_attribute)

    def match(self, events: CodedEvents, version: int) -> tuple[I64, U32, I64]:
        """The rows of event e: rows[starts[e] : starts[e + 1]], and what the structure counted."""
        found = self.structure.match(events)
        marks = self.deleted_bits
        starts, rows = _rows_of(found.starts, found.expression, self.row_starts, marks)
        if self.last_deleted > version:  # a mark may be newer than the version, be it from a moment ago
            starts, rows = _rows_of(found.starts, found.expression, self.row_starts, marks[:0])
            starts, rows = _live_rows(starts, rows, self.deleted_bits, self.deleted_at, version)
        return starts, rows, found.counts

    def delete(self, row: int, version: int) -> None:
        if self.deleted == 0:
            self.deleted_at = np.zeros(len(self), np.int64)
            self.deleted_bits = np.zeros((len(self) + 7) // 8, np.uint8)
        # before its bit: a match that sees the bit needs the versions
        self.last_deleted = version
        self.deleted_at[row] = version
        self.deleted_bits[row >> 3] |= np.uint8(1 << (row & 7))
        self.deleted += 1

    def is_live(self, row: int) -> bool:
        return self.deleted == 0 or self.deleted_at[row] == 0

    def is_live_at(self, row: int, version: int) -> bool:
        return self.deleted == 0 or not 0 < self.deleted_at[row] <= version

    def text_field_of_rows(self) -> I32:
        """The attribute of a row's one MATCHES, NO_TEXT without any, SEVERAL where that does not say it all."""
        if self._text_field_of_rows is None:
            self._text_field_of_rows = text_fields(self.table(np.arange(len(self))))
        return self._text_field_of_rows

    def expression_of(self, rows: I64) -> I64:
        return rows if len(self.row_starts) == 0 else np.searchsorted(self.row_starts, rows, side="right") - 1

    def live_rows(self, version: int) -> I64:
        if self.deleted == 0:
            return np.arange(len(self))
        gone = (self.deleted_at > 0) & (self.deleted_at <= version)
        return np.flatnonzero(~gone)

    def table(self, rows: I64) -> ExpressionTable:
        return self.sources.table(self.expression_of(rows))


def build_segment(
    table: ExpressionTable,
    expanded: Expanded,
    ids: pa.Array,
    training: Cells | None,
    local_attribute: I32,
    kind: Kind,
) -> Segment:
    """`expanded` is the table without MATCHES, and `ids` stand beside its rows; `training` are cells whose attributes
    `local_attribute` maps to those of `expanded`."""
    coding = build_codebook(expanded)
    first = first_equal(expanded, coding)
    distinct = np.flatnonzero(first == np.arange(len(first)))
    distinct_table, to_code = table, expanded.table
    if len(distinct) < len(table):
        coding = take_predicates(coding, to_code.leaf_starts, distinct)
        distinct_table, to_code = take(table, distinct), take(to_code, distinct)
    coded = build_coded(to_code, coding)
    sample = None
    if training is not None:
        patterns, texts = PatternCoder(coding.book, coding.patterns), TextCoder(coding.text_fields, coding.first_leaf)
        sample = encode(training, coding.book, patterns, texts, local_attribute)
    if sample is None:
        selectivity = from_conditions(
            coding.book,
            coded.conditions,
            len(distinct_table),
            coding.first_leaf + leaves_on_many_words(coding.text_fields),
        )
    else:
        selectivity = from_events(coding.book, sample)
    given = Input(coded, coding.book, selectivity, sample)
    structure, order = structure_class(kind.name).build(given, kind.parameters)
    # rows in the order of their expressions
    number = np.empty(len(first), np.int64)
    number[distinct[order]] = np.arange(len(order))
    expression = number[first]
    rows = np.argsort(expression, kind="stable")
    row_starts = np.empty(0, np.int64)
    if len(distinct) < len(table):
        row_starts = starts_of(np.bincount(expression, minlength=len(order)))
    return Segment(
        book=coding.book,
        patterns=coding.patterns,
        text_fields=coding.text_fields,
        first_leaf=coding.first_leaf,
        names=coding.names,
        kind=kind,
        structure=structure,
        row_starts=row_starts,
        identifiers=Identifiers.of(ids.take(pa.array(rows))),
        sources=Sources.of(take(distinct_table, order)),
    )


def take_predicates(coding: Coding, leaf_starts: I64, rows: I64) -> Coding:
    first = leaf_starts[rows]
    leaves = positions(first, starts_of(leaf_starts[rows + 1] - first))
    return Coding(
        book=coding.book,
        patterns=coding.patterns,
        text_fields=coding.text_fields,
        first_leaf=coding.first_leaf,
        names=coding.names,
        dimension=coding.dimension[leaves],
        form=coding.form[leaves],
        first=coding.first[leaves],
        count=coding.count[leaves],
        code=coding.code,
    )


def _rows_of(starts: I64, expression: U32, row_starts: I64, marks: U8) -> tuple[I64, U32]:
    """The rows of these expressions that have no mark; all of them if there are no marks."""
    if len(row_starts) == 0 and len(marks) == 0:
        return starts, expression
    total = _count_rows(expression, row_starts) if len(row_starts) else len(expression)
    out_starts, out = np.zeros(len(starts), np.int64), room(total, np.uint32)
    if len(row_starts):
        _write_rows(starts, expression, row_starts, marks, out_starts, out)
    else:
        _write_unmarked(starts, expression, marks, out_starts, out)
    return out_starts, out[: out_starts[-1]]


def _live_rows(starts: I64, rows: U32, marks: U8, deleted_at: I64, version: int) -> tuple[I64, U32]:
    """Those of the rows that stand at this version."""
    out_starts, out = np.zeros(len(starts), np.int64), room(len(rows), np.uint32)
    _write_live(starts, rows, marks, deleted_at, version, out_starts, out)
    return out_starts, out[: out_starts[-1]]


@inlined
def _mark(marks: U8, row: np.uint32) -> int:
    return int(marks[row >> np.uint32(3)] >> (row & np.uint32(7)) & 1)


@lean
def _count_rows(expression: U32, row_starts: I64) -> int:
    total = 0
    for i in range(len(expression)):
        total += row_starts[expression[i] + np.uint32(1)] - row_starts[expression[i]]
    return total


# A row is written in any case, and counted if it stands: cheaper than a branch that is hard to foresee.
@lean
def _write_rows(starts: I64, expression: U32, row_starts: I64, marks: U8, out_starts: I64, out: U32) -> None:
    n = np.uint64(0)
    for event in range(len(starts) - 1):
        for i in range(starts[event], starts[event + 1]):
            row, last = np.uint32(row_starts[expression[i]]), np.uint32(row_starts[expression[i] + np.uint32(1)])
            while True:  # every expression has a row, and most have no other
                out[n] = row
                n += np.uint64(1 - _mark(marks, row)) if len(marks) else np.uint64(1)
                row += np.uint32(1)
                if row >= last:
                    break
        out_starts[event + 1] = n


@lean
def _write_unmarked(starts: I64, rows: U32, marks: U8, out_starts: I64, out: U32) -> None:
    n = np.uint64(0)
    for event in range(len(starts) - 1):
        for i in range(starts[event], starts[event + 1]):
            out[n] = rows[i]
            n += np.uint64(1 - _mark(marks, rows[i]))
        out_starts[event + 1] = n


@lean
def _write_live(starts: I64, rows: U32, marks: U8, deleted_at: I64, version: int, out_starts: I64, out: U32) -> None:
    n = np.uint64(0)
    for event in range(len(starts) - 1):
        for i in range(starts[event], starts[event + 1]):
            if not _mark(marks, rows[i]) or deleted_at[rows[i]] > version:
                out[n] = rows[i]
                n += np.uint64(1)
        out_starts[event + 1] = n
