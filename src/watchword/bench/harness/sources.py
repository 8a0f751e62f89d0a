"""Workloads by the name of their generator: those of `watchword.workloads`, and others made of them.

yardstick   the yardstick's
both        two workloads in one
words       one of texts, with words as attributes: what structures of terms are about, without reading text
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.bench.forms import as_columns, as_map, subscription_table
from watchword.bench.harness.trial import Source
from watchword.bench.workloads import make_workload
from watchword.workloads import EventsForm, Workload, generator

PREFIX: Final = "w_"  # of words that are attributes, so that none is a word of SQL
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


def _words(of: Source) -> Workload:
    made = make(of)
    (field,) = made.events.column_names
    queries = pc.replace_substring_regex(made.subscriptions["expression"], rf"^MATCHES\({field}, '\+(.*)'\)$", r"\1")
    conjunctions = pc.replace_substring(queries, " +", f" = 1 AND {PREFIX}")
    expressions = pc.binary_join_element_wise(pa.scalar(PREFIX), conjunctions, pa.scalar(" = 1"), "")
    subscriptions = made.subscriptions.set_column(1, "expression", expressions)
    events, training = (_word_maps(table[field]) for table in (made.events, made.training))
    return Workload(f"{made.name}, words", {}, subscriptions, events, training, EventsForm.MAP)


def _word_maps(texts: pa.ChunkedArray) -> pa.Table:
    """The distinct words of each text, with the value 1."""
    split = pc.utf8_split_whitespace(texts.combine_chunks())
    words = split.flatten().dictionary_encode()
    count = len(words.dictionary)
    row = np.repeat(np.arange(len(split)), pc.list_value_length(split).to_numpy())
    pairs = np.unique(row * count + words.indices.to_numpy())
    starts = np.searchsorted(pairs, np.arange(len(split) + 1) * count).astype(np.int32)
    names = pc.binary_join_element_wise(pa.scalar(PREFIX), words.dictionary, "").take(pa.array(pairs % count))
    return pa.table({"event": pa.MapArray.from_arrays(starts, names, pa.array(np.ones(len(pairs), np.int64)))})


_OTHERS: Final[dict[str, Callable[..., Workload]]] = {"yardstick": _yardstick, "both": _both, "words": _words}
