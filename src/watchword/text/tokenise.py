"""Many texts at once from UTF-8 bytes to numbers of terms: exactly the terms and positions of `Analyzer.tokens`.

    texts       "Google news"  "News, Über"
    starts      0 2 4
    term        0 1 1 2        numbers in the batch's vocabulary: google news über
    position    0 1 0 1

Kernels cut, fold, hash and number words without a Python object each. What they cannot do, text beyond ASCII and
English stems, is done once for each distinct word of the batch (see `replacements`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from watchword.coding.parts import writable
from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean
from watchword.text.analyzers import Analyzer, Cut
from watchword.text.eight_bytes import PADDING, mark_beyond_ascii
from watchword.text.replacements import replace
from watchword.text.scan_pieces import number_grams, number_runs
from watchword.text.scan_words import number_words
from watchword.text.vocabulary import Table, Vocabulary, Words, hash_words

_USUAL: Final[dict[tuple[str, int], tuple[int, int]]] = {}
"""Of an analyzer and a size of batches, what room the last vocabulary had: it is made at once, not doubled to."""


@dataclass(slots=True)
class Tokens:
    starts: I64
    """Text i has the tokens from starts[i] to starts[i + 1]."""
    term: I32
    position: I32
    vocabulary: Vocabulary


def tokenise(analyzer: Analyzer, data: U8, begins: I64, lengths: I32) -> Tokens:
    """Analyze the texts data[begins[i] : begins[i] + lengths[i]]."""
    data = writable(data)
    size = int(lengths.sum(dtype=np.int64)).bit_length()
    words = Words(*_USUAL.get((analyzer.name, size), ()))
    starts = np.zeros(len(begins) + 1, np.int64)
    if analyzer.cut is Cut.WHOLE:
        numbers = _number_whole(data, begins, lengths, words, starts)
    else:
        numbers = _number_pieces(analyzer, data, begins, lengths, words, starts)
    _USUAL[analyzer.name, size] = words.room
    position = np.empty(len(numbers), np.int32)
    _count_up(starts, position)
    if analyzer.cut in (Cut.WORDS, Cut.SPACES):
        return Tokens(*replace(analyzer, starts, numbers, position, words))
    return Tokens(starts, numbers, position, words.vocabulary())


def _number_whole(data: U8, begins: I64, lengths: I32, words: Words, starts: I64) -> I32:
    some = lengths > 0
    np.cumsum(some, out=starts[1:])
    begins, lengths = begins[some], lengths[some]
    hashes = np.empty(len(begins), np.uint64)
    hash_words(data, begins, lengths, hashes)
    return words.numbers(data, begins, lengths, hashes)


def _number_pieces(analyzer: Analyzer, data: U8, begins: I64, lengths: I32, words: Words, starts: I64) -> I32:
    if analyzer.cut is Cut.GRAMS:
        data, begins, lengths = _fold_beyond_ascii(analyzer, data, begins, lengths)
    most = lengths if analyzer.cut is Cut.GRAMS else lengths // 2 + 1
    longest, most_of_one = int(lengths.max(initial=0)), int(most.max(initial=0))
    numbers = np.empty(int(most.sum(dtype=np.int64)), np.int32)
    folded = np.empty(longest + PADDING, np.uint8)
    pieces = (np.empty(most_of_one, np.int64), np.empty(most_of_one, np.int32), np.empty(most_of_one, np.uint64))

    def number(first: int, table: Table) -> int:
        if analyzer.cut is Cut.WORDS:
            return number_words(data, begins, lengths, first, folded, *pieces, table, starts, numbers)
        if analyzer.cut is Cut.SPACES:
            return number_runs(data, begins, lengths, first, *pieces, table, starts, numbers)
        return number_grams(data, begins, lengths, first, analyzer.gram, folded, *pieces, table, starts, numbers)

    _until_done(number, lengths, words)
    return numbers[: starts[-1]]


def _until_done(number: Callable[[int, Table], int], lengths: I32, words: Words) -> None:
    done = 0
    while (done := number(done, words.table)) < len(lengths):
        words.grow(int(lengths[done]))


def _fold_beyond_ascii(analyzer: Analyzer, data: U8, begins: I64, lengths: I32) -> tuple[U8, I64, I32]:
    """The same texts, those beyond ASCII folded, which may change their lengths."""
    marks = np.empty(len(begins), np.bool_)
    mark_beyond_ascii(data, begins, lengths, marks.view(np.uint8))
    mixed = np.flatnonzero(marks)
    if not len(mixed):
        return data, begins, lengths
    texts = [
        analyzer.fold(data[begin : begin + length].tobytes().decode("utf-8", "surrogatepass"))
        for begin, length in zip(begins[mixed].tolist(), lengths[mixed].tolist(), strict=True)
    ]
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    begins, lengths = begins.copy(), lengths.copy()
    lengths[mixed] = [len(text) for text in encoded]
    begins[mixed] = len(data) + np.cumsum(lengths[mixed], dtype=np.int64) - lengths[mixed]
    return np.concatenate((data, np.frombuffer(b"".join(encoded), np.uint8))), begins, lengths


@lean
def _count_up(starts: I64, position: I32) -> None:
    for text in range(len(starts) - 1):
        for token in range(starts[text], starts[text + 1]):
            position[token] = token - starts[text]
