"""Pairs of a document and a query whose terms it has, found query by query, become matches document by document.

    pairs      (2, Q1) (6, Q1) (2, Q3) ...       in the order in which queries are evaluated, many documents each
    matches    2: Q1 Q3    6: Q1   ...           by document, with the duplicates of each query

Cost: each pair is counted and placed once by its document, then accepted: what must be verified is, on the document's
values. 12 bytes per pair.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64, U8
from watchword.kernel import AHEAD, lean, prefetch
from watchword.structures.conjunctive import State, Subjects, accept, enter, leave
from watchword.structures.structure import CANDIDATES, U32

MOST_PAIRS: Final = 1 << 24
"""Of a batch, while it has several documents: one that finds more is cut in two."""


class Pairs(NamedTuple):
    document: I32
    query: I32
    by_document: I32  # the queries again
    starts: I64  # document -> its own there


def room_for_pairs(pairs: int, documents: int) -> Pairs:
    document, query, by_document = (np.empty(pairs, np.int32) for _ in range(3))
    return Pairs(document, query, by_document, np.empty(documents + 1, np.int64))


@lean
def sort_pairs(pairs: Pairs, count: int, documents: int) -> None:
    starts = pairs.starts
    starts[: documents + 1] = 0
    for i in range(count):
        starts[pairs.document[i]] += 1
    at = 0
    for d in range(documents):
        size = starts[d]
        starts[d] = at
        at += size
    for i in range(count):
        d = pairs.document[i]
        pairs.by_document[starts[d]] = pairs.query[i]
        starts[d] += 1
    for d in range(documents, 0, -1):
        starts[d] = starts[d - 1]
    starts[0] = 0


@lean
def deliver(
    subjects: Subjects,
    same: I32,
    says_less: U8,
    events: CodedEvents,
    first: int,
    documents: int,
    pairs: Pairs,
    starts: I64,
    out: U32,
    state: State,
) -> int:
    """Write the matches of the events from `first` on; the one for which there was no room, or the one after all."""
    candidates = state.counts[CANDIDATES]
    d = 0
    while d < documents and starts[first + d] + subjects.count <= len(out):
        e = first + d
        n = starts[e]
        many = enter(state, events, e)
        last = pairs.starts[d + 1]
        for i in range(pairs.starts[d], last):
            soon = np.int64(pairs.by_document[min(last - 1, i + AHEAD)])
            prefetch(subjects.flags, soon)
            prefetch(subjects.expression, soon)
            query = pairs.by_document[i]
            while query >= 0:
                n = accept(subjects, state, out, n, query, many or says_less[query] != 0)
                query = same[query] if len(same) else -1
        leave(state, events, e, many)
        starts[e + 1] = n
        d += 1
    state.counts[CANDIDATES] = candidates  # what was evaluated before, not every match
    return first + d
