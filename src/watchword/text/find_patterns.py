"""The table from keys to patterns, and the kernel that looks a vocabulary's words up in it.

    filter     a few bits per key: most keys of most words are nobody's, and stop here
    slots      row + 1 or 0, from the key's low bits onwards
    keys       of each row       starts, patterns    those that have the key
    letters, shape               of each of those: which characters it has, how many, and its kind; they lie in a row,
                                 so that most patterns that do not fit are left out without a look at themselves

Cost: a word has up to 29 keys for fuzzy words, one for each used pair of ends, and one for each place and used length
of a run; each costs one look into the filter. Each pattern found is verified.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean, prefetch
from watchword.text.eight_bytes import SEED, step
from watchword.text.pattern_keys import FUZZY, LONGEST_END, PREFIX, key_of_ends, key_of_run, keys_of_deletions
from watchword.text.pattern_match import (
    ANY_RUN,
    BITS,
    begins_with,
    characters_of,
    edits_between,
    note_places,
    wildcard_fits,
    within_edits,
)
from watchword.text.vocabulary import U64


class Patterns(NamedTuple):
    """Prefixes, wildcards and fuzzy words; pattern i has the characters from first[i] to first[i + 1]."""

    kind: U8
    edits: U8
    first: I64
    characters: I32
    number: I32
    """By which the caller knows it."""


class KeyTable(NamedTuple):
    filter: U64
    slots: I32
    keys: U64
    starts: I64
    patterns: I32
    letters: U64
    shape: I32
    ends: I32
    """Pairs: how many characters of both ends are a key."""
    runs: I32
    """How many characters in a row are a key."""
    most_edits: I32
    """One number, -1 where there are no fuzzy words."""


class Room(NamedTuple):
    """What the search works with."""

    characters: I32
    letters: U64  # one number
    first: U64
    last: U64
    deletions: U64
    rows: I32
    codes: I32
    places: U64
    seen: I64
    """Of each pattern: the last word that it was verified against, counted over all tries."""


def key_table(patterns: Patterns, keys: U64, owner: I32, ends: U8, runs: U8, most_edits: int) -> KeyTable:
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    begins = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] + np.uint64(1)))
    rows = ordered[begins]
    size = max(2 * len(rows), 64)
    table = KeyTable(
        np.zeros((1 << (size - 1).bit_length()) // 16, np.uint64),
        np.zeros(1 << (size - 1).bit_length(), np.int32),
        rows,
        np.append(begins, len(keys)).astype(np.int64),
        owner[order],
        np.empty(len(keys), np.uint64),
        np.empty(len(keys), np.int32),
        np.argwhere(ends).astype(np.int32),
        np.flatnonzero(runs).astype(np.int32),
        np.array([most_edits], np.int32),
    )
    _fill_slots(table)
    _fill_shapes(table, patterns)
    return table


@lean
def _fill_slots(table: KeyTable) -> None:
    mask = np.uint64(len(table.slots) - 1)
    for row in range(len(table.keys)):
        key = table.keys[row]
        table.filter[_filter_word(table.filter, key)] |= _filter_bits(key)
        slot = key & mask
        while table.slots[slot]:
            slot = (slot + np.uint64(1)) & mask
        table.slots[slot] = row + 1


@lean
def _fill_shapes(table: KeyTable, patterns: Patterns) -> None:
    for i in range(len(table.patterns)):
        pattern = table.patterns[i]
        begin, end = patterns.first[pattern], patterns.first[pattern + 1]
        table.letters[i] = _letters(patterns.characters, begin, end)
        length = 0
        for at in range(begin, end):
            length += patterns.characters[at] != ANY_RUN
        edits = patterns.edits[pattern] + 1 if patterns.kind[pattern] == FUZZY else 0
        table.shape[i] = length << 2 | edits


@lean
def _letters(characters: I32, begin: int, end: int) -> np.uint64:
    """A bit for each character, the same for some; letters from a to z and digits have bits of their own."""
    letters = np.uint64(0)
    for at in range(begin, end):
        code = characters[at]
        if code >= 0:
            letters |= np.uint64(1) << np.uint64((code + 25 * (code >> 6)) & 63)
    return letters


@lean
def _may_fit(letters: np.uint64, shape: int, of_word: np.uint64, n: int) -> bool:
    """Each edit brings or takes one character; other patterns have no character that the word has not."""
    missing = letters & ~of_word
    length, edits = shape >> 2, (shape & 3) - 1
    if edits < 0:
        return missing == np.uint64(0) and length <= n
    if abs(length - n) > edits:
        return False
    surplus = of_word & ~letters
    for _ in range(edits):
        missing &= missing - np.uint64(1)
        surplus &= surplus - np.uint64(1)
    return (missing | surplus) == np.uint64(0)


@lean
def _filter_word(words: U64, key: np.uint64) -> np.int64:
    return np.int64((key >> np.uint64(40)) & np.uint64(len(words) - 1))


@lean
def _filter_bits(key: np.uint64) -> np.uint64:
    one = np.uint64(1)
    return one << ((key >> np.uint64(28)) & np.uint64(63)) | one << ((key >> np.uint64(34)) & np.uint64(63))


@lean
def find_patterns(
    offsets: I64,
    data: U8,
    first: int,
    tries: int,
    patterns: Patterns,
    table: KeyTable,
    room: Room,
    starts: I64,
    out: I32,
) -> int:
    """The patterns of the words from `first` on. Returns how many words are done: fewer than all: `out` is full."""
    words = len(offsets) - 1
    for word in range(first, words):
        n = characters_of(data, offsets[word], offsets[word + 1], room.characters)
        room.letters[0] = _letters(room.characters, 0, n)
        stamp = tries * words + word + 1
        at = _by_ends(n, stamp, patterns, table, room, out, starts[word])
        at = _by_runs(n, stamp, patterns, table, room, out, at)
        at = _by_deletions(n, stamp, patterns, table, room, out, at)
        if at > len(out):
            return word
        starts[word + 1] = at
    return words


@lean
def _by_ends(n: int, stamp: int, patterns: Patterns, table: KeyTable, room: Room, out: I32, at: int) -> int:
    room.first[0] = room.last[0] = SEED
    for i in range(min(n, LONGEST_END)):
        room.first[i + 1] = step(room.first[i], np.uint64(room.characters[i]))
        room.last[i + 1] = step(room.last[i], np.uint64(room.characters[n - 1 - i]))
    for i in range(len(table.ends)):
        p, s = table.ends[i, 0], table.ends[i, 1]
        if p + s <= n:
            at = _verify(key_of_ends(room.first[p], room.last[s], p, s), n, stamp, patterns, table, room, out, at)
    return at


@lean
def _by_runs(n: int, stamp: int, patterns: Patterns, table: KeyTable, room: Room, out: I32, at: int) -> int:
    for length in table.runs:
        for i in range(n - length + 1):
            at = _verify(key_of_run(room.characters, i, length), n, stamp, patterns, table, room, out, at)
    return at


@lean
def _by_deletions(n: int, stamp: int, patterns: Patterns, table: KeyTable, room: Room, out: I32, at: int) -> int:
    if table.most_edits[0] < 0:
        return at
    if n <= BITS:
        note_places(room.characters, n, room.codes, room.places)
    keys = keys_of_deletions(room.characters, 0, n, table.most_edits[0], room.deletions)
    for i in range(keys):
        prefetch(table.filter, _filter_word(table.filter, room.deletions[i]))
    for i in range(keys):
        at = _verify(room.deletions[i], n, stamp, patterns, table, room, out, at)
    return at


@lean
def _verify(
    key: np.uint64, n: int, stamp: int, patterns: Patterns, table: KeyTable, room: Room, out: I32, at: int
) -> int:
    """Add the patterns with this key that the word fits. Beyond the end of `out` they are counted only."""
    bits = _filter_bits(key)
    if table.filter[_filter_word(table.filter, key)] & bits != bits:
        return at
    mask = np.uint64(len(table.slots) - 1)
    slot = key & mask
    while table.slots[slot] and table.keys[table.slots[slot] - 1] != key:
        slot = (slot + np.uint64(1)) & mask
    row = table.slots[slot] - 1
    if row < 0:
        return at
    for i in range(table.starts[row], table.starts[row + 1]):
        if not _may_fit(table.letters[i], table.shape[i], room.letters[0], n):
            continue
        pattern = table.patterns[i]
        if room.seen[pattern] == stamp:
            continue
        room.seen[pattern] = stamp
        begin, end = patterns.first[pattern], patterns.first[pattern + 1]
        if patterns.kind[pattern] == PREFIX:
            fits = begins_with(patterns.characters, begin, end, room.characters, n)
        elif patterns.kind[pattern] == FUZZY:
            edits = patterns.edits[pattern]
            if n <= BITS:
                fits = edits_between(patterns.characters, begin, end, n, room.codes, room.places) <= edits
            else:
                fits = within_edits(patterns.characters, begin, end, room.characters, n, edits, room.rows)
        else:
            fits = wildcard_fits(patterns.characters, begin, end, room.characters, n)
        if fits:
            if at < len(out):
                out[at] = patterns.number[pattern]
            at += 1
    return at
