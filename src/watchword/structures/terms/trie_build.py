"""The trie of many conjunctions at once: its nodes level by level, then laid out depth first.

level 0   the first terms             node = (its parent, its term): one sort per level finds which are the same
level 1   the second ones ...         siblings are neighbours, ordered by term
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64
from watchword.kernel import kernel, lean
from watchword.structures.conjunctions import Conjunctions
from watchword.structures.terms.pool import new_pool
from watchword.structures.terms.records import head_of, words_of, write_record
from watchword.structures.terms.trie import (
    ARRAY_CHILDREN,
    CHILDREN,
    CHILDREN_AT,
    COLUMNS,
    LABEL,
    LABEL_AT,
    ONE,
    ROOM,
    SUBSCRIPTIONS,
    SUBSCRIPTIONS_AT,
    SUBSCRIPTIONS_ROOM,
    Trie,
    free_place,
    room_for,
)
from watchword.structures.terms.vocabulary import MOST_TERMS, TermSets


class Levels(NamedTuple):
    """The regular trie, numbered level by level."""

    tops: int  # nodes without a parent: the first ones
    term: I32
    first_child: I64  # node -> its children first_child[node] .. first_child[node + 1]
    starts: I64  # node -> its conjunctions in `conjunctions`
    conjunctions: I64


def build_trie(c: Conjunctions, sets: TermSets, terms: int, array_children: int, compaction: bool) -> Trie:
    levels = build_levels(sets)
    heads = _heads(c)
    unary = np.zeros(len(levels.term), np.bool_)
    if compaction:
        unary = (np.diff(levels.first_child) == 1) & (np.diff(levels.starts) == 0)
    slots, words = _sizes(levels, unary, heads, array_children)
    trie = Trie(
        np.full(terms, -1, np.int32),
        new_pool(slots),
        np.zeros((slots, COLUMNS), np.int32),
        new_pool(int(np.count_nonzero(unary)), MOST_TERMS + 1),
        new_pool(words),
        np.array([array_children, compaction], np.int64),
    )
    _lay_out(trie, levels, unary, heads, c)
    return trie


def build_levels(sets: TermSets) -> Levels:
    starts, terms = sets
    lengths = np.diff(starts)
    node = np.full(len(lengths), -1, np.int64)
    deep = np.arange(len(lengths))  # the conjunctions that have a term on the level
    parents, labels = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    known, level, tops = 0, 0, 0
    while len(deep):
        key = node[deep] + 1 << 32 | terms[starts[deep] + level]
        order = np.argsort(key)
        deep, key = deep[order], key[order]
        new = np.append(True, key[1:] != key[:-1])
        node[deep] = known + np.cumsum(new) - 1
        parents.append((key[new] >> 32) - 1)
        labels.append((key[new] & 0xFFFFFFFF).astype(np.int32))
        known += len(labels[-1])
        level += 1
        tops = tops or known
        deep = deep[lengths[deep] > level]
    children = np.bincount(np.concatenate(parents)[tops:], minlength=known)
    return Levels(
        tops,
        np.concatenate(labels),
        tops + starts_of(children),
        starts_of(np.bincount(node, minlength=known)),
        np.argsort(node, kind="stable"),
    )


@kernel
def _heads(c: Conjunctions) -> I32:
    out = np.empty(len(c.expression), np.int32)
    for number in range(len(out)):
        out[number] = head_of(c, number)
    return out


@kernel
def _sizes(levels: Levels, unary: np.ndarray, heads: I32, array_children: int) -> tuple[int, int]:
    """The slots of all blocks, and the words of all records."""
    slots, words = levels.tops, 0
    for node in range(len(levels.term)):
        first, last = levels.starts[node], levels.starts[node + 1]
        if not unary[node]:
            slots += _exact_room(levels.first_child[node + 1] - levels.first_child[node], array_children)
        if last - first > 1 or (last > first and heads[levels.conjunctions[first]] != 0):
            for i in range(first, last):
                words += words_of(heads[levels.conjunctions[i]])
    return slots, words


@lean
def _exact_room(children: int, array_children: int) -> int:
    return children if children <= array_children else room_for(children, array_children)


@kernel
def _lay_out(trie: Trie, levels: Levels, unary: np.ndarray, heads: I32, c: Conjunctions) -> None:
    waiting = np.empty((len(levels.term) + 1, 2), np.int64)  # nodes and the slots they got
    for top in range(levels.tops):
        slot = trie.slots.end[0]
        trie.slots.end[0] += 1
        trie.slots.words[slot] = levels.term[top]
        trie.first[levels.term[top]] = slot
        waiting[0, 0], waiting[0, 1] = top, slot
        count = 1
        while count > 0:
            count -= 1
            node, slot = waiting[count, 0], waiting[count, 1]
            node = _lay_label(trie, levels, unary, node, slot)
            _lay_subscriptions(trie, levels, heads, c, node, slot)
            count = _lay_children(trie, levels, node, slot, waiting, count)


@lean
def _lay_label(trie: Trie, levels: Levels, unary: np.ndarray, node: int, slot: int) -> int:
    """Go down to the end of the unary path; that node."""
    at = trie.labels.end[0]
    trie.rows[slot, LABEL_AT] = at
    while unary[node]:
        node = levels.first_child[node]
        trie.labels.words[at] = levels.term[node]
        at += 1
    trie.rows[slot, LABEL] = at - trie.labels.end[0]
    trie.labels.end[0] = at
    return node


@lean
def _lay_subscriptions(trie: Trie, levels: Levels, heads: I32, c: Conjunctions, node: int, slot: int) -> None:
    row = trie.rows[slot]
    first, last = levels.starts[node], levels.starts[node + 1]
    if last - first == 1 and heads[levels.conjunctions[first]] == 0:
        row[SUBSCRIPTIONS_AT], row[SUBSCRIPTIONS] = levels.conjunctions[first], ONE
        return
    begin = trie.records.end[0]
    at = begin
    for i in range(first, last):
        at = write_record(trie.records.words, at, c, levels.conjunctions[i], levels.term, 0, 0)
    row[SUBSCRIPTIONS_AT], row[SUBSCRIPTIONS], row[SUBSCRIPTIONS_ROOM] = begin, at - begin, at - begin
    trie.records.end[0] = at


@lean
def _lay_children(trie: Trie, levels: Levels, node: int, slot: int, waiting: I64, count: int) -> int:
    """Give the children their slots; how many nodes wait then."""
    row, terms = trie.rows[slot], trie.slots.words
    first, last = levels.first_child[node], levels.first_child[node + 1]
    room = _exact_room(last - first, trie.settings[ARRAY_CHILDREN])
    block = trie.slots.end[0]
    row[CHILDREN_AT], row[CHILDREN], row[ROOM] = block, last - first, room
    trie.slots.end[0] += room
    for i in range(room):
        terms[block + i] = -1
    for i in range(last - 1, first - 1, -1):  # the first child is laid out next
        place = block + i - first
        if room > trie.settings[ARRAY_CHILDREN]:
            place = free_place(terms, block, room, levels.term[i])
        terms[place] = levels.term[i]
        waiting[count, 0], waiting[count, 1] = i, place
        count += 1
    return count
