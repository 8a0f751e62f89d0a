"""Matching: the pivot attributes of an event, for each of them its lists, then the counters that reached 0 (section 5).

    event --probes--> attribute, value, bits of signatures
    pivot attribute --row--> counters copied --every probe--> segments of =, <=, >= --entries--> counters go down

Counters are bytes of one small array that every row copies its own to; that a counter is 0 is asked of eight at once
when the row's lists are done, not after every step.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from watchword.coding.codebook import MISSING
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I32, I64, U8
from watchword.kernel import lean, prefetch
from watchword.structures.conjunctive import State, Subjects, accept, enter, leave
from watchword.structures.opindex.lists import CLAUSE_BITS, ROWS, WORD, Lists, signature_bit
from watchword.structures.opindex.predicates import AT_LEAST, AT_MOST, EQUAL, LISTS, Domain
from watchword.structures.opindex.trie import Trie, deepest_node
from watchword.structures.opindex.units import U64
from watchword.structures.structure import BUCKETS, CANDIDATES, NODES, U32

CLAUSE_MASK: Final = (1 << CLAUSE_BITS) - 1
MOST_GROUPED: Final = 32  # rows that are looked at together
MOST_HITS: Final = 1 << 16
LINE_SUBJECTS: Final = 16  # subjects in a cache line
AHEAD_LINES: Final = 3


class Probes(NamedTuple):
    """What an event asks every pivot attribute's lists."""

    cell: I64  # its segment's first cell, counted from the row's
    key: I32
    first: I32  # the keys of its attribute: a node of the trie is asked for by equality only
    last: I32
    equal_bit: U64
    other_bit: U64


class Left(NamedTuple):
    """The counters or bitmaps of the row at hand."""

    words: U64
    bytes: U8
    found: I32  # the slots at 0
    rows: I32  # of the event's pivot attributes
    predicates: I64  # [true ones so far]


class Hits(NamedTuple):
    """The segments that signatures let through, for a group of rows."""

    starts: I64  # row of the group -> its hits
    cell: I64
    probe: I32
    group: int  # rows


def new_probes(most: int) -> Probes:
    return Probes(
        np.empty(most, np.int64),
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
    )


def new_left(lists: Lists) -> Left:
    slots = int(lists.slot_room.max(initial=0))
    words = np.empty(slots * lists.need.itemsize // 8, np.uint64)
    rows = np.empty(int(lists.used[ROWS]), np.int32)
    return Left(words, words.view(np.uint8), np.empty(slots + 1, np.int32), rows, np.zeros(1, np.int64))


def new_hits(probes: int) -> Hits:
    group = max(1, min(MOST_GROUPED, MOST_HITS // (LISTS * probes)))
    most = group * probes * LISTS
    return Hits(np.zeros(group + 1, np.int64), np.empty(most, np.int64), np.empty(most, np.int32), group)


@lean
def match_events(
    domain: Domain,
    trie: Trie,
    counted: Lists,
    counted_need: U64,
    counters: Left,
    clausal: Lists,
    clausal_need: U64,
    bitmaps: Left,
    probes: Probes,
    hits: Hits,
    subjects: Subjects,
    events: CodedEvents,
    first: int,
    starts: I64,
    out: U32,
    state: State,
) -> int:
    """Match from event `first` on; the event for which `out` had no room, or their number."""
    for e in range(first, len(events.starts) - 1):
        n = starts[e]
        if n + subjects.count > len(out):
            return e
        many = enter(state, events, e)
        count, odd = _write_probes(domain, trie, counted.b, counted.w, events, e, probes, state.counts)
        verify = many or odd
        rows = _find_rows(counted, events, e, counters.rows)
        for begin in range(0, rows, hits.group):
            some = counters.rows[begin : min(rows, begin + hits.group)]
            _look_ahead(counted, counted_need, some, probes, count, hits, state.counts)
            for i in range(len(some)):
                _count(counted, counted_need, some[i], probes, hits, i, many, counters)
                n = _accept_found(counted, some[i], counters, subjects, state, out, n, verify)
        rows = _find_rows(clausal, events, e, bitmaps.rows)
        for begin in range(0, rows, hits.group):
            some = bitmaps.rows[begin : min(rows, begin + hits.group)]
            _look_ahead(clausal, clausal_need, some, probes, count, hits, state.counts)
            for i in range(len(some)):
                _clear(clausal, clausal_need, some[i], probes, hits, i, bitmaps)
                n = _accept_found(clausal, some[i], bitmaps, subjects, state, out, n, verify)
        leave(state, events, e, many)
        starts[e + 1] = n
    return len(events.starts) - 1


@lean
def _find_rows(lists: Lists, events: CodedEvents, e: int, rows: I32) -> int:
    """The rows of the event's attributes, each once; how many."""
    found, before = 0, -1
    if lists.used[ROWS] == 0:
        return 0
    for i in range(events.starts[e], events.starts[e + 1]):
        d = events.dimension[i]
        if d == before or events.code[i] == MISSING:
            continue
        before = d
        row = lists.first_row[d]
        while row >= 0:
            rows[found] = row
            found += 1
            row = lists.next_row[row]
    return found


@lean
def _look_ahead(lists: Lists, need: U64, rows: I32, probes: Probes, count: int, hits: Hits, counts: I64) -> None:
    """Which segments of these rows the probes must search, by their signatures. Memory is asked for what comes next."""
    for i in range(len(rows)):
        first_cell = np.int64(rows[i]) * lists.b * LISTS
        for j in range(count):
            prefetch(lists.signature, first_cell + probes.cell[j])
    found = 0
    for i in range(len(rows)):
        first_cell = np.int64(rows[i]) * lists.b * LISTS
        hits.starts[i] = found
        for j in range(count):
            cell = first_cell + probes.cell[j]
            for operator in range(LISTS):
                bit = probes.equal_bit[j] if operator == EQUAL else probes.other_bit[j]
                if lists.signature[cell + operator] & bit != 0:
                    hits.cell[found], hits.probe[found] = cell + operator, j
                    prefetch(lists.runs, 2 * (cell + operator))
                    found += 1
        slot = lists.slot_starts[rows[i]]
        prefetch(need, slot * lists.need.itemsize // WORD)
        for line in range(AHEAD_LINES):
            prefetch(lists.subject, slot + line * LINE_SUBJECTS)
    hits.starts[len(rows)] = found
    for h in range(found):
        begin = np.int64(lists.runs[2 * hits.cell[h]])
        prefetch(lists.key, begin)
        prefetch(lists.tail, begin)
    counts[BUCKETS] += found


@lean
def _write_probes(
    domain: Domain, trie: Trie, b: int, w: int, events: CodedEvents, e: int, probes: Probes, counts: I64
) -> tuple[int, bool]:
    """The probes of an event, and whether it has a value that one-sided predicates are not exact for."""
    n, odd = 0, False
    nodes = domain.base[len(domain.base) - 1]
    for i in range(events.starts[e], events.starts[e + 1]):
        d, code = np.int64(events.dimension[i]), np.int64(events.code[i])
        if code == MISSING:
            continue
        odd = odd or code < domain.bottom[d] or code > domain.top[d]
        first = domain.base[d]
        _put(probes, n, d % b, first + code, first, domain.base[d + 1] - 1, signature_bit(d, w), w)
        n += 1
        if len(trie.place) > 0:
            node = deepest_node(trie, first + code)
            while node >= 0:
                _put(probes, n, d % b, nodes + trie.number[node], 0, 0, np.uint64(0), w)
                n += 1
                counts[NODES] += 1
                node = trie.parent[node]
    return n, odd


@lean
def _put(probes: Probes, n: int, segment: int, key: int, first: int, last: int, other_bit: np.uint64, w: int) -> None:
    probes.cell[n], probes.key[n], probes.first[n], probes.last[n] = segment * LISTS, key, first, last
    probes.equal_bit[n], probes.other_bit[n] = signature_bit(key, w), other_bit


@lean
def _count(lists: Lists, need: U64, row: int, probes: Probes, hits: Hits, i: int, many: bool, left: Left) -> None:
    """Take one from the counter of every predicate of the row that the event makes true, from where `need` has it."""
    first_word = lists.slot_starts[row] // WORD
    for k in range((lists.slot_count[row] + WORD - 1) // WORD):
        left.words[k] = need[first_word + k]
    counters, tails = left.bytes, lists.tail
    for h in range(hits.starts[i], hits.starts[i + 1]):
        begin, end = _matching(lists.key, lists.runs, hits.cell[h], probes, hits.probe[h])
        left.predicates[0] += end - begin
        if many:
            for k in range(begin, end):
                if counters[tails[k]] != 0:
                    counters[tails[k]] -= 1
        else:
            for k in range(begin, end):
                counters[tails[k]] -= 1


@lean
def _clear(lists: Lists, need: U64, row: int, probes: Probes, hits: Hits, i: int, left: Left) -> None:
    """Clear the bit of every clause of the row that the event makes true."""
    first_slot = lists.slot_starts[row]
    for k in range(lists.slot_count[row]):
        left.words[k] = need[first_slot + k]
    for h in range(hits.starts[i], hits.starts[i + 1]):
        begin, end = _matching(lists.key, lists.runs, hits.cell[h], probes, hits.probe[h])
        left.predicates[0] += end - begin
        for k in range(begin, end):
            tail = np.int64(lists.tail[k])
            clause = np.uint64(1) << np.uint64(tail & CLAUSE_MASK)
            left.words[tail >> CLAUSE_BITS] &= ~clause


@lean
def _matching(key: I32, runs: I32, cell: int, probes: Probes, j: int) -> tuple[int, int]:
    """The entries of a segment that this probe makes true; the segment has some."""
    operator = cell % LISTS
    begin, end = np.int64(runs[2 * cell]), np.int64(runs[2 * cell + 1])
    wanted = probes.key[j]
    if operator == AT_LEAST:
        if key[begin] < probes.first[j]:
            begin = first_not_below(key, begin, end, probes.first[j])
    else:
        begin = first_not_below(key, begin, end, wanted)
    if operator != AT_MOST:
        end = first_not_below(key, begin, end, wanted + 1)
    elif key[end - 1] > probes.last[j]:
        end = first_not_below(key, begin, end, probes.last[j] + 1)
    return begin, end


@lean
def first_not_below(key: I32, low: int, high: int, wanted: int) -> int:
    """Halves what is left whatever the comparison says: a choice of numbers, where a jump would be guessed wrongly."""
    left = high - low
    while left > 0:
        half = (left + 1) >> 1
        low += half if key[low + half - 1] < wanted else 0
        left -= half
    return low


@lean
def _accept_found(
    lists: Lists, row: int, left: Left, subjects: Subjects, state: State, out: U32, n: int, verify: bool
) -> int:
    """Accept the subscriptions of the row whose counters or bitmaps are at 0."""
    slots, first_slot = lists.slot_count[row], lists.slot_starts[row]
    found = _find_zero_bytes(left, slots) if lists.need.itemsize == 1 else _find_zero_words(left, slots)
    for i in range(found):
        subject = np.int64(lists.subject[first_slot + left.found[i]])
        if subject >= 0 and not verify:
            out[n] = subject
            n += 1
            state.counts[CANDIDATES] += 1
        else:
            conjunction = ~subject if subject < 0 else _only_conjunction(subjects.expression, subject)
            n = accept(subjects, state, out, n, conjunction, verify)
    return n


@lean
def _only_conjunction(expressions: I32, expression: int) -> int:
    """The conjunction of an expression that has one: mostly they have the same number."""
    if expression < len(expressions) and expressions[expression] == expression:
        return expression
    return first_not_below(expressions, 0, len(expressions), expression)


@lean
def _find_zero_bytes(left: Left, slots: int) -> int:
    """Which counters are 0. A word without the high bit of a byte that borrowed has no byte that is 0."""
    ones, highs = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
    found = 0
    for k in range((slots + WORD - 1) // WORD):
        word = left.words[k]
        if (word - ones) & ~word & highs != 0:
            for slot in range(WORD * k, WORD * k + WORD):
                left.found[found] = slot
                found += 1 if left.bytes[slot] == 0 else 0
    return found


@lean
def _find_zero_words(left: Left, slots: int) -> int:
    found = 0
    for slot in range(slots):
        left.found[found] = slot
        found += 1 if left.words[slot] == 0 else 0
    return found
