"""The arrays of a head and what runs on them: adding a subscription to its access keys, and matching.

    keys     . . 7 . 3 . . 9     open addressing on a 64-bit hash, at most half full
    ends     . . 0 . 2 . . 1     the first link of the key's chain ...
             . . 3 . 2 . . 1     ... and the last, where the next one goes (read by the writer only)
    asked    1 0 0 1 3 0 0       attribute + 1 -> is it in some key (1), are words of its texts (2)? At 0: is there a
                                 key that every event has?
    links    0 0 1 2 F F F       link -> subscription; F (far away) where not written yet
             3 - - - - - -       link -> the next of its chain

Keys are (attribute, value) for equality, (attribute, present), (attribute, has equalities) for events whose value
is a range, (attribute, word) for text queries, and one for subscriptions that can be true of any event. A hash that two
keys share only costs a visit.

Readers take no lock. A chain grows at its end, so its slots ascend, and what a reader may see too early or half
written lies after all slots that it counts: it stops there. Full arrays are replaced by larger copies.
Cost of a match: two look-ups per cell of an attribute that is asked, one evaluation per distinct candidate.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.cells import LIST, RANGE, SET, RawCells
from watchword.coding.hashing import hash_bytes, mix
from watchword.coding.values import EMPTY, FLOAT, I32, I64, TEXT, U8
from watchword.index.head_program import (
    ACCEPT,
    ATTRIBUTE,
    BITS,
    FAMILY,
    FIRST,
    KIND,
    LAST,
    LENGTH,
    NEGATED,
    NO,
    OPERATOR,
    ORDERS,
    TRUE,
    UNKNOWN,
    WANTED,
    YES,
)
from watchword.index.raw_truth import (
    AFTER,
    BETWEEN,
    EVENT_COLUMNS,
    FAMILIES,
    FLAGS,
    MAYBE,
    leaf_truth,
    plain_order,
    text_order,
)
from watchword.kernel import kernel, lean
from watchword.language.expression import Operator
from watchword.text.eight_bytes import hash_word

U64 = npt.NDArray[np.uint64]

FAR: Final = np.iinfo(np.int32).max
ASKED: Final = 1
WORDS_ASKED: Final = 2

_WORD: Final = 0  # no value has this family
_PRESENT: Final = 5  # follows the families of values in a key
_HAS_EQUALITIES: Final = 6
_ALWAYS: Final = 7
_SLOT: Final = 0
_NEXT: Final = 1
_SEVERAL: Final = LIST | SET | RANGE
_TWO_63: Final = 2.0**63
_NOTHING: Final = np.uint64(0)
_MATCHES: Final = int(Operator.MATCHES)


class TextWords(NamedTuple):
    """The words of texts whose attributes are asked for words: cell i has first[i] .. last[i] of `hash`."""

    first: I64
    last: I64
    hash: U64
    most: int  # of one event


class HeadArrays(NamedTuple):
    entry: I32  # subscription -> its first leaf
    deleted_at: I64
    leaves: I32
    constants: I64
    text: U8
    asked: U8
    keys: U64
    ends: I32
    links: I32


@lean
def _key(attribute: int, family: int, payload: np.uint64) -> np.uint64:
    """Never 0, which marks an empty place."""
    return mix(payload ^ mix(np.uint64(attribute * 8 + family))) | np.uint64(1)


@lean
def _value_key(attribute: int, values: I64, row: int, text: U8) -> np.uint64:
    """Equal values have equal keys: 3 and 3.0, 0.0 and -0.0."""
    kind, bits = values[row, KIND], values[row, BITS]
    family = FAMILIES[kind]
    if kind == TEXT:
        return _key(attribute, family, hash_bytes(text, bits, values[row, LENGTH]))
    if kind == FLOAT:
        number = np.int64(bits).view(np.float64)
        if -_TWO_63 <= number < _TWO_63 and number == math.floor(number):
            bits = np.int64(number)
    return _key(attribute, family, np.uint64(bits))


@lean
def _place(keys: U64, key: np.uint64) -> np.int64:
    """Where the key is, or would be."""
    mask = len(keys) - 1
    place = np.int64(key >> np.uint64(32)) & mask
    while keys[place] != key and keys[place] != 0:
        place = (place + 1) & mask
    return place


@lean
def _append(head: HeadArrays, key: np.uint64, link: int, slot: int) -> int:
    """1 if the key is new."""
    place = _place(head.keys, key)
    is_new = head.keys[place] == 0
    if is_new:
        head.keys[place] = key
        head.ends[place, 0] = link
    else:
        head.links[head.ends[place, 1], _NEXT] = link
    head.ends[place, 1] = link
    head.links[link, _SLOT] = slot
    return 1 if is_new else 0


@lean
def add_slot(head: HeadArrays, slot: int, key_leaves: I64, always: bool, link: int) -> tuple[int, int]:
    """Chain a subscription to its keys: the next free link, and how many keys are new."""
    new = 0
    if always:
        head.asked[0] = 1
        new += _append(head, _key(0, _ALWAYS, _NOTHING), link, slot)
        link += 1
    for number in key_leaves:
        leaf = number if number >= 0 else ~number
        attribute = head.leaves[leaf, ATTRIBUTE]
        head.asked[attribute + 1] |= ASKED
        if number >= 0 and head.leaves[leaf, OPERATOR] == _MATCHES:
            head.asked[attribute + 1] |= WORDS_ASKED
            for constant in range(head.leaves[leaf, FIRST], head.leaves[leaf, LAST]):
                begin, length = head.constants[constant, BITS], head.constants[constant, LENGTH]
                new += _append(head, _key(attribute, _WORD, hash_word(head.text, begin, length)), link, slot)
                link += 1
            continue
        new += _append(head, _key(attribute, _HAS_EQUALITIES if number >= 0 else _PRESENT, _NOTHING), link, slot)
        link += 1
        if number >= 0:
            for constant in range(head.leaves[leaf, FIRST], head.leaves[leaf, LAST]):
                new += _append(head, _value_key(attribute, head.constants, constant, head.text), link, slot)
                link += 1
    return link, new


@lean
def move_keys(old_keys: U64, old_ends: I32, keys: U64, ends: I32) -> None:
    """Into a larger table. The chains stay as they are."""
    for place in range(len(old_keys)):
        if old_keys[place] != 0:
            moved = _place(keys, old_keys[place])
            keys[moved] = old_keys[place]
            ends[moved, 0], ends[moved, 1] = old_ends[place, 0], old_ends[place, 1]


@lean
def _is_asked(asked: U8, attributes: I32, begin: int, end: int) -> bool:
    """May some key hold for an event of these attributes?"""
    if asked[0]:
        return True
    for cell in range(begin, end):
        if attributes[cell] + 1 < len(asked) and asked[attributes[cell] + 1]:
            return True
    return False


@lean
def _true_keys(
    asked: U8,
    attributes: I32,
    event: I64,
    cells: int,
    text: U8,
    words: TextWords,
    first_cell: int,
    where: I32,
    found: U64,
) -> int:
    """Note in `where` the row of each attribute, counted from 1, and find the keys that the event makes true."""
    found[0] = _key(0, _ALWAYS, _NOTHING)
    count, first = 1, 0
    while first < cells:
        attribute, after = attributes[first], event[first, AFTER]
        if attribute < len(where):  # else it came after the subscriptions that count
            where[attribute] = first + 1
        if attribute + 1 < len(asked) and asked[attribute + 1]:
            found[count] = _key(attribute, _PRESENT, _NOTHING)
            count += 1
            if asked[attribute + 1] & WORDS_ASKED:
                for row in range(first, after):
                    for i in range(words.first[first_cell + row], words.last[first_cell + row]):
                        found[count] = _key(attribute, _WORD, words.hash[i])
                        count += 1
            if event[first, FLAGS] & RANGE or event[first, KIND] == EMPTY:  # an empty set falsifies also `x <> 3`
                found[count] = _key(attribute, _HAS_EQUALITIES, _NOTHING)
                count += 1
            else:
                for row in range(first, after):
                    found[count] = _value_key(attribute, event, row, text)
                    count += 1
        first = after
    return count


@lean
def _mark(keys: U64, ends: I32, links: I32, found: U64, candidates: I64, slots: int) -> None:
    """Mark the subscriptions below `slots` that have one of these keys: bit by bit, 32 to a word."""
    for key in found:
        link = ends[_place(keys, key), 0]
        while link >= 0:
            slot = links[link, _SLOT]
            if slot >= slots:
                break
            candidates[slot >> 5] |= np.int64(1) << np.int64(slot & 31)
            link = links[link, _NEXT]


@lean
def _evaluate(
    candidates: I64,
    entry: I32,
    deleted_at: I64,
    version: int,
    leaves: I32,
    constants: I64,
    text: U8,
    event: I64,
    event_text: U8,
    where: I32,
    slots: I32,
    total: int,
) -> tuple[int, int]:
    """Write those candidates that are true, or MAYBE: true should its leaves that are MAYBE be as it needs them.

    Comparisons with scalars, nearly all that a head does, are decided in this loop: handing arrays on costs more.
    """
    unsure = 0
    for word in range(len(candidates)):
        bits = candidates[word]
        candidates[word] = 0
        while bits:
            slot = 32 * word + _lowest(bits)
            bits &= bits - 1
            if 0 < deleted_at[slot] <= version:
                continue
            accepted = TRUE
            leaf = int(entry[slot])
            while leaf >= 0:
                row = where[leaves[leaf, ATTRIBUTE]] - 1
                truth = UNKNOWN
                if leaves[leaf, OPERATOR] > BETWEEN or (row >= 0 and event[row, FLAGS] != 0):
                    truth = leaf_truth(leaves, leaf, constants, text, event, event_text, row)
                elif row >= 0 and FAMILIES[event[row, KIND]] == leaves[leaf, FAMILY]:
                    kind, value, length = event[row, KIND], event[row, BITS], event[row, LENGTH]
                    orders, holds = leaves[leaf, ORDERS], 1
                    for constant in range(leaves[leaf, FIRST], leaves[leaf, LAST]):
                        wanted = constants[constant, BITS]
                        if kind == TEXT:
                            order = text_order(event_text, value, length, text, wanted, constants[constant, LENGTH])
                        else:
                            order = plain_order(kind, value, constants[constant, KIND], wanted)
                        holds &= orders >> order
                        orders >>= 4
                    truth = TRUE * (holds ^ leaves[leaf, NEGATED])
                if truth == MAYBE:
                    accepted = MAYBE
                leaf = leaves[leaf, YES] if truth == leaves[leaf, WANTED] or truth == MAYBE else leaves[leaf, NO]
            if leaf == ACCEPT:
                slots[total] = slot if accepted == TRUE else ~slot
                unsure += accepted == MAYBE
                total += 1
    return total, unsure


@lean
def _load(cells: RawCells, begin: int, end: int, event: I64) -> None:
    """The rows of one event (see `raw_truth`). Going backwards, a value knows its last cell when its first comes."""
    after = end - begin
    for cell in range(end - 1, begin - 1, -1):
        row = cell - begin
        event[row, KIND] = cells.kind[cell]
        event[row, BITS] = cells.bits[cell]
        event[row, LENGTH] = cells.length[cell]
        event[row, FLAGS] = cells.flags[cell]
        if cell + 1 < end and not _is_one_value(cells, cell):
            after = row + 1
        event[row, AFTER] = after


@lean
def _is_one_value(cells: RawCells, cell: int) -> bool:
    """Whether a cell and the next one belong to the same list, set or range."""
    flags = cells.flags[cell] & _SEVERAL
    return bool(
        flags != 0
        and flags == cells.flags[cell + 1] & _SEVERAL
        and cells.attribute[cell] == cells.attribute[cell + 1]
        and cells.kind[cell] != EMPTY
        and cells.kind[cell + 1] != EMPTY
    )


@kernel
def match_cells(
    head: HeadArrays, cells: RawCells, words: TextWords, count: int, version: int, where: I32
) -> tuple[I64, I32, int]:
    """Per event the slots below `count` that are true, ascending, and how many of all are MAYBE: those stand as ~slot.

    `where` is scratch of one zero per attribute, and is zero again afterwards.
    """
    asked, keys, ends, links = head.asked, head.keys, head.ends, head.links
    entry, deleted_at, leaves, constants, text = head.entry, head.deleted_at, head.leaves, head.constants, head.text
    starts, attributes, event_text = cells.starts, cells.attribute, cells.text
    most_cells = np.max(np.diff(starts))
    event = np.empty((most_cells, EVENT_COLUMNS), np.int64)
    found = np.empty(2 * most_cells + 1 + words.most, np.uint64)
    offsets = np.zeros(len(starts), np.int64)
    slots = np.empty(count + 4 * len(starts), np.int32)
    candidates = np.zeros((count >> 5) + 1, np.int64)
    total, unsure = 0, 0
    for number in range(len(starts) - 1):
        begin, end = starts[number], starts[number + 1]
        offsets[number + 1] = total
        if not _is_asked(asked, attributes, begin, end):
            continue
        _load(cells, begin, end, event)
        keys_found = _true_keys(
            asked, attributes[begin:end], event, end - begin, event_text, words, begin - starts[0], where, found
        )
        _mark(keys, ends, links, found[:keys_found], candidates, count)
        if total + count > len(slots):
            larger = np.empty(2 * len(slots) + count, np.int32)
            larger[:total] = slots[:total]
            slots = larger
        total, more = _evaluate(
            candidates, entry, deleted_at, version, leaves, constants, text, event, event_text, where, slots, total
        )
        unsure += more
        for cell in range(begin, end):
            if attributes[cell] < len(where):
                where[attributes[cell]] = 0
        offsets[number + 1] = total
    return offsets, slots[:total].copy(), unsure


@lean
def _lowest(bits: np.int64) -> np.int64:
    """The number of the lowest bit that is set: the exponent of that power of two as a float."""
    return (np.float64(bits & -bits).view(np.int64) >> 52) - 1023
