"""Which prefixes, wildcards, fuzzy words and regular expressions each distinct word of a batch fits.

    patterns    0: goo*   1: g?ogle   2: gogle~1   3: /g.*e/
    words       google -> 0 1 2 3      goose -> 0 3      news -> nothing

Prefixes, wildcards and fuzzy words are found by keys (see `pattern_keys`) and verified; regular expressions are
searched together by RE2's sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import re2

from watchword.coding.values import I32, I64
from watchword.text.find_patterns import KeyTable, Patterns, Room, find_patterns, key_table
from watchword.text.pattern_keys import FUZZY, LONGEST_END, LONGEST_RUN, MOST_DELETIONS, WILDCARD, keys_of_patterns
from watchword.text.pattern_match import ANY_ONE, ANY_RUN, BAND, SLOTS
from watchword.text.vocabulary import Vocabulary

REGEX: Final = 4
_REGEXES_PER_SET: Final = 128
_SET_MEMORY: Final = 1 << 29


class WordPattern(NamedTuple):
    """`kind`: PREFIX, WILDCARD, FUZZY or REGEX; `text` is already folded as the words are.

    A wildcard is cut at its `*` into `segments`, a None in which is a `?`.
    """

    kind: int
    text: str = ""
    edits: int = 0
    segments: Sequence[Sequence[str | None]] = ()


class WordPatterns:
    """Patterns that are looked up together; each is known by its place in the sequence given."""

    def __init__(self, patterns: Sequence[WordPattern]) -> None:
        keyed = [i for i, pattern in enumerate(patterns) if pattern.kind != REGEX]
        self._patterns = _flat([patterns[i] for i in keyed], keyed)
        self._table = _keys_of(self._patterns)
        regexes = [i for i, pattern in enumerate(patterns) if pattern.kind == REGEX]
        self._regex = [patterns[i].text for i in regexes]
        self._regex_number = np.array(regexes, np.int32)
        self._sets = _sets_of(self._regex)

    def parts(self) -> dict[str, npt.NDArray[Any]]:
        """Everything as arrays, for `from_parts`."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in self._regex]
        return {
            **{f"pattern_{name}": array for name, array in self._patterns._asdict().items()},
            **{f"table_{name}": array for name, array in self._table._asdict().items()},
            "regex_number": self._regex_number,
            "regex_ends": np.cumsum([len(text) for text in encoded], dtype=np.int64),
            "regex_text": np.frombuffer(b"".join(encoded), np.uint8),
        }

    @classmethod
    def from_parts(cls, parts: Mapping[str, npt.NDArray[Any]]) -> WordPatterns:
        self = cls.__new__(cls)
        self._patterns = Patterns(**{name: parts[f"pattern_{name}"] for name in Patterns._fields})
        self._table = KeyTable(**{name: parts[f"table_{name}"] for name in KeyTable._fields})
        self._regex_number = parts["regex_number"]
        ends, text = [0, *parts["regex_ends"].tolist()], parts["regex_text"].tobytes()
        self._regex = [text[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends)]
        self._sets = _sets_of(self._regex)
        return self

    def find(self, vocabulary: Vocabulary) -> tuple[I64, I32]:
        """Word i fits the patterns found[starts[i] : starts[i + 1]], in no particular order."""
        starts, found = self._find_keyed(vocabulary)
        if not self._regex:
            return starts, found
        words, numbers = self._find_regexes(vocabulary)
        word = np.concatenate((np.repeat(np.arange(len(vocabulary)), np.diff(starts)), words))
        order = np.argsort(word, kind="stable")
        starts = starts + np.concatenate(([0], np.cumsum(np.bincount(words, minlength=len(vocabulary)))))
        return starts, np.concatenate((found, self._regex_number[numbers]))[order]

    def _find_keyed(self, vocabulary: Vocabulary) -> tuple[I64, I32]:
        words = len(vocabulary)
        starts = np.zeros(words + 1, np.int64)
        found = np.empty(4 * words + 1024, np.int32)
        if not len(self._patterns.kind):
            return starts, found[:0]
        longest = int(np.diff(vocabulary.offsets).max(initial=0))
        room = Room(
            np.empty(longest, np.int32),
            np.empty(1, np.uint64),
            np.empty(LONGEST_END + 1, np.uint64),
            np.empty(LONGEST_END + 1, np.uint64),
            np.empty(MOST_DELETIONS, np.uint64),
            np.empty((3, BAND), np.int32),
            np.empty(SLOTS, np.int32),
            np.empty(SLOTS, np.uint64),
            np.zeros(len(self._patterns.kind), np.int64),
        )
        done = tries = 0
        while True:
            given = (self._patterns, self._table, room, starts, found)
            done = find_patterns(vocabulary.offsets, vocabulary.data, done, tries, *given)
            if done == words:
                return starts, found[: starts[-1]]
            tries += 1
            found = np.concatenate((found, np.empty(len(found) + len(self._patterns.kind), np.int32)))

    def _find_regexes(self, vocabulary: Vocabulary) -> tuple[I64, I64]:
        words: list[int] = []
        numbers: list[int] = []
        for word in range(len(vocabulary)):
            text = vocabulary.bytes_of(word)
            for which, one in enumerate(self._sets):
                some = one.Match(text) or ()
                words.extend([word] * len(some))
                numbers.extend(number + which * _REGEXES_PER_SET for number in some)
        return np.array(words, np.int64), np.array(numbers, np.int64)


def _flat(patterns: Sequence[WordPattern], numbers: Sequence[int]) -> Patterns:
    characters = [_characters(pattern) for pattern in patterns]
    first = np.zeros(len(patterns) + 1, np.int64)
    np.cumsum([len(some) for some in characters], out=first[1:])
    return Patterns(
        np.array([pattern.kind for pattern in patterns], np.uint8),
        np.array([pattern.edits for pattern in patterns], np.uint8),
        first,
        np.array([code for some in characters for code in some], np.int32),
        np.array(numbers, np.int32),
    )


def _characters(pattern: WordPattern) -> list[int]:
    if pattern.kind != WILDCARD:
        return [ord(character) for character in pattern.text]
    characters: list[int] = []
    for segment in pattern.segments:
        characters += [ANY_ONE if character is None else ord(character) for character in segment]
        characters.append(ANY_RUN)
    return characters[:-1]


def _keys_of(patterns: Patterns) -> KeyTable:
    fuzzy = patterns.kind == FUZZY
    most = len(fuzzy) + int(fuzzy.sum()) * MOST_DELETIONS
    keys, owner = np.empty(most, np.uint64), np.empty(most, np.int32)
    ends = np.zeros((LONGEST_END + 1, LONGEST_END + 1), np.uint8)
    runs = np.zeros(LONGEST_RUN + 1, np.uint8)
    n = keys_of_patterns(*patterns[:4], ends, runs, keys, owner)
    most_edits = int(patterns.edits[fuzzy].max()) if fuzzy.any() else -1
    return key_table(patterns, keys[:n], owner[:n], ends, runs, most_edits)


def _sets_of(regexes: Sequence[str]) -> list[re2.Set]:
    return [_set_of(regexes[i : i + _REGEXES_PER_SET]) for i in range(0, len(regexes), _REGEXES_PER_SET)]


def _set_of(regexes: Sequence[str]) -> re2.Set:
    options = re2.Options()
    options.max_mem = _SET_MEMORY
    one = re2.Set.FullMatchSet(options)
    for regex in regexes:
        one.Add(regex)
    one.Compile()
    return one
