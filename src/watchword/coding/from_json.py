"""A column of JSON texts to cells: a kernel reads nearly all rows, Python's own reader those it calls hard.

The result is what reading every row with `json.loads` and then as a dict would give, except that NaN and
Infinity, which JSON does not have, are errors.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from watchword.coding.arrow_scalars import is_text, valid_positions
from watchword.coding.attributes import Attributes
from watchword.coding.cells import Cells
from watchword.coding.from_dicts import from_dicts
from watchword.coding.json_kernel import HARD, SKIPPED, Output, new_work, read_rows
from watchword.coding.parts import Part, TextPool, in_event_order, writable
from watchword.coding.values import I64, TEXT, U8, Values
from watchword.errors import EventError
from watchword.limits import EVENT_BYTES


def from_json(column: Any, attributes: Attributes) -> Cells:
    """The cells of an Arrow array, or chunked array, of texts: a text is an event."""
    texts = _one_array(column)
    _, offset_buffer, data = texts.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    text = writable(np.frombuffer(data or b"", np.uint8)[offsets[0] : offsets[-1]])
    offsets = offsets - offsets[0]
    outcome = np.zeros(len(texts), np.uint8)
    errors = _refuse(texts, offsets, outcome)
    cells = _read(text, offsets, attributes, outcome)
    cells.errors = errors
    hard = np.flatnonzero(outcome == HARD)
    if len(hard) == 0:
        return cells
    return _merged(cells, from_dicts((_load(text[offsets[row] : offsets[row + 1]]) for row in hard), attributes), hard)


def _one_array(column: Any) -> Any:
    """The column as one large_string array, which has 64-bit offsets: all of them have room."""
    if not is_text(column.type) and column.null_count < len(column):
        raise EventError(f"events as JSON must be a column of text, not of {column.type}: cast it to string")
    texts = column.cast(pa.large_string())
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid as error:
        raise EventError(f"the column of JSON holds damaged text, {error}: write it again as UTF-8") from None
    if not isinstance(texts, pa.ChunkedArray):
        return texts
    if texts.num_chunks == 1:
        return texts.chunk(0)
    return pa.concat_arrays(texts.chunks) if texts.num_chunks else pa.array([""], pa.large_string()).slice(1)


def _refuse(texts: Any, offsets: I64, outcome: U8) -> dict[int, str]:
    """The rows that are not read at all, marked as skipped, and why."""
    errors: dict[int, str] = {}
    large = np.diff(offsets) > EVENT_BYTES
    null = np.ones(len(texts), np.bool_)
    null[valid_positions(texts)] = False
    for rows, reason in ((large, f"the event has more than {EVENT_BYTES} bytes: split it"), (null, "no event: null")):
        errors.update(dict.fromkeys(np.flatnonzero(rows).tolist(), reason))
    outcome[large | null] = SKIPPED
    return errors


def _read(text: U8, offsets: I64, attributes: Attributes, outcome: U8) -> Cells:
    names = attributes.table()
    work = new_work(len(names.starts))
    starts = np.zeros(len(outcome) + 1, np.int64)
    output = _new_output(len(text) // 16 + 1024, 1024)
    row = read_rows(text, offsets, 0, names, output, work, outcome, starts)
    while row < len(outcome):
        # Room for this row whatever it holds, and for all rows if they go on like those so far.
        size = int(offsets[row + 1] - offsets[row])
        output = _larger(output, 2 * len(output.kind) + size, 2 * len(output.decoded) + size)
        row = read_rows(text, offsets, row, names, output, work, outcome, starts)
    cells, decoded = work.counts[:2]
    whole = TextPool()
    whole.add(text)
    whole.add(output.decoded[:decoded])
    values = Values(output.kind[:cells], output.bits[:cells], output.length[:cells], whole.whole())
    return Cells(starts, output.attribute[:cells], output.flags[:cells], values, {})


def _new_output(cells: int, decoded: int) -> Output:
    bits = np.empty(cells, np.int64)
    return Output(
        np.empty(cells, np.int32),
        np.empty(cells, np.uint8),
        np.empty(cells, np.uint8),
        bits,
        bits.view(np.float64),
        np.empty(cells, np.int32),
        np.empty(decoded, np.uint8),
    )


def _larger(old: Output, cells: int, decoded: int) -> Output:
    new = _new_output(cells, decoded)
    pairs: Any = zip(old, new, strict=True)
    for source, target in pairs:
        target[: len(source)] = source
    return new


def _not_json(word: str) -> NoReturn:
    raise EventError(f"not JSON: {word} is not a value there, leave the name out or write null")


_decoder = json.JSONDecoder(parse_constant=_not_json)


def _load(text: U8) -> Any:
    """The value of a JSON text, or the error that says why there is none."""
    try:
        return _decoder.decode(text.tobytes().decode())
    except EventError as error:
        return error
    except json.JSONDecodeError as error:
        return EventError(f"not JSON at character {error.pos}: {error.msg}")
    except RecursionError:
        return EventError("the event is nested too deeply: flatten it")
    except ValueError as error:
        return EventError(f"a number is too long: {error}")


def _merged(read: Cells, loaded: Cells, rows: I64) -> Cells:
    """The cells that the kernel read and those of the `rows` that Python loaded, together."""
    pool = TextPool()
    parts = []
    for cells, events in ((read, np.arange(len(read))), (loaded, rows)):
        values = cells.values
        start = pool.add(values.text)
        bits = np.where(values.kind == TEXT, values.bits + start, values.bits)
        event = np.repeat(events, np.diff(cells.starts))
        parts.append(Part(event, cells.attribute, cells.flags, values.kind, bits, values.length))
    errors = read.errors | {int(rows[i]): reason for i, reason in loaded.errors.items()}
    return in_event_order(parts, len(read), pool.whole(), errors)
