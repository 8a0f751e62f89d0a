"""Codes of folded texts and of general patterns: the part of coding that RE2 and Unicode do.

Each distinct text of a batch is folded and searched once. Many patterns of one attribute are searched together by
RE2's sets, in chunks small enough that a set's automaton always fits its memory.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final, NamedTuple

import numpy as np
import re2

from watchword.coding.cells import LIST, RANGE, SET, RawCells
from watchword.coding.codebook import (
    EMPTY_LIST,
    EMPTY_SET,
    FOLDED,
    FOLDED_REVERSED,
    OTHER_CODE,
    PATTERN,
    PATTERN_EMPTY_SET,
    PATTERN_HOLDS,
    PATTERN_HOLDS_PARTLY,
    PATTERN_UNKNOWN,
    Codebook,
    code_of,
)
from watchword.coding.patterns import GeneralPattern
from watchword.coding.values import EMPTY, I32, I64, TEXT, U8
from watchword.language.patterns import fold_case

_PATTERNS_PER_SET: Final = 128
_SET_MEMORY: Final = 1 << 29


class Derived(NamedTuple):
    """Codes to be put behind those of the cell they come from, in the cells' order."""

    cell: I64
    dimension: I32
    code: I32
    flags: U8


_NO_CODES: Final = Derived(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.uint8))


class PatternCoder:
    """What one segment needs of folding and searching."""

    def __init__(self, book: Codebook, patterns: list[GeneralPattern]) -> None:
        self._book = book
        self._folded: dict[int, list[tuple[int, bool]]] = defaultdict(list)  # attribute -> (dimension, reversed)
        for dimension in np.flatnonzero(np.isin(book.transform, (FOLDED, FOLDED_REVERSED))).tolist():
            backwards = book.transform[dimension] == FOLDED_REVERSED
            self._folded[int(book.attribute[dimension])].append((dimension, bool(backwards)))
        self._pattern_dimensions: dict[int, list[int]] = defaultdict(list)
        by_text: dict[tuple[int, bool], list[GeneralPattern]] = defaultdict(list)
        for pattern in patterns:
            self._pattern_dimensions[pattern.attribute].append(pattern.dimension)
            by_text[pattern.attribute, pattern.folded].append(pattern)
        self._sets: dict[tuple[int, bool], list[tuple[re2.Set, list[int]]]] = {
            key: [_set_of(some[i : i + _PATTERNS_PER_SET]) for i in range(0, len(some), _PATTERNS_PER_SET)]
            for key, some in by_text.items()
        }
        needed = np.isin(book.transform, (FOLDED, FOLDED_REVERSED, PATTERN))
        self._needed = np.zeros(len(book.plain), bool)
        self._needed[book.attribute[needed]] = True
        self._any_needed = bool(needed.any())
        self.most_derived = int(np.diff(book.derived_starts).max(initial=0))  # dimensions of one attribute

    def derive(self, cells: RawCells, local_attribute: I32) -> Derived:
        if not self._any_needed:
            return _NO_CODES
        first, last = int(cells.starts[0]), int(cells.starts[-1])  # a part of a batch shares the cells of all
        attribute = cells.attribute[first:last]
        known = attribute < len(local_attribute)
        local = np.where(known, local_attribute[np.where(known, attribute, 0)], -1)
        places = np.flatnonzero((local >= 0) & self._needed[local])
        wanted, local = first + places, local[places]
        event = np.searchsorted(cells.starts, wanted, side="right")
        rows: list[tuple[int, int, int, int]] = []
        texts: dict[tuple[int, bytes], _TextCodes] = {}
        run: list[int] = []
        for i, cell in enumerate(wanted.tolist()):
            run.append(cell)
            following = wanted[i + 1] if i + 1 < len(wanted) else -1
            if (
                following == cell + 1
                and event[i + 1] == event[i]
                and local[i + 1] == local[i]
                and cells.flags[cell]
                and cells.flags[following]
            ):
                continue
            self._add_run(cells, int(local[i]), run, texts, rows)
            run = []
        cell_of, dimension, code, flags = zip(*rows, strict=True) if rows else ((), (), (), ())
        return Derived(
            np.array(cell_of, np.int64),
            np.array(dimension, np.int32),
            np.array(code, np.int32),
            np.array(flags, np.uint8),
        )

    def _add_run(
        self,
        cells: RawCells,
        attribute: int,
        run: list[int],
        texts: dict[tuple[int, bytes], _TextCodes],
        rows: list[tuple[int, int, int, int]],
    ) -> None:
        """The codes of one value: of a scalar, or of all elements of a list, a set or a range."""
        last = run[-1]
        flags = int(cells.flags[last])
        many = flags & (LIST | SET)
        found = [self._text_codes(cells, attribute, cell, texts) for cell in run]
        for k, (dimension, _) in enumerate(self._folded[attribute]):
            for cell, codes in zip(run, found, strict=True):
                if cells.kind[cell] == EMPTY:
                    rows.append((last, dimension, EMPTY_LIST if many & LIST else EMPTY_SET, many))
                else:
                    rows.append((last, dimension, codes.folded[k] if codes else OTHER_CODE, many))
        dimensions = self._pattern_dimensions[attribute]
        if flags & RANGE:
            rows.extend((last, dimension, PATTERN_UNKNOWN, 0) for dimension in dimensions)
        elif many & SET and cells.kind[last] == EMPTY:
            rows.extend((last, dimension, PATTERN_EMPTY_SET, 0) for dimension in dimensions)
        else:
            held = [codes.holds for codes in found if codes]
            for dimension in sorted(frozenset().union(*held)):
                partly = many & SET and not all(dimension in holds for holds in held)
                rows.append((last, dimension, PATTERN_HOLDS_PARTLY if partly else PATTERN_HOLDS, 0))

    def _text_codes(
        self, cells: RawCells, attribute: int, cell: int, texts: dict[tuple[int, bytes], _TextCodes]
    ) -> _TextCodes | None:
        if cells.kind[cell] != TEXT or cells.flags[cell] & RANGE:
            return None
        start = int(cells.bits[cell])
        raw = cells.text[start : start + int(cells.length[cell])].tobytes()
        key = (attribute, raw)
        if key not in texts:
            texts[key] = self._code_text(attribute, raw)
        return texts[key]

    def _code_text(self, attribute: int, raw: bytes) -> _TextCodes:
        folded = fold_case(raw.decode("utf-8", "surrogatepass")).encode("utf-8", "surrogatepass")
        array = np.frombuffer(folded, np.uint8).copy()
        codes = tuple(
            int(code_of(self._book, dimension, TEXT, 0, array, len(array), backwards))
            for dimension, backwards in self._folded[attribute]
        )
        holds = [
            dimensions[number]
            for is_folded, text in ((False, raw), (True, folded))
            for matcher, dimensions in self._sets.get((attribute, is_folded), ())
            for number in matcher.Match(text) or ()
        ]
        return _TextCodes(codes, frozenset(holds))


class _TextCodes(NamedTuple):
    folded: tuple[int, ...]  # one for each folded dimension of the attribute
    holds: frozenset[int]  # the pattern dimensions that hold


def _set_of(patterns: list[GeneralPattern]) -> tuple[re2.Set, list[int]]:
    options = re2.Options()
    options.max_mem = _SET_MEMORY
    matcher = re2.Set.SearchSet(options)
    for pattern in patterns:
        matcher.Add(pattern.regex)
    matcher.Compile()
    return matcher, [pattern.dimension for pattern in patterns]
