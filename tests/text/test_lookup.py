"""Words find exactly the patterns that a plain comparison of each word with each pattern finds."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
import re2
from hypothesis import example, given, settings
from hypothesis import strategies as st

from watchword.text.analyzers import analyzer
from watchword.text.lookup import REGEX, WordPattern, WordPatterns
from watchword.text.pattern_keys import FUZZY, PREFIX, WILDCARD
from watchword.text.tokenise import tokenise
from watchword.text.vocabulary import Vocabulary


def vocabulary_of(words: Sequence[str]) -> Vocabulary:
    encoded = [word.encode() for word in words]
    lengths = np.array([len(word) for word in encoded], np.int32)
    data = np.frombuffer(b"".join(encoded), np.uint8)
    return tokenise(analyzer("keyword"), data, np.cumsum(lengths, dtype=np.int64) - lengths, lengths).vocabulary


def wildcard(text: str) -> WordPattern:
    segments = [[None if character == "?" else character for character in part] for part in text.split("*")]
    return WordPattern(WILDCARD, segments=segments)


def fits(pattern: WordPattern, word: str) -> bool:
    if pattern.kind == PREFIX:
        return word.startswith(pattern.text)
    if pattern.kind == FUZZY:
        return distance(pattern.text, word) <= pattern.edits
    if pattern.kind == REGEX:
        return re2.fullmatch(pattern.text, word) is not None
    parts = ["".join("." if c is None else re.escape(c) for c in segment) for segment in pattern.segments]
    return re.fullmatch(".*".join(parts), word, re.DOTALL) is not None


def distance(a: str, b: str) -> int:
    """Optimal string alignment, from its definition."""
    d = {(i, j): i + j for i in range(len(a) + 1) for j in range(len(b) + 1) if i == 0 or j == 0}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 2 : i] == b[j - 1] + b[j - 2]:
                d[i, j] = min(d[i, j], d[i - 2, j - 2] + 1)
    return d[len(a), len(b)]


def check(patterns: Sequence[WordPattern], words: Sequence[str]) -> int:
    vocabulary = vocabulary_of(words)
    made = WordPatterns(patterns)
    for lookup in (made, WordPatterns.from_parts(made.parts())):
        starts, found = lookup.find(vocabulary)
        assert len(starts) == len(vocabulary) + 1
        for i in range(len(vocabulary)):
            wanted = [n for n, pattern in enumerate(patterns) if fits(pattern, vocabulary.word(i))]
            assert sorted(found[starts[i] : starts[i + 1]].tolist()) == wanted
    return len(found)


letters = st.sampled_from("aabbcé漢𝄞")
texts = st.text(letters, max_size=12)
patterns = st.one_of(
    texts.map(lambda text: WordPattern(PREFIX, text)),
    st.tuples(st.just(FUZZY), texts, st.integers(0, 2)).map(lambda parts: WordPattern(*parts)),
    st.text(st.one_of(letters, letters, st.sampled_from("*?")), max_size=8).map(wildcard),
    st.sampled_from(["a.*", "[^a]+", "(ab|ba)*", ".", "a{2}b?"]).map(lambda text: WordPattern(REGEX, text)),
)


@pytest.mark.plain
@settings(max_examples=250, deadline=None)
@given(some=st.lists(patterns, max_size=25), words=st.lists(st.text(letters, min_size=1, max_size=14), max_size=15))
@example(some=[WordPattern(PREFIX), wildcard("*"), wildcard("???")], words=["a", "aaa", "漢漢漢"])
@example(some=[wildcard("a" * 20 + "*" + "b" * 20)], words=["a" * 20 + "b" * 20, "a" * 20 + "b" * 19, "a" * 40])
@example(some=[WordPattern(PREFIX, "a" * 40)], words=["a" * 40, "a" * 39, "a" * 41])
def test_random_patterns(some: list[WordPattern], words: list[str]) -> None:
    check(some, words)


@pytest.mark.plain
@settings(max_examples=250, deadline=None)
@given(word=st.text(letters, min_size=1, max_size=14), edits=st.integers(1, 2), data=st.data())
def test_words_a_few_edits_away(word: str, edits: int, data: st.DataObject) -> None:
    """Most random words are far apart, so these are made from one another."""
    near = list(word)
    for _ in range(data.draw(st.integers(0, edits + 1))):
        at = data.draw(st.integers(0, len(near)))
        if data.draw(st.booleans()):
            near[at : at + data.draw(st.integers(0, 1))] = data.draw(st.text(letters, max_size=1))
        else:
            near[at : at + 2] = reversed(near[at : at + 2])
    check([WordPattern(FUZZY, "".join(near), edits)], [word])


@pytest.mark.plain
@pytest.mark.parametrize("length", [63, 64, 65, 200])
def test_long_fuzzy_words(length: int) -> None:
    word = ("abcdefghij" * 20)[:length]
    for near in (word, word + "x", word + "xy", word + "xyz", word[:-2] + word[:-3:-1], "b" + word, word[3:]):
        check([WordPattern(FUZZY, near, edits) for edits in (0, 1, 2)], [word])


@pytest.mark.plain
@pytest.mark.parametrize(
    ("text", "edits", "word", "wanted"),
    [
        ("google", 1, "gogle", True),
        ("google", 1, "googel", True),
        ("google", 1, "gogel", False),
        ("google", 2, "gogel", True),
        ("ca", 2, "abc", False),  # a swap and an insertion between the two: edited twice
        ("ab", 2, "cd", True),
        ("cd", 1, "dc", True),
        ("naïve", 1, "naive", True),
        ("a", 1, "bb", False),
    ],
)
def test_fuzzy_words(text: str, edits: int, word: str, wanted: bool) -> None:
    assert check([WordPattern(FUZZY, text, edits)], [word]) == wanted


def test_more_matches_than_words() -> None:
    some = [WordPattern(PREFIX, "a"[: i % 2]) for i in range(3000)]
    assert check(some, ["a", "b", "ab"]) == 3000 + 1500 + 3000


@pytest.mark.plain
def test_nothing() -> None:
    check([], ["a"])
    check([WordPattern(PREFIX, "a"), WordPattern(REGEX, "a")], [])
