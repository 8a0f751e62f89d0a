"""Any data as a workload: its rows are the events, and every subscription is derived from one of them.

    row            {"brand": "AW", "price": 499.0, "name": "AW Bellies"}
    subscription   price <= 999.0 AND brand IN ('AW', 'Alisha')            holds for the row it comes from

A subscription takes a random row and some of its attributes, so both come as often as they do in the data. Constants
are those of the data too. Operators go by type: numbers and times are bounded below, above or on both sides (a tenth of
all constants away at most) or equal; texts are equal, in a list, or begin alike; running text is asked for one to
three of its words: `MATCHES(headline, '+covid +boosters')`. Where a row has fewer attributes than asked for, all of
them are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from watchword.workloads.choice import Choice, Integers
from watchword.workloads.data_cells import Cells, Kind, cells_of
from watchword.workloads.data_rows import Data, read_data
from watchword.workloads.query_lengths import PROBABILITIES
from watchword.workloads.source import Source, Stream, generate
from watchword.workloads.sql_text import conjunctions, in_lists, in_order, joined
from watchword.workloads.workload import EventsForm, Parameters, Workload, WorkloadError

NEAR: Final = 10  # the share of all constants that BETWEEN reaches to either side is one by this
MOST_IN_LIST: Final = 5
MOST_WORDS: Final = 3
_RANGED: Final = ("=", "<=", ">=", "BETWEEN")
_WRITTEN: Final = ("=", "=", "=", "IN", "LIKE")  # three texts of five are equal
OPERATORS: Final = {
    Kind.NUMBER: _RANGED, Kind.TIME: _RANGED, Kind.TEXT: _WRITTEN, Kind.TRUTH: ("=",), Kind.WORDS: ("MATCHES",)
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class FromEvents(Parameters):
    subscriptions: int = 10_000
    texts: tuple[str, ...] = ()  # attributes of running text
    ignore: tuple[str, ...] = ()  # attributes that no subscription asks for
    lengths: tuple[float, ...] = tuple(PROBABILITIES.tolist())  # how often 1, 2, 3 ... predicates

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.lengths or min(self.lengths) < 0 or sum(self.lengths) <= 0:
            raise WorkloadError("FromEvents.lengths must be weights, one at least above 0")


def from_events(
    data: pa.Table | str | Path,
    *,
    subscriptions: int = 10_000,
    seed: int = 1,
    texts: Sequence[str] = (),
    ignore: Sequence[str] = (),
    lengths: Sequence[float] = tuple(PROBABILITIES.tolist()),
    training: float = 0.2,
    rows: int | None = None,
) -> Workload:
    """A workload from a table, or from a file of JSON lines or Parquet. `training` is the share of rows set apart."""
    source = data_source(
        data, FromEvents(subscriptions=subscriptions, seed=seed, texts=tuple(texts), ignore=tuple(ignore),
                         lengths=tuple(lengths)), training, rows
    )  # fmt: skip
    return generate("from-events", source)


def data_source(
    data: pa.Table | str | Path, wanted: FromEvents, training: float = 0.2, rows: int | None = None
) -> DataSource:
    """The first so many rows of the data; how many events there are, they say."""
    if not 0 <= training < 1:
        raise WorkloadError(f"training must be a share from 0 to less than 1, not {training}")
    read = read_data(data, rows)
    apart = int(training * len(read.records))
    return DataSource(replace(wanted, events=len(read.records) - apart, training=apart), read)


class DataSource(Source[FromEvents]):
    def __init__(self, parameters: FromEvents, data: Data) -> None:
        super().__init__(parameters)
        self._form = data.form
        order = self.random(Stream.SHARED).permutation(len(data.records))
        self._training = data.events.take(pa.array(np.sort(order[: parameters.training])))
        self._events = data.events.take(pa.array(np.sort(order[parameters.training :])))
        self._cells = cells_of(data.records, parameters.texts, parameters.ignore)
        self._rows = np.flatnonzero(np.diff(self._cells.row_starts))
        if not len(self._rows):
            raise WorkloadError("no row has a value that a subscription could ask for")
        self._lengths = Choice(len(parameters.lengths), np.array(parameters.lengths, np.float64))

    @property
    def form(self) -> EventsForm:  # type: ignore[override]
        return self._form

    def events(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        return self._events.slice(first, rows)

    def training(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        return self._training.slice(first, rows)

    def expressions(self, rng: np.random.Generator, first: int, rows: int) -> pa.Array:
        sizes, cells = self._some_cells(rng, rows)
        return conjunctions(sizes, predicates(rng, self._cells, cells))

    def _some_cells(self, rng: np.random.Generator, rows: int) -> tuple[Integers, Integers]:
        """Different cells of one row for every subscription."""
        row = self._rows[rng.integers(0, len(self._rows), rows)]
        first = self._cells.row_starts[row]
        there = self._cells.row_starts[row + 1] - first
        wanted = np.minimum(1 + self._lengths.draw(rng, rows), there)
        shuffled = rng.random((rows, int(there.max())))
        shuffled[np.arange(shuffled.shape[1]) >= there[:, None]] = 2.0  # behind all others
        cells = first[:, None] + np.argsort(shuffled, axis=1)
        return wanted, cells[np.arange(shuffled.shape[1]) < wanted[:, None]]


def predicates(rng: np.random.Generator, all_cells: Cells, cells: Integers) -> pa.Array:
    """One predicate for each of these cells, which it satisfies."""
    kind = all_cells.kind[cells]
    number = rng.integers(0, 1 << 30, len(cells))
    groups = []
    for one, operators in OPERATORS.items():
        for place, operator in enumerate(operators):
            places = np.flatnonzero((kind == one) & (number % len(operators) == place))
            if len(places):
                groups.append((places, _Writer(rng, all_cells, cells[places]).write(operator)))
    return in_order(groups)


class _Writer:
    """Predicates with one operator."""

    def __init__(self, rng: np.random.Generator, all_cells: Cells, cells: Integers) -> None:
        self._rng = rng
        self._all = all_cells
        self._names = all_cells.names.take(pa.array(all_cells.attribute[cells]))
        self._constant = all_cells.constant[cells]
        self._first, self._count = all_cells.like_first[cells], all_cells.like_count[cells]

    def write(self, operator: str) -> pa.Array:
        if operator == "MATCHES":
            return joined("MATCHES(", self._names, ", '", self._query(), "')")
        return joined(self._names, f" {operator} ", self._operands(operator))

    def _operands(self, operator: str) -> pa.Array:
        first, last = self._first, self._first + self._count - 1
        if operator == "LIKE":
            return self._all.prefixes.take(pa.array(self._constant))
        if operator == "IN":
            return joined("(", self._list(), ")")
        if operator == "BETWEEN":
            near = -(-self._count // NEAR)
            low = self._rng.integers(np.maximum(first, self._constant - near), self._constant + 1)
            high = self._rng.integers(self._constant, np.minimum(last, self._constant + near) + 1)
            return joined(self._text(low), " AND ", self._text(high))
        if operator == "<=":
            return self._text(self._rng.integers(self._constant, last + 1))
        if operator == ">=":
            return self._text(self._rng.integers(first, self._constant + 1))
        return self._text(self._constant)

    def _list(self) -> pa.Array:
        """The constant and a few others like it, each a random step behind the last, round the end."""
        sizes = np.minimum(self._rng.integers(2, MOST_IN_LIST + 1, len(self._constant)), self._count)
        step = np.maximum(1, self._count // MOST_IN_LIST)
        steps = self._rng.integers(1, step[:, None] + 1, (len(step), MOST_IN_LIST))
        steps[:, 0] = 0
        listed = (
            self._first[:, None]
            + (self._constant[:, None] - self._first[:, None] + steps.cumsum(1)) % (self._count[:, None])
        )
        return in_lists(sizes, self._text(listed[np.arange(MOST_IN_LIST) < sizes[:, None]]), ", ")

    def _query(self) -> pa.Array:
        starts = self._all.word_starts[self._constant]
        there = self._all.word_starts[self._constant + 1] - starts
        sizes = np.minimum(self._rng.integers(1, MOST_WORDS + 1, len(starts)), there)
        begin = self._rng.integers(0, there)
        words = starts[:, None] + (begin[:, None] + np.arange(MOST_WORDS)) % there[:, None]
        chosen = self._all.words.take(pa.array(words[np.arange(MOST_WORDS) < sizes[:, None]]))
        return in_lists(sizes, joined("+", chosen), " ")

    def _text(self, constants: Integers) -> pa.Array:
        return self._all.constants.take(pa.array(constants))
