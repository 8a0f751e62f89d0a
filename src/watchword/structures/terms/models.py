"""What CIL, RIL and ROT should cost, from the distributions of terms and lengths alone (EDBT'12, section 3).

    P         probability of each term, by rank: the most frequent first      (|V| numbers)
    theta     probability of each length of a subscription: theta[k - 1] of k terms
    |S|       how many subscriptions

A subscription is taken for k draws of a term, independent of one another. Sizes are numbers of entries; `Weights` makes
bytes of them, `Times` seconds. Three of the paper's formulas are written here as counts of built structures want them:

    (5)  a list's share of the postings goes with the probability that one subscription has the term: that any of all
         subscriptions has it is near 1 for every frequent term
    (8)  k draws meet a path of p terms and one more in k! / (k - p - 1)! orders, not in the binomial of k and p
    theorem 1  multiplies the probability of a node by that of its parent. A node that is there has its parent, so its
         own is enough. Where nearly all paths are there, as in the paper's table 3, both give the same: `nested`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2, perm
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]


class Weights(NamedTuple):
    """Bytes: w(c), w(v), w(p) and w(n) of the paper's table 2, those of its section 4.1 (4-byte ids, byte counters)."""

    counter: float = 1
    dictionary: float = 12
    posting: float = 4
    node: float = 128


class Times(NamedTuple):
    """Seconds: the paper's tau for copying a counter, counting one down, checking a posting, visiting a node."""

    copy: float
    decrement: float
    check: float
    node: float


@dataclass(frozen=True)
class Model:
    probability: F64
    theta: F64
    subscriptions: int

    @property
    def average_length(self) -> float:
        return float(self.theta @ self._lengths)

    @property
    def _lengths(self) -> F64:
        return np.arange(1.0, len(self.theta) + 1)

    @property
    def _at_most(self) -> F64:
        """sigma: the probability of a term of at most this rank."""
        return np.cumsum(self.probability)

    def _before(self) -> F64:
        return np.append(0.0, self._at_most[:-1])

    def _in_some(self, in_one: F64) -> F64:
        """The probability that something true of a subscription with probability `in_one` is true of any of all."""
        some: F64 = 1 - (1 - in_one) ** self.subscriptions
        return some

    def in_subscription(self) -> F64:
        """Equation (1): the probability that a subscription has the term."""
        has: F64 = 1 - (1 - self.probability[:, None]) ** self._lengths @ self.theta
        return has

    def vocabulary(self) -> float:
        """|V_S|: how many terms some subscription has."""
        return float(self._in_some(self.in_subscription()).sum())

    # --- CIL ------------------------------------------------------------------------------------------------------

    def cil_nodes(self) -> float:
        """Entries of all posting lists."""
        return self.subscriptions * self.average_length

    def cil_postings(self) -> F64:
        """Equation (5): the entries of each term's list."""
        share = self.in_subscription()
        return share / share.sum() * self.cil_nodes()

    def cil_bytes(self, w: Weights) -> float:
        """Equations (2), (3) and (4)."""
        return self.subscriptions * w.counter + self.vocabulary() * w.dictionary + self.cil_nodes() * w.posting

    def cil_visited(self, item: Sequence[int]) -> float:
        """The postings read for an item with the terms of these ranks, counted from 0."""
        return float(self.cil_postings()[list(item)].sum())

    def cil_seconds(self, item: Sequence[int], times: Times) -> float:
        return self.subscriptions * times.copy + self.cil_visited(item) * times.decrement

    # --- RIL ------------------------------------------------------------------------------------------------------

    def _key_by_length(self) -> F64:
        """Row: a term, column: a length. The probability that a subscription has it and the term is its key."""
        k = self._lengths
        key: F64 = self.theta * k * self.probability[:, None] * self._before()[:, None] ** (k - 1)
        return key

    def ril_key(self) -> F64:
        """Post(s, t): the probability that a subscription stands in the list of the term."""
        return self._key_by_length().sum(axis=1)

    def ril_lists(self) -> float:
        """The terms that are in the dictionary."""
        return float(self._in_some(self.ril_key()).sum())

    def ril_nodes(self) -> float:
        """As many entries as CIL has."""
        return self.cil_nodes()

    def ril_postings(self) -> F64:
        """Equation (7): the terms that stand in each list, those of the key counted."""
        return self.subscriptions * self._key_by_length() @ self._lengths

    def ril_bytes(self, w: Weights) -> float:
        """Equation (6), and the postings."""
        return self.ril_lists() * w.dictionary + self.ril_nodes() * w.posting

    def ril_visited(self, item: Sequence[int]) -> float:
        """The subscriptions in the lists that an item reads."""
        return float(self.subscriptions * self.ril_key()[list(item)].sum())

    def ril_seconds(self, item: Sequence[int], times: Times) -> float:
        """Sorting the item's terms, and its lists: each of their terms is compared with those of the item."""
        size = len(item)
        return size * (log2(max(2, size)) + float(self.ril_postings()[list(item)].sum())) * times.check

    # --- ROT ------------------------------------------------------------------------------------------------------

    def rot_nodes(self, *, nested: bool = False) -> float:
        """Theorem 1: the nodes of the trie, E(lambda, 0). The paths are followed one by one: for small vocabularies."""
        return self.rot_visited(range(len(self.probability)), nested=nested)

    def rot_visited(self, item: Sequence[int], *, nested: bool = False) -> float:
        """Theorem 2: the nodes that an item with the terms of these ranks visits: those of the trie of its terms."""
        ranks = np.array(sorted(item), np.int64)
        expected = 0.0
        # all paths of a length: the product of their terms' probabilities, that of their last node, the next term
        product, there, following = np.ones(1), np.ones(1), np.zeros(1, np.int64)
        for length in range(len(self.theta)):
            parent, j = _pairs(following, len(ranks))
            product = product[parent] * self.probability[ranks[j]]
            node = self._in_some(product * self._ways(length)[ranks[j]])
            there = node * there[parent] if nested else node
            expected += float(there.sum())
            following = j + 1
        return expected

    def _ways(self, length: int) -> F64:
        """Lemma 1 without the product: a path of this length and this term more, all others of higher rank."""
        higher = len(self.probability) - 1 - np.arange(len(self.probability))
        beyond = np.maximum(0.0, 1 - self._at_most)
        ways = np.zeros(len(beyond))
        for k in range(length + 1, len(self.theta) + 1):
            others = k - length - 1
            ways += np.where(others <= higher, self.theta[k - 1] * perm(k, length + 1) * beyond**others, 0.0)
        return ways

    def rot_bytes(self, w: Weights) -> float:
        """Equation (10)."""
        return self.rot_nodes() * w.node

    def rot_seconds(self, item: Sequence[int], times: Times) -> float:
        """Equation (11); comparing two terms when they are sorted takes as long as checking one."""
        size = len(item)
        return size * log2(max(2, size)) * times.check + self.rot_visited(item) * times.node


def _pairs(following: npt.NDArray[np.int64], last: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Each path with each next term before `last`: the path's number, the term."""
    counts = np.maximum(0, last - following)
    parent = np.repeat(np.arange(len(following)), counts)
    begin = np.cumsum(counts) - counts
    return parent, np.arange(len(parent)) - begin[parent] + following[parent]
