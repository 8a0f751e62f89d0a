"""Subscriptions on their way in: of any form to ids and an expression table, refused rows apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.errors import ExpressionError, SubscriptionIdError, WatchwordError
from watchword.index.identifiers import Identifier, checked_id, hash_ids, id_array
from watchword.kernel import kernel
from watchword.language.build import to_expression
from watchword.language.bulk import parse_many
from watchword.language.table import ExpressionTable
from watchword.language.table_rows import concatenate, from_expressions, take

ERROR_SCHEMA = pa.schema([("row", pa.int64()), ("id", pa.string()), ("reason", pa.string())])


@dataclass(slots=True)
class Incoming:
    ids: pa.Array  # distinct, beside the table's rows
    table: ExpressionTable
    errors: list[tuple[int, str | None, str]] = field(default_factory=list)

    def error_table(self) -> pa.Table:
        columns = zip(*sorted(self.errors), strict=True) if self.errors else ((), (), ())
        return pa.table(
            [pa.array(column, kind.type) for column, kind in zip(columns, ERROR_SCHEMA, strict=True)], ERROR_SCHEMA
        )


def read_subscriptions(subscriptions: Any, id_type: pa.DataType | None) -> Incoming:
    """Arrow tables and pandas frames have columns `id` and `expression`; others are pairs of them.

    Of rows with the same id the last good one counts, as if they came one after the other. What has been read already
    stays as it is.
    """
    if isinstance(subscriptions, Incoming):
        return subscriptions
    if hasattr(subscriptions, "columns") and not isinstance(subscriptions, (pa.Table, pa.RecordBatch)):
        _required(subscriptions.columns)
        return _from_columns(subscriptions["id"], _texts(subscriptions["expression"]), id_type)
    if isinstance(subscriptions, (pa.Table, pa.RecordBatch)):
        _required(subscriptions.schema.names)
        return _from_columns(subscriptions.column("id"), subscriptions.column("expression"), id_type)
    return _from_pairs(subscriptions, id_type)


def _texts(expressions: Any) -> pa.Array:
    try:
        return pa.array(expressions, pa.large_string(), from_pandas=True)
    except (pa.ArrowException, UnicodeEncodeError) as error:
        raise ExpressionError(f"the column `expression` must hold texts: {error}") from None


def _required(columns: Iterable[Any]) -> tuple[str, str]:
    names = list(columns)
    for name in ("id", "expression"):
        if names.count(name) != 1:
            raise SubscriptionIdError(f"subscriptions need one column {name!r}; these have {names[:20]}")
    return "id", "expression"


def _from_columns(ids: Any, texts: Any, id_type: pa.DataType | None) -> Incoming:
    array = id_array(ids)
    if id_type is not None and array.type != id_type and array.null_count < len(array):
        raise SubscriptionIdError(f"the ids of this index are {id_type}, not {array.type}: convert the column")
    parsed = parse_many(texts)
    errors = [(row, _shown(array[row].as_py()), reason) for row, reason in parsed.errors]
    rows, table = parsed.rows, parsed.table
    if array.null_count:
        present = np.asarray(array.is_valid())[rows]
        errors += [(row, None, "the id is missing") for row in rows[~present].tolist()]
        rows, table = rows[present], take(table, np.flatnonzero(present))
    return _last_of_each(array.take(pa.array(rows)), table, errors)


def _from_pairs(pairs: Iterable[Any], id_type: pa.DataType | None) -> Incoming:
    errors: list[tuple[int, str | None, str]] = []
    ids: list[Identifier] = []
    sources: list[Any] = []
    rows: list[int] = []
    for row, pair in enumerate(pairs):
        shown = None
        try:
            identifier, source = _pair(pair)
            shown = _shown(identifier)
            identifier = checked_id(identifier)
            if not isinstance(source, str):
                source = to_expression(source)
        except WatchwordError as error:
            errors.append((row, shown, str(error)))
            continue
        ids.append(identifier)
        sources.append(source)
        rows.append(row)
    is_text = np.array([isinstance(source, str) for source in sources], bool)
    parsed = parse_many(pa.array([source for source in sources if isinstance(source, str)], pa.large_string()))
    trees = from_expressions([source for source in sources if not isinstance(source, str)])
    text_rows = np.flatnonzero(is_text)
    errors += [(rows[text_rows[row]], _shown(ids[text_rows[row]]), reason) for row, reason in parsed.errors]
    good = np.concatenate([text_rows[parsed.rows], np.flatnonzero(~is_text)])
    order = np.argsort(good, kind="stable")
    table = take(concatenate([parsed.table, trees]), order)
    good = good[order]
    # the first good one says what ids are, if the index does not know yet
    first = type(ids[good[0]]) if len(good) else str
    wanted = first if id_type is None else int if pa.types.is_int64(id_type) else str
    fits = np.array([type(ids[i]) is wanted for i in good.tolist()], bool)
    for i in good[~fits].tolist():
        found = type(ids[i]).__name__
        errors.append(
            (rows[i], _shown(ids[i]), f"the ids of this index are {wanted.__name__}, not {found}: convert it")
        )
    if not fits.all():
        good, table = good[fits], take(table, np.flatnonzero(fits))
    array = pa.array([ids[i] for i in good.tolist()], pa.int64() if wanted is int else pa.large_string())
    return _last_of_each(array, table, errors)


def _pair(pair: Any) -> tuple[Any, Any]:
    if isinstance(pair, Mapping):
        return pair.get("id"), pair.get("expression")
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise SubscriptionIdError("a subscription is a pair of an id and an expression")
    return pair[0], pair[1]


def _shown(identifier: Any) -> str | None:
    return None if identifier is None else str(identifier).encode(errors="replace").decode()


def _last_of_each(ids: pa.Array, table: ExpressionTable, errors: list[tuple[int, str | None, str]]) -> Incoming:
    hashes = hash_ids(ids)
    order = np.argsort(hashes, kind="stable")
    runs = _equal_neighbours(hashes[order])
    if not runs:
        return Incoming(ids, table, errors)
    # equal hashes: compare the ids themselves
    last = {identifier: row for row, identifier in enumerate(ids.to_pylist())}
    rows = np.array(sorted(last.values()), np.int64)
    return Incoming(ids.take(pa.array(rows)), take(table, rows), errors)


@kernel
def _equal_neighbours(hashes: npt.NDArray[np.uint64]) -> bool:
    for i in range(1, len(hashes)):
        if hashes[i] == hashes[i - 1]:
            return True
    return False
