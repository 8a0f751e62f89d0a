"""Parse a whole column: in pieces, by the kernels where they can, row by row by the parser where they cannot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.coding.values import I64, U8
from watchword.errors import ExpressionError
from watchword.language import construct
from watchword.language.bulk.columns import to_table
from watchword.language.bulk.queries import unsure_queries
from watchword.language.bulk.rows import new_levels, read_rows
from watchword.language.bulk.tape import grown, new_tape
from watchword.language.expression import Expression, Operator
from watchword.language.sql import parse
from watchword.language.table import ExpressionTable
from watchword.language.table_rows import concatenate, from_expressions, take

_PIECE_ROWS: Final = 1 << 15
_PIECE_BYTES: Final = 1 << 24

Errors = list[tuple[int, str]]
Mask = npt.NDArray[np.bool_]


@dataclass(slots=True)
class Parsed:
    table: ExpressionTable  # the rows that parsed
    rows: I64  # their row numbers in the column, ascending
    errors: Errors  # row number and message of the others


def parse_many(texts: pa.Array | pa.ChunkedArray) -> Parsed:
    """Parse a column of strings. The trees and the errors are those of `sql.parse`; a null is an error."""
    parsed = [_parse_piece(piece, first_row) for first_row, piece in _pieces(texts)]
    return Parsed(
        concatenate([piece.table for piece in parsed]),
        np.concatenate([np.zeros(0, np.int64), *(piece.rows for piece in parsed)]),
        [error for piece in parsed for error in piece.errors],
    )


def _pieces(texts: pa.Array | pa.ChunkedArray) -> Iterator[tuple[int, pa.Array]]:
    """Parts of so few rows and bytes that what it takes to parse one stays small, each with its first row."""
    texts = _as_strings(texts)
    first_row = 0
    for chunk in texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]:
        row = 0
        while row < len(chunk):
            starts = _starts(chunk[row:])
            full = int(np.searchsorted(starts, int(starts[0]) + _PIECE_BYTES, "right")) - 1
            piece = chunk[row : row + min(max(full, 1), _PIECE_ROWS)]
            yield first_row + row, piece
            row += len(piece)
        first_row += len(chunk)


def _as_strings(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    found = texts.type
    if pa.types.is_string(found) or pa.types.is_large_string(found):
        return texts
    values = found.value_type if pa.types.is_dictionary(found) else found
    if pa.types.is_null(values) or pa.types.is_string_view(values) or values in (pa.string(), pa.large_string()):
        return texts.cast(pa.large_string())
    raise ExpressionError(
        f"the column of expressions has type {found}, expected string: cast it", found=str(found), expected="string"
    )


def _starts(texts: pa.Array) -> npt.NDArray[Any]:
    """Where in the data buffer each string begins, and where the last one ends; nothing is copied."""
    width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    return np.frombuffer(texts.buffers()[1], width)[texts.offset : texts.offset + len(texts) + 1]


def _parse_piece(texts: pa.Array, first_row: int) -> Parsed:
    table, done = _parse_quickly(texts)
    rows = np.flatnonzero(done)
    others, errors = _parse_singly(texts, np.flatnonzero(~done), first_row)
    if others:
        rows = np.concatenate([rows, np.array(list(others), np.int64)])
        order = np.argsort(rows)
        rows = rows[order]
        table = take(concatenate([table, from_expressions(others.values())]), order)
    return Parsed(table, rows + first_row, errors)


def _parse_singly(texts: pa.Array, rows: I64, first_row: int) -> tuple[dict[int, Expression], Errors]:
    expressions: dict[int, Expression] = {}
    errors = []
    for row in rows.tolist():
        try:
            text = texts[row].as_py()
            if text is None:
                raise ExpressionError("the expression is null: give a text, or leave the row out")
            expressions[row] = parse(text)
        except UnicodeDecodeError as error:
            errors.append((first_row + row, f"the expression is not UTF-8 from byte {error.start}: encode it as UTF-8"))
        except ExpressionError as error:
            errors.append((first_row + row, str(error)))
    return expressions, errors


def _parse_quickly(texts: pa.Array) -> tuple[ExpressionTable, Mask]:
    """The rows that the kernels parsed, and which they are."""
    starts, text, present = _bytes(texts)
    tape, ends = new_tape(len(texts), len(text)), np.ones(len(texts) + 1, np.int64)
    levels = new_levels()
    row = read_rows(starts, text, present, 0, tape, ends, levels)
    while row < len(texts):
        tape = grown(tape, starts[row + 1] - starts[row])
        row = read_rows(starts, text, present, row, tape, ends, levels)
    table, done = to_table(tape, ends, text), np.diff(ends) > 0
    good = _rows_of_good_texts(table)
    if not good.all():
        table = take(table, np.flatnonzero(good))
        done[done] = good
    return table, done


def _bytes(texts: pa.Array) -> tuple[I64, U8, Mask]:
    """The strings as starts and bytes (copies, for Arrow's own are read-only), and which rows are text at all."""
    starts = _starts(texts)
    data = texts.buffers()[2]
    text = np.frombuffer(data, np.uint8)[starts[0] : starts[-1]].copy() if data else np.zeros(0, np.uint8)
    present = texts.is_valid().to_numpy(zero_copy_only=False)
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:  # not UTF-8 somewhere
        present = np.zeros(len(texts), np.bool_)
    return starts.astype(np.int64) - starts[0], text, present


def _rows_of_good_texts(table: ExpressionTable) -> Mask:
    """Which rows have only RLIKE patterns and queries of MATCHES that the parser accepts."""
    good = np.ones(len(table), np.bool_)
    judged = np.concatenate([np.flatnonzero(table.operator == Operator.RLIKE), unsure_queries(table)])
    for leaf, number in zip(judged.tolist(), table.constant_starts[judged].tolist(), strict=True):
        if not _is_good(int(table.operator[leaf]), table.constants.text_at(number)):
            good[np.searchsorted(table.leaf_starts, leaf, "right") - 1] = False
    return good


@lru_cache(maxsize=1 << 12)
def _is_good(operator: int, text: bytes) -> bool:
    try:
        if operator == Operator.MATCHES:
            construct.matches("x", text.decode())
        else:
            construct.like("x", Operator.RLIKE, text.decode())
    except ExpressionError:
        return False
    return True
