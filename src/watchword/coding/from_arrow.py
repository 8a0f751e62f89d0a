"""Arrow tables to cells: a column at a time, no Python per row.

    price: int64          one cell per value
    seller: struct        its fields, under dotted names: seller.country
    labels: map           an attribute per key: labels.colour
    tags: list            one flagged cell per element

Only columns that some subscription uses are read. Two columns may give one attribute (a column `a.b` beside a
struct `a`); what counts then depends on the row, and such a table is read as dicts, row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.coding.arrow_lists import LISTS, elements
from watchword.coding.arrow_scalars import Scalars, is_scalar, is_text, scalars, valid_positions
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
    used = [i for i, field in enumerate(table.schema) if _is_used(field.name, field.type, attributes)]
    reader = _Reader(attributes)
    for i in used:
        column = table.column(i)
        start = 0
        for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            reader.read(table.schema.field(i).name, (i,), chunk, start)
            start += len(chunk)
    if reader.overlaps:
        return from_dicts(_rows(table.select(used)), attributes)
    return _without_oversized(in_event_order(reader.parts, table.num_rows, reader.pool.whole(), {}))


def _is_used(name: str, type: Any, attributes: Attributes) -> bool:
    """Could a column of this name and type hold an attribute that some subscription uses?"""
    if isinstance(type, pa.BaseExtensionType):
        return _is_used(name, type.storage_type, attributes)
    if type.id == pa.lib.Type_STRUCT:
        return any(_is_used(f"{name}.{field.name}", field.type, attributes) for field in type)
    if type.id == pa.lib.Type_MAP:
        return (is_text(type.key_type) and _is_readable(type.item_type)) or _has_inside(name, attributes)
    if attributes.number(name) is not None:
        return True
    return type.id in LISTS and not _is_readable(type) and _has_inside(name, attributes)


def _has_inside(name: str, attributes: Attributes) -> bool:
    return any(known.startswith(name + ".") for known in attributes.names)


def _is_readable(type: Any) -> bool:
    return is_scalar(type.value_type if type.id in LISTS else type)


def _rows(table: Any) -> Iterator[dict[str, Any]]:
    names = table.schema.names
    for batch in table.to_batches() if isinstance(table, pa.Table) else [table]:
        columns = [_values(column) for column in batch.columns]
        yield from (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def _values(array: Any) -> list[Any]:
    """As `to_pylist`, but with maps as dicts, also inside structs."""
    if isinstance(array, pa.ExtensionArray):
        return _values(array.storage)
    if array.type.id == pa.lib.Type_MAP:
        return [entries and dict(entries) for entries in array.to_pylist()]
    if array.type.id != pa.lib.Type_STRUCT:
        return array.to_pylist()  # type: ignore[no-any-return]
    names = [field.name for field in array.type]
    rows = zip(*(_values(child) for child in array.flatten()), strict=True)
    return [
        dict(zip(names, row, strict=True)) if valid else None
        for row, valid in zip(rows, array.is_valid().to_pylist(), strict=True)
    ]


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

    `name` begins with the column's name and a dot, `prefix` bytes, and has room for the longest key behind it.
    """
    for entry in range(len(starts) - 1, -1, -1):
        for i in range(lengths[entry]):
            name[prefix + i] = text[starts[entry] + i]
        number = find_name(names, name, 0, prefix + lengths[entry])
        if number >= 0 and seen[number] == rows[entry]:
            number = -1
        elif number >= 0:
            seen[number] = rows[entry]
        numbers[entry] = number


class _Reader:
    """Reads columns into parts and notices when two of them give the same attribute."""

    def __init__(self, attributes: Attributes) -> None:
        self.parts: list[Part] = []
        self.pool = TextPool()
        self.overlaps = False
        self._attributes = attributes
        self._paths: dict[int, tuple[int, ...]] = {}  # attribute -> the column, its field, the field's field ...

    def read(self, name: str, path: tuple[int, ...], array: Any, start: int) -> None:
        """Add the cells of a column that is used, or of a field of a struct; `start` is the event of its first row."""
        if isinstance(array, pa.ExtensionArray):
            self.read(name, path, array.storage, start)
        elif array.type.id == pa.lib.Type_STRUCT:
            for i, (field, child) in enumerate(zip(array.type, array.flatten(), strict=True)):
                if _is_used(f"{name}.{field.name}", field.type, self._attributes):
                    self.read(f"{name}.{field.name}", (*path, i), child, start)
        elif array.type.id == pa.lib.Type_MAP:
            self._read_map(name, path, array, start)
        else:
            values, flags = self._cells(name, array)
            number = self._attributes.number(name)
            assert number is not None
            self._add(path, values.position + start, number, flags, values)

    def _cells(self, name: str, array: Any) -> tuple[Scalars, int]:
        """The cells of single values or of lists of them, and their flags; positions are those in the array."""
        if not _is_readable(array.type):
            raise EventError(
                f"column {name!r}: values of type {array.type} cannot be matched: cast it to numbers, text, "
                "booleans, times, or lists of those, or drop it"
            )
        try:
            if array.type.id in LISTS:
                return elements(array, self.pool), LIST
            return scalars(array, self.pool), 0
        except EventError as error:
            raise EventError(f"column {name!r}: {error}") from error

    def _read_map(self, name: str, path: tuple[int, ...], array: Any, start: int) -> None:
        if len(array) == 0:
            return
        offsets = array.offsets.to_numpy()
        keys = array.keys.slice(offsets[0], offsets[-1] - offsets[0])
        values, flags = self._cells(name, array.items.slice(offsets[0], offsets[-1] - offsets[0]))
        rows = np.repeat(np.arange(len(array)), np.diff(offsets))
        if array.null_count:
            valid = np.zeros(len(array), np.bool_)
            valid[valid_positions(array)] = True
            rows = np.where(valid[rows], rows, -1)
        numbers = self._entry_numbers(name, keys, rows)
        values = values.at(numbers[values.position] >= 0)
        self._add(path, rows[values.position] + start, numbers[values.position], flags, values)

    def _entry_numbers(self, name: str, keys: Any, rows: I64) -> I32:
        if not is_text(keys.type):
            raise EventError(f"column {name!r}: the keys of a map must be text, not {keys.type}: cast them")
        pool = TextPool()
        texts = scalars(keys, pool)
        if not isinstance(texts.length, np.ndarray):  # there are none
            return np.zeros(0, np.int32)
        prefix = f"{name}.".encode("utf-8", "surrogatepass")
        scratch = np.zeros(len(prefix) + int(texts.length.max()), np.uint8)
        scratch[: len(prefix)] = np.frombuffer(prefix, np.uint8)
        names = self._attributes.table()
        numbers = np.empty(len(keys), np.int32)
        seen = np.full(len(names.starts), -1, np.int64)
        _number_entries(names, scratch, len(prefix), pool.whole(), texts.bits, texts.length, rows, seen, numbers)
        return numbers

    def _add(self, path: tuple[int, ...], event: I64, attribute: int | I32, flags: int, values: Scalars) -> None:
        for number in {attribute} if isinstance(attribute, int) else np.unique(attribute).tolist():
            if self._paths.setdefault(number, path) != path:
                self.overlaps = True
        self.parts.append(Part(event, attribute, flags, values.kind, values.bits, values.length))
