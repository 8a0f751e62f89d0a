"""What `tokenise` must give, from `Analyzer.tokens`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from watchword.text.analyzers import Analyzer
from watchword.text.eight_bytes import hash_word
from watchword.text.tokenise import Tokens, tokenise


def tokenised(analyzer: Analyzer, texts: Sequence[str]) -> Tokens:
    """The texts lie behind one another in memory in the opposite order, with something between them."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.array([len(text) for text in encoded], np.int32)
    gap = b"\xffx"
    data = np.frombuffer(gap.join(reversed(encoded)), np.uint8)
    behind = np.cumsum(lengths[::-1] + len(gap), dtype=np.int64)[::-1] - len(gap)
    return tokenise(analyzer, data, behind - lengths, lengths)


def check_alike(analyzer: Analyzer, texts: Sequence[str]) -> None:
    tokens = tokenised(analyzer, texts)
    words = tokens.vocabulary
    got = [
        [(words.word(term), position) for term, position in zip(tokens.term[a:b], tokens.position[a:b], strict=True)]
        for a, b in zip(tokens.starts[:-1], tokens.starts[1:], strict=True)
    ]
    assert got == [[(token.term, token.position) for token in analyzer.tokens(text)] for text in texts]
    assert tokens.starts[-1] == len(tokens.term) == len(tokens.position)
    assert len({words.bytes_of(i) for i in range(len(words))}) == len(words) == len(set(tokens.term.tolist()))
    assert [
        int(hash_word(words.data, words.offsets[i], words.offsets[i + 1] - words.offsets[i])) for i in range(len(words))
    ] == words.hash.tolist()
