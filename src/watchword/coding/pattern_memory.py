"""Which leaves on words (prefixes, wildcards, fuzzy words, patterns) each word of a batch fits, remembered.

    batch's word   rumours   seen before: a look-up        first .. last of `leaf`
                   rumoured  new: found by its letters     (see `watchword.text.lookup`), then remembered

Most words of a batch occurred in earlier ones. The memory is bounded: full, it begins anew.
"""

from __future__ import annotations

import threading
from typing import Final

import numpy as np

from watchword.coding.ranges import gather_bytes, starts_of
from watchword.coding.values import I32, I64
from watchword.text.lookup import WordPattern, WordPatterns
from watchword.text.vocabulary import Vocabulary, Words

MOST_WORDS: Final = 1 << 20
MOST_LEAVES: Final = 1 << 25

FirstLastLeaf = tuple[I64, I64, I32]


class PatternMemory:
    def __init__(self, patterns: list[WordPattern], leaves: I32) -> None:
        """`leaves` of the patterns."""
        self._leaves = leaves
        self._patterns = WordPatterns(patterns)
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._words = Words()
        self._starts: I64 = np.zeros(1, np.int64)
        self._found: I32 = np.zeros(0, np.int32)

    def find(self, vocabulary: Vocabulary) -> FirstLastLeaf:
        """Word i fits leaf[first[i] : last[i]]."""
        if len(self._leaves) == 0:
            nothing = np.zeros(len(vocabulary), np.int64)
            return nothing, nothing, self._found
        with self._lock:
            if len(self._words) > MOST_WORDS or len(self._found) > MOST_LEAVES:
                self._forget()
            known = len(self._words)
            lengths = np.diff(vocabulary.offsets).astype(np.int32)
            number = self._words.numbers(vocabulary.data, vocabulary.offsets[:-1], lengths, vocabulary.hash)
            new = np.flatnonzero(number >= known)
            if len(new):
                self._learn(vocabulary, new, lengths[new])
            return self._starts[number], self._starts[number + 1], self._found

    def _learn(self, vocabulary: Vocabulary, new: I64, lengths: I32) -> None:
        """New words got their numbers in the order in which they stand."""
        offsets = starts_of(lengths)
        data = gather_bytes(vocabulary.data, vocabulary.offsets[new], offsets)
        starts, patterns = self._patterns.find(Vocabulary(offsets, data, vocabulary.hash[new]))
        self._starts = np.concatenate([self._starts, self._starts[-1] + starts[1:]])
        self._found = np.concatenate([self._found, self._leaves[patterns]])
