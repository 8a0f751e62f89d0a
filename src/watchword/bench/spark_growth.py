"""How the time of a match grows: with the events, and with the subscriptions; Parquet to Parquet, and a plot of both.

All sizes are measured in turns, three times, and the fastest of each counts: what else happens on a machine only ever
makes a run slower.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import watchword.spark as wws
from watchword.bench.forms import as_json, subscription_table
from watchword.bench.plot import Panel, svg
from watchword.bench.row import Row
from watchword.bench.spark import PROCESSES, timed, write_events, write_files
from watchword.bench.workloads import make_workload

ROUNDS: Final = 3
DOUBLED: Final = 2.2  # within a tenth
STEPS: Final = (1, 2, 4, 8)  # eighths of the events
FEWER: Final = (100, 10, 1)


def growing(subscriptions: int, events: int, memory: str, plot: Path | None) -> Iterator[Row]:
    """Events in eighths, and subscriptions in powers of ten."""
    with TemporaryDirectory() as scratch, wws.session(f"local[{PROCESSES}]", memory=memory) as spark:
        folder = Path(scratch)
        workload = make_workload("sparse", subscriptions)
        write_events(folder / "events", as_json(workload.events), events)
        for fewer in FEWER:
            write_files(folder / "subscriptions", subscription_table(workload.first_rows(subscriptions // fewer)))
            wws.build(spark.read.parquet(str(folder / "subscriptions")), folder / f"index{fewer}")
        files = [str(file) for file in sorted((folder / "events").iterdir())]

        def match(share: int, fewer: int) -> float:
            found = wws.match(spark.read.parquet(*files[:share]), folder / f"index{fewer}", json="event")
            return timed(lambda: found.write.mode("overwrite").parquet(str(folder / "matches")))

        match(1, 1)
        by_events = _fastest(lambda share: match(share, 1), STEPS)
        by_subscriptions = _fastest(lambda fewer: match(STEPS[-1], fewer), FEWER)
    of_events = [(share * events / STEPS[-1], seconds) for share, seconds in by_events.items()]
    of_subscriptions = [(subscriptions / fewer, seconds) for fewer, seconds in by_subscriptions.items()]
    if plot is not None:
        plot.write_text(_plot(of_events, of_subscriptions, subscriptions, events))
    for count, seconds in of_events:
        yield Row(f"match {count:,.0f} events with {subscriptions:,} subscriptions", seconds, "s")
    yield Row("twice the events", of_events[-1][1] / of_events[-2][1], "x the time", at_most=DOUBLED)
    for count, seconds in of_subscriptions:
        yield Row(f"match {events:,} events with {count:,.0f} subscriptions", seconds, "s")
    growth = of_subscriptions[-1][1] / of_subscriptions[-2][1]
    yield Row("10 times the subscriptions", growth, "x the time", at_most=10)


def _fastest(measure: Any, sizes: tuple[int, ...]) -> dict[int, float]:
    times: dict[int, float] = {}
    for _ in range(ROUNDS):
        for size in sizes:
            times[size] = min(measure(size), times.get(size, float("inf")))
    return times


def _plot(
    of_events: list[tuple[float, float]],
    of_subscriptions: list[tuple[float, float]],
    subscriptions: int,
    events: int,
) -> str:
    return svg(
        [
            Panel("Events", "events", "seconds", {f"{subscriptions:,} subscriptions": of_events}),
            Panel("Subscriptions", "subscriptions", "seconds", {f"{events:,} events": of_subscriptions}),
        ]
    )
