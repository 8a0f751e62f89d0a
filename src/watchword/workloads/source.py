"""A source of rows, block by block: the same parameters give the same rows, wherever and in however many parts.

    seed, stream, block  -->  random numbers of that block alone  -->  its rows

    stream   0 what all blocks share (base expressions, weights), 1 subscriptions, 2 events, 3 training
    block    2,048 subscriptions, or 256 events, always made whole; what is not asked for is cut off

So a workload of a million subscriptions begins with those of a workload of a thousand, and executors of Spark make
exactly the rows that one process would.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict
from typing import ClassVar, Final, Generic, TypeVar

import numpy as np
import pyarrow as pa

from watchword.workloads.workload import EventsForm, Parameters, Workload

SUBSCRIPTIONS: Final = 2048  # of one block
EVENTS: Final = 256

P = TypeVar("P", bound=Parameters)


class Stream(enum.IntEnum):
    SHARED = 0
    SUBSCRIPTIONS = 1
    EVENTS = 2
    TRAINING = 3

    @property
    def block_rows(self) -> int:
        return SUBSCRIPTIONS if self is Stream.SUBSCRIPTIONS else EVENTS


class Source(ABC, Generic[P]):
    """Makes the rows of any block. What all blocks share is made once, by the constructor."""

    form: ClassVar[EventsForm]

    def __init__(self, parameters: P) -> None:
        self.parameters = parameters

    @abstractmethod
    def expressions(self, rng: np.random.Generator, first: int, rows: int) -> pa.Array:
        """The SQL text of so many subscriptions; `first` is the number of the first one."""

    @abstractmethod
    def events(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        """So many events in the source's form."""

    def training(self, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        return self.events(rng, first, rows)

    def random(self, stream: Stream, block: int = 0) -> np.random.Generator:
        return np.random.default_rng([self.parameters.seed, stream, block])

    def block(self, stream: Stream, number: int) -> pa.Table:
        rows = stream.block_rows
        first = number * rows
        made = self._make(stream, self.random(stream, number), first, rows)
        return made.slice(0, max(0, self.rows_of(stream) - first))

    def blocks_of(self, stream: Stream) -> int:
        return -(-self.rows_of(stream) // stream.block_rows)

    def rows_of(self, stream: Stream) -> int:
        wanted = self.parameters
        return {
            Stream.SUBSCRIPTIONS: wanted.subscriptions,
            Stream.EVENTS: wanted.events,
            Stream.TRAINING: wanted.training,
        }[stream]

    def _make(self, stream: Stream, rng: np.random.Generator, first: int, rows: int) -> pa.Table:
        if stream is Stream.SUBSCRIPTIONS:
            ids = np.arange(first, first + rows)
            return pa.table({"id": ids, "expression": self.expressions(rng, first, rows)})
        return (self.events if stream is Stream.EVENTS else self.training)(rng, first, rows)


def generate(name: str, source: Source[P]) -> Workload:
    """All rows of a source, in this process."""
    return Workload(
        name,
        asdict(source.parameters),
        _all(source, Stream.SUBSCRIPTIONS),
        _all(source, Stream.EVENTS),
        _all(source, Stream.TRAINING),
        source.form,
    )


def _all(source: Source[P], stream: Stream) -> pa.Table:
    return pa.concat_tables(_blocks(source, stream)).combine_chunks()


def _blocks(source: Source[P], stream: Stream) -> Iterator[pa.Table]:
    for number in range(max(1, source.blocks_of(stream))):  # an empty one has its columns too
        yield source.block(stream, number)
