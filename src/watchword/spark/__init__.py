"""The pipeline on Spark: subscriptions as a DataFrame in, an index out; events in, matches out.

    import watchword.spark as wws

    built = wws.build(subscriptions, "shop.index")           # id, expression -> a version of the index
    matches = wws.match(events, "shop.index", event_id="id")  # batch or streaming

    subscriptions --build--> parts, a version, a pointer to it --match--> event id, subscription, version

Works on any session: embedded (`wws.session()`), a cluster, Spark Connect.
"""

from __future__ import annotations

from watchword.spark.session import require_pyspark, session

require_pyspark()

from watchword.spark.build import Build, build  # noqa: E402
from watchword.spark.kafka import Topic, connector, read_topic  # noqa: E402
from watchword.spark.match import bad_events, match  # noqa: E402
from watchword.spark.sink import read_matches  # noqa: E402
from watchword.spark.statistics import Statistics, load_statistics, statistics  # noqa: E402
from watchword.spark.strategy import Choice, choose  # noqa: E402
from watchword.spark.stream import stream  # noqa: E402
from watchword.spark.update import update  # noqa: E402
from watchword.spark.versions import Version, current, remove_old  # noqa: E402

__all__ = [
    "Build",
    "Choice",
    "Statistics",
    "Topic",
    "Version",
    "bad_events",
    "build",
    "choose",
    "connector",
    "current",
    "load_statistics",
    "match",
    "read_matches",
    "read_topic",
    "remove_old",
    "session",
    "statistics",
    "stream",
    "update",
]
