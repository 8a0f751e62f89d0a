"""Run as a program: `streaming_job.py SOURCE INDEX OUT CHECKPOINT ERRORS` matches files of JSON until it is killed."""

from __future__ import annotations

import sys

import watchword.spark as wws


def main(source: str, index: str, out: str, checkpoint: str, errors: str) -> None:
    settings = {
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.shuffle.partitions": "2",
    }
    with wws.session("local[2]", memory="1g", settings=settings) as spark:
        lines = spark.readStream.option("maxFilesPerTrigger", 1).text(source)
        events = lines.selectExpr("cast(get_json_object(value, '$.number') as bigint) as number", "value")
        wws.stream(events, index, out, checkpoint, "number", json="value", errors=errors).awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
