"""Subscriptions and events of the demo's shop, what an `Index` answers, and what Spark does: as sorted rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

import watchword.spark as wws
from watchword.cli import shop
from watchword.index.index import Index

SUBSCRIPTIONS: Final = 3000
EVENTS: Final = 400
MORE: Final = (  # what the shop's wishes do not have: attributes below a record, absence, several keys
    "offer.brand = 'Nordvik'",
    "offer.seller.country = 'DE'",
    "model IS NULL",
    "brand IN ('Nordvik', 'Solana') OR category = 'lamp' OR offer.category = 'lamp'",
)


@cache
def subscriptions() -> pa.Table:
    texts = [*shop.Shop(3).expressions(SUBSCRIPTIONS - len(MORE)), *MORE]
    return pa.table({"id": [f"s{number}" for number in range(SUBSCRIPTIONS)], "expression": texts})


@cache
def offers() -> list[dict[str, Any]]:
    return shop.Shop(4).offers(EVENTS)


@dataclass(frozen=True)
class Shop:
    """The shop's index as Spark built it, and in memory."""

    path: Path
    index: Index


def built_shop(spark: Any, folder: Path) -> Shop:
    table = subscriptions()
    index = Index()
    index.subscribe_many(table)
    built = wws.build(spark.createDataFrame(table), folder, parts=4)
    assert (built.version, built.subscriptions, built.refused) == (1, len(index), 0)
    return Shop(folder, index)


def as_json(events: Sequence[Any]) -> pa.Table:
    texts = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return pa.table({"id": list(range(len(texts))), "event": texts})


def as_columns(events: Sequence[dict[str, Any]]) -> pa.Table:
    """A column per attribute, records and lists as they are."""
    rows = [{"id": number, **event} for number, event in enumerate(events)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.Table.from_pylist([{name: row.get(name) for name in names} for row in rows])


def as_map(events: Sequence[dict[str, Any]]) -> pa.Table:
    """Only the attributes that are texts, all in one map."""
    maps = [[(name, value) for name, value in event.items() if isinstance(value, str)] for event in events]
    return pa.table({"id": list(range(len(events))), "attributes": pa.array(maps, pa.map_(pa.string(), pa.string()))})


def as_record(events: Sequence[dict[str, Any]]) -> pa.Table:
    """Everything inside one record, whose name stands in front of the attributes."""
    table = as_columns(events)
    record = pa.StructArray.from_arrays(
        [table[name].combine_chunks() for name in table.column_names[1:]], table.column_names[1:]
    )
    return pa.table({"id": table["id"], "offer": record})


FORMS: Final[dict[str, Any]] = {"columns": as_columns, "json": as_json, "map": as_map, "record": as_record}


def expected(index: Index, events: pa.Table, json: str | None = None) -> list[tuple[Any, Any]]:
    """By `Index.match_batch`, which has tests of its own against the oracle."""
    found = index.match_batch(events, id="id", json=json, errors=[])
    return sorted(zip(found["event"].to_pylist(), found["subscription"].to_pylist(), strict=True))


def rows(frame: Any) -> list[tuple[Any, Any]]:
    """The matches of a DataFrame. None may come twice."""
    table = frame.toArrow()
    found = list(zip(table["id"].to_pylist(), table["subscription"].to_pylist(), strict=True))
    assert max(Counter(found).values(), default=1) == 1
    return sorted(found)


def matches_and_bad(frame: Any) -> tuple[list[tuple[Any, Any]], list[dict[str, Any]]]:
    """With a column `reason`: the matches, and the rows of bad events by id."""
    table = frame.toArrow()
    good = table.filter(pc.is_null(table["reason"]))
    found = list(zip(good["id"].to_pylist(), good["subscription"].to_pylist(), strict=True))
    assert max(Counter(found).values(), default=1) == 1
    bad = table.filter(pc.is_valid(table["reason"])).to_pylist()
    return sorted(found), sorted(bad, key=lambda row: row["id"])


def files(folder: str | Path) -> set[str]:
    """All files below a folder."""
    return {str(file.relative_to(folder)) for file in Path(folder).rglob("*") if file.is_file()}
