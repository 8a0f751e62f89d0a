"""Which subscriptions of a trie an event meets (EDBT'12, algorithm 3), without recursion.

Of the children of a node those are visited that begin with a term of the event. Either each term of the event is
looked up in the table of children, or each child asks the table of bits whether the event has its term: whichever is
less work. So the terms of an event need no sorting.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64
from watchword.kernel import AHEAD, lean, prefetch
from watchword.structures.conjunctive import State, Subjects, accept, enter, leave
from watchword.structures.structure import BUCKETS, NODES, PREDICATES, U32
from watchword.structures.terms.records import BYTE, CHECKS_SHIFT, HEAD, VERIFY_REST, checks_hold, words_of
from watchword.structures.terms.trie import (
    CHILDREN,
    CHILDREN_AT,
    COLUMNS,
    LABEL,
    LABEL_AT,
    ONE,
    ROOM,
    SUBSCRIPTIONS,
    SUBSCRIPTIONS_AT,
    Trie,
    in_table,
    is_hash,
)
from watchword.structures.terms.vocabulary import Offered, Vocabulary, is_present, offer, withdraw

# The columns of `open_nodes`: the nodes on the path whose children are being visited.
BLOCK: Final = 0
END: Final = 1  # the slot behind the block, or 0: its table is asked for the event's terms
NEXT: Final = 2  # slot, or term of the event
TABLE: Final = 3  # slots of the table
TERM: Final = 4  # the node's own: its children's have higher ranks
OPEN_COLUMNS: Final = 5

NEAR: Final = AHEAD // 2
TESTS: Final = 4  # children that are asked in the time in which one is looked up


class TrieScratch(NamedTuple):
    offered: Offered
    open_nodes: Any  # I64, a row per level


@lean
def search(
    trie: Trie,
    subjects: Subjects,
    vocabulary: Vocabulary,
    events: CodedEvents,
    first: int,
    starts: I64,
    out: U32,
    state: State,
    own: TrieScratch,
) -> int:
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + subjects.count > len(out):
            return e
        many = enter(state, events, e)
        terms = offer(vocabulary, events, e, own.offered)
        for i in range(terms):
            _ask_ahead(trie, own.offered.terms, i, terms)
            slot = trie.first[own.offered.terms[i]]
            if slot >= 0:
                n = _visit_all(trie, slot, subjects, state, out, n, own, terms, many)
        withdraw(own.offered, terms)
        leave(state, events, e, many)
        starts[e + 1] = n
    return len(events.starts) - 1


@lean
def _ask_ahead(trie: Trie, offered: I32, i: int, terms: int) -> None:
    """When the node of term i is visited, ask memory for those of later terms, and for their children."""
    last = terms - 1
    later, soon = trie.first[offered[min(last, i + 2 * NEAR)]], trie.first[offered[min(last, i + NEAR)]]
    prefetch(trie.first, offered[min(last, i + 3 * NEAR)])
    if later >= 0:
        prefetch(trie.rows, COLUMNS * later)
    if soon >= 0:
        prefetch(trie.slots.words, trie.rows[soon, CHILDREN_AT])


@lean
def _visit_all(
    trie: Trie, slot: int, subjects: Subjects, state: State, out: U32, n: int, own: TrieScratch, terms: int, many: bool
) -> int:
    """The node, and all nodes below it that the event meets."""
    rows, words = trie.rows, trie.records.words
    depth, nodes, predicates = 0, 0, 0
    while slot >= 0:
        nodes += 1
        label = rows[slot, LABEL]
        matched = _matched(trie.labels.words, rows[slot, LABEL_AT], label, own.offered)
        predicates += matched
        if matched == label:
            if rows[slot, SUBSCRIPTIONS] == ONE:
                n = accept(subjects, state, out, n, rows[slot, SUBSCRIPTIONS_AT], many)
            elif rows[slot, SUBSCRIPTIONS] > 0:
                at = rows[slot, SUBSCRIPTIONS_AT]
                n = _read(subjects, words, at, at + rows[slot, SUBSCRIPTIONS], state, out, n, many)
            if rows[slot, CHILDREN] > 0:
                _open(trie, slot, own.open_nodes, depth, terms, state)
                depth += 1
        slot = -1
        while depth > 0 and slot < 0:
            slot = _next_child(trie.slots.words, own.open_nodes, depth - 1, own.offered, terms)
            if slot < 0:
                depth -= 1
    state.counts[NODES] += nodes
    state.counts[PREDICATES] += predicates
    return n


@lean
def _matched(labels: I32, at: int, count: int, offered: Offered) -> int:
    """How many terms of a label the event has, up to the first that it lacks."""
    i = 0
    while i < count and is_present(offered.present, labels[at + i]):
        i += 1
    return i


@lean
def _open(trie: Trie, slot: int, open_nodes: I64, depth: int, terms: int, state: State) -> None:
    row, at = open_nodes[depth], trie.rows[slot, CHILDREN_AT]
    room = trie.rows[slot, ROOM]
    row[BLOCK] = at
    if not is_hash(trie, room):
        row[NEXT], row[END] = at, at + trie.rows[slot, CHILDREN]
    elif room <= TESTS * terms:
        row[NEXT], row[END] = at, at + room
    else:
        row[NEXT], row[END], row[TABLE], row[TERM] = 0, 0, room, trie.slots.words[slot]
        state.counts[BUCKETS] += 1


@lean
def _next_child(children: I32, open_nodes: I64, depth: int, offered: Offered, terms: int) -> int:
    """The slot of the next child whose first term the event has, or -1."""
    row = open_nodes[depth]
    i, end = row[NEXT], row[END]
    slot = -1
    if end > 0:
        while i < end and slot < 0:
            if is_present(offered.present, children[i]):  # never term -1
                slot = i
            i += 1
    else:
        while i < terms and slot < 0:
            if offered.terms[i] > row[TERM]:
                slot = in_table(children, row[BLOCK], row[TABLE], offered.terms[i])
            i += 1
    row[NEXT] = i
    return slot


@lean
def _read(subjects: Subjects, words: I32, at: int, end: int, state: State, out: U32, n: int, many: bool) -> int:
    """The records of one node."""
    while at < end:
        head = words[at + 1]
        if many or checks_hold(words, at + HEAD, head >> CHECKS_SHIFT & BYTE, state):
            n = accept(subjects, state, out, n, words[at], many or head & VERIFY_REST != 0)
        at += words_of(head)
    return n
