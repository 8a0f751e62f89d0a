"""Topics of Kafka: events come from one, matches and bad events go to others.

    message  --> id "0-1234" (its partition and offset), event (its value as text), timestamp
    matches  --> {"id": "0-1234", "subscription": 7, "version": 5, "batch": 17}   keyed by the id of the event

Spark writes to Kafka at least once: a task that is repeated writes its rows again, and so does a batch after a kill.
What is repeated is the same, because a batch keeps its version: drop rows that share batch, event and subscription.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from watchword.errors import MissingDependencyError, WatchwordError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEME: Final = "kafka://"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")  # as Kafka has it; a comma would name two topics
_SERVER: Final = re.compile(r"[^\s,/]+:[0-9]{1,5}")


def connector() -> str:
    """What Spark must load to know Kafka, as Maven names it; PySpark does not come with it."""
    import pyspark

    return f"org.apache.spark:spark-sql-kafka-0-10_2.13:{pyspark.__version__}"


@dataclass(frozen=True, slots=True)
class Topic:
    """`servers`: host:port, some of the brokers, divided by commas. `options`: more of what the connector takes."""

    servers: str
    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or self.name in (".", ".."):
            raise WatchwordError(f"{self.name!r} is no name of a topic: those have letters, digits, dots, _ and -")
        for server in self.servers.split(","):
            if not _SERVER.fullmatch(server):
                raise WatchwordError(f"{server!r} is no Kafka server: write host:port, several with commas between")

    @classmethod
    def of(cls, address: str) -> Topic:
        """From `kafka://host:port/topic`."""
        servers, slash, name = address.removeprefix(SCHEME).partition("/")
        if not address.startswith(SCHEME) or not slash:
            raise WatchwordError(f"{address}: write a topic as {SCHEME}host:port/topic")
        return cls(servers, name)

    def __str__(self) -> str:
        return f"{SCHEME}{self.servers}/{self.name}"

    def settings(self) -> dict[str, str]:
        return {"kafka.bootstrap.servers": self.servers, **self.options}


def read_topic(spark: SparkSession, topic: Topic, most: int = 100_000) -> DataFrame:
    """The messages as a streaming DataFrame: `id`, `event`, `timestamp`, from the oldest that the topic still has.

    `most`: messages of a batch. A stream that has a checkpoint goes on where it stood, whatever the options say.
    """
    from pyspark.errors import AnalysisException

    settings = {"startingOffsets": "earliest", "maxOffsetsPerTrigger": str(most), **topic.settings()}
    try:
        messages = spark.readStream.format("kafka").options(**settings).option("subscribe", topic.name).load()
    except AnalysisException as error:
        raise without_connector(error) from error
    return messages.selectExpr("concat_ws('-', partition, offset) AS id", "CAST(value AS string) AS event", "timestamp")


def without_connector(error: Exception) -> Exception:
    """Says what is missing, if the connector is what is missing."""
    if "data source: kafka" not in str(error):
        return error
    return MissingDependencyError(
        f"this Spark has no connector for Kafka: start it with spark.jars.packages={connector()}, or give its jars"
        " with spark.jars"
    )


@dataclass(frozen=True, slots=True)
class TopicSink:
    """Rows of a batch as messages: JSON with the batch in it, keyed by the first column."""

    topic: Topic

    def has(self, batch: int) -> bool:
        """Nobody can know: a batch that is repeated is written again."""
        return False

    def write(self, frame: DataFrame, batch: int) -> None:
        from pyspark.sql import functions as F  # noqa: N812

        key = F.col("`" + frame.columns[0].replace("`", "``") + "`").cast("string").alias("key")
        row = F.struct("*", F.lit(batch).alias("batch"))
        messages = frame.select(key, F.to_json(row, {"ignoreNullFields": "false"}).alias("value"))
        messages.write.format("kafka").options(**self.topic.settings()).option("topic", self.topic.name).save()
