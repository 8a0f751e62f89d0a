"""Query term collection: how many extra terms of a query are indexed (thesis, 5.5).

    query, by weight         lucene   revolution   conference   the
    partial probability         1       0.0004       0.00001     ...    by the matrix where it has the pair, else by
                                                                        the document frequency of the term alone
    gain of j extra terms       0    time_check * (1 - probability) - j * time_AND
            of all of them           time_check - probability * time_avoid - j * time_AND

The number with the highest gain wins, from the greedy threshold on: the first number for which fewer than one document
of a batch is expected to be left. Where none is, all terms are indexed; by the letter of the thesis's algorithm none
would be (`greedy_threshold="none"`). A common query, all of whose terms (or pairs of neighbours) are frequent, is
indexed whole. Cost: a look-up in the matrix per term.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from watchword.coding.values import I32
from watchword.kernel import kernel, lean
from watchword.structures.luwak.cooccurrence import F64, Matrix, find_probability
from watchword.structures.luwak.times import Times, row_of_times
from watchword.structures.terms.vocabulary import TermSets

GREEDY: Final = ("all", "none", "off")
"""What is indexed of a query for which no number of terms reaches the threshold; or there is no threshold."""

FREQUENT_SHARE: Final = 0.0067
"""Of the distinct terms: those whose probabilities are the highest are frequent (thesis, 6.3)."""

_ALL: Final = GREEDY.index("all")
_OFF: Final = GREEDY.index("off")


class Collection(NamedTuple):
    """What the decision needs."""

    probability: F64  # term -> the share of documents that have it
    frequent: float  # a term is frequent whose probability is above this
    matrix: Matrix
    times: Times
    batch_size: int
    common_queries: bool  # are there rules for them?
    greedy_threshold: int  # in GREEDY


def frequent_above(probability: F64, share: float) -> float:
    """The probability above which this share of the distinct terms of the training set lies."""
    known = np.sort(probability[probability > 0])[::-1]
    rank = int(share * len(known))
    return float(known[rank]) if rank < len(known) else 0.0


def with_terms(collection: Collection, terms: int) -> Collection:
    """Terms that have come since: no document of the training set has them."""
    more = np.zeros(max(0, terms - len(collection.probability)))
    return collection._replace(probability=np.concatenate([collection.probability, more]))


@kernel
def collect(collection: Collection, sets: TermSets) -> I32:
    """The number of extra terms of each query."""
    out = np.empty(len(sets.starts) - 1, np.int32)
    probabilities = np.empty(256)
    for i in range(len(out)):
        out[i] = _decide(collection, sets, i, probabilities)
    return out


@lean
def _decide(collection: Collection, sets: TermSets, i: int, probabilities: F64) -> int:
    last = sets.starts[i + 1] - 1  # the representative term: terms stand by frequency
    size = last + 1 - sets.starts[i]
    batch = collection.batch_size
    partial, frequent = 1.0, 0
    begin = size - 1 if collection.greedy_threshold == _ALL else size
    probabilities[0] = 1.0
    for j in range(1, size):
        before, term = sets.terms[last - j + 1], sets.terms[last - j]
        of_pair = find_probability(collection.matrix, before, term)
        if of_pair > 0:
            partial *= of_pair
            frequent += 1
        else:
            partial *= collection.probability[term]
            frequent += collection.probability[term] > collection.frequent
        probabilities[j] = partial
        if j < begin and (1 - (1 - partial) ** batch) * batch < 1:
            begin = j
    if collection.common_queries and frequent == size - 1:
        return size - 1
    return _maximum_gain(collection.times, probabilities, size, 1 if collection.greedy_threshold == _OFF else begin)


@lean
def _maximum_gain(times: Times, probabilities: F64, size: int, begin: int) -> int:
    row = row_of_times(size)
    check = times.check[row]
    most, best = 0.0, 0
    for j in range(begin, size):
        if j < size - 1:
            gain = check * (1 - probabilities[j]) - j * times.one_and
        else:
            gain = check - j * times.one_and - probabilities[j] * times.avoid[row]
        if gain >= most:
            most, best = gain, j
    return best


def describe_collection(collection: Collection) -> dict[str, Any]:
    times = collection.times
    return {
        "time_check ns": times.check.round(1).tolist(),
        "time_AND ns": round(float(times.one_and), 2),
        "time_avoid ns": times.avoid.round(1).tolist(),
        "times": "measured" if times.measured else "thesis",
        "frequent above": collection.frequent,
        "pairs in matrix": len(collection.matrix.pairs),
    }
