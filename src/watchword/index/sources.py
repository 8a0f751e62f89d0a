"""The expressions of a segment as they were written, compressed: read when one is explained or segments merge.

    chunk 0: expressions 0 .. 4095    chunk 1: 4096 .. 8191   ...      starts[c] .. starts[c + 1] of `data`

A chunk is an expression table, column behind column, compressed as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.coding.ranges import gather_bytes, starts_of
from watchword.coding.values import I64, TEXT, U8, Values
from watchword.language.table import ExpressionTable
from watchword.language.table_rows import concatenate, take

CHUNK: Final = 4096
_CODEC: Final = "zstd"
_HEAD: Final = 8  # column lengths in front of the columns


@dataclass(slots=True)
class Sources:
    count: int
    starts: I64
    sizes: I64  # bytes of each chunk before compression
    data: U8
    names: list[str]

    @classmethod
    def of(cls, table: ExpressionTable) -> Sources:
        chunks, sizes = [], []
        for first in range(0, len(table), CHUNK):
            raw = _pack(_slice(table, first, min(first + CHUNK, len(table))))
            chunks.append(np.frombuffer(pa.compress(raw, codec=_CODEC, asbytes=True), np.uint8))
            sizes.append(len(raw))
        data = np.concatenate(chunks) if chunks else np.empty(0, np.uint8)
        lengths = np.array([len(chunk) for chunk in chunks], np.int64)
        return cls(len(table), starts_of(lengths), np.array(sizes, np.int64), data, table.names)

    def table(self, expressions: I64) -> ExpressionTable:
        """These expressions, in this order."""
        wanted = np.unique(expressions // CHUNK)
        tables = [self._chunk(int(chunk)) for chunk in wanted]
        place = np.searchsorted(wanted, expressions // CHUNK)
        before = starts_of(np.array([len(table) for table in tables], np.int64))
        return take(concatenate(tables), before[place] + expressions % CHUNK)

    def _chunk(self, chunk: int) -> ExpressionTable:
        compressed = self.data[self.starts[chunk] : self.starts[chunk + 1]]
        raw = pa.decompress(pa.py_buffer(compressed), int(self.sizes[chunk]), codec=_CODEC, asbytes=True)
        return _unpack(raw, self.names)


def _slice(table: ExpressionTable, first: int, last: int) -> ExpressionTable:
    """Neighbouring rows, without the text that others use."""
    nodes = slice(int(table.node_starts[first]), int(table.node_starts[last]))
    leaves = slice(int(table.leaf_starts[first]), int(table.leaf_starts[last]))
    constants = slice(int(table.constant_starts[leaves.start]), int(table.constant_starts[leaves.stop]))
    values = table.constants
    kind, bits, length = values.kind[constants], values.bits[constants], values.length[constants]
    text_starts = starts_of(length)
    return ExpressionTable(
        table.node_starts[first : last + 1] - nodes.start,
        table.kind[nodes],
        table.count[nodes],
        table.leaf_starts[first : last + 1] - leaves.start,
        table.attribute[leaves],
        table.operator[leaves],
        table.negated[leaves],
        table.constant_starts[leaves.start : leaves.stop + 1] - constants.start,
        Values(
            kind,
            np.where(kind == TEXT, text_starts[:-1], bits),
            length,
            gather_bytes(values.text, bits, text_starts),
        ),
        table.names,
    )


def _pack(table: ExpressionTable) -> bytes:
    values = table.constants
    columns: list[npt.NDArray[np.generic]] = [
        np.diff(table.node_starts).astype(np.int32),
        table.kind,
        table.count,
        np.diff(table.leaf_starts).astype(np.int32),
        table.attribute,
        table.operator,
        table.negated,
        np.diff(table.constant_starts).astype(np.int32),
        values.kind,
        values.bits,
        values.length,
        values.text,
    ]
    counts = np.array(
        [len(table), len(table.kind), len(table.attribute), len(values), len(values.text), 0, 0, 0], np.int64
    )
    return counts.tobytes() + b"".join(column.tobytes() for column in columns)


def _unpack(raw: bytes, names: list[str]) -> ExpressionTable:
    rows, nodes, leaves, constants, text = np.frombuffer(raw, np.int64, _HEAD)[:5].tolist()
    at = 8 * _HEAD

    def column(dtype: type, count: int) -> npt.NDArray[Any]:
        nonlocal at
        array: npt.NDArray[Any] = np.frombuffer(raw, dtype, count, at).copy()
        at += array.nbytes
        return array

    node_counts = column(np.int32, rows)
    kind, count = column(np.uint8, nodes), column(np.int32, nodes)
    leaf_counts = column(np.int32, rows)
    attribute, operator, negated = column(np.int32, leaves), column(np.uint8, leaves), column(np.uint8, leaves)
    constant_counts = column(np.int32, leaves)
    values = Values(
        column(np.uint8, constants), column(np.int64, constants), column(np.int32, constants), column(np.uint8, text)
    )
    return ExpressionTable(
        starts_of(node_counts),
        kind,
        count,
        starts_of(leaf_counts),
        attribute,
        operator,
        negated,
        starts_of(constant_counts),
        values,
        list(names),
    )
