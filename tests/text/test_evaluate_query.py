"""Queries on texts: every kind of leaf by hand, and the joins against their meaning."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.text.queries import SIMPLE, queries, to_text

from watchword.text.analyse_query import analysed_query
from watchword.text.analyzers import analyzer
from watchword.text.at_least import leaves_without_at_least, without_at_least
from watchword.text.document import Document, edit_distance, term_test
from watchword.text.evaluate import evaluate_query, matched_terms, matches
from watchword.text.query import AtLeast, Leaf, Nothing, Phrase, Query, Term, children_of
from watchword.text.settings import DEFAULT, TextSettings

FOX = "The quick brown fox jumps over the lazy dog; Foxes do not wait"

ANSWERS: list[tuple[str, str, bool]] = [
    ("fox", FOX, True),
    ("FOX", FOX, True),
    ("fo", FOX, False),
    ("fox dog", FOX, True),
    ("fox cat", FOX, False),
    ("fox OR cat", FOX, True),
    ("fox -dog", FOX, False),
    ("fox -cat", FOX, True),
    ("-cat", FOX, True),
    ("-fox", FOX, False),
    ("NOT (fox cat)", FOX, True),
    ("+fox cat", FOX, True),
    ("+cat fox", FOX, False),
    ("(fox cat dog)@2", FOX, True),
    ("(fox cat bird)@2", FOX, False),
    ("(+fox cat bird)@1", FOX, False),
    ("cat fox OR dog", FOX, False),
    ("cat AND bird OR fox", FOX, True),
    # a word of several terms is a phrase
    ("brown-fox", FOX, True),
    ("fox-brown", FOX, False),
    ("...", FOX, False),
    ("... fox", FOX, True),
    # phrases
    ('"quick brown fox"', FOX, True),
    ('"quick fox"', FOX, False),
    ('"fox brown"', FOX, False),
    ('"brown fox jumps over the"', FOX, True),
    # slop: how far the words stand apart from where the phrase would have them
    ('"quick fox"~1', FOX, True),
    ('"quick jumps"~1', FOX, False),
    ('"quick jumps"~2', FOX, True),
    ('"fox brown"~1', FOX, False),
    ('"fox brown"~2', FOX, True),
    ('"fox quick"~2', FOX, False),
    ('"fox quick"~3', FOX, True),
    ('"quick fox brown"~2', FOX, True),
    ('"quick fox brown"~1', FOX, False),
    ('"fox brown quick"~3', FOX, False),
    ('"fox brown quick"~4', FOX, True),
    # equal words need a token each
    ('"a a"', "a b", False),
    ('"a a"~5', "a b", False),
    ('"a a"', "a a", True),
    ('"a a"~1', "a b a", True),
    ('"a a"~0', "a b a", False),
    ('"a b a"~2', "a a b", True),
    ('"a b a"~1', "a a b", False),
    ('"a b a"~9', "a b", False),
    ('"the lazy the"~9', FOX, True),
    ('"the lazy the the"~9', FOX, False),
    # patterns of terms
    ("qui*", FOX, True),
    ("QUI*", FOX, True),
    ("quick*", FOX, True),
    ("quicker*", FOX, False),
    ("*", FOX, True),
    ("*", "...", False),
    ("f?x", FOX, True),
    ("f?", FOX, False),
    ("fox?", FOX, False),
    ("*ox", FOX, True),
    ("j*p*", FOX, True),
    ("j*p", FOX, False),
    ("?????", FOX, True),
    ("?", FOX, False),
    ("d?n", "don", True),
    (r"f\?x", FOX, False),
    ("/qu.ck/", FOX, True),
    ("/qu/", FOX, False),
    ("/[A-Z]ox/", FOX, True),
    ("/fox(es)?/", "foxes", True),
    ("/a|b/", "ab", False),
    ("/\\W/", "a", False),
    # edits
    ("fax~1", FOX, True),
    ("fx~1", FOX, True),
    ("foxx~1", FOX, True),
    ("ofx~1", FOX, True),
    ("xof~1", FOX, False),
    ("xof~", FOX, True),
    ("borwn~1", FOX, True),
    ("brwno~1", FOX, False),
    ("QUICK~1", FOX, True),
    ("elephant~", FOX, False),
]


@pytest.mark.parametrize(("query", "text", "answer"), ANSWERS)
def test_answer(query: str, text: str, answer: bool) -> None:
    assert matches("body", query, {"body": text}, DEFAULT) is answer


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ("", "", 0),
        ("", "ab", 2),
        ("abc", "abc", 0),
        ("abc", "acb", 1),
        ("ca", "abc", 3),  # the swap and an insertion between would edit one place twice
        ("kitten", "sitting", 3),
        ("abcd", "badc", 2),
        ("größe", "grösse", 2),
    ],
)
def test_edit_distance(a: str, b: str, distance: int) -> None:
    assert edit_distance(a, b) == edit_distance(b, a) == distance


def test_the_default_operator() -> None:
    event = {"body": FOX}
    either = TextSettings(default_operator="or")
    assert matches("body", "fox cat", event, DEFAULT) is False
    assert matches("body", "fox cat", event, either) is True
    assert matches("body", "cat -bird", event, either) is False


def test_what_analysis_leaves() -> None:
    def analysed(text: str) -> Query:
        return analysed_query(text, "body", DEFAULT)

    assert analysed("Fox") == Term("body", "fox")
    assert analysed("wi-fi") == Phrase("body", ("wi", "fi"), (0, 1))
    assert analysed('"Fox"~3') == Term("body", "fox")
    assert analysed("...") == Nothing("body")
    assert analysed("-...") == Nothing("body")
    assert analysed("a (... OR ...)") == Term("body", "a")
    assert analysed("(a ... b c)@3") == analysed("a b c")
    assert analysed("(a ... ... b)@3") == analysed("a b")
    assert analysed("(a ... b c)@2") == AtLeast(2, (Term("body", "a"), Term("body", "b"), Term("body", "c")))
    assert analysed("+a b") == Term("body", "a")
    assert analysed("+... a b") == analysed("a OR b")  # nothing required is left, so one must hold
    assert analysed("+... -c a") == analysed("a -c")
    assert analysed("+(-c) a") == analysed("-c")


def test_a_query_of_nothing() -> None:
    assert matches("body", "...", {"body": FOX}, DEFAULT) is False
    assert matches("body", "...", {}, DEFAULT) is None


def test_nesting_costs_no_time() -> None:
    text = "+a (" * 60 + "b" + ")" * 60
    assert analysed_query(text, "body", DEFAULT) == Term("body", "a")
    assert matches("body", "NOT (" * 30 + "fox" + ")" * 30, {"body": FOX}, DEFAULT) is True


def test_matched_terms() -> None:
    tokens = analyzer("standard").tokens(FOX)

    def matched(query: str) -> list[str]:
        found = matched_terms(analysed_query(query, "body", DEFAULT), tokens)
        for term, begin, end in found:
            assert FOX[begin:end].lower() == term
        return [f"{term} {begin}" for term, begin, _ in found]

    assert matched("the") == ["the 0", "the 31"]
    assert matched("fox*") == ["fox 16", "foxes 45"]
    assert matched("dog fox cat -lazy") == ["fox 16", "dog 40"]
    assert matched("NOT NOT dog") == ["dog 40"]
    assert matched('"the lazy"') == ["the 31", "lazy 35"]
    assert matched('"dog the"~3') == ["the 31", "dog 40"]
    assert matched('"brown cat"') == []
    assert matched("fox fox OR f?x") == ["fox 16"]


THREE = st.sampled_from([True, False, None])
OPPOSITE = {True: False, False: True, None: None}


@settings(max_examples=300, deadline=None)
@given(queries(SIMPLE, ("f",)), st.data())
def test_joins_in_three_values(query: Query, data: st.DataObject) -> None:
    """Without AtLeast the truth is the same; opposite leaves under one more Not too."""
    truths: dict[Leaf, bool | None] = {}

    def truth(leaf: Leaf) -> bool | None:
        if leaf not in truths:
            truths[leaf] = data.draw(THREE)
        return truths[leaf]

    plain = without_at_least(query)
    assert evaluate_query(plain, truth) is evaluate_query(query, truth)
    leaves, waiting = 0, [plain]
    while waiting:
        node = waiting.pop()
        assert not isinstance(node, AtLeast)
        waiting += children_of(node)
        leaves += not children_of(node)
    assert leaves == leaves_without_at_least(query)


@pytest.mark.parametrize("count", range(1, 8))
def test_at_least(count: int) -> None:
    terms: tuple[Leaf, ...] = tuple(Term("f", str(number)) for number in range(7))
    for query in (AtLeast(count, terms), without_at_least(AtLeast(count, terms))):
        for holding in itertools.product((False, True), repeat=7):
            held = dict(zip(terms, holding, strict=True))
            assert evaluate_query(query, held.__getitem__) is (sum(holding) >= count)


def _all_choices(words: Sequence[str], text: Sequence[str], slop: int) -> bool:
    """Sloppy phrases by their definition: every choice of places is tried."""
    places = [[place for place, found in enumerate(text) if found == word] for word in words]
    for choice in itertools.product(*places):
        shifts = [place - number for number, place in enumerate(choice)]
        if len(set(choice)) == len(choice) and max(shifts) - min(shifts) <= slop:
            return True
    return False


LETTERS = st.sampled_from("abc")


@settings(max_examples=400, deadline=None)
@given(st.lists(LETTERS, min_size=2, max_size=4), st.lists(LETTERS, max_size=7), st.integers(0, 5))
def test_sloppy_phrases_by_definition(words: list[str], text: list[str], slop: int) -> None:
    query = analysed_query(f'"{" ".join(words)}"~{slop}', "f", DEFAULT)
    assert isinstance(query, Phrase)
    document = Document(analyzer("standard").tokens(" ".join(text)))
    assert bool(document.matched(query)) is _all_choices(words, text, slop)


def _near(a: str, b: str, edits: int) -> bool:
    """Within so many edits, by trying them all; no place is edited twice while all are apart."""
    if edits == 0 or a == b:
        return a == b
    if a[:1] and a[:1] == b[:1] and _near(a[1:], b[1:], edits):
        return True
    swapped = len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]
    return (
        (swapped and _near(a[2:], b[2:], edits - 1))
        or (a != "" and _near(a[1:], b, edits - 1))
        or (b != "" and _near(a, b[1:], edits - 1))
        or (a != "" and b != "" and _near(a[1:], b[1:], edits - 1))
    )


@settings(max_examples=400, deadline=None)
@given(st.text("abc", min_size=1, max_size=6), st.text("abc", min_size=1, max_size=6), st.integers(1, 2))
def test_edits_by_definition(word: str, term: str, edits: int) -> None:
    query = analysed_query(f"{word}~{edits}", "f", DEFAULT)
    assert isinstance(query, Leaf)
    assert term_test(query)(term) is _near(word, term, edits)


@settings(max_examples=200, deadline=None)
@given(queries(SIMPLE, ("f", "g")), st.lists(st.sampled_from(SIMPLE), max_size=6), st.none() | st.just("b c"))
def test_not_is_the_opposite_and_parentheses_change_nothing(query: Query, words: list[str], other: str | None) -> None:
    event = {"f": " ".join(words)} | ({} if other is None else {"g": other})
    text = to_text(query)
    truth = matches("f", text, event, DEFAULT)
    assert matches("f", f"NOT ({text})", event, DEFAULT) is OPPOSITE[truth]
    assert matches("f", f"(({text}))", event, DEFAULT) is truth
    assert matches("f", f"({text}) OR ({text})", event, DEFAULT) is truth
    if other is not None:
        assert truth is not None
