"""An experiment: one figure of a paper as data.

points   the values on the x axis, and what each changes: the workload, the structures' parameters, the batch
curves   the structures, and what each changes
trials   a trial for each point and curve                 (harness)
claim    one sentence; `check` holds it against what was measured
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from watchword.bench.harness.metrics import Value
from watchword.bench.harness.trial import Source, Trial
from watchword.bench.papers.claims import Measured, Verdict

X = float | str
Changes = Mapping[str, Any]

FEWEST: Final = 100  # subscriptions, however small the scale


@dataclass(frozen=True, slots=True)
class Point:
    x: X
    workload: Changes = field(default_factory=dict)
    structure: Changes = field(default_factory=dict)
    batch: int = 0
    source: Source | None = None  # another than the experiment's


@dataclass(frozen=True, slots=True)
class Curve:
    label: str
    structure: str = ""  # its label, if not given
    parameters: Changes = field(default_factory=dict)
    workload: Changes = field(default_factory=dict)
    metric: str = ""  # another than the experiment's
    task: str = ""
    follows: bool = True  # does it take the parameters that points change?

    @property
    def name(self) -> str:
        return self.structure or self.label


@dataclass(frozen=True, slots=True)
class Axis:
    label: str
    log: bool = False
    scaled: bool = False  # x counts subscriptions, which `--scale` shrinks


@dataclass(frozen=True, slots=True)
class Experiment:
    id: str
    paper: str
    figure: str
    title: str
    claim: str
    source: Source
    x: Axis
    points: tuple[Point, ...]  # none: the trials' rows say what x is
    curves: tuple[Curve, ...]
    metric: str
    check: Callable[[Measured], Verdict]
    task: str = "match"
    log: bool = True  # the y axis
    chart: bool = True
    deviation: str = ""  # a metric for the spread between events, as H-Tree's tables have it
    note: str = ""  # what differs from the paper

    def trials(self, scale: float) -> dict[tuple[X, str], Trial]:
        """By x and the curve's label."""
        found = {}
        for point in self.points or (Point(""),):
            x = _scaled(float(point.x), scale) if self.x.scaled and not isinstance(point.x, str) else point.x
            for curve in self.curves:
                source = scaled((point.source or self.source).but({**point.workload, **curve.workload}), scale)
                parameters = {**(point.structure if curve.follows else {}), **curve.parameters}
                found[x, curve.label] = Trial(source, curve.name, parameters, curve.task or self.task, point.batch)
        return found

    def metric_of(self, curve: Curve) -> str:
        return curve.metric or self.metric


@dataclass(frozen=True, slots=True)
class Result:
    experiment: Experiment
    values: Mapping[str, Mapping[X, Value]]  # curve -> x -> value
    verdict: Verdict
    machines: tuple[str, ...]
    auto: str = ""  # how `auto` stands against the others


def scaled(source: Source, scale: float) -> Source:
    """The same workload with fewer subscriptions."""
    changes: dict[str, Any] = {
        name: scaled(value, scale) for name, value in source.parameters.items() if isinstance(value, Source)
    }
    if "subscriptions" in source.parameters:
        changes["subscriptions"] = _scaled(source.parameters["subscriptions"], scale)
    return source.but(changes)


def _scaled(subscriptions: float, scale: float) -> int:
    return max(FEWEST, round(subscriptions * scale))


def varied(name: str, values: Iterable[Any], times: float = 1) -> tuple[Point, ...]:
    """A point for each value of the workload's parameter; x is the value, or so many times it."""
    return tuple(Point(round(value * times, 6) if times != 1 else value, {name: value}) for value in values)
