"""What is put into the lists: a conjunction or an AND of clauses, with its pivot attributes and its predicates.

    S3: C = 6 AND B <= 4 AND E BETWEEN 3 AND 12     pivot C   counter 4   C = 6, B <= 4, E >= 3, E <= 12
    (A = 1 OR B = 2) AND C = 3 AND (D = 4 OR ...)   pivot C   bits 111    A = 1 and B = 2 clear bit 0, C = 3 bit 1 ...

The pivot attribute of a conjunction is the one that events have least often (section 4.1); of equal ones the first
that the subscription names. A unit is found by the counter or bitmap that it starts with reaching 0.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.coded import Conditions
from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean
from watchword.structures.conjunctions import VERIFY, Conjunctions
from watchword.structures.opindex.predicates import Domain, Predicates, room_for, write_condition
from watchword.structures.opindex.trie import Trie

MOST_COUNTED: Final = 255  # predicates of a conjunction: counters are bytes

F64 = npt.NDArray[np.float64]
U64 = npt.NDArray[np.uint64]


class Units(NamedTuple):
    subject: I32  # unit -> its expression, or ~(a conjunction of it) where that must be asked more
    need: U64  # unit -> the counter or bitmap that it starts with
    pivot_starts: I64
    pivot: I32
    starts: I64  # unit -> its predicates
    operator: U8
    dimension: I32
    key: I32
    clause: U8


class Rewriting(NamedTuple):
    """What predicates are rewritten with."""

    domain: Domain
    trie: Trie
    frequency: F64  # dimension -> how often events have it


def subject_of(conjunctions: Conjunctions, which: I64) -> I32:
    """An expression that holds as soon as this conjunction is found stands for itself."""
    plain = conjunctions.flags[which] == 0
    return np.where(plain, conjunctions.expression[which], ~which).astype(np.int32)


def units_of_conjunctions(conjunctions: Conjunctions, which: I64, sets: Conditions, rewriting: Rewriting) -> Units:
    """A conjunction whose predicates do not say all is marked to be verified."""
    need, pivot = np.empty(len(which), np.uint64), np.empty(len(which), np.int32)
    starts = np.zeros(len(which) + 1, np.int64)
    counted, out = room_for(0), room_for(0)
    for _ in range(2):
        out = room_for(int(counted.used[0]))
        _write_conjunctions(conjunctions, which, sets, rewriting, out, need, pivot, starts)
        counted = out
    return Units(
        subject_of(conjunctions, which),
        need,
        np.arange(len(which) + 1),
        pivot,
        starts,
        out.operator,
        out.dimension,
        out.key,
        out.clause,
    )


@lean
def _write_conjunctions(
    conjunctions: Conjunctions,
    which: I64,
    sets: Conditions,
    rewriting: Rewriting,
    out: Predicates,
    need: U64,
    pivot: I32,
    starts: I64,
) -> None:
    for u in range(len(which)):
        c = which[u]
        out.exact[0] = 1
        counted, rarest = 0, conjunctions.starts[c]
        for i in range(conjunctions.starts[c], conjunctions.starts[c + 1]):
            d, before = conjunctions.dimension[i], out.used[0]
            # conditions stand in the reverse of the order in which they were written
            if rewriting.frequency[d] <= rewriting.frequency[conjunctions.dimension[rarest]]:
                rarest = i
            wanted = write_condition(
                out,
                rewriting.domain,
                rewriting.trie,
                sets,
                d,
                conjunctions.low[i],
                conjunctions.high[i],
                conjunctions.set_of[i],
                conjunctions.form[i],
            )
            if counted + wanted > MOST_COUNTED:
                out.used[0], out.exact[0] = before, 0
            else:
                counted += wanted
        if out.exact[0] == 0:
            conjunctions.flags[c] |= VERIFY
        need[u], pivot[u], starts[u + 1] = counted, conjunctions.dimension[rarest], out.used[0]
