"""Topics of Kafka: events from one, matches to another, with a real broker; and what is said where there is none."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.cli.test_match import run
from tests.spark.answers import expected, offers, subscriptions
from tests.spark.kafka import Kafka, running

import watchword
import watchword.spark as wws

BAD = [None, b"", b'{"id": 7, "x": ', b"[1]", b'{"name": "\xff"}']


@pytest.fixture(scope="module")
def kafka(spark: Any) -> Iterator[Kafka]:
    with running(spark) as kafka:
        yield kafka


@pytest.fixture(scope="module")
def index(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kafka") / "index"
    wws.build(spark.createDataFrame(subscriptions()), path, parts=2)
    return path


@pytest.mark.long
@pytest.mark.parametrize("key", [None, "number"])
def test_from_a_topic_to_a_topic(kafka: Kafka, index: Path, tmp_path: Path, key: str | None) -> None:
    """The command in a process of its own, as users run it."""
    events = [{"number": number, **offer} for number, offer in enumerate(offers())]
    name = f"offers-{key}"
    kafka.put(name, [*(json.dumps(event).encode() for event in events), *BAD])
    arguments = [
        "stream", "--index", index, "--events", kafka.address(name), "--out", kafka.address(f"{name}-matches"),
        "--errors", kafka.address(f"{name}-bad"), "--checkpoint", tmp_path / "checkpoint", "--connector", kafka.jars,
        "--messages", 100, "--once", "--master", "local[2]", "--memory", "1g", "--format", "json",
        *(["--id", key] if key else []),
    ]  # fmt: skip
    command = [sys.executable, "-m", "watchword", *map(str, arguments)]
    first = subprocess.run(command, capture_output=True, text=True, check=True)
    assert first.stderr == ""
    summary = json.loads(first.stdout)
    assert (summary["events"], summary["messages_waiting"]) == (len(events) + len(BAD), 0)
    assert summary["batches"] >= 4
    found = kafka.messages(f"{name}-matches")
    number_of = {str(row["id"]): row["number"] for row in numbers(kafka, name)} if key is None else {}
    pairs = sorted(
        (number_of[row["event"]] if key is None else int(row["event"]), row["subscription"]) for row in found
    )
    with watchword.Index() as one:
        one.subscribe_many(subscriptions())
        table = pa.table({"id": list(range(len(events))), "json": list(map(json.dumps, events))})
        assert pairs == expected(one, table, "json")
    assert {row["version"] for row in found} == {1}
    bad = kafka.messages(f"{name}-bad")
    assert len(bad) == len(BAD)
    assert all(row["reason"] for row in bad)
    if key is None:
        assert len({row["event"] for row in bad}) == len(BAD)  # each can be found in the topic
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(again.stdout)["events"] == 0
    assert len(kafka.messages(f"{name}-matches")) == len(found)


def numbers(kafka: Kafka, name: str) -> Any:
    """The good messages of a topic, by the ids that they have as events."""
    query = (
        wws.read_topic(kafka.spark, wws.Topic.of(kafka.address(name)))
        .selectExpr("id", "get_json_object(event, '$.number') AS number")
        .where("number IS NOT NULL")
        .selectExpr("id", "CAST(number AS int) AS number")
        .writeStream.format("memory")
        .queryName("numbers")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return kafka.spark.table("numbers").collect()


@pytest.mark.long
def test_rows_go_to_a_folder_and_arrays_to_a_topic(kafka: Kafka, index: Path, tmp_path: Path) -> None:
    source = wws.Topic.of(kafka.address("some"))
    kafka.put("some", [json.dumps(offer).encode() for offer in offers()[:50]])
    for out, output in ((tmp_path / "out", "pairs"), (wws.Topic(kafka.servers, "arrays"), "arrays")):
        wws.stream(
            wws.read_topic(kafka.spark, source).drop("timestamp"),
            index,
            out,
            tmp_path / output,
            json="event",
            output=output,
            trigger={"availableNow": True},
        ).awaitTermination()
    pairs = [(row.id, row.subscription) for row in wws.read_matches(kafka.spark, tmp_path / "out").collect()]
    arrays = kafka.messages("arrays")
    assert len(arrays) == 50
    assert sorted((row["id"], one) for row in arrays for one in row["subscriptions"]) == sorted(pairs)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("kafka://localhost:9092", "write a topic as kafka://host:port/topic"),
        ("kafka://localhost/offers", "write host:port"),
        ("kafka://localhost:9092/two,topics", "no name of a topic"),
        ("kafka://localhost:9092/", "no name of a topic"),
        ("kafka://a:1,/offers", "write host:port"),
    ],
)
def test_addresses_that_are_none(address: str, said: str) -> None:
    with pytest.raises(watchword.WatchwordError, match=said):
        wws.Topic.of(address)


def test_an_address_names_servers_and_topic() -> None:
    topic = wws.Topic.of("kafka://one:9092,[::1]:9093/shop.offers")
    assert (topic.servers, topic.name) == ("one:9092,[::1]:9093", "shop.offers")
    assert str(topic) == "kafka://one:9092,[::1]:9093/shop.offers"


def test_without_a_broker_nothing_is_started(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        arguments = ["stream", "--index", "i", "--out", tmp_path / "out", "--checkpoint", tmp_path / "checkpoint"]
        address = f"kafka://127.0.0.1:{taken.getsockname()[1]}/offers"
        assert "no broker takes a connection" in run(*arguments, "--events", address, code=1).stderr
