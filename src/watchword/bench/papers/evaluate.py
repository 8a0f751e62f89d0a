"""From raw rows to results: the values of each curve, and the verdict. Nothing is measured here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from watchword.bench.harness.metrics import Value, value_of
from watchword.bench.harness.store import Row, Store
from watchword.bench.papers.claims import against_all
from watchword.bench.papers.experiment import Experiment, Result, X


def evaluate(experiment: Experiment, store: Store, scale: float) -> Result:
    trials = experiment.trials(scale)
    rows = store.rows(list(trials.values()))
    values: dict[str, dict[X, Value]] = {curve.label: {} for curve in experiment.curves}
    machines: dict[str, None] = {}
    for curve in experiment.curves:
        metric = experiment.metric_of(curve)
        for (x, label), trial in trials.items():
            if label != curve.label:
                continue
            found = rows.get(trial.key, [])
            machines |= {f"{row['machine']}, watchword {row['version']}": None for row in found}
            if experiment.points:
                values[label][x] = value_of(found, metric, experiment.deviation or None)
            else:
                values[label] |= _by_step(found, metric)
    auto = "" if experiment.metric == "rate" else against_all(values)
    return Result(experiment, values, experiment.check(values), tuple(machines), auto)


def _by_step(rows: Sequence[Row], metric: str) -> Mapping[X, Value]:
    """The rows themselves say what x is."""
    steps: dict[float, list[Row]] = {}
    for row in rows:
        if row["step"] is not None:
            steps.setdefault(row["step"], []).append(row)
    return {step: value_of(some, metric) for step, some in steps.items()}
