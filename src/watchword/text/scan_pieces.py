"""Kernels for the analyzers that do not look for words: runs between spaces, and q-grams."""

from __future__ import annotations

from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean
from watchword.text.eight_bytes import copy_folded, hash_padded, hash_word
from watchword.text.scan_words import CLASS, SPACE
from watchword.text.vocabulary import U64, Table, add_hashed
from watchword.text.words import LONGEST_WORD


@lean
def number_runs(
    data: U8,
    begins: I64,
    lengths: I32,
    first: int,
    run_begins: I64,
    run_lengths: I32,
    hashes: U64,
    table: Table,
    starts: I64,
    numbers: I32,
) -> int:
    """What lies between ASCII spaces, as it is; with bytes beyond ASCII in it, it is left whole. See `number_words`."""
    for text in range(first, len(begins)):
        n, at, end = 0, begins[text], begins[text] + lengths[text]
        while at < end:
            begin, mixed = at, False
            while at < end and CLASS[data[at]] & SPACE == 0:
                mixed |= data[at] >= 128
                at += 1
            while begin < at:
                run_begins[n] = begin
                run_lengths[n] = at - begin if mixed else min(at - begin, LONGEST_WORD)
                hashes[n] = hash_word(data, begin, run_lengths[n])
                begin += run_lengths[n]
                n += 1
            at += 1
        if add_hashed(data, run_begins, run_lengths, hashes, 0, n, table, numbers, starts[text]) < n:
            return text
        starts[text + 1] = starts[text] + n
    return len(begins)


@lean
def number_grams(
    data: U8,
    begins: I64,
    lengths: I32,
    first: int,
    q: int,
    folded: U8,
    gram_begins: I64,
    gram_lengths: I32,
    hashes: U64,
    table: Table,
    starts: I64,
    numbers: I32,
) -> int:
    """Every `q` characters in a row. Beyond ASCII the texts must be folded already. See `number_words`."""
    for text in range(first, len(begins)):
        length = lengths[text]
        copy_folded(data, begins[text], length, folded)
        n = characters = begin = end = 0
        while end < length:
            end = _next_character(folded, end)
            characters += 1
            if characters < q:
                continue
            gram_begins[n], gram_lengths[n] = begin, end - begin
            hashes[n] = hash_padded(folded, begin, end - begin)
            n += 1
            begin = _next_character(folded, begin)
        if add_hashed(folded, gram_begins, gram_lengths, hashes, 0, n, table, numbers, starts[text]) < n:
            return text
        starts[text + 1] = starts[text] + n
    return len(begins)


@lean
def _next_character(text: U8, at: int) -> int:
    at += 1
    while text[at] & 0xC0 == 0x80:
        at += 1
    return at
