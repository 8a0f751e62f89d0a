"""Workloads of any size as DataFrames: every executor makes its own blocks, and none holds more than one.

    range of block numbers, in partitions  --mapInArrow-->  the rows of each block

A block depends on its number alone, so these are the rows that the generator makes in one process, in any number of
partitions, also when a task is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Generic

import pyarrow as pa

from watchword.workloads.generator import Generator
from watchword.workloads.source import P, Source, Stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ID: Final = "id"  # the column that numbers events: `event_id` of `watchword.spark.match`


@dataclass(frozen=True)
class BlockMaker(Generic[P]):
    """Batches of block numbers in, rows out. Runs in a worker."""

    source: type[Source[P]]
    parameters: P
    stream: Stream

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        source = _source(self.source, self.parameters)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self._rows(source, number).combine_chunks().to_batches()

    def schema(self) -> pa.Schema:
        return self._rows(_source(self.source, self.parameters), 0).schema

    def _rows(self, source: Source[P], number: int) -> pa.Table:
        table = source.block(self.stream, number)
        if self.stream is Stream.SUBSCRIPTIONS:
            return table
        first = number * self.stream.block_rows
        return table.add_column(0, ID, pa.array(range(first, first + len(table)), pa.int64()))


@lru_cache(maxsize=2)
def _source(source: type[Source[Any]], parameters: Any) -> Source[Any]:
    """A worker makes many blocks of one workload: what they share is made once."""
    return source(parameters)


def on_spark(
    spark: SparkSession, generator: Generator[P], parameters: P | None = None, partitions: int | None = None
) -> tuple[DataFrame, DataFrame]:
    """Subscriptions (id, expression) and events (id, then as the generator makes them)."""
    from pyspark.sql.pandas.types import from_arrow_schema

    wanted = generator.defaults if parameters is None else parameters

    def frame(stream: Stream) -> DataFrame:
        maker = BlockMaker(generator.source, wanted, stream)
        blocks = _source(maker.source, wanted).blocks_of(stream)
        numbers = spark.range(0, blocks, 1, partitions)
        return numbers.mapInArrow(maker, from_arrow_schema(maker.schema()))

    return frame(Stream.SUBSCRIPTIONS), frame(Stream.EVENTS)
