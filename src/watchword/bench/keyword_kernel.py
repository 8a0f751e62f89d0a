"""The yardstick's kernel for words: a query under its rarest word, the others looked up in a table of bytes.

It takes numbers for words and stays as the yardstick has it: it is the measure, so it is compiled with Numba alone and
not tuned with the library.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from watchword.bench.workloads import Keywords


def _match(
    rest: Any, off: Any, ids: Any, starts: Any, doff: Any, tokens: Any, vocabulary: int, out: Any, counts: Any
) -> int:  # fmt: skip
    seen = np.zeros(vocabulary, np.uint8)
    visited = 0
    for e in range(len(doff) - 1):
        for j in range(doff[e], doff[e + 1]):
            seen[tokens[j]] = 1
        n = 0
        for j in range(doff[e], doff[e + 1]):
            t = tokens[j]
            if seen[t] != 1:
                continue
            seen[t] = 2
            for i in range(starts[t], starts[t + 1]):
                visited += 1
                ok = True
                for p in range(off[i], off[i + 1]):
                    if seen[rest[p]] == 0:
                        ok = False
                        break
                if ok:
                    out[n] = ids[i]
                    n += 1
        counts[e] = n
        for j in range(doff[e], doff[e + 1]):
            seen[tokens[j]] = 0
    return visited


match_keyword: Any = numba.njit(nogil=True)(_match)


class KeywordKernel:
    def __init__(self, workload: Keywords) -> None:
        k, terms, length, tokens, vocabulary = workload
        n = len(k)
        frequency = np.bincount(tokens, minlength=vocabulary)
        order = np.lexsort((frequency[terms], np.repeat(np.arange(n), k)))
        t, first = terms[order], np.cumsum(k) - k
        key = t[first]
        by_key = np.argsort(key, kind="stable")
        starts = np.searchsorted(key[by_key], np.arange(vocabulary + 1))
        off = np.zeros(n + 1, np.int64)
        off[1:] = np.cumsum(k[by_key] - 1)
        idx = np.repeat(first[by_key] + 1 - off[:-1], k[by_key] - 1) + np.arange(off[-1])
        doff = np.concatenate([[0], np.cumsum(length)])
        self.counts = np.zeros(len(length), np.int64)  # matches per document, once `run` has run
        self._arguments = (
            t[idx].astype(np.uint32),
            off.astype(np.uint32),
            by_key.astype(np.uint32),
            starts,
            doff,
            tokens,
            vocabulary,
            np.empty(n, np.uint32),
            self.counts,
        )

    def run(self) -> int:
        """Match all documents: how many candidates were visited."""
        visited: int = match_keyword(*self._arguments)
        return visited
