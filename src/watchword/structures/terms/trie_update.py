"""Adding a conjunction to a trie and taking one out, each at the cost of its path.

add     follow the path; where it leaves a label, split the node there; then a new child, and the rest
            (ROT: a node per term; POT: one node with a label)
remove  take out the record; a node with nothing left goes, and its parent likewise;
            POT: a node without subscriptions that keeps one child becomes one with it
"""

from __future__ import annotations

from typing import Final

import numpy as np

from watchword.coding.values import I32, I64
from watchword.kernel import lean
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.terms.pool import (
    class_for,
    give_back,
    give_back_exactly,
    grown,
    has_room,
    take_exactly,
    take_piece,
    widened,
)
from watchword.structures.terms.records import HEAD, find_record, head_of, remove_record, words_of, write_record
from watchword.structures.terms.trie import (
    ARRAY_CHILDREN,
    CHILDREN,
    CHILDREN_AT,
    COLUMNS,
    COMPACTION,
    LABEL,
    LABEL_AT,
    ONE,
    ROOM,
    SUBSCRIPTIONS,
    SUBSCRIPTIONS_AT,
    SUBSCRIPTIONS_ROOM,
    Trie,
    child_for,
    free_place,
    is_hash,
    place_of,
    room_for,
)
from watchword.structures.terms.vocabulary import MOST_TERMS, TermSets

# What an addition may need, at most: the places of `needs`.
SLOTS: Final = 0
LABELS: Final = 1
RECORDS: Final = 2


def insert(trie: Trie, c: Conjunctions, sets: TermSets, first: int, terms: int) -> Trie:
    """Add the conjunctions from number `first` on; the trie, with arrays that may have moved."""
    trie = trie._replace(first=widened(trie.first, terms, -1))
    needs, path = np.zeros(3, np.int64), np.empty(MOST_TERMS, np.int64)
    done = 0
    while (done := _add_all(trie, c, sets, first, done, needs, path)) < len(sets.starts) - 1:
        trie = with_room(trie, *needs.tolist())
    return trie


def delete(trie: Trie, sets: TermSets, numbers: I64) -> Trie:
    trie = with_room(trie, 0, MOST_TERMS, 0)
    path, done = np.empty(MOST_TERMS, np.int64), 0
    while (done := _remove_all(trie, sets, numbers, done, path)) < len(numbers):
        trie = with_room(trie, 0, MOST_TERMS, 0)
    return trie


def with_room(trie: Trie, slots: int, labels: int, records: int) -> Trie:
    if not has_room(trie.slots, slots):
        trie = trie._replace(slots=grown(trie.slots, slots))
        trie = trie._replace(rows=widened(trie.rows, len(trie.slots.words), 0))
    if not has_room(trie.labels, labels):
        trie = trie._replace(labels=grown(trie.labels, labels))
    if not has_room(trie.records, records):
        trie = trie._replace(records=grown(trie.records, records))
    return trie


@lean
def _add_all(trie: Trie, c: Conjunctions, sets: TermSets, first: int, done: int, needs: I64, path: I64) -> int:
    """The one for which there was no room, or how many they are."""
    for i in range(done, len(sets.starts) - 1):
        head = head_of(c, first + i)
        if not _add(trie, c, first + i, head, sets.terms, sets.starts[i], sets.starts[i + 1], needs, path):
            return i
    return len(sets.starts) - 1


@lean
def _add(
    trie: Trie, c: Conjunctions, number: int, head: int, terms: I32, i: int, last: int, needs: I64, path: I64
) -> bool:
    depth, i, matched = _follow(trie, terms, i, last, path)
    slot = path[depth - 1] if depth > 0 else -1
    _note_needs(trie, slot, head, last - i, needs)
    if not (
        has_room(trie.slots, needs[SLOTS])
        and has_room(trie.labels, needs[LABELS])
        and has_room(trie.records, needs[RECORDS])
    ):
        return False
    if slot >= 0 and matched < trie.rows[slot, LABEL]:
        _split(trie, slot, matched)
    while i < last:
        slot = _add_child(trie, slot, terms[i])
        i += 1
        if trie.settings[COMPACTION]:
            _set_label(trie, slot, terms, i, last)
            i = last
    _add_subscription(trie, slot, c, number, head)
    return True


@lean
def _follow(trie: Trie, terms: I32, i: int, last: int, path: I64) -> tuple[int, int, int]:
    """As far as the trie has these terms: how many nodes, the term not found, how much of the last label is theirs."""
    depth, matched = 0, 0
    slot = trie.first[terms[i]]
    while slot >= 0:
        path[depth] = slot
        depth += 1
        i += 1
        at, label, matched = trie.rows[slot, LABEL_AT], trie.rows[slot, LABEL], 0
        while matched < label and i < last and trie.labels.words[at + matched] == terms[i]:
            matched += 1
            i += 1
        slot = child_for(trie, slot, terms[i]) if i < last and matched == label else -1
    return depth, i, matched


@lean
def _note_needs(trie: Trie, slot: int, head: int, more: int, needs: I64) -> None:
    """At most: a larger block, a split, a node per new term; their label, and the split one's; a larger list."""
    needs[SLOTS], needs[LABELS], needs[RECORDS] = 1 + more, more, 2 * words_of(head) + 4 * HEAD
    if slot >= 0:
        needs[LABELS] += trie.rows[slot, LABEL]
        needs[SLOTS] += room_for(trie.rows[slot, CHILDREN] + 1, trie.settings[ARRAY_CHILDREN])
        needs[RECORDS] += 2 * max(0, trie.rows[slot, SUBSCRIPTIONS])


@lean
def _clear(trie: Trie, slot: int) -> None:
    """No node is here."""
    trie.slots.words[slot] = -1
    for column in range(COLUMNS):
        trie.rows[slot, column] = 0


@lean
def _move(trie: Trie, slot: int, to: int) -> None:
    trie.slots.words[to] = trie.slots.words[slot]
    for column in range(COLUMNS):
        trie.rows[to, column] = trie.rows[slot, column]
    _clear(trie, slot)


@lean
def _take_block(trie: Trie, room: int) -> int:
    at = take_piece(trie.slots, class_for(room))
    for slot in range(at, at + room):
        _clear(trie, slot)
    return at


@lean
def _split(trie: Trie, slot: int, matched: int) -> None:
    """The node keeps so much of its label; a child of it gets the rest, its children and its subscriptions."""
    row, words, child = trie.rows[slot], trie.labels.words, _take_block(trie, 1)
    term, at, label = trie.slots.words[slot], row[LABEL_AT], row[LABEL]
    _move(trie, slot, child)
    trie.slots.words[slot], trie.slots.words[child] = term, words[at + matched]
    _set_label(trie, slot, words, at, at + matched)
    _set_label(trie, child, words, at + matched + 1, at + label)
    give_back_exactly(trie.labels, at, label)
    row[CHILDREN_AT], row[CHILDREN], row[ROOM] = child, 1, 1


@lean
def _add_child(trie: Trie, slot: int, term: int) -> int:
    """A new node below this one (-1: none); its slot."""
    if slot < 0:
        child = _take_block(trie, 1)
        trie.first[term] = child
    else:
        row = trie.rows[slot]
        row[CHILDREN] += 1
        children, most = row[CHILDREN], row[ROOM]
        if is_hash(trie, most):
            most -= most >> 2  # a table has a quarter free
        if children > most:
            _enlarge_block(trie, slot)
        child = row[CHILDREN_AT] + children - 1
        if is_hash(trie, row[ROOM]):
            child = free_place(trie.slots.words, row[CHILDREN_AT], row[ROOM], term)
    trie.slots.words[child] = term
    return child


@lean
def _enlarge_block(trie: Trie, slot: int) -> None:
    row, terms = trie.rows[slot], trie.slots.words
    old, old_room = row[CHILDREN_AT], row[ROOM]
    room = room_for(row[CHILDREN], trie.settings[ARRAY_CHILDREN])
    block = _take_block(trie, room)
    row[CHILDREN_AT], row[ROOM] = block, room
    for child in range(old, old + old_room):
        if terms[child] >= 0:
            to = block + child - old
            if is_hash(trie, room):
                to = free_place(terms, block, room, terms[child])
            _move(trie, child, to)
    give_back(trie.slots, old, old_room)


@lean
def _set_label(trie: Trie, slot: int, terms: I32, first: int, last: int) -> None:
    at = take_exactly(trie.labels, last - first)
    for i in range(first, last):
        trie.labels.words[at + i - first] = terms[i]
    trie.rows[slot, LABEL_AT], trie.rows[slot, LABEL] = at, last - first


@lean
def _add_subscription(trie: Trie, slot: int, c: Conjunctions, number: int, head: int) -> None:
    row, records = trie.rows[slot], trie.records
    used = row[SUBSCRIPTIONS]
    if used == 0 and head == 0 and row[SUBSCRIPTIONS_ROOM] == 0:
        row[SUBSCRIPTIONS_AT], row[SUBSCRIPTIONS] = number, ONE
        return
    if used == ONE:  # it becomes the first record
        at, room = take_piece(records, class_for(2 * HEAD)), 1 << class_for(2 * HEAD)
        records.words[at], records.words[at + 1] = row[SUBSCRIPTIONS_AT], 0
        row[SUBSCRIPTIONS_AT], row[SUBSCRIPTIONS_ROOM], used = at, room, HEAD
    length = words_of(head)
    old, old_room = row[SUBSCRIPTIONS_AT], row[SUBSCRIPTIONS_ROOM]
    if used + length > old_room:
        size = class_for(used + length)
        at = take_piece(records, size)
        for i in range(used):
            records.words[at + i] = records.words[old + i]
        give_back(records, old, old_room)
        row[SUBSCRIPTIONS_AT], row[SUBSCRIPTIONS_ROOM] = at, 1 << size
    row[SUBSCRIPTIONS] = used + length
    write_record(records.words, row[SUBSCRIPTIONS_AT] + used, c, number, c.dimension, 0, 0)


@lean
def _remove_all(trie: Trie, sets: TermSets, numbers: I64, done: int, path: I64) -> int:
    for i in range(done, len(numbers)):
        if not has_room(trie.labels, MOST_TERMS):
            return i
        depth, _, _ = _follow(trie, sets.terms, sets.starts[i], sets.starts[i + 1], path)
        _remove_subscription(trie, path[depth - 1], numbers[i])
        _prune(trie, path, depth)
    return len(numbers)


@lean
def _remove_subscription(trie: Trie, slot: int, number: int) -> None:
    row, words = trie.rows[slot], trie.records.words
    if row[SUBSCRIPTIONS] == ONE:
        row[SUBSCRIPTIONS] = 0
        return
    at = row[SUBSCRIPTIONS_AT]
    end = at + row[SUBSCRIPTIONS]
    row[SUBSCRIPTIONS] -= remove_record(words, find_record(words, at, end, number), end)
    if row[SUBSCRIPTIONS] == 0:
        give_back(trie.records, at, row[SUBSCRIPTIONS_ROOM])
        row[SUBSCRIPTIONS_ROOM] = 0


@lean
def _prune(trie: Trie, path: I64, depth: int) -> None:
    while depth > 0:
        slot = path[depth - 1]
        row = trie.rows[slot]
        if row[SUBSCRIPTIONS] != 0 or row[CHILDREN] > 1:
            return
        if row[CHILDREN] == 1:
            if trie.settings[COMPACTION]:
                _join(trie, slot)
            return
        give_back_exactly(trie.labels, row[LABEL_AT], row[LABEL])
        depth -= 1
        if depth == 0:
            trie.first[trie.slots.words[slot]] = -1
            _clear(trie, slot)
            give_back(trie.slots, slot, 1)
        else:
            _remove_child(trie, path[depth - 1], slot)


@lean
def _remove_child(trie: Trie, slot: int, child: int) -> None:
    row = trie.rows[slot]
    row[CHILDREN] -= 1
    at, children, room = row[CHILDREN_AT], row[CHILDREN], row[ROOM]
    _clear(trie, child)
    if children == 0:
        give_back(trie.slots, at, room)
        row[ROOM] = 0
    elif is_hash(trie, room):
        _close_gap(trie, at, room, child)
    elif child < at + children:
        _move(trie, at + children, child)


@lean
def _close_gap(trie: Trie, at: int, room: int, gap: int) -> None:
    """Move up those behind the gap that it stands in the way of."""
    terms = trie.slots.words
    slot = gap
    while True:
        slot = at + ((slot - at + 1) & (room - 1))
        if terms[slot] < 0:
            return
        wanted = at + place_of(terms[slot], room)
        if ((slot - wanted) & (room - 1)) >= ((slot - gap) & (room - 1)):
            _move(trie, slot, gap)
            gap = slot


@lean
def _join(trie: Trie, slot: int) -> None:
    """Make one of a node without subscriptions and its only child."""
    row, terms, words = trie.rows[slot], trie.slots.words, trie.labels.words
    block, room, term = row[CHILDREN_AT], row[ROOM], terms[slot]
    child = block
    while terms[child] < 0:
        child += 1
    at, label = row[LABEL_AT], row[LABEL]
    its_at, its_label = trie.rows[child, LABEL_AT], trie.rows[child, LABEL]
    joined = take_exactly(trie.labels, label + 1 + its_label)
    for i in range(label):
        words[joined + i] = words[at + i]
    words[joined + label] = terms[child]
    for i in range(its_label):
        words[joined + label + 1 + i] = words[its_at + i]
    give_back_exactly(trie.labels, at, label)
    give_back_exactly(trie.labels, its_at, its_label)
    _move(trie, child, slot)
    terms[slot] = term
    row[LABEL_AT], row[LABEL] = joined, label + 1 + its_label
    give_back(trie.slots, block, room)
