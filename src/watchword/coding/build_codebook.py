"""From the constants of an expression table to a codebook, and every predicate in codes.

table --dimensions--> on which dimension each predicate and constant lies, patterns resolved
      --distinct----> each (dimension, value) once
      --order-------> sorted by dimension, family and value: the codebook
      --codes-------> each constant's code
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from watchword.coding.codebook import (
    CONSTANT_DIMENSION,
    EXACT_FLOAT,
    F64,
    FIRST_FAMILY,
    NEAR_BASE,
    NEAR_BITS,
    NEAR_COLUMNS,
    NEAR_COUNT,
    NEAR_DERIVED,
    NEAR_DIMENSION,
    NEAR_LOWEST,
    NEAR_ORDERED,
    NEAR_SPAN,
    PATTERN,
    PATTERN_CODES,
    PLAIN,
    TEXT_LEAF,
    Codebook,
    float_of_bits,
    floor_float,
    hash_text,
    text_slot,
)
from watchword.coding.dimensions import Dimensions, assign_dimensions
from watchword.coding.expand_matches import Expanded
from watchword.coding.hashing import mix, same_bytes
from watchword.coding.patterns import GeneralPattern
from watchword.coding.ranges import gather_bytes, starts_of
from watchword.coding.text_leaves import LEAF_CODES, TextField
from watchword.coding.values import BOOL, FLOAT, I32, I64, INT, TEXT, TIME, U8, Values
from watchword.kernel import kernel

NO_CODE: Final = -1  # of a pattern's own text


@dataclass(slots=True)
class Coding:
    """A codebook, and the predicates of the table it was built from, in codes."""

    book: Codebook
    patterns: list[GeneralPattern]
    text_fields: list[TextField]
    first_leaf: int  # the dimension of the first leaf of text queries
    names: list[str]  # of the attributes
    dimension: I32  # predicate -> dimension
    form: U8  # predicate -> Operator, or PREFIX, ANY_TEXT, HOLDS, LEAF_HOLDS of dimensions.py
    first: I64  # predicate -> its operands' codes: code[first[p] : first[p] + count[p]]
    count: I64
    code: I32


def build_codebook(expanded: Expanded) -> Coding:
    dimensions = assign_dimensions(expanded)
    constants = _whole_floats_as_integers(dimensions.constants)
    group, first = _distinct(
        dimensions.constant_dimension, constants.kind, constants.bits, constants.length, constants.text
    )
    book, code_of_group = _order(dimensions, constants, first)
    code = np.append(code_of_group, NO_CODE)[group].astype(np.int32)
    return Coding(
        book=book,
        patterns=dimensions.patterns,
        text_fields=expanded.fields,
        first_leaf=dimensions.first_leaf,
        names=dimensions.names,
        dimension=dimensions.dimension,
        form=dimensions.form,
        first=dimensions.first,
        count=dimensions.count,
        code=code,
    )


def _whole_floats_as_integers(constants: Values) -> Values:
    """3.0 is 3: one kind for one number. (-0.0 becomes 0.)"""
    kind, bits = _normalise(constants.kind, constants.bits)
    return Values(kind, bits, constants.length, constants.text)


@kernel
def _normalise(kind: U8, bits: I64) -> tuple[U8, I64]:
    new_kind, new_bits = kind.copy(), bits.copy()
    for i in range(len(kind)):
        if kind[i] == FLOAT:
            value = float_of_bits(bits[i])
            if -9.223372036854775808e18 <= value < 9.223372036854775808e18 and value == np.floor(value):
                new_kind[i] = INT
                new_bits[i] = np.int64(value)
    return new_kind, new_bits


@kernel
def _distinct(dimension: I32, kind: U8, bits: I64, length: I32, text: U8) -> tuple[I32, I64]:
    """For each constant its group (-1: not to be coded), and for each group its first constant."""
    size = 1024
    slots = np.full(size, -1, np.int32)
    group = np.full(len(kind), -1, np.int32)
    first = np.empty(len(kind), np.int64)
    hashes = np.empty(len(kind), np.uint64)
    groups = 0
    for i in range(len(kind)):
        if dimension[i] < 0:
            continue
        if 2 * groups >= size:
            size *= 4
            slots = np.full(size, -1, np.int32)
            for g in range(groups):
                slot = np.int64(hashes[g] & np.uint64(size - 1))
                while slots[slot] >= 0:
                    slot = (slot + 1) & (size - 1)
                slots[slot] = g
        is_text = kind[i] == TEXT
        h = hash_text(text, bits[i], length[i], False) if is_text else mix(np.uint64(bits[i]))
        h = mix(h + np.uint64(dimension[i]) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(kind[i]))
        slot = np.int64(h & np.uint64(size - 1))
        while slots[slot] >= 0:
            j = first[slots[slot]]
            if dimension[j] == dimension[i] and kind[j] == kind[i]:
                if is_text:
                    if length[j] == length[i] and same_bytes(text, bits[j], text, bits[i], length[i]):
                        break
                elif bits[j] == bits[i]:
                    break
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = groups
            first[groups] = i
            hashes[groups] = h
            groups += 1
        group[i] = slots[slot]
    return group, first[:groups].copy()


def _order(dimensions: Dimensions, constants: Values, first: I64) -> tuple[Codebook, I64]:
    """Sort the distinct constants into a codebook; the code of each."""
    count = len(dimensions.transform)
    dimension = dimensions.constant_dimension[first].astype(np.int64)
    kind = constants.kind[first]
    ordered = dimensions.ordered
    base = np.full(count, FIRST_FAMILY, np.int64)
    code = np.empty(len(first), np.int64)

    numbers = np.flatnonzero((kind == INT) | (kind == FLOAT))
    value, residual = _split_numbers(kind[numbers], constants.bits[first[numbers]])
    order = np.lexsort((residual, value, dimension[numbers]))
    number_starts, number_base = _family(
        dimension[numbers], order, ordered["number"], count, base, code, numbers, with_nan=True
    )
    times = np.flatnonzero(kind == TIME)
    time_bits = constants.bits[first[times]]
    time_order = np.lexsort((time_bits, dimension[times]))
    time_starts, time_base = _family(dimension[times], time_order, ordered["time"], count, base, code, times)
    bools = np.flatnonzero(kind == BOOL)
    has_bool = np.zeros(count, bool)
    has_bool[dimension[bools]] = True
    bool_base = np.where(has_bool, base, 0)
    code[bools] = bool_base[dimension[bools]] + constants.bits[first[bools]]
    base += 2 * has_bool
    texts = np.flatnonzero(kind == TEXT)
    offsets, text, text_order = _sort_texts(
        dimension[texts], constants.bits[first[texts]], constants.length[first[texts]], constants.text
    )
    text_starts, text_base = _family(
        dimension[texts], text_order, ordered["text"], count, base, code, texts, needed=dimensions.has_text
    )
    base[CONSTANT_DIMENSION] = 2
    base[dimensions.transform == PATTERN] = PATTERN_CODES
    base[dimensions.transform == TEXT_LEAF] = LEAF_CODES
    residual = residual[order]
    derived_starts, derived, plain = _derived(dimensions)
    sorted_numbers = value[order]
    book = Codebook(
        attribute=dimensions.attribute,
        transform=dimensions.transform,
        codes=base,
        number_base=number_base,
        number_ordered=ordered["number"],
        number_starts=number_starts,
        numbers=sorted_numbers,
        residuals=residual if residual.any() else residual[:0],
        time_base=time_base,
        time_ordered=ordered["time"],
        time_starts=time_starts,
        times=time_bits[time_order],
        bool_base=bool_base,
        text_base=text_base,
        text_ordered=ordered["text"],
        text_starts=text_starts,
        text_offsets=offsets,
        text=text,
        text_slots=_text_slots(dimension[texts][text_order].astype(np.int32), offsets, text),
        derived_starts=derived_starts,
        derived=derived,
        plain=plain,
        present=dimensions.present,
        near=_near(plain, derived_starts, number_base, ordered["number"], number_starts, sorted_numbers),
    )
    return book, code


def _family(
    dimension: I64,
    order: I64,
    ordered: U8,
    count: int,
    base: I64,
    code: I64,
    where: I64,
    *,
    with_nan: bool = False,
    needed: npt.NDArray[np.bool_] | None = None,
) -> tuple[I64, I64]:
    """Give the constants of one family their codes; where they start per dimension, and its first code.

    Moves `base` (the next free code per dimension) on, and writes `code` at `where`.
    """
    sizes = np.bincount(dimension, minlength=count)
    starts = starts_of(sizes)
    present = sizes > 0 if needed is None else (sizes > 0) | needed
    family_base = np.where(present, base, 0)
    sorted_dimension = dimension[order]
    position = np.arange(len(order)) - starts[sorted_dimension]
    step = np.where(ordered[sorted_dimension], 2 * position + 1, position)
    code[where[order]] = family_base[sorted_dimension] + step
    base += np.where(present, np.where(ordered, 2 * sizes + 1 + with_nan, sizes + 1), 0)
    return starts, family_base


@kernel
def _split_numbers(kind: U8, bits: I64) -> tuple[npt.NDArray[np.float64], I64]:
    value, residual = np.empty(len(kind), np.float64), np.zeros(len(kind), np.int64)
    for i in range(len(kind)):
        if kind[i] == INT:
            value[i] = floor_float(bits[i])
            if not -EXACT_FLOAT <= bits[i] <= EXACT_FLOAT:
                residual[i] = bits[i] - np.int64(value[i])
        else:
            value[i] = float_of_bits(bits[i])
    return value, residual


def _sort_texts(dimension: I64, first: I64, length: I32, text: U8) -> tuple[I64, U8, I64]:
    """Offsets and bytes of the texts sorted by dimension, then byte by byte; and the order."""
    starts = starts_of(length)
    gathered = gather_bytes(text, first, starts)
    array = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(length), [None, pa.py_buffer(starts), pa.py_buffer(gathered)]
    )
    table = pa.table({"dimension": dimension, "text": array})
    order = pc.sort_indices(table, [("dimension", "ascending"), ("text", "ascending")]).to_numpy().astype(np.int64)
    offsets = starts_of(length[order])
    return offsets, gather_bytes(gathered, starts[order], offsets), order


@kernel
def _text_slots(dimension: I32, offsets: I64, text: U8) -> I32:
    size = 2
    while size < 2 * len(dimension):
        size *= 2
    slots = np.full(size, -1, np.int32)
    for i in range(len(dimension)):
        h = hash_text(text, offsets[i], offsets[i + 1] - offsets[i], False)
        slot = text_slot(dimension[i], h, size - 1)
        while slots[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        slots[slot] = i
    return slots


def _derived(dimensions: Dimensions) -> tuple[I64, I32, I32]:
    attributes = len(dimensions.names)
    plain = np.empty(attributes, np.int32)
    is_plain = (dimensions.transform == PLAIN) & (dimensions.attribute >= 0)
    plain[dimensions.attribute[is_plain]] = np.flatnonzero(is_plain)
    others = np.flatnonzero((dimensions.transform != PLAIN) & (dimensions.transform != TEXT_LEAF))
    others = others[np.argsort(dimensions.attribute[others], kind="stable")]
    starts = starts_of(np.bincount(dimensions.attribute[others], minlength=attributes))
    return starts, others.astype(np.int32), plain


@kernel
def _near(plain: I32, derived_starts: I64, base: I64, ordered: U8, starts: I64, numbers: F64) -> I64:
    rows = np.zeros((len(plain), NEAR_COLUMNS), np.int64)
    for a in range(len(plain)):
        d = plain[a]
        first, last = starts[d], starts[d + 1]
        rows[a, NEAR_DIMENSION], rows[a, NEAR_DERIVED] = d, derived_starts[a + 1] - derived_starts[a]
        if first == last or abs(numbers[first]) >= EXACT_FLOAT or numbers[last - 1] - numbers[first] >= 64:
            continue
        whole, bits = True, np.uint64(0)
        for i in range(first, last):
            whole = whole and numbers[i] == np.floor(numbers[i])
            bits |= np.uint64(1) << np.uint64(numbers[i] - numbers[first])
        if whole:
            rows[a, NEAR_LOWEST] = np.int64(numbers[first])
            rows[a, NEAR_SPAN] = np.int64(numbers[last - 1] - numbers[first]) + 1
            rows[a, NEAR_BITS] = np.int64(bits)
            rows[a, NEAR_BASE], rows[a, NEAR_ORDERED], rows[a, NEAR_COUNT] = base[d], ordered[d], last - first
    return rows
