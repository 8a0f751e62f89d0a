"""BE-Gen: the averages and shares of its Table 3, the operators of its Table 2, and the matching probability."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from tests.workloads.checks import conjunctions, is_well_made, loaded, match_share
from tests.workloads.statistics import has_mean, has_share, is_drawn_by

from watchword.workloads import BeGen, OperatorClass, WorkloadError, be_gen, generator

OPERATORS: dict[str, list[str]] = {  # Table 2a
    "min": ["="],
    "low": ["=", "IN"],
    "medium": ["=", "IN", "<", "<=", ">", ">=", "BETWEEN"],
    "high": ["=", "IN", "<", "<=", ">", ">=", "BETWEEN", "<>", "NOT IN"],
}
SMALL: dict[str, Any] = {"subscriptions": 4000, "events": 300, "training": 100}


@pytest.mark.parametrize("name", be_gen.profiles)
def test_every_column_of_table_3(name: str) -> None:
    wanted = be_gen.profiles[name].variants[-1]
    parameters = BeGen(**{**vars(wanted), "subscriptions": 600, "events": 40, "training": 30})
    sizes = [len(one) for one in conjunctions(is_well_made(be_gen, parameters))]
    # sizes of subscriptions of one base are alike, and bases are few: within a tenth
    assert sum(sizes) / len(sizes) == pytest.approx(wanted.subscription_size, rel=0.1)


def test_sizes_dimensions_and_values() -> None:
    workload = be_gen(BeGen(**SMALL, match_probability=0.0005))
    events = workload.records()
    assert has_mean([len(event) for event in events], 15)
    assert {len(event) for event in events} == set(range(12, 19))
    assert {value for event in events for value in event.values()} == set(range(48))
    names = [name for event in events for name in event]
    assert is_drawn_by([int(name[1:]) for name in names], [1.0] * 400)
    sizes = [len(one) for one in conjunctions(workload)]
    assert sum(sizes) / len(sizes) == pytest.approx(7, rel=0.02)


@pytest.mark.parametrize("operators", OperatorClass)
def test_operators_and_their_operands(operators: OperatorClass) -> None:
    workload = be_gen(BeGen(**SMALL, operators=operators))
    found = [predicate for one in conjunctions(workload) for predicate in one]
    used = Counter(predicate.operator for predicate in found)
    assert set(used) == set(OPERATORS[operators])
    assert has_share(used["="], len(found), 1.0 if operators == "min" else 0.3)
    widths = [int(one.operands[1]) - int(one.operands[0]) + 1 for one in found if one.operator == "BETWEEN"]
    if widths:
        assert has_mean(widths, 0.12 * 48)
    for predicate in found:
        if predicate.operator in ("IN", "NOT IN"):
            assert 2 <= len(predicate.operands) == len(set(predicate.operands)) <= 6


@pytest.mark.parametrize(
    ("operators", "probability", "zipf"),
    [("low", 0.01, 0.0), ("low", 0.09, 1.0), ("medium", 0.002, 1.0), ("medium", 0.09, 0.0), ("high", 0.01, 1.0)],
)
def test_the_matching_probability_is_under_control(operators: str, probability: float, zipf: float) -> None:
    """Whatever comes from a base matches it, and a few others do by chance, more of them with Zipf's law."""
    workload = be_gen(BeGen(**SMALL, operators=OperatorClass(operators), match_probability=probability, zipf=zipf))
    bases = round(1 / probability)
    assert 4000 // bases / 4000 <= match_share(workload) <= 1 / bases * (1.05 if zipf == 0 else 1.3)


@pytest.mark.parametrize("operators", OperatorClass)
@pytest.mark.parametrize("cardinality", [2, 3, 7])
def test_small_domains(operators: OperatorClass, cardinality: int) -> None:
    """What a predicate is derived from satisfies it, at the ends of the domain too."""
    parameters = BeGen(subscriptions=700, events=60, training=5, match_probability=0.1, cardinality=cardinality,
                       operators=operators)  # fmt: skip
    workload = be_gen(parameters)
    index = loaded(workload)
    for event in workload.records():
        found = Counter(number % 10 for number in index.match(event))
        assert max(found.values()) == 70


def test_zipf_prefers_the_first_attributes() -> None:
    used = Counter(
        name for event in be_gen(BeGen(**SMALL, zipf=1.0, match_probability=0.001)).records() for name in event
    )
    assert used["a0"] > 250
    assert used["a0"] > used["a1"] > used["a5"] > used["a50"] > used["a350"]


def test_a_smaller_workload_is_the_beginning_of_a_larger_one() -> None:
    large = be_gen(BeGen(subscriptions=5000, events=600, training=300))
    small = be_gen(BeGen(subscriptions=100, events=10, training=0))
    assert large.subscriptions.slice(0, 100).equals(small.subscriptions)
    assert large.events.slice(0, 10).equals(small.events)
    assert small.training.num_rows == 0
    assert not be_gen(BeGen(subscriptions=100, seed=2)).subscriptions.equals(small.subscriptions)


def test_parameters_that_cannot_be_are_refused() -> None:
    with pytest.raises(WorkloadError, match=r"BeGen\.cardinality must be at least 2, not 1"):
        BeGen(cardinality=1)
    with pytest.raises(WorkloadError, match=r"BeGen\.subscription_size must be at most 15, not 16"):
        BeGen(subscription_size=16)
    with pytest.raises(WorkloadError, match=r"BeGen\.event_size must be a whole number, not 15\.5"):
        BeGen(event_size=15.5)
    with pytest.raises(WorkloadError, match="no workload 'be-gone': there are be-gen, "):
        generator("be-gone")
