"""A user's own data: every subscription holds for the row it comes from, whatever types the data has."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.workloads.checks import loaded
from tests.workloads.statistics import has_mean, is_drawn_by

from watchword.workloads import EventsForm, Workload, WorkloadError, from_events

PRODUCTS: list[dict[str, Any]] = [
    {
        "id": f"p{number}",
        "brand": ["Alisha", "O'Hara", "100% wool", 'say "so"', "_"][number % 5],
        "price": [379.0, 12, 2.5, 9007199254740993][number % 4] + number,
        "order": number % 7,
        "in stock": number % 3 == 0,
        "seller": {"country": ["IN", "NO"][number % 2], "since": None},
        "tags": ["new", "sale", "old"][: number % 4],
        "name": f"Solid blue shorts number {number}, as the name says in more than sixty characters",
    }
    for number in range(60)
]


def write(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "products.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n\n" for row in rows)
    return path


def unmatched(workload: Workload) -> list[str]:
    index = loaded(workload)
    found = set(index.match_batch(workload.to_match)["subscription"].to_pylist())
    texts = workload.subscriptions["expression"].to_pylist()
    return [text for number, text in enumerate(texts) if number not in found]


def test_json_lines(tmp_path: Path) -> None:
    path = write(tmp_path, PRODUCTS)
    workload = from_events(path, subscriptions=3000, training=0)
    assert workload.events_form is EventsForm.JSON
    assert workload.records() == PRODUCTS
    assert unmatched(workload) == []
    text = " ".join(workload.subscriptions["expression"].to_pylist())
    for expected in (
        "brand = 'O''Hara'",
        '"in stock" = TRUE',
        "seller.country",
        "tags",
        "LIKE '100%",
        "IN (",
        "BETWEEN",
    ):
        assert expected in text
    assert "since" not in text
    assert "name " not in text
    assert '"order"' in text or "order" in text
    assert from_events(path, subscriptions=3000, training=0).subscriptions.equals(workload.subscriptions)
    assert not from_events(path, subscriptions=3000, training=0, seed=2).subscriptions.equals(workload.subscriptions)


def test_tables(tmp_path: Path) -> None:
    table = pa.table({
        "day": [dt.date(2024, 5, 1), dt.date(2024, 5, 2), None, dt.date(2023, 1, 1)] * 5,
        "at": pa.array([dt.datetime(2024, 5, 1, 12, second) for second in range(20)], pa.timestamp("us")),
        "x": [1, 2, 3, 4] * 5,
        "y": [float("nan"), 1e300, -0.25, None] * 5,
    })  # fmt: skip
    workload = from_events(table, subscriptions=500, training=0)
    assert workload.events_form is EventsForm.COLUMNS
    assert unmatched(workload) == []
    assert "nan" not in " ".join(workload.subscriptions["expression"].to_pylist()).lower()
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet")
    assert from_events(tmp_path / "rows.parquet", subscriptions=500, training=0).subscriptions.equals(
        workload.subscriptions
    )


def test_a_map_of_attributes() -> None:
    table = pa.table({"event": pa.array([[("a", 1), ("b", 2)], [("a", 3)], []], pa.map_(pa.string(), pa.int64()))})
    workload = from_events(table, subscriptions=100, training=0)
    assert workload.events_form is EventsForm.MAP
    assert workload.records() == [{"a": 1, "b": 2}, {"a": 3}, {}]
    assert unmatched(workload) == []


def test_attributes_lengths_and_samples() -> None:
    table = pa.table({name: list(range(100)) for name in "abcdefgh"})
    workload = from_events(table, subscriptions=3000, ignore=["c"], lengths=(0.5, 0.0, 0.25, 0.25))
    assert (len(workload.events), len(workload.training)) == (80, 20)
    rows = workload.events["a"].to_pylist() + workload.training["a"].to_pylist()
    assert sorted(rows) == list(range(100))
    used = [re.findall(r"\b([a-h]) [=<>B]", text) for text in workload.subscriptions["expression"].to_pylist()]
    assert is_drawn_by([len(names) - 1 for names in used], [0.5, 0.0, 0.25, 0.25])
    assert has_mean([len(names) for names in used], 2.25)
    assert is_drawn_by(["abdefgh".index(name) for names in used for name in names], [1.0] * 7)
    assert all(len(set(names)) == len(names) for names in used)


def test_running_text_is_asked_for_its_words(tmp_path: Path) -> None:
    news = [
        {"headline": "Four Million: roll up, roll up!", "category": "U.S."},
        {"headline": "...", "category": "COMEDY"},
    ]
    workload = from_events(write(tmp_path, news), subscriptions=200, texts=["headline"], training=0)
    texts = " ".join(workload.subscriptions["expression"].to_pylist())
    queries = re.findall(r"MATCHES\(headline, '([^']*)'\)", texts)
    words = [word for query in queries for word in query.split()]
    assert {*words} == {"+four", "+million", "+roll", "+up"}
    assert {len(query.split()) for query in queries} == {1, 2, 3}
    assert "category = 'COMEDY'" in texts


def test_a_prefix_of_rows_is_read(tmp_path: Path) -> None:
    assert len(from_events(write(tmp_path, PRODUCTS), subscriptions=1, training=0, rows=10).events) == 10


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("rows.txt", "", r"rows\.txt: unknown format; name it \.jsonl, \.jsonl\.gz or \.parquet"),
        ("rows.jsonl", '{"a": 1}\n{"a":\n', r"rows\.jsonl, line 2: no event: "),
        ("rows.jsonl", "[1]\n", r"rows\.jsonl, line 1: no event: an event must be a mapping"),
        ("rows.jsonl", "\n", r"rows\.jsonl: no rows"),
        ("rows.jsonl", '{"a": null}\n', "no row has a value that a subscription could ask for"),
    ],
)
def test_data_that_is_no_source(tmp_path: Path, name: str, content: str, reason: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(WorkloadError, match=reason):
        from_events(tmp_path / name)


def test_shares_and_lengths_are_checked() -> None:
    with pytest.raises(WorkloadError, match="training must be a share from 0 to less than 1"):
        from_events(pa.table({"a": [1]}), training=1.0)
    with pytest.raises(WorkloadError, match="lengths must be weights"):
        from_events(pa.table({"a": [1]}), lengths=(0.0,))
