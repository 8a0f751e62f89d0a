"""The small mutable part of an index: exact, and ready for the next match microseconds after a subscription came.

    append -> leaves, constants, text, access keys (append-only arrays, see `head_kernel`)
    match  -> candidates by key -> evaluated on raw cells -> the few MAYBEs evaluated as trees

A sealed segment codes values by the constants of its subscriptions. A new constant would renumber those codes, so
the head compares raw values instead. One thread writes; any number match, without a lock: each takes all arrays at
once and looks only at the subscriptions that it was told to count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from watchword.coding.attributes import Attributes
from watchword.coding.cells import Cells
from watchword.coding.documents import documents_of
from watchword.coding.ranges import starts_of
from watchword.coding.values import I32, I64
from watchword.index.event_from_cells import event_from_cells
from watchword.index.head_kernel import FAR, WORDS_ASKED, HeadArrays, TextWords, add_slot, match_cells, move_keys
from watchword.index.head_program import CONSTANT_COLUMNS, LEAF_COLUMNS, Program, Uses, compile_expression
from watchword.language.evaluate import evaluate_flat
from watchword.language.expression import Expression
from watchword.language.table import ExpressionTable
from watchword.language.table_rows import from_expressions, to_expression
from watchword.text.settings import TextSettings

_UNWRITTEN: Final = (FAR, -1)
_NO_WORDS: Final = TextWords(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint64), 0)
Array = TypeVar("Array", bound=npt.NDArray[Any])


class Head:
    def __init__(self, attributes: Attributes, settings: TextSettings) -> None:
        self._attributes = attributes
        self._settings = settings
        self._expressions: list[Expression] = []
        self._leaves = self._constants = self._text = self._keys = self._links = 0  # in use
        self._uses: Uses = {}
        self._scratch: list[I32] = []  # zeros per attribute, for one match at a time each
        self._arrays = HeadArrays(
            entry=np.zeros(256, np.int32),
            deleted_at=np.zeros(256, np.int64),
            leaves=np.zeros((1024, LEAF_COLUMNS), np.int32),
            constants=np.zeros((1024, CONSTANT_COLUMNS), np.int64),
            text=np.zeros(4096, np.uint8),
            asked=np.zeros(1, np.uint8),
            keys=np.zeros(1024, np.uint64),
            ends=np.full((1024, 2), -1, np.int32),
            links=np.full((1024, 2), _UNWRITTEN, np.int32),
        )

    def __len__(self) -> int:
        return len(self._expressions)

    def append(self, expression: Expression) -> int:
        """The slot of the new subscription. A match that counts it must begin after this returns."""
        slot = len(self._expressions)
        program = Program(self._leaves, self._constants, self._text)
        compile_expression(program, expression, self._attribute, self._uses, self._settings)
        arrays = self._arrays = self._with_room(program, slot)
        arrays.entry[slot] = program.entry
        self._leaves = _write(arrays.leaves, self._leaves, program.leaves)
        self._constants = _write(arrays.constants, self._constants, program.constants)
        self._text = _write(arrays.text, self._text, program.text)
        self._links, new = add_slot(arrays, slot, np.array(program.keys, np.int64), program.always, self._links)
        self._keys += new
        self._expressions.append(expression)
        return slot

    def append_table(self, table: ExpressionTable) -> None:
        for row in range(len(table)):
            self.append(to_expression(table, row))

    def delete(self, slot: int, version: int) -> None:
        """Matches of this version (not 0) and later ones no longer see the subscription."""
        self._arrays.deleted_at[slot] = version

    def expression(self, slot: int) -> Expression:
        return self._expressions[slot]

    def table(self, slots: Iterable[int]) -> ExpressionTable:
        return from_expressions([self._expressions[slot] for slot in slots])

    def match(self, cells: Cells, count: int, version: int) -> tuple[I64, I32]:
        """For event e the slots[offsets[e] : offsets[e + 1]], ascending: below `count`, not deleted, and true.

        Take `count` before reading the cells: a subscription that came later may have brought a new attribute.
        """
        if count == 0 or len(cells) == 0:
            return np.zeros(len(cells) + 1, np.int64), np.zeros(0, np.int32)
        where = self._take_scratch()
        words = self._words(cells)
        offsets, slots, unsure = match_cells(self._arrays, cells.raw(), words, count, version, where)
        self._scratch.append(where)
        if unsure or cells.errors:
            return self._verify(cells, offsets, slots)
        return offsets, slots

    def _words(self, cells: Cells) -> TextWords:
        """The words of the texts that are asked for some."""
        asked = np.flatnonzero(self._arrays.asked & WORDS_ASKED) - 1
        if len(asked) == 0:
            return _NO_WORDS
        first_cell = int(cells.starts[0])
        first = np.zeros(int(cells.starts[-1]) - first_cell, np.int64)
        last, hashes, before = first.copy(), [], 0
        for attribute in asked.tolist():
            analyzer = self._settings.analyzer_of(self._attributes.names[attribute]).name
            documents = documents_of(cells, attribute, analyzer)
            tokens = documents.tokens
            first[documents.cell - first_cell] = before + tokens.starts[:-1]
            last[documents.cell - first_cell] = before + tokens.starts[1:]
            hashes.append(tokens.vocabulary.hash[tokens.term])
            before += len(tokens.term)
        in_cells = starts_of(last - first)
        of_events = np.diff(in_cells[cells.starts - first_cell])
        return TextWords(first, last, np.concatenate(hashes), int(of_events.max()))

    def _verify(self, cells: Cells, offsets: I64, slots: I32) -> tuple[I64, I32]:
        """Decide what the kernel could not, and drop what stands for events that could not be read."""
        keep = np.ones(len(slots), np.bool_)
        event, flat = -1, {}
        for position in np.flatnonzero(slots < 0).tolist():
            if position >= offsets[event + 1]:
                event = int(np.searchsorted(offsets, position, "right")) - 1
                flat = event_from_cells(cells, event, self._attributes.names)
            slots[position] = ~slots[position]
            keep[position] = evaluate_flat(self._expressions[slots[position]], flat, self._settings) is True
        for bad in cells.errors:
            keep[offsets[bad] : offsets[bad + 1]] = False
        kept = np.zeros(len(slots) + 1, np.int64)
        np.cumsum(keep, out=kept[1:])
        return kept[offsets], slots[keep]

    def _attribute(self, name: str) -> int:
        number = self._attributes.number(name)
        return int(self._attributes.add((name,))[0]) if number is None else number

    def _take_scratch(self) -> I32:
        attributes = len(self._attributes)
        try:
            where = self._scratch.pop()
        except IndexError:
            where = np.zeros(0, np.int32)
        return where if len(where) >= attributes else np.zeros(2 * attributes, np.int32)

    def _with_room(self, program: Program, slot: int) -> HeadArrays:
        """The arrays, those without room for one more subscription replaced by larger copies."""
        arrays = self._arrays
        new_constants = len(program.constants) // CONSTANT_COLUMNS
        new_links = new_constants + len(program.keys) + 1
        keys, ends = arrays.keys, arrays.ends
        if 2 * (self._keys + new_links) > len(keys):
            size = 1 << (4 * (self._keys + new_links)).bit_length()
            keys, ends = np.zeros(size, np.uint64), np.full((size, 2), -1, np.int32)
            move_keys(arrays.keys, arrays.ends, keys, ends)
        return HeadArrays(
            _with_length(arrays.entry, slot + 1),
            _with_length(arrays.deleted_at, slot + 1),
            _with_length(arrays.leaves, self._leaves + len(program.leaves) // LEAF_COLUMNS),
            _with_length(arrays.constants, self._constants + new_constants),
            _with_length(arrays.text, self._text + len(program.text)),
            _with_length(arrays.asked, len(self._attributes) + 1),
            keys,
            ends,
            _with_length(arrays.links, self._links + new_links, _UNWRITTEN),
        )


def _with_length(array: Array, needed: int, fill: int | tuple[int, int] = 0) -> Array:
    if needed <= len(array):
        return array
    larger = np.full((2 * needed, *array.shape[1:]), fill, array.dtype)
    larger[: len(array)] = array
    return larger  # type: ignore[return-value]


def _write(array: npt.NDArray[Any], row: int, values: Sequence[int]) -> int:
    """Write values from this row on, row by row: the row after them."""
    if not values:
        return row
    rows = np.array(values, array.dtype).reshape(-1, *array.shape[1:])
    array[row : row + len(rows)] = rows
    return row + len(rows)
