"""What is left to check of a conjunction, in a row of words: RIL's postings, and the subscriptions at a trie's node.

    | conjunction | head | term, term, ... | dimension, low, high | dimension, low, high | ...
                    terms: 8 bits, checks: 8 bits, VERIFY_REST

Invariant: the conjunction is true of an event with one code per dimension if the terms that its place in the index
stands for are offered, those of the record too, and each check holds; with VERIFY_REST its expression must be evaluated
(it has sets, or more terms or checks than a record takes). One with several codes evaluates it always, unchecked.
"""

from __future__ import annotations

from typing import Any, Final

from watchword.coding.values import I32
from watchword.kernel import inlined, lean
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.terms.vocabulary import MOST_TERMS, is_term

HEAD: Final = 2  # words before the terms
CHECK: Final = 3  # words of a check
MOST_CHECKS: Final = 255
CHECKS_SHIFT: Final = 8
BYTE: Final = 255
VERIFY_REST: Final = 1 << 16


@lean
def head_of(c: Conjunctions, number: int) -> int:
    """Of a record without terms: 0 where there is nothing to check."""
    checks, rest = 0, 0
    for i in range(c.starts[number], c.starts[number + 1]):
        if not is_term(c, i):
            if c.set_of[i] < 0 and checks < MOST_CHECKS:
                checks += 1
            else:
                rest = VERIFY_REST
    if c.starts[number + 1] - c.starts[number] > MOST_TERMS:
        rest = VERIFY_REST
    return checks << CHECKS_SHIFT | rest


@inlined
def words_of(head: int) -> int:
    """The length of a record."""
    return HEAD + (head & BYTE) + CHECK * (head >> CHECKS_SHIFT & BYTE)


@lean
def write_record(words: I32, at: int, c: Conjunctions, number: int, terms: I32, first: int, last: int) -> int:
    """The record of a conjunction with the terms first .. last - 1, the last of them first; where it ends."""
    head = head_of(c, number)
    words[at], words[at + 1] = number, head | last - first
    at += HEAD
    for i in range(last - 1, first - 1, -1):
        words[at] = terms[i]
        at += 1
    checks = head >> CHECKS_SHIFT & BYTE
    i = c.starts[number]
    while checks > 0:
        if not is_term(c, i) and c.set_of[i] < 0:
            words[at], words[at + 1], words[at + 2] = c.dimension[i], c.low[i], c.high[i]
            at += CHECK
            checks -= 1
        i += 1
    return at


@inlined
def checks_hold(words: I32, at: int, checks: int, state: Any) -> bool:
    """Of an event with one code per dimension."""
    end = at + CHECK * checks
    while at < end:
        value = state.value[words[at]]
        if value < words[at + 1] or value > words[at + 2]:
            break
        at += CHECK
    return at >= end


@lean
def find_record(words: I32, at: int, end: int, number: int) -> int:
    """Where the conjunction's record begins, or `end`."""
    while at < end and words[at] != number:
        at += words_of(words[at + 1])
    return at


@lean
def remove_record(words: I32, at: int, end: int) -> int:
    """Close the gap; how many words the record had."""
    length = words_of(words[at + 1])
    for i in range(at, end - length):
        words[i] = words[i + length]
    return length
