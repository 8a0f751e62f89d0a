"""Coding a part of a batch gives what the whole batch gives for those events."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.index.answers import Event
from tests.language.strategies import events, expressions

from watchword.coding.attributes import Attributes
from watchword.coding.build_codebook import build_codebook
from watchword.coding.cells import Cells
from watchword.coding.codebook import Codebook
from watchword.coding.encode import encode
from watchword.coding.encode_patterns import PatternCoder
from watchword.coding.expand_matches import expand_matches
from watchword.coding.read_events import read_events
from watchword.coding.text_coder import TextCoder
from watchword.language.expression import Expression
from watchword.language.table_rows import from_expressions
from watchword.text.settings import DEFAULT


def codes(cells: Cells, book: Codebook, coder: PatternCoder, attributes: int) -> list[list[tuple[int, int, int]]]:
    """Event by event: dimension, code, flags."""
    coded = encode(cells, book, coder, TextCoder([], 0), np.arange(attributes, dtype=np.int32))
    triples = list(zip(coded.dimension.tolist(), coded.code.tolist(), coded.flags.tolist(), strict=True))
    return [triples[coded.starts[e] : coded.starts[e + 1]] for e in range(len(cells))]


@settings(max_examples=60, deadline=None)
@given(st.lists(expressions(), min_size=1, max_size=5), st.lists(events(), min_size=2, max_size=8), st.data())
def test_parts_are_coded_as_the_whole(trees: list[Expression], batch: list[Event], data: st.DataObject) -> None:
    table = from_expressions(trees)
    coding = build_codebook(expand_matches(table, DEFAULT))
    coder = PatternCoder(coding.book, coding.patterns)
    cells = read_events(batch, Attributes(table.names))
    whole = codes(cells, coding.book, coder, len(table.names))
    cut = data.draw(st.integers(0, len(batch)))
    for first, last in ((0, cut), (cut, len(batch))):
        assert codes(cells.part(first, last), coding.book, coder, len(table.names)) == whole[first:last]
