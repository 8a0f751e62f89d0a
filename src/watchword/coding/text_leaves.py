"""The leaves of text queries: what a segment's queries ask of documents, each a dimension of its own.

    body: google, "quarterly results"~2, rumo*      field 0, read by an analyzer
    leaf        0       1                   2
    kind        TERM    PHRASE              PREFIX
    parameter   0       2                   0
    words       google  quarterly results   rumo        starts[leaf] .. starts[leaf + 1] in `word`, `position`

A document has code HOLDS on the dimensions of the leaves that hold for it, and no code on the others. So every
structure sees text as conditions on codes, and a query as AND, OR and NOT of them. A field's last leaf, PRESENT, holds
for every text: where another leaf is false, PRESENT is true; where there is no text, all of them are unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.values import I32, I64, U8
from watchword.text.query import Fuzzy, Leaf, Nothing, Phrase, Prefix, Regex, Term, Wildcard

U64 = npt.NDArray[np.uint64]

LEAF_HOLDS: Final = 1
LEAF_CODES: Final = 2  # 0: it does not hold, or there is no text

TERM: Final = 0
PHRASE: Final = 1
PREFIX: Final = 2
WILDCARD: Final = 3
FUZZY: Final = 4
REGEX: Final = 5
NOTHING: Final = 6
PRESENT: Final = 7

ANY_RUN: Final = "\ufdd0"  # * and ? in a stored wildcard: characters that Unicode keeps out of texts
ANY_ONE: Final = "\ufdd1"


class FieldLeaves(NamedTuple):
    """Of one field. `parameter`: a phrase's slop, a fuzzy word's edits, 1 for a pattern that ignores case."""

    kind: U8
    parameter: I32
    starts: I64
    word: I32
    position: I32
    offsets: I64  # word w: data[offsets[w] : offsets[w + 1]]
    data: U8
    hash: U64  # `hash_word` of each


@dataclass(frozen=True, slots=True)
class TextField:
    attribute: int  # of the segment
    analyzer: str
    leaves: FieldLeaves

    def word_text(self, word: int) -> str:
        begin, end = self.leaves.offsets[word], self.leaves.offsets[word + 1]
        return self.leaves.data[begin:end].tobytes().decode("utf-8", "surrogatepass")


def leaves_on_many_words(fields: list[TextField]) -> I64:
    """The leaves of all fields, numbered on from field to field, that several words satisfy."""
    kinds = [field.leaves.kind for field in fields]
    kind = np.concatenate(kinds) if kinds else np.zeros(0, np.uint8)
    return np.flatnonzero((kind >= PREFIX) & (kind <= REGEX))


class StoredLeaf(NamedTuple):
    kind: int
    parameter: int
    words: tuple[str, ...]
    positions: tuple[int, ...]


def stored(leaf: Leaf) -> StoredLeaf:
    """What is kept of an analysed leaf, the same for all that mean the same."""
    match leaf:
        case Term(_, text):
            return StoredLeaf(TERM, 0, (text,), (0,))
        case Phrase(_, terms, positions, slop):
            return StoredLeaf(PHRASE, slop, terms, positions)
        case Prefix(_, text):
            return StoredLeaf(PREFIX, 0, (text,), (0,))
        case Wildcard(_, segments):
            runs = ["".join(ANY_ONE if sign is None else sign for sign in segment) for segment in segments]
            return StoredLeaf(WILDCARD, 0, (ANY_RUN.join(runs),), (0,))
        case Fuzzy(_, text, edits):
            return StoredLeaf(FUZZY, edits, (text,), (0,))
        case Regex(_, pattern, ignore_case):
            return StoredLeaf(REGEX, int(ignore_case), (pattern,), (0,))
        case Nothing():
            return StoredLeaf(NOTHING, 0, (), ())
    raise TypeError(f"{type(leaf).__name__} is no analysed leaf")
