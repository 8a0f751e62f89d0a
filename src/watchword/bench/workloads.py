"""The yardstick's workloads: subscriptions that are conjunctions of intervals, and events.

    dense         400 attributes, 5 to 9 predicates, 15 values per event, 1% of the subscriptions match
    sparse        20,000 attributes, 1 to 4 predicates, 5 to 20 values per event
    ...-skew      the same, attributes chosen by Zipf's law
    ranges        50 attributes, 20 of them bounded by a tenth of their values; events have all (H-Tree, Table II)
    keyword       2 to 10 of 200,000 words, documents of about 600: a word is an attribute with the value 1

Subscription i has k[i] predicates, one behind another: attribute `attr` between `lo` and `hi`. The random numbers of
all but `ranges` are those of the yardstick, draw by draw, so results compare across projects: do not reorder the draws.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Event = tuple[Integers, Integers]  # attributes and their values

DENSE_CARDINALITY: Final = 48
SPARSE_CARDINALITY: Final = 50
EVENTS: Final = 1000
COMMON: Final = 1000  # words of documents, the commonest, that no query has
OTHERS: Final = ("ranges", "keyword")


class Workload(NamedTuple):
    k: Integers
    attr: Integers
    lo: Integers
    hi: Integers
    events: list[Event]
    dims: int
    card: int  # values go from 0 to card - 1

    def first_rows(self, rows: int) -> Workload:
        return self._predicates(slice(0, rows), slice(0, int(self.k[:rows].sum())))

    def without_first_rows(self, rows: int) -> Workload:
        return self._predicates(slice(rows, None), slice(int(self.k[:rows].sum()), None))

    def and_rows_of(self, other: Workload) -> Workload:
        k, attr, lo, hi = (np.concatenate(pair) for pair in zip(self[:4], other[:4], strict=True))
        return self._replace(k=k, attr=attr, lo=lo, hi=hi)

    def _predicates(self, rows: slice, predicates: slice) -> Workload:
        attr, lo, hi = self.attr[predicates], self.lo[predicates], self.hi[predicates]
        return self._replace(k=self.k[rows], attr=attr, lo=lo, hi=hi)


def make_workload(name: str, subscriptions: int) -> Workload:
    if name in OTHERS:
        return (ranges if name == "ranges" else keyword)(subscriptions)
    kind, _, skew = name.partition("-")
    return (dense if kind == "dense" else sparse)(subscriptions, bool(skew))


def dense(n: int, skew: bool, seed: int = 1, dims: int = 400, bases: int = 100, size: int = 15) -> Workload:
    """Subscriptions and events vary a few common records, as BE-Gen makes them."""
    rng = np.random.default_rng(seed)
    card = DENSE_CARDINALITY
    weights = _zipf(dims) if skew else np.full(dims, 1 / dims)
    base_a = _pick_attributes(rng, weights, bases, size)
    base_v = rng.integers(0, card, (bases, size))
    b = rng.integers(0, bases, n)
    k = rng.integers(5, 10, n)
    slots = rng.random((n, size)).argsort(1)
    rows = np.repeat(np.arange(n), k)
    slot = slots[rows, np.arange(k.sum()) - np.repeat(np.cumsum(k) - k, k)]
    attr, val = base_a[b[rows], slot], base_v[b[rows], slot]
    u, w = rng.random(len(rows)), rng.integers(2, 11, len(rows))
    lo = np.clip(val - (rng.random(len(rows)) * w).astype(np.int64), 0, card - w)
    hi = lo + w - 1
    lo, hi = np.where(u < 0.3, val, lo), np.where(u < 0.3, val, hi)
    pick = rng.integers(0, bases, EVENTS)
    ea, ev = base_a[pick].copy(), base_v[pick].copy()
    ev[np.arange(EVENTS), rng.integers(0, size, EVENTS)] = rng.integers(0, card, EVENTS)
    return Workload(k, attr, lo, hi, [(ea[i], ev[i]) for i in range(EVENTS)], dims, card)


def sparse(n: int, skew: bool, seed: int = 2, dims: int = 20_000) -> Workload:
    """Few predicates over many attributes, with OpIndex's defaults."""
    rng = np.random.default_rng(seed)
    card = SPARSE_CARDINALITY
    weights = _zipf(dims) if skew else np.full(dims, 1 / dims)
    k = rng.integers(1, 5, n)
    cdf = np.cumsum(weights)
    a4 = np.searchsorted(cdf, rng.random((n, 4)) * cdf[-1])
    for _ in range(100):
        s = np.sort(a4, 1)
        bad = (s[:, 1:] == s[:, :-1]).any(1)
        if not bad.any():
            break
        a4[bad] = np.searchsorted(cdf, rng.random((int(bad.sum()), 4)) * cdf[-1])
    rows = np.repeat(np.arange(n), k)
    attr = a4[rows, np.arange(k.sum()) - np.repeat(np.cumsum(k) - k, k)]
    u, v = rng.random(len(rows)), rng.integers(0, card, len(rows))
    lo = np.where(u < 0.4, v, np.where(u < 0.7, 0, v))
    hi = np.where(u < 0.4, v, np.where(u < 0.7, v, card - 1))
    picked = _pick_attributes(rng, weights, EVENTS, 20)
    events = []
    for i in range(EVENTS):
        m = int(rng.integers(5, 21))
        events.append((picked[i, :m], rng.integers(0, card, m)))
    return Workload(k, attr, lo, hi, events, dims, card)


def ranges(n: int, seed: int = 4, dims: int = 50, size: int = 20, card: int = 10_000) -> Workload:
    """Uniform ranges over many of few attributes, as the H-Tree is made for."""
    rng = np.random.default_rng(seed)
    attr = _pick_attributes(rng, np.full(dims, 1 / dims), n, size).reshape(-1)
    width = card // 10
    lo = rng.integers(0, card - width + 1, len(attr))
    names = np.arange(dims)
    events = [(names, rng.integers(0, card, dims)) for _ in range(EVENTS)]
    return Workload(np.full(n, size), attr, lo, lo + width - 1, events, dims, card)


class Keywords(NamedTuple):
    """Query i requires k[i] of `terms`, one behind another; document i is as many of `tokens` as `length` says."""

    k: Integers
    terms: Integers
    length: Integers
    tokens: Integers
    vocabulary: int


def keywords(n: int, seed: int = 3, vocabulary: int = 200_000, docs: int = 2000) -> Keywords:
    """Conjunctions of rare words against documents of common and rare ones."""
    rng = np.random.default_rng(seed)
    p = _zipf(vocabulary)
    u = rng.random(n)
    k = np.select([u < 0.37, u < 0.64, u < 0.81, u < 0.90, u < 0.95], [2, 3, 4, 5, 6], 8)
    w = 1.0 / np.arange(COMMON, vocabulary) ** 0.8
    cdf = np.cumsum(w)
    terms = COMMON + np.searchsorted(cdf, rng.random(k.sum()) * cdf[-1])
    length = np.clip(np.rint(rng.lognormal(np.log(600) - 0.18, 0.6, docs)), 20, 8000).astype(int)
    cdf = np.cumsum(p)
    tokens = np.searchsorted(cdf, rng.random(length.sum()) * cdf[-1])
    return Keywords(k, terms, length, tokens, vocabulary)


def keyword(n: int, seed: int = 3) -> Workload:
    """The words of `keywords` as attributes. A word that comes twice in a document counts once."""
    k, terms, length, tokens, vocabulary = keywords(n, seed)
    ends = np.cumsum(length)
    words = [np.unique(tokens[end - size : end]) for end, size in zip(ends[:EVENTS], length[:EVENTS], strict=True)]
    one = np.ones(len(terms), np.int64)
    return Workload(k, terms, one, one, [(word, np.ones(len(word), np.int64)) for word in words], vocabulary, 3)


def _zipf(n: int, s: float = 1.0) -> Floats:
    w = 1.0 / np.arange(1, n + 1) ** s
    weights: Floats = w / w.sum()
    return weights


def _pick_attributes(rng: np.random.Generator, weights: Floats, rows: int, k: int) -> Integers:
    """k distinct attributes per row, drawn by weight."""
    out = np.empty((rows, k), np.int64)
    for a in range(0, rows, 2000):
        g = np.log(weights) + rng.gumbel(size=(min(rows, a + 2000) - a, len(weights)))
        out[a : a + 2000] = np.argpartition(-g, k, axis=1)[:, :k]
    return out
