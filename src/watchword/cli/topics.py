"""Topics on the command line: what `watchword stream` needs to know of Kafka besides folders."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from watchword.cli.files import FileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from watchword.spark.kafka import Topic

SCHEME: Final = "kafka://"
PATIENCE: Final = 5.0  # seconds for a broker to take a connection; Kafka's own client tries for a minute


def place(name: str) -> Path | Topic:
    """A folder, or kafka://host:port/topic."""
    if not name.startswith(SCHEME):
        return Path(name)
    from watchword.spark.kafka import Topic

    return Topic.of(name)


def loading(places: Sequence[Path | Topic | None], jars: Path | None) -> dict[str, str]:
    """The settings of a Spark that knows these places. By itself it fetches the connector for Kafka from Maven."""
    topics = [place for place in places if place is not None and not isinstance(place, Path)]
    for topic in topics:
        _check_broker(topic)
    if jars is not None:
        found = sorted(str(jar.absolute()) for jar in jars.glob("*.jar"))
        if not found:
            raise FileError(f"{jars}: there are no jars in it; `make kafka` fetches the connector for Kafka")
        return {"spark.jars": ",".join(found)}
    if not topics:
        return {}
    from watchword.spark.kafka import connector

    return {"spark.jars.packages": connector()}


def _check_broker(topic: Topic) -> None:
    for server in topic.servers.split(","):
        host, _, port = server.rpartition(":")
        with suppress(OSError), socket.create_connection((host.strip("[]"), int(port)), PATIENCE):
            return
    raise FileError(f"{topic}: no broker takes a connection at {topic.servers}; start one, or mend the address")


def waiting(source: Any) -> int:
    """Messages that the topic had beyond the batch when it was planned, or files that the folder had."""
    if source.latestOffset and source.description.startswith("Kafka"):
        latest, end = (json.loads(offset) for offset in (source.latestOffset, source.endOffset))
        return sum(
            offset - end.get(topic, {}).get(partition, 0)
            for topic, partitions in latest.items()
            for partition, offset in partitions.items()
        )
    return int((source.metrics or {}).get("numFilesOutstanding", 0))
