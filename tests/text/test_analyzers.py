"""What each analyzer makes of known texts."""

from __future__ import annotations

from typing import Final

import pytest

from watchword.errors import TextSettingsError
from watchword.text.analyzers import Token, analyzer
from watchword.text.english import STOP_WORDS, stem


def terms(name: str, text: str) -> list[str]:
    return [token.term for token in analyzer(name).tokens(text)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("  \t\n ", []),
        ("Quick brown-fox, over!", ["quick", "brown", "fox", "over"]),
        ("can't O'Neil's 'quoted' rock'n'roll dogs'", ["can't", "o'neil's", "quoted", "rock'n'roll", "dogs"]),
        ("don’t ‘so’", ["don’t", "so"]),
        ("3.14 1,000 1;2 1.000,5 -7 3'000", ["3.14", "1,000", "1;2", "1.000,5", "7", "3'000"]),
        ("a.1 1.a a1.b2 4x4 v2.0 a,b", ["a", "1", "1", "a", "a1", "b2", "4x4", "v2.0", "a", "b"]),
        ("U.S.A. e.g. end.Next", ["u.s.a", "e.g", "end.next"]),
        ("note:this 10:30 a::b", ["note:this", "10", "30", "a", "b"]),
        ("e-mail me@example.com x.org/a?b=c", ["e", "mail", "me", "example.com", "x.org", "a", "b", "c"]),
        ("snake_case __init__ _ ___ a_.b 1_000", ["snake_case", "__init__", "a_", "b", "1_000"]),
        ("C++ C# .NET $5 50% x²", ["c", "c", "net", "5", "50", "x"]),
        ("漢字とカナ", ["漢", "字", "と", "カナ"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("ภาษาไทย ok", ["ภาษาไทย", "ok"]),
        ("Straße STRASSE ẞ", ["strasse", "strasse", "ss"]),
        ("İstanbul ILIK ı", ["i\u0307stanbul", "ilik", "ı"]),
        ("ΣΊΣΥΦΟΣ σίσυφος", ["σίσυφοσ", "σίσυφοσ"]),
        ("cafe\u0301 café", ["cafe\u0301", "café"]),
        ("co\u00adop zero\u200dwidth", ["co\u00adop", "zero\u200dwidth"]),
        ("I 👍🏽 it 🇩🇪 1️⃣ ok", ["i", "it", "1️⃣", "ok"]),
        ("צה״ל ג'ירף ג' שו\"ע", ["צה״ל", "ג'ירף", "ג'", 'שו"ע']),
        ("ﬁne Ｗｉｄｅ ① Ⓐ", ["fine", "ｗｉｄｅ", "ⓐ"]),
        ("٣٫١٤ क्षत्रिय", ["٣٫١٤", "क्षत्रिय"]),
    ],
)
def test_standard(text: str, wanted: list[str]) -> None:
    assert terms("standard", text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a'b", [(0, 3)]),
        ("Ab, ß cd", [(0, 2), (4, 5), (6, 8)]),
        ("x" * 255, [(0, 255)]),
        ("-" + "x" * 600, [(1, 256), (256, 511), (511, 601)]),
    ],
)
def test_where_words_stand(text: str, wanted: list[tuple[int, int]]) -> None:
    tokens = analyzer("standard").tokens(text)
    assert [(token.begin, token.end) for token in tokens] == wanted
    assert [token.position for token in tokens] == list(range(len(wanted)))


def test_english_leaves_gaps_for_stop_words() -> None:
    assert analyzer("english").tokens("The Runner's dogs, and THE running") == [
        Token("runner", 1, 4, 12),
        Token("dog", 2, 13, 17),
        Token("run", 5, 27, 34),
    ]
    assert terms("english", "it’s the CAT’S is's") == ["cat"]
    assert len(STOP_WORDS) == 33


STEMS: Final = """
    caresses caress, ponies poni, ties ti, caress caress, cats cat, feed feed, agreed agre, plastered plaster,
    bled bled, motoring motor, sing sing, conflated conflat, troubled troubl, sized size, hopping hop, tanned
    tan, falling fall, hissing hiss, fizzed fizz, failing fail, filing file, happy happi, sky sky, relational
    relat, conditional condit, rational ration, valenci valenc, hesitanci hesit, digitizer digit, conformabli
    conform, radicalli radic, differentli differ, vileli vile, analogousli analog, vietnamization vietnam,
    predication predic, operator oper, feudalism feudal, decisiveness decis, hopefulness hope, callousness
    callous, formaliti formal, sensitiviti sensit, sensibiliti sensibl, triplicate triplic, formative form,
    formalize formal, electriciti electr, electrical electr, hopeful hope, goodness good, revival reviv,
    allowance allow, inference infer, airliner airlin, gyroscopic gyroscop, adjustable adjust, defensible
    defens, irritant irrit, replacement replac, adjustment adjust, dependent depend, adoption adopt, homologou
    homolog, communism commun, activate activ, angulariti angular, homologous homolog, effective effect,
    bowdlerize bowdler, probate probat, rate rate, cease ceas, controll control, roll roll, generalizations
    gener, oscillators oscil, us us
"""


def test_the_stems_of_porters_publication() -> None:
    wanted = dict(pair.split() for pair in STEMS.split(","))
    assert {word: stem(word) for word in wanted} == wanted


def test_whitespace() -> None:
    assert terms("whitespace", " Wi-Fi\tisn't \u3000C++\x1cok\xa0é ") == ["Wi-Fi", "isn't", "C++", "ok", "é"]
    assert analyzer("whitespace").tokens("é" * 300) == [Token("é" * 255, 0, 0, 255), Token("é" * 45, 1, 255, 300)]


def test_spaces_are_those_of_python() -> None:
    text = "x".join(map(chr, range(0x10000)))
    assert "".join(terms("whitespace", text)) == "".join(text.split())


def test_keyword() -> None:
    assert analyzer("keyword").tokens(" New York ") == [Token(" New York ", 0, 0, 10)]
    assert terms("keyword", "") == []


def test_grams() -> None:
    assert terms("ngram(2)", "String") == ["st", "tr", "ri", "in", "ng"]
    assert terms("ngram(3)", "ab") == []
    assert analyzer("ngram(2)").tokens("aßI") == [Token("as", 0, 0, 2), Token("ss", 1, 1, 2), Token("si", 2, 1, 3)]


def test_names() -> None:
    assert analyzer("english") is analyzer("english")
    assert analyzer("ngram( 3 )") is analyzer("ngram(3)")
    assert analyzer("ngram(3)").name == "ngram(3)"
    for name in ("", "English", "ngram", "ngram(0)", "ngram(9)", "ngram(x)"):
        with pytest.raises(TextSettingsError, match="use standard, english"):
            analyzer(name)
