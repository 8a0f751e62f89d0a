"""Workloads by the name of their generator: those of `watchword.workloads`, the yardstick's, and two in one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa

from watchword.bench.forms import as_columns, as_map, subscription_table
from watchword.bench.harness.trial import Source
from watchword.bench.workloads import make_workload
from watchword.workloads import EventsForm, Workload, generator

WIDE: Final = 1000  # attributes from which on events are a map in place of columns


def make(source: Source) -> Workload:
    if source.generator in _OTHERS:
        return _OTHERS[source.generator](**source.parameters)
    return generator(source.generator)(_parameters(source))


def _parameters(source: Source) -> Any:
    return replace(generator(source.generator).defaults, **source.parameters)


def check(source: Source) -> None:
    """That there is such a generator with such parameters; nothing is made."""
    for parameter in source.parameters.values():
        if isinstance(parameter, Source):
            check(parameter)
    if source.generator not in _OTHERS:
        _parameters(source)


def _yardstick(workload: str, subscriptions: int) -> Workload:
    made = make_workload(workload, subscriptions)
    few = made.dims < WIDE
    events = as_columns(made.events, made.dims) if few else as_map(made.events)
    form = EventsForm.COLUMNS if few else EventsForm.MAP
    return Workload(workload, {}, subscription_table(made), events, events, form)


def _both(first: Source, second: Source) -> Workload:
    """The subscriptions of both, one after the other, and the events of both in turn."""
    one, two = make(first), make(second)
    ids = pa.array(range(len(one.subscriptions) + len(two.subscriptions)))
    expressions = pa.concat_tables([made.subscriptions.select(["expression"]) for made in (one, two)])
    return Workload(
        f"{one.name} and {two.name}",
        {},
        expressions.add_column(0, "id", ids),
        _in_turn(one.events, two.events),
        _in_turn(one.training, two.training),
        one.events_form,
    )


def _in_turn(one: pa.Table, two: pa.Table) -> pa.Table:
    each = min(len(one), len(two))
    joined = pa.concat_tables([one.slice(0, each), two.slice(0, each)], promote_options="default")
    return joined.take([row for pair in zip(range(each), range(each, 2 * each), strict=True) for row in pair])


_OTHERS: Final[dict[str, Callable[..., Workload]]] = {"yardstick": _yardstick, "both": _both}
