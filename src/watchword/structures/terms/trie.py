"""The ordered trie of ROT and POT: nodes as rows of flat arrays (EDBT'12, sections 2 and 4.1).

    first   t1 -> 0, t2 -> 6        term   t1 | t2 t3 | t4 t5 |  t6  | t2
                                    slot   0    1  2    3  4     5     6
    row of a slot: label (the terms behind its first), children (at, how many, room), subscriptions (at, words, room)

    nodes by their children           by their subscriptions
    leaf    none                      none
    single  one, in a block of one    one: its number in the row, where nothing is left to check
    array   up to `array_children`, in a block side by side
    hash    more: the block is a      a list of records in a pool of words (records.py)
            table, open addressing

Siblings lie side by side in a block of slots, so a search that asks which of a node's children the event has reads one
row of terms. Built at once, blocks, labels and records lie in depth-first order without room; a block that is full
moves to one twice as large. Only a node's row knows where its children are: a block moves at no other cost.

Invariant: the terms of a conjunction are, by rank, the terms and labels on the path to the node where it stands; every
node has children or subscriptions; with `compaction` a node that has no subscriptions has several children.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.values import I32, I64
from watchword.kernel import inlined, lean
from watchword.structures.terms.pool import Pool, class_for, trimmed

# The columns of a row.
LABEL_AT: Final = 0
LABEL: Final = 1  # how many terms
CHILDREN_AT: Final = 2
CHILDREN: Final = 3
ROOM: Final = 4  # slots of the block
SUBSCRIPTIONS_AT: Final = 5
SUBSCRIPTIONS: Final = 6  # words of the records, or ONE
SUBSCRIPTIONS_ROOM: Final = 7
COLUMNS: Final = 8

ONE: Final = -1  # SUBSCRIPTIONS_AT is the only one's number, and nothing is left to check

ARRAY_CHILDREN: Final = 0  # the places of `settings`
COMPACTION: Final = 1

Rows = np.ndarray[tuple[int, int], np.dtype[np.int32]]


class Trie(NamedTuple):
    first: I32  # term -> the slot of the node for conjunctions that begin with it, or -1
    slots: Pool  # its words: slot -> the first term of the node, or -1 where there is none
    rows: Rows
    labels: Pool
    records: Pool
    settings: I64


@inlined
def is_hash(trie: Trie, room: int) -> bool:
    return room > trie.settings[ARRAY_CHILDREN]


@lean
def room_for(children: int, array_children: int) -> int:
    """A power of two; a table is at most half full."""
    room = np.int64(1) << class_for(children)
    if room > array_children:
        room = np.int64(1) << class_for(2 * children)
    return room


@inlined
def place_of(term: int, room: int) -> int:
    """Where a table of this size looks for the term first."""
    return (np.int64(term) * 2654435769 >> 16) & (room - 1)


@lean
def child_for(trie: Trie, slot: int, term: int) -> int:
    """The slot of the node's child that begins with the term, or -1."""
    at, children, room = trie.rows[slot, CHILDREN_AT], trie.rows[slot, CHILDREN], trie.rows[slot, ROOM]
    if is_hash(trie, room):
        return in_table(trie.slots.words, at, room, term)
    for i in range(at, at + children):
        if trie.slots.words[i] == term:
            return i
    return -1


@lean
def in_table(terms: I32, at: int, room: int, term: int) -> int:
    place = place_of(term, room)
    while terms[at + place] != term:
        if terms[at + place] < 0:
            return -1
        place = (place + 1) & (room - 1)
    return at + place


@lean
def free_place(terms: I32, at: int, room: int, term: int) -> int:
    """Where in a table the term can go."""
    place = place_of(term, room)
    while terms[at + place] >= 0:
        place = (place + 1) & (room - 1)
    return at + place


def trimmed_trie(trie: Trie, terms: int) -> Trie:
    return Trie(
        trie.first[:terms],
        trimmed(trie.slots),
        trie.rows[: trie.slots.end[0]],
        trimmed(trie.labels),
        trimmed(trie.records),
        trie.settings,
    )


def describe_trie(trie: Trie) -> dict[str, dict[str, int]]:
    rows = trie.rows[: trie.slots.end[0]]
    rows = rows[(rows[:, CHILDREN] > 0) | (rows[:, SUBSCRIPTIONS] != 0)]
    children, subscriptions = rows[:, CHILDREN], rows[:, SUBSCRIPTIONS]
    hashed = rows[:, ROOM] > trie.settings[ARRAY_CHILDREN]
    kinds = {
        "all": rows[:, LABEL] >= 0,
        "leaf": children == 0,
        "single": (children == 1) & ~hashed,
        "array": (children > 1) & ~hashed,
        "hash": hashed,
        "compact": rows[:, LABEL] > 0,
        "without subscriptions": subscriptions == 0,
        "with one": subscriptions == ONE,
        "with records": subscriptions > 0,
    }
    return {
        "nodes": {kind: int(np.count_nonzero(which)) for kind, which in kinds.items()},
        "trie bytes": {
            "first": trie.first.nbytes,
            "terms": 4 * int(trie.slots.end[0]),
            "rows": trie.rows[: trie.slots.end[0]].nbytes,
            "labels": 4 * int(trie.labels.end[0]),
            "records": 4 * int(trie.records.end[0]),
        },
    }
