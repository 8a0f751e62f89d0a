"""Run as a program: `kafka_job.py SERVERS SOURCE INDEX OUT CHECKPOINT JARS` matches messages until it is killed."""

from __future__ import annotations

import sys
from pathlib import Path

import watchword.spark as wws


def main(servers: str, source: str, index: str, out: str, checkpoint: str, jars: str) -> None:
    settings = {
        "spark.jars": ",".join(map(str, Path(jars).glob("*.jar"))),
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.shuffle.partitions": "2",
    }
    with wws.session("local[2]", memory="1g", settings=settings) as spark:
        messages = wws.read_topic(spark, wws.Topic(servers, source), most=40)
        events = messages.selectExpr("cast(get_json_object(event, '$.number') AS bigint) AS number", "event")
        wws.stream(events, index, wws.Topic(servers, out), checkpoint, "number", json="event").awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
