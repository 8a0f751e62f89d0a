"""`statistics`: what events are like, counted on Spark over DataFrames of any size.

    events --tasks: flatten, count within a batch--> partial counts --sum--> attributes   attribute, events, share
                                                                             quantiles    attribute, values
                                                                             terms        attribute, term, events
           --the frequent terms, once more---------> pairs of terms --sum--> pairs        the pruned co-occurrences
           --a uniform sample----------------------> sample                  training of the next build

A term is a text value, or an element of a list of texts. Terms and pairs are pruned twice: within a task only what
Spark could not hold otherwise, in the end what fewer than `least` events have. So memory goes by distinct values of a
batch and by `terms`, never by the number of events.
"""

from __future__ import annotations

import datetime as dt
import json as json_text
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from watchword.coding.event import flatten
from watchword.coding.values import TEXT, Values
from watchword.errors import EventError, WatchwordError
from watchword.index.identifiers import text_buffers
from watchword.index.index import TRAINING_EVENTS
from watchword.index.storage import write_synced
from watchword.spark.access_keys import NOTHING_COUNTED, VALUE_SHARE, Frequencies, name_keys, value_keys

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TABLES: Final = ("attributes", "quantiles", "terms", "pairs", "sample")
TERMS: Final = 1000  # kept for pairs; there are half a million pairs of so many
QUANTILES: Final = [0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0]
ACCURACY: Final = 10_000  # a quantile is off by a ten-thousandth of all values at most
FREQUENT: Final = 100_000  # terms whose frequency tasks know; all others are rare
_ABOUT: Final = "about.json"
_COUNTS: Final = pa.schema(
    [
        ("attribute", pa.string()),
        ("term", pa.string()),
        ("number", pa.float64()),
        ("times", pa.int64()),
    ]
)
_COUNTS_DDL: Final = "attribute string, term string, number double, times bigint"
_PAIRS: Final = pa.schema([("first", pa.int32()), ("second", pa.int32()), ("times", pa.int64())])
_PAIRS_DDL: Final = "first int, second int, times bigint"
Term = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Tables of counts. `events`: how many there are, the unreadable ones left out."""

    events: int
    attributes: DataFrame  # attribute, events, share
    quantiles: DataFrame  # attribute, values: of numbers and times (seconds since 1970), at `QUANTILES`
    terms: DataFrame  # attribute, term, events
    pairs: DataFrame  # attribute_1, term_1, attribute_2, term_2, events: of the most frequent terms
    sample: DataFrame  # events as they came
    json: str | None  # the column of the sample that has them
    counts: DataFrame  # what all of these are made of, kept by Spark

    def save(self, path: str | Path) -> None:
        """Beside the index: the next build reads the sample for its cost model, unless it gets training events."""
        folder = statistics_folder(path)
        for name in TABLES:
            getattr(self, name).write.mode("overwrite").parquet(str(folder / name))
        write_synced(folder / _ABOUT, json_text.dumps({"events": self.events, "json": self.json}).encode())

    def release(self) -> None:
        """Let Spark forget the counts: tables that are still used are counted again."""
        self.counts.unpersist()


def statistics(events: DataFrame, json: str | None = None, *, least: int = 2, terms: int = TERMS) -> Statistics:
    """Count what the events hold. `json` names the column that has them as JSON text.

    `least`: how many events a term or pair must have to be kept; `terms`: of how many terms pairs are counted.
    """
    from pyspark.sql import functions as F  # noqa: N812

    names = tuple(events.columns)
    if json is not None and names.count(json) != 1:
        raise EventError(f"events need one column {json!r}; there are {', '.join(names[:20])}")
    numbered = events.toDF(*(f"c{number}" for number in range(len(names))))
    counts = numbered.mapInArrow(Counts(names, json), _COUNTS_DDL).cache()
    total = counts.where("attribute is null").agg(F.coalesce(F.sum("times"), F.lit(0))).toArrow()[0][0].as_py()
    present = counts.where("attribute is not null and term is null and number is null")
    attributes = present.groupBy("attribute").agg(F.sum("times").alias("events"))
    numbers = counts.where("number is not null")
    values = numbers.select(
        "attribute", F.explode(F.array_repeat("number", F.col("times").cast("int"))).alias("number")
    )
    quantiles = values.groupBy("attribute").agg(F.percentile_approx("number", QUANTILES, ACCURACY).alias("values"))
    counted = counts.where("term is not null").groupBy("attribute", "term").agg(F.sum("times").alias("events"))
    frequent = counted.where(F.col("events") >= least)
    top = frequent.orderBy(F.desc("events"), "attribute", "term").limit(terms).toArrow()
    known = list(zip(top["attribute"].to_pylist(), top["term"].to_pylist(), strict=True))
    return Statistics(
        events=total,
        attributes=attributes.withColumn("share", F.col("events") / F.lit(max(total, 1))),
        quantiles=quantiles,
        terms=frequent,
        pairs=_pairs(numbered, names, json, known, least),
        sample=events.orderBy(F.rand(0)).limit(TRAINING_EVENTS),
        json=json,
        counts=counts,
    )


def _pairs(numbered: DataFrame, names: tuple[str, ...], json: str | None, known: list[Term], least: int) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    spark = numbered.sparkSession
    counts = numbered.mapInArrow(Pairs(names, json, tuple(known)), _PAIRS_DDL)
    summed = counts.groupBy("first", "second").agg(F.sum("times").alias("events")).where(F.col("events") >= least)
    rows = [(number, attribute, term) for number, (attribute, term) in enumerate(known)]
    first = spark.createDataFrame(rows, "first int, attribute_1 string, term_1 string")
    second = first.toDF("second", "attribute_2", "term_2")
    joined = summed.join(F.broadcast(first), "first").join(F.broadcast(second), "second")
    return joined.select("attribute_1", "term_1", "attribute_2", "term_2", "events")


def load_statistics(spark: SparkSession, path: str | Path, name: str) -> DataFrame:
    """A saved table: attributes, quantiles, terms, pairs or sample."""
    return spark.read.parquet(str(statistics_folder(path) / name))


def saved_sample(spark: SparkSession, path: str | Path) -> tuple[DataFrame, str | None] | None:
    """The sample beside the index, if there is one, and the column that holds JSON."""
    about = statistics_folder(path) / _ABOUT
    if not about.is_file():
        return None
    return load_statistics(spark, path, "sample"), json_text.loads(about.read_bytes())["json"]


def sampled_events(path: str | Path) -> tuple[pa.Table, str | None] | None:
    """The sample beside the index as a table, if there is one, and the column that holds JSON."""
    folder = statistics_folder(path)
    if not (folder / _ABOUT).is_file():
        return None
    json = json_text.loads((folder / _ABOUT).read_bytes())["json"]
    return pyarrow.parquet.read_table(folder / "sample"), json


def load_frequencies(spark: SparkSession, path: str | Path) -> Frequencies:
    """How often events have an attribute, or a text value of it, as the statistics beside the index say."""
    folder = statistics_folder(path)
    if not (folder / _ABOUT).is_file():
        return NOTHING_COUNTED
    events = max(1, json_text.loads((folder / _ABOUT).read_bytes())["events"])
    attributes = load_statistics(spark, path, "attributes").select("attribute", "events").toArrow()
    terms = load_statistics(spark, path, "terms").orderBy("events", ascending=False).limit(FREQUENT).toArrow()
    of_terms = value_keys(_text_values(terms["term"]), name_keys(terms["attribute"].to_pylist()))
    keys = np.concatenate([name_keys(attributes["attribute"].to_pylist()), of_terms])
    counts = np.concatenate([attributes["events"].to_numpy(), terms["events"].to_numpy()])
    order = np.argsort(keys)
    return Frequencies(keys[order], counts[order] / events, 0.5 / events, VALUE_SHARE)


def _text_values(texts: pa.ChunkedArray) -> Values:
    starts, text = text_buffers(texts.combine_chunks().cast(pa.large_string()))
    kind = np.full(len(texts), TEXT, np.uint8)
    return Values(kind, starts[:-1].copy(), np.diff(starts).astype(np.int32), text)


def statistics_folder(path: str | Path) -> Path:
    return Path(path).absolute() / "statistics"


# --- in tasks -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counts:
    """Batches of events in; out, for each batch: how many events, attributes, terms, numbers there are."""

    names: tuple[str, ...]
    json: str | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            counts: Counter[tuple[str | None, str | None, float | None]] = Counter()
            for event in _events(batch, self.names, self.json):
                counts[None, None, None] += 1
                for attribute, value in event.items():
                    if value is None:
                        continue
                    counts[attribute, None, None] += 1
                    terms, numbers = _parts_of(value)
                    counts.update((attribute, term, None) for term in terms)
                    counts.update((attribute, None, number) for number in numbers)
            columns = [*zip(*counts, strict=True)] if counts else [(), (), ()]
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array(column, field.type)
                    for column, field in zip([*columns, counts.values()], _COUNTS, strict=True)
                ],
                schema=_COUNTS,
            )


@dataclass(frozen=True, slots=True)
class Pairs:
    """Batches of events in; out, how often two of the known terms are in one event."""

    names: tuple[str, ...]
    json: str | None
    known: tuple[Term, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        number = {term: place for place, term in enumerate(self.known)}
        for batch in batches:
            counts: Counter[tuple[int, int]] = Counter()
            for event in _events(batch, self.names, self.json):
                found = {
                    number[attribute, term]
                    for attribute, value in event.items()
                    for term in _parts_of(value)[0]
                    if (attribute, term) in number
                }
                counts.update(combinations(sorted(found), 2))
            columns = [*zip(*counts, strict=True)] if counts else [(), ()]
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array(column, field.type)
                    for column, field in zip([*columns, counts.values()], _PAIRS, strict=True)
                ],
                schema=_PAIRS,
            )


def _counted(counts: Counter[Any], schema: pa.Schema) -> pa.RecordBatch:
    columns = [*zip(*counts, strict=True), counts.values()] if counts else [()] * len(schema)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _events(batch: pa.RecordBatch, names: tuple[str, ...], json: str | None) -> Iterator[Mapping[str, Any]]:
    """The events of a batch as flat records; those that cannot be read are left out."""
    if json is None:
        rows = pa.RecordBatch.from_arrays(batch.columns, list(names)).to_pylist(maps_as_pydicts="lossy")
        maps = {name for name, column in zip(names, batch.columns, strict=True) if pa.types.is_map(column.type)}
        for row in rows:
            for name in maps:  # the keys of a map are attributes by themselves
                row |= row.pop(name) or {}
    else:
        rows = batch.column(names.index(json)).to_pylist()
    for row in rows:
        try:
            yield flatten(json_text.loads(row) if json is not None else row)
        except (WatchwordError, ValueError, TypeError, RecursionError):
            continue


def _parts_of(value: Any) -> tuple[set[str], list[float]]:
    """The terms and the numbers of a value."""
    values = value if isinstance(value, (list, frozenset)) else [value]
    terms = {one for one in values if isinstance(one, str)}
    numbers = [_number(one) for one in values if isinstance(one, (int, float, dt.date)) and not isinstance(one, bool)]
    return terms, [number for number in numbers if math.isfinite(number)]


def _number(value: Any) -> float:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        value = dt.datetime(value.year, value.month, value.day)
    if isinstance(value, dt.datetime):
        return (value.replace(tzinfo=value.tzinfo or dt.UTC)).timestamp()
    return float(value)
