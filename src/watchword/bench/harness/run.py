"""Trials measured one after the other, those of the same workload together; what is there already is not done again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from watchword.bench.harness.coded import Coded
from watchword.bench.harness.process import measure
from watchword.bench.harness.settings import Settings
from watchword.bench.harness.sources import make
from watchword.bench.harness.store import FAILED, UNREGISTERED, Row, Store
from watchword.bench.harness.trial import Source, Trial
from watchword.errors import WatchwordError
from watchword.structures.registry import structures

WARMING = 300  # subscriptions


@dataclass(slots=True)
class Pace:
    """How far a run is."""

    total: int
    done: int = 0
    doing: str = ""
    left: float = 0.0  # the weight of what is still to be measured
    weight: float = 0.0  # and of what this run has measured
    begun: float = field(default_factory=time.monotonic)

    def measured(self, weight: float) -> None:
        self.done += 1
        self.weight += weight
        self.left -= weight

    @property
    def seconds_left(self) -> float | None:
        """By what the trials so far took per subscription; None before the first."""
        if self.weight == 0:
            return None
        return (time.monotonic() - self.begun) / self.weight * self.left

    def text(self) -> str:
        left = self.seconds_left
        guess = "" if left is None else f", about {_duration(left)} left"
        return f"{self.done:,} of {self.total:,} runs{guess}: {self.doing}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def run(trials: Iterable[Trial], store: Store, settings: Settings, tell: Callable[[Pace], None]) -> None:
    wanted = list({trial.key: trial for trial in trials}.values())
    waiting = [trial for trial in wanted if not store.has(trial)]
    pace = Pace(len(wanted), len(wanted) - len(waiting), left=sum(map(_weight, waiting)))
    for group in _by_source(waiting):
        _run_group(group, store, settings, pace, tell)


def _run_group(
    group: Sequence[Trial], store: Store, settings: Settings, pace: Pace, tell: Callable[[Pace], None]
) -> None:
    """The trials of one workload. Where it cannot be made, they say why."""
    known = structures()
    coded: Coded | str | None = None
    for trial in group:
        pace.doing = f"{trial.source.generator}, {trial.structure}"
        tell(pace)
        if trial.structure not in known:
            rows: list[Row] = [{"status": UNREGISTERED, "reason": f"no structure {trial.structure!r} here"}]
        else:
            coded = coded or _made(trial, settings)
            if isinstance(coded, Coded):
                _warm(coded, trial)
                rows = measure(coded, trial, settings)
            else:
                rows = [{"status": FAILED, "reason": coded}]
        store.write(trial, rows)
        pace.measured(_weight(trial))
        tell(pace)


def _made(trial: Trial, settings: Settings) -> Coded | str:
    """The workload, or what is wrong with it."""
    try:
        return Coded.of(make(trial.source), settings.events)
    except WatchwordError as error:
        return f"no workload: {error}"


def _by_source(trials: Sequence[Trial]) -> list[list[Trial]]:
    """Small workloads first: what is wrong shows soon."""
    groups: dict[str, list[Trial]] = {}
    for trial in trials:
        groups.setdefault(trial.source.text, []).append(trial)
    return sorted(groups.values(), key=lambda group: _weight(group[0]))


def _weight(trial: Trial) -> float:
    """Roughly in proportion to the time it takes: that of a process, and the subscriptions."""
    return 20_000.0 + _subscriptions(trial.source)


def _subscriptions(source: Source) -> float:
    inner = sum(_subscriptions(value) for value in source.parameters.values() if isinstance(value, Source))
    return inner + float(source.parameters.get("subscriptions", 0))


_warmed: set[tuple[str, str]] = set()


def _warm(coded: Coded, trial: Trial) -> None:
    """Have the structure's kernels compiled here, so that the processes forked from this one need not."""
    kind = (trial.structure, trial.source.generator)
    if kind in _warmed:
        return
    _warmed.add(kind)
    try:
        rows = np.arange(min(WARMING, len(coded)))
        structure, _ = coded.build(trial.structure, trial.parameters, rows, training=trial.training)
        structure.match(coded.some(0, 2))
    except WatchwordError:
        return  # the trial itself will say why
