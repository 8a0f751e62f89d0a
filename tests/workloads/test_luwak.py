"""Luwak: lengths of queries (Table 5) and documents (Tables 1 and 2), and words that come together."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.workloads.statistics import has_share, is_drawn_by

from watchword.workloads import Luwak, luwak
from watchword.workloads.luwak import query_weights
from watchword.workloads.strings import words

SMALL: dict[str, Any] = {"subscriptions": 5000, "events": 700, "training": 700}


def queries(workload: Any) -> list[list[str]]:
    found = []
    for text in workload.subscriptions["expression"].to_pylist():
        match = re.fullmatch(r"MATCHES\(body, '((?:\+[a-z]+ ?)+)'\)", text)
        assert match, text
        found.append(match[1].replace("+", "").split())
    return found


def test_queries_are_as_long_as_table_5_counts_them() -> None:
    found = queries(luwak(Luwak(**SMALL)))
    assert all(len(set(query)) == len(query) for query in found)
    assert is_drawn_by([min(len(query), 7) - 2 for query in found], [410943, 301249, 181609, 98999, 51290, 55835])
    assert max(map(len, found)) <= 12
    three = luwak(Luwak(subscriptions=50, events=0, training=0, shortest_query=3, longest_query=3))
    assert {len(query) for query in queries(three)} == {3}


def test_documents_are_as_long_as_tables_1_and_2_count_them() -> None:
    workload = luwak(Luwak(**SMALL))
    again = luwak(Luwak(**SMALL))
    assert workload.events.equals(again.events)
    assert workload.subscriptions.equals(again.subscriptions)
    for table, counts in (
        (workload.training, [9386, 18087, 8971, 13300]),
        (workload.events, [9400, 18268, 8987, 13344]),
    ):
        lengths = [len(text.split()) for text in table["body"].to_pylist()]
        classes = np.searchsorted([200, 600, 1000, 5000], lengths).tolist()
        assert is_drawn_by(classes, counts)
    assert not workload.training.equals(workload.events)


def test_defaults_are_the_published_numbers() -> None:
    published = Luwak()
    assert (published.subscriptions, published.training, published.events) == (1_099_925, 49_744, 49_999)


@pytest.mark.parametrize("vocabulary", [10_000, 200_000])
def test_common_words_make_two_thirds_of_the_queries(vocabulary: int) -> None:
    weights = query_weights(vocabulary)
    common = round(0.0067 * vocabulary)
    assert weights[:common].sum() / weights.sum() == pytest.approx(0.65, abs=0.001)
    parameters = Luwak(**{**SMALL, "events": 0, "training": 0}, vocabulary=vocabulary, related=0.0)
    number = {word: rank for rank, word in enumerate(words(vocabulary).to_pylist())}
    first = [number[query[0]] for query in queries(luwak(parameters))]  # later ones cannot repeat it
    assert has_share(sum(rank < common for rank in first), len(first), 0.65)


def test_words_of_a_topic_come_together() -> None:
    """In documents and in queries, more often than by chance; without topics they do not."""

    def together(topical: float, related: float) -> tuple[float, float]:
        parameters = Luwak(subscriptions=3000, events=300, training=0, vocabulary=20_000)
        workload = luwak(replace(parameters, topical=topical, related=related))
        number = {word: rank for rank, word in enumerate(words(20_000).to_pylist())}
        documents = [[number[word] for word in text.split()] for text in workload.events["body"].to_pylist()]
        asked = [[number[word] for word in query] for query in queries(workload)]
        return same_topic(documents), same_topic(asked)

    def same_topic(texts: list[list[int]]) -> float:
        pairs = [
            first % 50 == second % 50
            for text in texts
            for first, second in itertools.pairwise(rank for rank in text if rank >= 200)
        ]
        return sum(pairs) / len(pairs)

    in_documents, in_queries = together(0.2, 0.5)
    assert in_documents > 0.02 + 0.2**2 * 0.9
    assert in_queries > 0.15
    for share in together(0.0, 0.0):
        assert share == pytest.approx(0.02, abs=0.01)


def test_words_are_different() -> None:
    made = words(600_000)
    assert len(made) == len(made.unique()) == 600_000
    assert words(3).equals(made.slice(0, 3))
    assert pa.compute.max(pa.compute.utf8_length(made)).as_py() == 8
