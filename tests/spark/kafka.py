"""A broker for the tests that need one, and what they put into its topics and find there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from scripts.kafka import broker, connector_jars

from watchword.errors import MissingDependencyError


class Kafka(NamedTuple):
    spark: Any
    servers: str
    jars: Path

    def address(self, topic: str) -> str:
        return f"kafka://{self.servers}/{topic}"

    def put(self, topic: str, messages: list[bytes | None]) -> None:
        frame = self.spark.createDataFrame([(message,) for message in messages], "value binary")
        self._format(frame.coalesce(1).write).option("topic", topic).save()

    def messages(self, topic: str) -> list[dict[str, Any]]:
        """All of a topic, as they lie there: repeated ones too. None where nobody has made it yet."""
        found = self._format(self.spark.read).option("subscribePattern", topic).load()
        return [json.loads(row.value) for row in found.select("value").collect()]

    def _format(self, either: Any) -> Any:
        return either.format("kafka").option("kafka.bootstrap.servers", self.servers)


@contextmanager
def running(spark: Any) -> Iterator[Kafka]:
    try:
        jars = connector_jars()
        with broker() as servers:
            for jar in jars.glob("*.jar"):
                spark.sql(f"ADD JAR '{jar}'")
            yield Kafka(spark, servers, jars)
    except MissingDependencyError as missing:
        pytest.skip(f"no Kafka to test with: {missing}")
