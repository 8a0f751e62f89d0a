"""Measures the times of the cost function on a batch of the training set, before the queries are indexed (thesis, 6.4).

queries whose representative term the batch has, some of each number of terms
    --check--> time_check        --AND of all their bits--> time_AND       --documents of those left--> time_avoid
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32
from watchword.kernel import lean
from watchword.structures.luwak.check import Stored, check_all, room_for_cursors
from watchword.structures.luwak.documents import (
    U64,
    Documents,
    index_documents,
    map_documents,
    room_for_documents,
    take_in,
    with_room_for,
    with_room_for_bits,
    words_for,
)
from watchword.structures.luwak.filter import write_documents
from watchword.structures.luwak.pairs import Pairs, room_for_pairs
from watchword.structures.luwak.queries import representatives, sizes_of
from watchword.structures.luwak.times import ROWS, Times
from watchword.structures.terms.vocabulary import TermSets, room_for_terms

SAMPLED: Final = 5_000  # queries of each number of terms
REPEATS: Final = 3


def calibrate(stored: Stored, sets: TermSets, training: CodedEvents, batch_size: int, otherwise: Times) -> Times:
    """The times on this machine; those of `otherwise` where the training set has nothing to measure them on."""
    count = min(batch_size, len(training.starts) - 1)
    documents = _batch(stored, training, count)
    candidates = np.flatnonzero(documents.row[representatives(sets)] >= 0)
    row_of = np.clip(sizes_of(sets)[candidates] - 2, 0, ROWS - 1)
    check, avoid, ands = otherwise.check.copy(), otherwise.avoid.copy(), []
    for row in range(ROWS):
        queries = candidates[row_of == row]
        queries = queries[:: len(queries) // SAMPLED + 1].astype(np.int32)
        if len(queries) > 0:
            pairs = room_for_pairs(len(queries) * count, count)
            check[row] = _time_check(stored, documents, count, queries, pairs)
            one_and, avoided = _time_bits(sets, documents, count, queries, pairs)
            ands.append(one_and)
            avoid[row] = min(avoid[row], check[row]) if avoided is None else avoided
    return Times(check, float(np.mean(ands)) if ands else otherwise.one_and, avoid, True)


def _batch(stored: Stored, training: CodedEvents, count: int) -> Documents:
    vocabulary = stored.vocabulary
    documents = with_room_for(room_for_documents(vocabulary), int(training.starts[count]), count)
    rows = take_in(vocabulary, training, 0, count, room_for_terms(vocabulary), documents)
    documents = with_room_for_bits(documents, rows, count)
    index_documents(documents, rows, count)
    map_documents(documents, rows, count)
    return documents


def _time_check(stored: Stored, documents: Documents, count: int, queries: I32, pairs: Pairs) -> float:
    cursors = room_for_cursors(stored.conjunctions)
    return _seconds(lambda: check_all(stored, documents, count, queries, cursors, pairs, 0)) * 1e9 / len(queries)


def _time_bits(
    sets: TermSets, documents: Documents, count: int, queries: I32, pairs: Pairs
) -> tuple[float, float | None]:
    """Of one AND; and of picking the documents of a query, if any query has some."""
    words = words_for(count)
    bits = np.zeros((len(queries), words), np.uint64)
    ands = int(_and_all(sets, documents, queries, words, bits.reshape(-1)))
    one_and = _seconds(lambda: _and_all(sets, documents, queries, words, bits.reshape(-1))) * 1e9 / max(1, ands)
    left = np.flatnonzero(bits.any(axis=1))
    if len(left) == 0:
        return one_and, None
    left = np.resize(left, len(queries))  # again and again: of few the call would take longest
    of_left = bits[left].reshape(-1)
    return one_and, _seconds(lambda: _write_all(of_left, words, queries[left], pairs)) * 1e9 / len(left)


def _seconds(step: Callable[[], Any]) -> float:
    """The least of a few times, after one that compiles."""
    step()
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        step()
        times.append(time.perf_counter() - begun)
    return min(times)


@lean
def _and_all(sets: TermSets, documents: Documents, queries: I32, words: int, bits: U64) -> int:
    """The bits that all terms of each query have in common; how many ANDs it took."""
    ands = 0
    for i in range(len(queries)):
        last = sets.starts[queries[i] + 1] - 1
        row = np.int64(documents.row[sets.terms[last]])
        for w in range(words):
            bits[i * words + w] = documents.bits[row * words + w]
        for at in range(sets.starts[queries[i]], last):
            row = np.int64(documents.row[sets.terms[at]])
            ands += 1
            for w in range(words):
                bits[i * words + w] &= documents.bits[row * words + w] if row >= 0 else np.uint64(0)
    return ands


@lean
def _write_all(bits: U64, words: int, queries: I32, pairs: Pairs) -> int:
    n = 0
    for i in range(len(queries)):
        n = write_documents(bits[i * words : (i + 1) * words], 0, words, queries[i], pairs, n)
    return n
