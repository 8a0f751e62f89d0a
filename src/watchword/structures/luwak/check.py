"""Full evaluation of queries on a batch of documents, as Luwak does it (thesis, 3.3 and Figures 3 to 8).

    lucene       2   *18   22 ...      the lead: fewest documents. The other lists advance to its document, and
    revolution   6  *22   31 ...       the lead to any that one of them finds behind it; where all have the same
    the          1 .. *18 ..           it is a match

Invariant: a list never goes back. Cost: per term of the query the way from its condition to the list of documents,
then at most a step per document of its lists.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.values import I32, I64
from watchword.kernel import inlined, lean
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.luwak.documents import Documents
from watchword.structures.luwak.pairs import Pairs
from watchword.structures.terms.vocabulary import Vocabulary, slot_of

FULL: Final = -1


class Cursors(NamedTuple):
    """Of the query at hand: where each of its lists of documents stands, and ends. The shortest list comes first."""

    at: I64
    end: I64
    steps: I64  # [documents looked at, in all]


class Stored(NamedTuple):
    """The queries as they are stored, and how their conditions lead to lists."""

    conjunctions: Conjunctions
    vocabulary: Vocabulary


def room_for_cursors(conjunctions: Conjunctions) -> Cursors:
    most = int(np.diff(conjunctions.starts).max(initial=1))
    return Cursors(np.empty(most, np.int64), np.empty(most, np.int64), np.zeros(1, np.int64))


@lean
def check(stored: Stored, documents: Documents, query: int, cursors: Cursors, pairs: Pairs, n: int) -> int:
    """Write the query and its documents behind the first n pairs, where there is room; how many pairs there are."""
    lists = _open_lists(stored, documents, query, cursors)
    if lists == 0:
        return n
    at, end, posting = cursors.at, cursors.end, documents.posting
    begun = at[0]
    steps = 0
    while at[0] < end[0]:
        wanted = posting[at[0]]
        k = 1
        while k < lists:
            before = at[k]
            _advance(posting, at, end, k, wanted)
            steps += at[k] - before
            if at[k] == end[k]:
                cursors.steps[0] += steps + at[0] - begun
                return n
            if posting[at[k]] != wanted:
                break
            k += 1
        if k == lists:
            pairs.document[n], pairs.query[n] = wanted, query
            n += 1
            at[0] += 1
        else:
            _advance(posting, at, end, 0, posting[at[k]])
    cursors.steps[0] += steps + at[0] - begun
    return n


@inlined
def _advance(posting: I32, at: I64, end: I64, k: int, wanted: int) -> None:
    """Move list k to its first document that is not before the wanted one."""
    while at[k] < end[k] and posting[at[k]] < wanted:
        at[k] += 1


@lean
def _open_lists(stored: Stored, documents: Documents, query: int, cursors: Cursors) -> int:
    """The lists of the query's terms, the shortest first; 0 where a term is in no document."""
    c, vocabulary = stored
    at, end = cursors.at, cursors.end
    lists = 0
    for i in range(c.starts[query], c.starts[query + 1]):
        row = documents.row[vocabulary.term[slot_of(vocabulary, c, i)]]
        if row < 0:
            return 0
        size = documents.size[row]
        k = lists
        while k > 0 and end[k - 1] - at[k - 1] > size:
            at[k], end[k] = at[k - 1], end[k - 1]
            k -= 1
        end[k] = documents.end[row]
        at[k] = end[k] - size
        lists += 1
    return lists


@lean
def check_all(
    stored: Stored, documents: Documents, count: int, queries: I32, cursors: Cursors, pairs: Pairs, n: int
) -> int:
    """Check these queries on all `count` documents; how many pairs there are then, or FULL where they do not fit."""
    for i in range(len(queries)):
        if n + count > len(pairs.document):
            return FULL
        n = check(stored, documents, queries[i], cursors, pairs, n)
    return n
