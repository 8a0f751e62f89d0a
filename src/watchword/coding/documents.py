"""The texts of one attribute in a batch, tokenised once for all segments and heads that ask.

cell        0 4 5 9      the cells that hold a text
document    0 1 1 2      the elements of a list are one document
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from watchword.coding.cells import RANGE, Cells
from watchword.coding.values import I32, I64, TEXT
from watchword.text.analyzers import analyzer
from watchword.text.tokenise import Tokens, tokenise


@dataclass(slots=True)
class Documents:
    cell: I64
    document: I32
    tokens: Tokens  # of each cell


def documents_of(cells: Cells, attribute: int, analyzer_name: str) -> Documents:
    key = (attribute, analyzer_name)
    found = cells.documents.get(key)
    if found is None:
        found = cells.documents[key] = _documents(cells, attribute, analyzer_name)
    return found


def _documents(cells: Cells, attribute: int, analyzer_name: str) -> Documents:
    first, last = int(cells.starts[0]), int(cells.starts[-1])  # a part of a batch shares the cells of all
    values = cells.values
    is_text = (cells.attribute[first:last] == attribute) & (values.kind[first:last] == TEXT)
    is_text &= (cells.flags[first:last] & RANGE) == 0  # the bounds of a range are no texts of its own
    cell = first + np.flatnonzero(is_text)
    tokens = tokenise(analyzer(analyzer_name), values.text, values.bits[cell], values.length[cell])
    return Documents(cell, _document_numbers(cells, cell), tokens)


def _document_numbers(cells: Cells, cell: I64) -> I32:
    if not cells.flags[cell].any():
        return np.arange(len(cell), dtype=np.int32)
    event = np.searchsorted(cells.starts, cell, side="right")
    several = cells.flags[cell] != 0
    same = several[1:] & several[:-1] & (event[1:] == event[:-1])
    return np.concatenate([[0], np.cumsum(~same)]).astype(np.int32)
