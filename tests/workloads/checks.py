"""What holds for every workload, and its predicates taken apart."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pyarrow as pa

from watchword import Index
from watchword.language.bulk import parse_many
from watchword.workloads import Generator, Parameters, Workload


class Predicate(NamedTuple):
    attribute: str
    operator: str
    operands: tuple[str, ...]


_PREDICATE = re.compile(r"(\w+|\"[^\"]+\") (=|<>|<=?|>=?|NOT IN|IN|BETWEEN|LIKE) (\([^()]*\)|\S+ AND \S+|\S+)")


def predicates(expression: str) -> list[Predicate]:
    """Those of a conjunction of the forms that generators write."""
    found, place = [], 0
    while match := _PREDICATE.match(expression, place):
        name, operator, operands = match.groups()
        if operator != "BETWEEN" and " AND " in operands and "(" not in operands:
            operands = operands.split(" AND ")[0]
        end = match.start(3) + len(operands)
        found.append(Predicate(name, operator, tuple(re.split(r", | AND ", operands.strip("()")))))
        place = end + len(" AND ")
    assert place == len(expression) + len(" AND "), expression[place:]
    return found


def conjunctions(workload: Workload) -> list[list[Predicate]]:
    return [predicates(text) for text in workload.subscriptions["expression"].to_pylist()]


def loaded(workload: Workload) -> Index:
    index = Index(training=workload.to_train)
    refused = index.subscribe_many(workload.subscriptions)
    assert len(refused) == 0, refused.to_pylist()[0]
    return index


def match_share(workload: Workload) -> float:
    """Of all pairs of an event and a subscription; every event reads."""
    errors: list[Any] = []
    found = loaded(workload).match_batch(workload.to_match, errors=errors)
    assert errors == []
    return len(found) / len(workload.events) / len(workload.subscriptions)


def is_well_made(generator: Generator[Any], parameters: Parameters) -> Workload:
    """The same seed gives the same bytes, another seed others; all of it can be read."""
    workload = generator(parameters)
    assert workload.name == generator.name
    assert len(workload.subscriptions) == parameters.subscriptions
    assert workload.subscriptions["id"].to_pylist() == list(range(parameters.subscriptions))
    assert (len(workload.events), len(workload.training)) == (parameters.events, parameters.training)
    assert workload.events.schema == workload.training.schema
    assert not workload.events.slice(0, parameters.training).equals(workload.training)
    again = generator(parameters)
    for one, other in zip(tables(workload), tables(again), strict=True):
        assert one.equals(other)
    expressions = workload.subscriptions["expression"].combine_chunks()
    assert parse_many(expressions).errors == []
    return workload


def tables(workload: Workload) -> tuple[pa.Table, pa.Table, pa.Table]:
    return workload.subscriptions, workload.events, workload.training
