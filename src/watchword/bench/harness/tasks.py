"""What is done with a structure in a trial. A task returns rows, one for each pass; `store.SCHEMA` has their columns.

match    build it, match events in batches, and one by one
update   insert subscriptions into a structure that is built, and delete some
shift    the structure's subscriptions are replaced by others, step by step, and back (BE-Tree, Figure 13)
ranks    the nodes that terms have, by their rank (EDBT'12, Figure 2)
model    the nodes that events visit, and how many theorem 2 expects (EDBT'12, Table 3)
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from watchword.bench.harness.coded import Coded
from watchword.bench.harness.memory import forget_peak, resident
from watchword.bench.harness.settings import Settings
from watchword.bench.harness.terms import model, ranks
from watchword.bench.harness.trial import Trial
from watchword.bench.harness.updates import shift, update
from watchword.bench.measure import seconds
from watchword.coding.values import I64
from watchword.structures.registry import checked_parameters, structure_class
from watchword.structures.structure import COUNT_NAMES, Structure, nbytes

Row = dict[str, Any]
Task = Callable[[Coded, Trial, Settings], list[Row]]

FIRST_EVENTS: Final = 4  # from which the time of the others is guessed
SINGLE_EVENTS: Final = 400  # matched one by one, for the spread between events
SINGLE_ROUNDS: Final = 3
MOST_BUILDS: Final = 1.0  # seconds of building again, for the spread


def match(coded: Coded, trial: Trial, settings: Settings) -> list[Row]:
    structure, order, builds, peak = _built(coded, trial, settings)
    coded.check(trial.structure, structure, order)
    events = _how_many(coded, structure, trial, settings)
    reading = coded.reading_seconds(0, events)
    size = trial.batch or events
    parts = [coded.some(first, min(first + size, events)) for first in range(0, events, size)]
    common = {
        "subscriptions": len(coded),
        "events": events,
        "batches": len(parts),
        "read_seconds": reading,
        "peak_bytes": peak,
        **_sizes(structure),
        **_one_by_one(coded, structure, events, settings),
    }
    rows = []
    for number in range(settings.passes):
        begun = time.perf_counter_ns()
        matches = [structure.match(part) for part in parts]
        taken = (time.perf_counter_ns() - begun) / 1e9
        counts = np.sum([found.counts for found in matches], axis=0).tolist()
        rows.append(
            {
                **common,
                "match_seconds": taken,
                "build_seconds": builds[number] if number < len(builds) else None,
                "matches": sum(len(found.expression) for found in matches),
                **dict(zip(COUNT_NAMES, counts, strict=True)),
            }
        )
    return rows


def _built(coded: Coded, trial: Trial, settings: Settings) -> tuple[Structure, I64, list[float], int]:
    """The structure, its order of the subscriptions, the seconds of each time it was built, and what memory it took."""
    given = coded.whole[trial.training]
    kind, parameters = structure_class(trial.structure), checked_parameters(trial.structure, trial.parameters)
    before = resident()
    forget_peak()
    begun = time.perf_counter()
    structure, order = kind.build(given, parameters)
    builds = [time.perf_counter() - begun]
    peak = resident("VmHWM") - before
    while len(builds) < settings.passes and sum(builds) + builds[0] < MOST_BUILDS:
        builds.append(seconds(lambda: kind.build(given, parameters)))
    return structure, order, builds, peak


def _how_many(coded: Coded, structure: Structure, trial: Trial, settings: Settings) -> int:
    """The events of a pass: as many as its share of the time allows, whole batches of them."""
    first = coded.some(0, FIRST_EVENTS)
    for_one = seconds(lambda: structure.match(first)) / FIRST_EVENTS
    number = int(np.clip(settings.seconds / settings.passes / for_one, FIRST_EVENTS, coded.event_count))
    if trial.batch:
        number = max(1, number // trial.batch) * trial.batch
    return min(number, coded.event_count)


def _one_by_one(coded: Coded, structure: Structure, events: int, settings: Settings) -> Row:
    """Microseconds per event of events that come alone: the least of some rounds, so that they differ by the events and
    not by what else the machine did meanwhile."""
    rounds: list[list[float]] = []
    until = time.perf_counter() + settings.seconds / 2
    parts = [coded.some(event, event + 1) for event in range(min(events, SINGLE_EVENTS))]
    while len(rounds) < SINGLE_ROUNDS:
        rounds.append([])
        for part in parts:
            begun = time.perf_counter_ns()
            structure.match(part)
            rounds[-1].append((time.perf_counter_ns() - begun) / 1e3)
            if time.perf_counter() > until:
                parts = parts[: len(rounds[0])]
                break
    times = np.min([taken for taken in rounds if len(taken) == len(rounds[0])], axis=0)
    p50, p99 = np.percentile(times, (50, 99))
    return {"event_mean": np.mean(times), "event_sd": np.std(times), "event_p50": p50, "event_p99": p99}


def _sizes(structure: Structure) -> Row:
    """Bytes of all arrays, and of those beside the coded subscriptions; what the structure says of itself."""
    described, total = structure.describe(), nbytes(structure.parts())
    parts = described.get("bytes")
    index = parts["index"] if isinstance(parts, dict) and "index" in parts else total
    return {"total_bytes": total, "index_bytes": index, "described": json.dumps(described, default=str)}


TASKS: Final[dict[str, Task]] = {"match": match, "update": update, "shift": shift, "ranks": ranks, "model": model}


def perform(coded: Coded, trial: Trial, settings: Settings) -> Iterator[Row]:
    """The rows of a trial, numbered by pass."""
    for number, row in enumerate(TASKS[trial.task](coded, trial, settings)):
        yield {"pass": number, **row}
