"""Kernels that cut texts into words and number them, as `words` and `analyzers` say.

    text     Don't PANIC, “Google”!
    folded   don't panic, “google”!      a copy; what follows reads eight bytes at a time
    words    [don't] [panic] [“google”]  begin, length and hash of each
    numbers    0       1        2        in the batch's vocabulary

What stands between ASCII separators is a chunk. A chunk with bytes beyond ASCII is one word here, which `tokenise`
replaces by its terms; other chunks pay nothing for it. Cost: about three cycles a byte.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean
from watchword.text.eight_bytes import beyond_ascii, copy_folded, hash_padded, letters_and_digits
from watchword.text.vocabulary import U64, Table, add_hashed
from watchword.text.words import LONGEST_WORD

_LETTER: Final = 1
_DIGIT: Final = 2
_UNDERSCORE: Final = 4
_IN_WORD: Final = 8  # keeps two letters together
_IN_NUMBER: Final = 16  # keeps two digits together
_SEPARATOR: Final = 32  # no word goes over it, whatever stands around it
SPACE: Final = 64
_BETWEEN: Final = 3  # from _IN_WORD to _LETTER, from _IN_NUMBER to _DIGIT


def _classes() -> U8:
    classes = np.zeros(256, np.uint8)
    for code in range(128):
        character = chr(code)
        if character.isalpha():
            classes[code] = _LETTER
        elif character.isdigit():
            classes[code] = _DIGIT
        elif character not in "_.':,;\"":
            classes[code] = _SEPARATOR
        if character.isspace():
            classes[code] |= SPACE
    classes[ord("_")] = _UNDERSCORE
    classes[ord(".")] = classes[ord("'")] = _IN_WORD | _IN_NUMBER
    classes[ord(":")] = _IN_WORD
    classes[ord(",")] = classes[ord(";")] = _IN_NUMBER
    return classes


CLASS: Final = _classes()


@lean
def number_words(
    data: U8,
    begins: I64,
    lengths: I32,
    first: int,
    folded: U8,
    word_begins: I64,
    word_lengths: I32,
    hashes: U64,
    table: Table,
    starts: I64,
    numbers: I32,
) -> int:
    """Cut and number the texts from `first` on. Returns how many are done: fewer than all where there is no room."""
    for text in range(first, len(begins)):
        length = lengths[text]
        mixed = copy_folded(data, begins[text], length, folded)
        if mixed:
            n = _mixed_words(folded, length, word_begins, word_lengths, hashes)
        else:
            n = _ascii_words(folded, 0, length, word_begins, word_lengths, hashes, 0)
        if add_hashed(folded, word_begins, word_lengths, hashes, 0, n, table, numbers, starts[text]) < n:
            return text
        starts[text + 1] = starts[text] + n
    return len(begins)


@lean
def _ascii_words(text: U8, at: int, end: int, begins: I64, lengths: I32, hashes: U64, n: int) -> int:
    """The words of text[at:end], behind which a separator stands; they are put from place `n` on."""
    while at < end:
        kind = CLASS[text[at]]
        if kind & (_LETTER | _DIGIT | _UNDERSCORE) == 0:
            at += 1
            continue
        begin = at
        at, is_word = _end_of_word(text, at)
        if not is_word:
            continue
        while at - begin > LONGEST_WORD:
            begins[n], lengths[n], hashes[n] = begin, LONGEST_WORD, hash_padded(text, begin, LONGEST_WORD)
            begin += LONGEST_WORD
            n += 1
        begins[n], lengths[n], hashes[n] = begin, at - begin, hash_padded(text, begin, at - begin)
        n += 1
    return n


@lean
def _end_of_word(text: U8, at: int) -> tuple[int, bool]:
    """Where the word, or the run of underscores alone, that begins here ends, and whether it is a word."""
    run = letters_and_digits(text, at)
    is_word = run > at
    while True:
        at = run
        kind = CLASS[text[at]]
        if kind & (_UNDERSCORE | _IN_WORD | _IN_NUMBER) == 0:
            return at, is_word
        if kind & _UNDERSCORE:
            run = at + 1
        else:
            before = CLASS[text[at - 1]] if is_word else 0
            if before & CLASS[text[at + 1]] & (kind >> _BETWEEN) == 0:
                return at, is_word
            run = at + 1
        run = letters_and_digits(text, run)
        is_word = is_word or run > at + 1


@lean
def _mixed_words(text: U8, end: int, begins: I64, lengths: I32, hashes: U64) -> int:
    n = at = 0
    while at < end:
        high = beyond_ascii(text, at, end)
        begin = high
        if high < end:
            while begin > at and CLASS[text[begin - 1]] & _SEPARATOR == 0:
                begin -= 1
        n = _ascii_words(text, at, begin, begins, lengths, hashes, n)
        at = high
        while at < end and CLASS[text[at]] & _SEPARATOR == 0:
            at += 1
        if at > begin:
            begins[n], lengths[n], hashes[n] = begin, at - begin, hash_padded(text, begin, at - begin)
            n += 1
    return n
