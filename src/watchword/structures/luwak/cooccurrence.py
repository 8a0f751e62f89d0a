"""What a training set says of terms: document frequencies, and the pruned co-occurrence matrix (thesis, 5.5 and 6.2).

    document frequency   term -> documents that have it          probability df / n
    matrix               (term, a more frequent one) -> the share of documents that have both

    bits of the training set   term 0 | 1 0 1 1 0 ...     the frequent terms; what two have in common is counted
                               term 1 | 0 0 1 1 1 ...     by an AND

Pruned: a pair that fewer than a given share of the documents have is left out (the thesis: 200 of 49,744), and so is
one that no query has side by side, for only those are asked. Invariant: a pair is a key `rarer << 32 | other`, the
keys ascend. Cost: building takes a bit per frequent term and document, at most MOST_BYTES (beyond, the least frequent
terms go without), and an AND per pair that is asked; 16 bytes per pair are kept.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.codebook import set_bits
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64
from watchword.kernel import kernel, lean
from watchword.structures.luwak.documents import U64, WORD, words_for
from watchword.structures.terms.vocabulary import Offered, TermSets, Vocabulary, offer, room_for_terms, withdraw

F64 = npt.NDArray[np.float64]

MOST_BYTES: Final = 256 << 20


class Matrix(NamedTuple):
    pairs: I64
    probability: F64


NO_MATRIX: Final = Matrix(np.empty(0, np.int64), np.empty(0))


def document_frequencies(vocabulary: Vocabulary, training: CodedEvents) -> I64:
    frequencies = np.zeros(int(vocabulary.count[0]), np.int64)
    _count_documents(vocabulary, training, room_for_terms(vocabulary), frequencies)
    return frequencies


@lean
def _count_documents(vocabulary: Vocabulary, events: CodedEvents, offered: Offered, frequencies: I64) -> None:
    for e in range(len(events.starts) - 1):
        count = offer(vocabulary, events, e, offered)
        for i in range(count):
            frequencies[offered.terms[i]] += 1
        withdraw(offered, count)


def build_matrix(
    vocabulary: Vocabulary, sets: TermSets, training: CodedEvents, frequencies: I64, threshold: float
) -> Matrix:
    """Of the neighbours in `sets`: the pairs that at least a share of `threshold` of the documents have."""
    documents = len(training.starts) - 1
    least = max(1, int(np.ceil(threshold * documents)))
    words = words_for(documents)
    # terms are numbered by frequency, so the frequent ones come first
    frequent = min(int(np.count_nonzero(frequencies >= least)), MOST_BYTES // (8 * max(1, words)))
    pairs = np.unique(_neighbours(sets, frequent))
    bits = np.zeros(frequent * words, np.uint64)
    _set_bits_of(vocabulary, training, room_for_terms(vocabulary), frequent, words, bits)
    common = _documents_in_common(pairs, words, bits)
    often = common >= least
    return Matrix(pairs[often], common[often] / max(1, documents))


@kernel
def _neighbours(sets: TermSets, frequent: int) -> I64:
    """The pairs of frequent terms that are neighbours in the order by weight."""
    out = np.empty(len(sets.terms), np.int64)
    n = 0
    for i in range(len(sets.starts) - 1):
        for at in range(sets.starts[i] + 1, sets.starts[i + 1]):
            if sets.terms[at] < frequent:  # and then the one before it too
                out[n] = pair_of(sets.terms[at], sets.terms[at - 1])
                n += 1
    return out[:n]


@lean
def pair_of(rarer: int, other: int) -> int:
    return np.int64(rarer) << 32 | np.int64(other)


@lean
def _set_bits_of(
    vocabulary: Vocabulary, events: CodedEvents, offered: Offered, frequent: int, words: int, bits: U64
) -> None:
    for e in range(len(events.starts) - 1):
        count = offer(vocabulary, events, e, offered)
        for i in range(count):
            term = np.int64(offered.terms[i])
            if term < frequent:
                bits[term * words + e // WORD] |= np.uint64(1) << np.uint64(e % WORD)
        withdraw(offered, count)


@kernel
def _documents_in_common(pairs: I64, words: int, bits: U64) -> I64:
    out = np.zeros(len(pairs), np.int64)
    for i in range(len(pairs)):
        one, other = (pairs[i] >> 32) * words, (pairs[i] & 0xFFFFFFFF) * words
        for w in range(words):
            out[i] += set_bits(bits[one + w] & bits[other + w])
    return out


@lean
def find_probability(matrix: Matrix, rarer: int, other: int) -> float:
    """That a document has both; 0 where the matrix does not have the pair."""
    wanted = pair_of(rarer, other)
    low, high = 0, len(matrix.pairs)
    while low < high:
        middle = (low + high) >> 1
        if matrix.pairs[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return matrix.probability[low] if low < len(matrix.pairs) and matrix.pairs[low] == wanted else 0.0
