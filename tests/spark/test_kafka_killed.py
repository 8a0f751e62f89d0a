"""kill -9 of a stream from topic to topic: nothing is missing, and what is twice is the same and of one batch."""

from __future__ import annotations

import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from tests.spark import kafka_job
from tests.spark.kafka import Kafka, running
from tests.spark.killing import program
from tests.spark.test_stream_killed import wishes

import watchword
import watchword.spark as wws

KILLS: Final = 6
EVENTS: Final = 4000


@pytest.fixture(scope="module")
def kafka(spark: Any) -> Iterator[Kafka]:
    with running(spark) as kafka:
        yield kafka


@pytest.mark.long
def test_readers_that_drop_repeats_have_every_match_once(kafka: Kafka, spark: Any, tmp_path: Path) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    chance = random.Random(seed)
    events = [{"number": i, "x": chance.randrange(20), "y": chance.randrange(5)} for i in range(EVENTS)]
    kafka.put("events", [json.dumps(event).encode() for event in events])
    index, checkpoint = tmp_path / "index", tmp_path / "checkpoint"
    version = wws.build(spark.createDataFrame(wishes(1)), index, parts=2).version
    kills = 0
    arguments = map(str, (kafka.servers, "events", index, "matches", checkpoint, kafka.jars))
    command = [str(kafka_job.__file__), *arguments]
    while kills < KILLS:
        before = begun(checkpoint)
        with program(*command, log=tmp_path / "log") as driver:
            while begun(checkpoint) <= before + 1:  # it has started and finished a batch
                assert driver.poll() is None, (tmp_path / "log").read_text()
                time.sleep(0.01)
            end = time.monotonic() + chance.uniform(0, 3)
            while time.monotonic() < end:
                version = wws.build(spark.createDataFrame(wishes(version + 1)), index, parts=2).version
                time.sleep(chance.uniform(0, 0.2))
        kills += 1
    with program(*command, log=tmp_path / "log") as driver:
        deadline = time.monotonic() + 240
        while len({row["number"] for row in kafka.messages("matches")}) < EVENTS:
            assert driver.poll() is None, (tmp_path / "log").read_text()
            assert time.monotonic() < deadline
            time.sleep(1)
    found = kafka.messages("matches")
    once = {(row["batch"], row["number"], row["subscription"]): row["version"] for row in found}
    print(f"{len(found) - len(once)} of {len(found)} messages repeat earlier ones")
    assert all(once[row["batch"], row["number"], row["subscription"]] == row["version"] for row in found)
    check(events, once)


def begun(checkpoint: Path) -> int:
    """The number of the last batch that has begun."""
    return max((int(file.name) for file in (checkpoint / "offsets").glob("[0-9]*")), default=-1)


def check(events: list[dict[str, int]], found: dict[tuple[int, int, int], int]) -> None:
    """Every event in one batch, every batch with one version, and exactly the matches of that version."""
    batch_of: dict[int, int] = {}
    version_of: dict[int, int] = {}
    pairs: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
    for (batch, number, subscription), version in found.items():
        assert batch_of.setdefault(number, batch) == batch
        assert version_of.setdefault(batch, version) == version
        pairs[version].add((number, subscription))
    assert sorted(batch_of) == list(range(len(events)))
    assert len(pairs) > KILLS
    for version, mine in pairs.items():
        with watchword.Index() as index:
            index.subscribe_many(wishes(version))
            numbers = [number for number, batch in batch_of.items() if version_of[batch] == version]
            wanted = index.match_batch([events[number] for number in numbers], id="number")
            assert mine == set(zip(wanted["event"].to_pylist(), wanted["subscription"].to_pylist(), strict=True))
