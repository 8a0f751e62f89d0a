"""One text by its terms, and which of its tokens a leaf of a query matches. The oracle's part: plain, not fast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from watchword.language.patterns import compile_re2, segments_regex
from watchword.text.analyzers import Token, analyzer
from watchword.text.query import Fuzzy, Leaf, Phrase, Prefix, Regex, Term, Wildcard

TermTest = Callable[[str], bool]


class Document:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.by_term: dict[str, list[Token]] = {}
        for token in tokens:
            self.by_term.setdefault(token.term, []).append(token)

    def matched(self, leaf: Leaf) -> list[Token]:
        """The tokens that make an analysed leaf hold; none where it does not."""
        if isinstance(leaf, Term):
            return self.by_term.get(leaf.text, [])
        if isinstance(leaf, Phrase):
            return _phrase_tokens(leaf, [self.by_term.get(term, []) for term in leaf.terms])
        test = term_test(leaf)
        return [token for term, tokens in self.by_term.items() if test(term) for token in tokens]


@lru_cache(maxsize=64)
def document(analyzer_name: str, text: str) -> Document:
    return Document(analyzer(analyzer_name).tokens(text))


def term_test(leaf: Leaf) -> TermTest:
    """Which terms a prefix, wildcard, fuzzy word or regular expression stands for."""
    match leaf:
        case Prefix(_, text):
            return lambda term: term.startswith(text)
        case Wildcard(_, segments):
            match_segments = segments_regex(segments, False).fullmatch
            return lambda term: match_segments(term) is not None
        case Fuzzy(_, text, edits):
            return lambda term: abs(len(term) - len(text)) <= edits and edit_distance(term, text) <= edits
        case Regex(_, pattern, ignore_case):
            match_term = compile_re2(pattern, ignore_case).fullmatch
            return lambda term: match_term(term.encode("utf-8", "surrogatepass")) is not None
    return lambda term: False


def edit_distance(a: str, b: str) -> int:
    """Insertions, deletions, substitutions and swaps of neighbours, no place edited twice (optimal alignment)."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        next_row = [i]
        for j, y in enumerate(b, 1):
            best = min(row[j] + 1, next_row[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, before[j - 2] + 1)
            next_row.append(best)
        before, row = row, next_row
    return row[-1]


def _phrase_tokens(phrase: Phrase, tokens: list[list[Token]]) -> list[Token]:
    """The tokens of every place where the phrase stands.

    A word's shift is where it stands less its position in the phrase. The phrase stands where each word has a token
    of its own and no two shifts differ by more than the slop: 0 is the exact phrase, and swapping two neighbours
    shifts one of them by 1 and the other by -1.
    """
    shifts = {
        token.position - position for position, some in zip(phrase.positions, tokens, strict=True) for token in some
    }
    found: dict[int, Token] = {}
    for least in sorted(shifts):
        for token in _placed(phrase, tokens, least):
            found[token.position] = token
    return [found[position] for position in sorted(found)]


def _placed(phrase: Phrase, tokens: list[list[Token]], least: int) -> list[Token]:
    """A token for each word with shifts from `least` to the slop above it, or none. Words that are equal take the
    first token that is left, in the order of the phrase: if any choice works this one does."""
    last: dict[str, int] = {}
    placed: list[Token] = []
    for term, position, some in zip(phrase.terms, phrase.positions, tokens, strict=True):
        first = max(least + position, last.get(term, -1) + 1)
        token = next((token for token in some if token.position >= first), None)
        if token is None or token.position > least + position + phrase.slop:
            return []
        last[term] = token.position
        placed.append(token)
    return placed
