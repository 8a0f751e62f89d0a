"""Documents to codes: which leaves of a segment's text queries hold for each text of a batch.

    batch's vocabulary   google  phone  rumours     looked up once per batch and segment
    its term leaf          0       -      -
    leaves on words        -       -      2         of prefixes, wildcards, fuzzy words and patterns
    document 7           0 2, and the phrases that stand in it (see `phrases`)

Cost: a look-up per distinct word of the batch, then a few nanoseconds per token.
"""

from __future__ import annotations

import threading
from typing import Final, NamedTuple

import numpy as np

from watchword.coding.cells import Cells
from watchword.coding.documents import Documents, documents_of
from watchword.coding.encode_patterns import Derived
from watchword.coding.pattern_memory import PatternMemory
from watchword.coding.phrases import Phrases, Places, find_phrases, phrases_of, places_for
from watchword.coding.ranges import starts_of
from watchword.coding.text_leaves import (
    ANY_ONE,
    ANY_RUN,
    FUZZY,
    LEAF_HOLDS,
    PREFIX,
    REGEX,
    TERM,
    WILDCARD,
    TextField,
)
from watchword.coding.values import I32, I64
from watchword.coding.word_numbers import WordNumbers
from watchword.coding.word_pairs import FULL
from watchword.kernel import lean
from watchword.text import lookup, pattern_keys
from watchword.text.lookup import WordPattern

_SPARE: Final = 64


class TextCoder:
    """What one segment needs to read texts."""

    def __init__(self, fields: list[TextField], first_leaf: int) -> None:
        counts = np.array([len(field.leaves.kind) for field in fields], np.int64)
        first = first_leaf + starts_of(counts)
        self._given = list(zip(fields, first.tolist(), strict=False))
        self._lock = threading.Lock()
        self._coders: list[_FieldCoder] | None = None

    def _fields(self) -> list[_FieldCoder]:
        """Made when the first batch comes: opening an index does not wait for it."""
        with self._lock:
            if self._coders is None:
                self._coders = [_FieldCoder(field, first) for field, first in self._given]
            return self._coders

    def derive(self, cells: Cells, local_attribute: I32, others: Derived) -> Derived:
        """The codes of all leaves that hold and these others, in the order of the cells."""
        for field in self._fields():
            for attribute in np.flatnonzero(local_attribute == field.attribute).tolist():
                found = field.derive(documents_of(cells, attribute, field.analyzer))
                others = _joined(others, found) if len(others.cell) else found
        return others


def _joined(a: Derived, b: Derived) -> Derived:
    """Both in the order of the cells."""
    cell = np.concatenate([a.cell, b.cell])
    order = np.argsort(cell, kind="stable")
    return Derived(
        cell[order],
        np.concatenate([a.dimension, b.dimension])[order],
        np.concatenate([a.code, b.code])[order],
        np.concatenate([a.flags, b.flags])[order],
    )


class _Words(NamedTuple):
    """What the words of a batch's vocabulary stand for."""

    word: I32  # among the segment's words, -1: none of them
    term_leaf: I32  # -1: none
    first: I64  # its other leaves
    last: I64
    leaf: I32


class _FieldCoder:
    def __init__(self, field: TextField, first_dimension: int) -> None:
        leaves = field.leaves
        self.attribute = field.attribute
        self.analyzer = field.analyzer
        self._first_dimension = first_dimension
        self._leaf_count = len(leaves.kind)
        self._numbers = WordNumbers(leaves.offsets, leaves.data, leaves.hash)
        terms = np.flatnonzero(leaves.kind == TERM)
        self._term_leaf = np.full(len(leaves.hash) + 1, -1, np.int32)  # the last one is that of no word
        self._term_leaf[leaves.word[leaves.starts[terms]]] = terms
        self._phrases = phrases_of(leaves)
        patterns = np.flatnonzero((leaves.kind >= PREFIX) & (leaves.kind <= REGEX)).astype(np.int32)
        self._patterns = PatternMemory([_pattern(field, leaf) for leaf in patterns.tolist()], patterns)

    def derive(self, documents: Documents) -> Derived:
        tokens = documents.tokens
        number = self._numbers.of(tokens.vocabulary)
        words = _Words(number, self._term_leaf[number], *self._patterns.find(tokens.vocabulary))
        places = places_for(self._phrases, number, len(tokens.term))
        seen, leaf_seen = np.zeros(len(number), np.int32), np.zeros(self._leaf_count, np.int32)
        cell, leaf = np.empty(len(tokens.term) + _SPARE, np.int64), np.empty(len(tokens.term) + _SPARE, np.int32)
        texts = (documents.cell, documents.document, tokens.starts, tokens.term, tokens.position)
        done, used = 0, np.zeros(1, np.int64)
        while True:
            done = _find(*texts, words, self._phrases, places, seen, leaf_seen, done, cell, leaf, used)
            if done == len(documents.cell):
                break
            cell, leaf = np.append(cell, cell), np.append(leaf, leaf)
            for marks in (seen, leaf_seen, places.mark):
                marks[:] = 0  # the document that did not fit comes again
        count = int(used[0])
        return Derived(
            cell[:count],
            leaf[:count] + np.int32(self._first_dimension),
            np.full(count, LEAF_HOLDS, np.int32),
            np.zeros(count, np.uint8),
        )


def _pattern(field: TextField, leaf: int) -> WordPattern:
    leaves = field.leaves
    kind, parameter = int(leaves.kind[leaf]), int(leaves.parameter[leaf])
    text = field.word_text(int(leaves.word[leaves.starts[leaf]]))
    if kind == WILDCARD:
        segments = [[None if sign == ANY_ONE else sign for sign in run] for run in text.split(ANY_RUN)]
        return WordPattern(pattern_keys.WILDCARD, segments=segments)
    if kind == FUZZY:
        return WordPattern(pattern_keys.FUZZY, text, parameter)
    if kind == REGEX:
        return WordPattern(lookup.REGEX, f"(?i){text}" if parameter else text)
    return WordPattern(pattern_keys.PREFIX, text)


@lean
def _find(
    cell: I64,
    document: I32,
    starts: I64,
    term: I32,
    position: I32,
    words: _Words,
    phrases: Phrases,
    places: Places,
    seen: I32,
    leaf_seen: I32,
    begin: int,
    out_cell: I64,
    out_leaf: I32,
    used: I64,
) -> int:
    """Write the leaves that hold for the documents from cell `begin` on; the cell from which on they did not fit."""
    with_phrases = len(phrases.leaf) > 0
    while begin < len(cell):
        end = begin + 1
        while end < len(cell) and document[end] == document[begin]:
            end += 1
        mark = document[begin] + 1
        n = used[0]
        if n == len(out_leaf):
            return begin
        out_leaf[n] = len(leaf_seen) - 1  # PRESENT
        n += 1
        for c in range(begin, end):
            n = _words_of_text(starts[c], starts[c + 1], term, words, seen, leaf_seen, mark, n, out_leaf)
            if n == FULL:
                return begin
        if with_phrases:
            n = find_phrases(
                begin, end, starts, term, position, words.word, phrases, places, leaf_seen, mark, n, out_leaf
            )
            if n == FULL:
                return begin
        for i in range(used[0], n):
            out_cell[i] = cell[end - 1]
        used[0] = n
        begin = end
    return begin


@lean
def _words_of_text(
    first: int, last: int, term: I32, words: _Words, seen: I32, leaf_seen: I32, mark: int, n: int, out: I32
) -> int:
    """The leaves on words of one text of the document."""
    term_leaf, first_leaf, last_leaf, leaf = words.term_leaf, words.first, words.last, words.leaf
    if n + last - first > len(out):
        return FULL
    for i in range(first, last):
        t = term[i]
        if seen[t] == mark:
            continue
        seen[t] = mark
        out[n] = term_leaf[t]
        n += term_leaf[t] >= 0
        for k in range(first_leaf[t], last_leaf[t]):
            if leaf_seen[leaf[k]] != mark:
                leaf_seen[leaf[k]] = mark
                if n + last - i > len(out):
                    return FULL
                out[n] = leaf[k]
                n += 1
    return n
