"""The kernels give exactly what the analyzers say."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.text.reference import check_alike, tokenised

from watchword.text.analyzers import analyzer
from watchword.text.tokenise import tokenise

NAMES = ["standard", "english", "whitespace", "keyword", "ngram(1)", "ngram(2)", "ngram(3)", "ngram(8)"]

ascii_signs = st.sampled_from("aZ0 9_'.:,;\"-\n\t!@[`{/\x00\x1c\x7f")
other_signs = st.sampled_from("éßİΣςא״’·‿、漢あカーกา\u00ad\u0301\u200d\u00a0\u3000\u0085①²👍🏽\U0001f1e9\ud800")
signs = st.one_of(ascii_signs, ascii_signs, ascii_signs, other_signs, st.characters(codec="utf-8"))
words = st.sampled_from(["The", "Google's", "running", "is", "can't", "3.14", "don’t", "x" * 254, "y" * 256, "naïve"])
texts = st.lists(st.one_of(signs, signs, words), max_size=30).map("".join)


@pytest.mark.plain
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=150, deadline=None)
@given(some=st.lists(texts, max_size=6))
@example(some=["", "a", "", "x" * 255 + "'b" + "y" * 600 + "_", "‘" + "é" * 300 + "’"])
def test_random_texts(name: str, some: list[str]) -> None:
    check_alike(analyzer(name), some)


@pytest.mark.plain
@pytest.mark.parametrize("name", NAMES)
def test_no_texts(name: str) -> None:
    check_alike(analyzer(name), [])
    check_alike(analyzer(name), ["", ""])


@pytest.mark.parametrize("name", NAMES)
def test_vocabularies_that_grow(name: str) -> None:
    rng = random.Random(4)
    letters = "abcdefgé"
    some = [
        " ".join("".join(rng.choices(letters, k=rng.randint(1, 30))) for _ in range(rng.randint(0, 300)))
        for _ in range(60)
    ]
    check_alike(analyzer(name), some)


@pytest.mark.plain
@pytest.mark.parametrize("name", NAMES)
def test_pieces_seen_in_earlier_batches(name: str) -> None:
    for some in (["The runner’s run"], ["ran runs", "the RUNNER’S"], ["the runner’s run runs", "über"], ["über über"]):
        check_alike(analyzer(name), some)


@pytest.mark.plain
def test_words_of_equal_beginnings_are_different() -> None:
    some = ["a" * n + last for n in range(1, 40) for last in ("", "b", "c")]
    tokens = tokenised(analyzer("standard"), some)
    assert len(tokens.vocabulary) == len(set(some))


@pytest.mark.plain
def test_read_only_texts_stay_as_they_are() -> None:
    data = np.frombuffer(b"Two Texts", np.uint8)
    tokens = tokenise(analyzer("standard"), data, np.array([0, 4]), np.array([3, 5], np.int32))
    assert [tokens.vocabulary.word(i) for i in tokens.term] == ["two", "texts"]
    assert data.tobytes() == b"Two Texts"
