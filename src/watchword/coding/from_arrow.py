"""Arrow tables to cells: a column at a time, no Python per row.

    price: int64          one cell per value
    seller: struct        its fields, under dotted names: seller.country
    features: map         an attribute per key, under the key alone: a17
    tags: list            one flagged cell per element; an element that is a record or list compares with nothing

Only columns that some subscription uses are read. Two columns may give one attribute (a column `a.b` beside a
struct `a`); what counts then depends on the row, and such a table is read as dicts, row by row. So is one with a
map whose values are records themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.coding.arrow_lists import LISTS, elements
from watchword.coding.arrow_rows import rows
from watchword.coding.arrow_scalars import Scalars, is_text, scalars, valid_positions
from watchword.coding.arrow_types import is_nested, is_readable, is_used
from watchword.coding.attributes import Attributes, NameTable, find_name
from watchword.coding.cells import LIST, Cells
from watchword.coding.from_dicts import from_dicts
from watchword.coding.parts import Part, TextPool, in_event_order
from watchword.coding.values import I32, I64, U8, Values
from watchword.errors import EventError
from watchword.kernel import kernel
from watchword.limits import EVENT_VALUES


def from_arrow(table: Any, attributes: Attributes) -> Cells:
    """The cells of a table, or of a record batch: a row is an event."""
    used = [i for i, field in enumerate(table.schema) if is_used("", field.name, field.type, attributes)]
    reader = _Reader(attributes)
    for i in used:
        column = table.column(i)
        start = 0
        for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            reader.read("", table.schema.field(i).name, (i,), chunk, start)
            start += len(chunk)
    if reader.by_rows or reader.gives_an_attribute_twice():
        return from_dicts(rows(table.select(used), attributes), attributes)
    return _without_oversized(in_event_order(reader.parts, table.num_rows, reader.pool.whole(), {}))


def _without_oversized(cells: Cells) -> Cells:
    """Events with more values than the limit become errors."""
    counts = np.diff(cells.starts)
    if counts.max(initial=0) <= EVENT_VALUES:
        return cells
    large = counts > EVENT_VALUES
    reason = f"the event has more than {EVENT_VALUES} values: split it"
    keep = ~np.repeat(large, counts)
    starts = np.zeros_like(cells.starts)
    np.cumsum(np.where(large, 0, counts), out=starts[1:])
    values = cells.values
    values = Values(values.kind[keep], values.bits[keep], values.length[keep], values.text)
    errors = dict.fromkeys(np.flatnonzero(large).tolist(), reason)
    return Cells(starts, cells.attribute[keep], cells.flags[keep], values, errors)


@kernel
def _number_entries(
    names: NameTable, name: U8, prefix: int, text: U8, starts: I64, lengths: I32, rows: I64, seen: I64, numbers: I32
) -> None:
    """The attribute of every map entry, -1 where nobody uses it or a later entry of its row has the same key.

    `name` begins with the structs around the map, `prefix` bytes, and has room for the longest key behind it.
    """
    for entry in range(len(starts) - 1, -1, -1):
        if prefix == 0:
            number = find_name(names, text, starts[entry], lengths[entry])
        else:
            for i in range(lengths[entry]):
                name[prefix + i] = text[starts[entry] + i]
            number = find_name(names, name, 0, prefix + lengths[entry])
        if number >= 0 and seen[number] == rows[entry]:
            number = -1
        elif number >= 0:
            seen[number] = rows[entry]
        numbers[entry] = number


def _unmatchable(name: str, type: Any) -> EventError:
    return EventError(
        f"column {name!r}: values of type {type} cannot be matched: cast it to numbers, text, booleans, times, or "
        "lists of those, or drop it"
    )


def _with_records(name: str) -> Iterator[str]:
    """The name and those of the records around it: a.b.c, a, a.b"""
    yield name
    for i, sign in enumerate(name):
        if sign == ".":
            yield name[:i]


class _Reader:
    """Reads columns into parts and notices what can only be read row by row."""

    def __init__(self, attributes: Attributes) -> None:
        self.parts: list[Part] = []
        self.pool = TextPool()
        self.by_rows = False
        self._attributes = attributes
        # the column, its field, the field's field ... -> the attributes that it gives
        self._given: defaultdict[tuple[int, ...], list[int | I32]] = defaultdict(list)

    def gives_an_attribute_twice(self) -> bool:
        """Do two columns, or fields, give the same attribute?"""
        if len(self._given) < 2:
            return False
        given = np.concatenate([np.unique(np.hstack(attributes)) for attributes in self._given.values()])
        return len(np.unique(given)) < len(given)

    def read(self, prefix: str, field: str, path: tuple[int, ...], array: Any, start: int) -> None:
        """Add the cells of a column that is used, or of a field of the structs that `prefix` names.

        `start` is the event of the array's first row.
        """
        name = prefix + field
        if isinstance(array, pa.ExtensionArray):
            self.read(prefix, field, path, array.storage, start)
        elif array.type.id == pa.lib.Type_STRUCT:
            for i, (inner, child) in enumerate(zip(array.type, array.flatten(), strict=True)):
                if is_used(f"{name}.", inner.name, inner.type, self._attributes):
                    self.read(f"{name}.", inner.name, (*path, i), child, start)
        elif array.type.id == pa.lib.Type_MAP:
            self._read_map(prefix, name, path, array, start)
        else:
            values, flags = self._cells(name, array)
            number = self._attributes.number(name)
            assert number is not None
            self._add(path, values.position + start, number, flags, values)

    def _cells(self, name: str, array: Any) -> tuple[Scalars, int]:
        """The cells of single values or of lists of them, and their flags; positions are those in the array."""
        if not is_readable(array.type):
            raise _unmatchable(name, array.type)
        try:
            if array.type.id in LISTS:
                return elements(array, self.pool), LIST
            return scalars(array, self.pool), 0
        except EventError as error:
            raise EventError(f"column {name!r}: {error}") from error

    def _read_map(self, prefix: str, name: str, path: tuple[int, ...], array: Any, start: int) -> None:
        if len(array) == 0:
            return
        offsets = array.offsets.to_numpy()
        keys = array.keys.slice(offsets[0], offsets[-1] - offsets[0])
        items = array.items.slice(offsets[0], offsets[-1] - offsets[0])
        if not (is_text(keys.type) and is_readable(items.type)):
            self._meet_unreadable_map(prefix, name, keys, items.type)
            return
        values, flags = self._cells(name, items)
        events = np.repeat(np.arange(len(array)), np.diff(offsets))
        if array.null_count:
            valid = np.zeros(len(array), np.bool_)
            valid[valid_positions(array)] = True
            events = np.where(valid[events], events, -1)
        numbers = self._entry_numbers(prefix, keys, events)
        values = values.at(numbers[values.position] >= 0)
        self._add(path, events[values.position] + start, numbers[values.position], flags, values)

    def _meet_unreadable_map(self, prefix: str, name: str, keys: Any, value_type: Any) -> None:
        """It matters only if some subscription uses a key, or what stands below one."""
        parts = {prefix + str(key) for key in keys.to_pylist()}
        if not any(parts.intersection(_with_records(known)) for known in self._attributes.names):
            return
        if not is_text(keys.type):
            raise EventError(f"column {name!r}: the keys of a map must be text, not {keys.type}: cast them")
        if not is_nested(value_type):
            raise _unmatchable(name, value_type)
        self.by_rows = True

    def _entry_numbers(self, record: str, keys: Any, events: I64) -> I32:
        pool = TextPool()
        texts = scalars(keys, pool)
        if not isinstance(texts.length, np.ndarray):  # there are none
            return np.zeros(0, np.int32)
        prefix = record.encode("utf-8", "surrogatepass")
        scratch = np.zeros(len(prefix) + int(texts.length.max()), np.uint8)
        scratch[: len(prefix)] = np.frombuffer(prefix, np.uint8)
        names = self._attributes.table()
        numbers = np.empty(len(keys), np.int32)
        seen = np.full(len(names.starts), -1, np.int64)
        _number_entries(names, scratch, len(prefix), pool.whole(), texts.bits, texts.length, events, seen, numbers)
        return numbers

    def _add(self, path: tuple[int, ...], event: I64, attribute: int | I32, flags: int, values: Scalars) -> None:
        self._given[path].append(attribute)
        self.parts.append(Part(event, attribute, flags, values.kind, values.bits, values.length))
