"""Workloads made by executors are those of one process, in any number of partitions; and they match on Spark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.spark.answers import rows

import watchword
import watchword.spark as wws
from watchword.workloads import BeGen, Generator, be_gen, h_tree, on_spark, prefixes


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("generator", [be_gen, h_tree, prefixes], ids=lambda one: one.name)
def test_the_rows_are_those_of_one_process(spark: Any, generator: Generator[Any], partitions: int) -> None:
    parameters = replace(generator.defaults, subscriptions=5000, events=600, training=0)
    made = generator(parameters)
    subscriptions, events = on_spark(spark, generator, parameters, partitions)
    assert subscriptions.toArrow().sort_by("id").to_pylist() == made.subscriptions.to_pylist()
    found = events.toArrow().sort_by("id")
    assert found["id"].to_pylist() == list(range(600))
    assert found.drop(["id"]).to_pylist() == made.events.to_pylist()


def test_they_match(spark: Any, tmp_path: Path) -> None:
    parameters = BeGen(subscriptions=3000, events=300, training=0)
    made = be_gen(parameters)
    subscriptions, events = on_spark(spark, be_gen, parameters, 2)
    wws.build(subscriptions, tmp_path, parts=2)
    index = watchword.Index()
    index.subscribe_many(made.subscriptions)
    wanted = index.match_batch(made.to_match)
    pairs = sorted(zip(wanted["event"].to_pylist(), wanted["subscription"].to_pylist(), strict=True))
    assert rows(wws.match(events, tmp_path, event_id="id")) == pairs
