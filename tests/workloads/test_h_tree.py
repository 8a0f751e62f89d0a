"""H-Tree: widths, and the distributions of values and attributes (its section V)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.workloads.checks import conjunctions, is_well_made, match_share
from tests.workloads.statistics import follows, has_mean, is_drawn_by

from watchword.workloads import HTree, h_tree

SMALL: dict[str, Any] = {"subscriptions": 1000, "events": 100, "training": 50}


@pytest.mark.parametrize("name", h_tree.profiles)
def test_every_figure(name: str) -> None:
    wanted = h_tree.profiles[name].variants[-1]
    workload = is_well_made(h_tree, HTree(**{**vars(wanted), "subscriptions": 20, "events": 5, "training": 4}))
    for one in conjunctions(workload):
        assert len({predicate.attribute for predicate in one}) == len(one) == wanted.constraints
    assert workload.events.num_columns == wanted.attributes


def ranges(parameters: HTree) -> npt.NDArray[np.float64]:
    found = [predicate.operands for one in conjunctions(h_tree(parameters)) for predicate in one]
    return np.array(found, np.float64)


def normal(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Mean 0.5 and variance 0.02; what lies outside the domain, one in two thousand, does not show here."""
    return np.array([0.5 + 0.5 * math.erf((one - 0.5) / math.sqrt(0.04)) for one in x])


def pareto(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return 1 - (0.25 / np.maximum(x, 0.25)) ** 2


DISTRIBUTIONS = {"uniform": lambda x: x, "normal": normal, "pareto": pareto}


@pytest.mark.parametrize("values", DISTRIBUTIONS)
def test_constraint_values(values: Any) -> None:
    found = ranges(HTree(**SMALL, constraints=8, width=0.02, values=values))
    assert np.allclose(found[:, 1] - found[:, 0], 0.02)
    middle = np.sort(found.mean(1))
    low, high = DISTRIBUTIONS[values](np.array([0.01, 0.99]))
    assert follows(middle, (DISTRIBUTIONS[values](middle) - low) / (high - low))


@pytest.mark.parametrize("values", DISTRIBUTIONS)
def test_event_values(values: Any) -> None:
    events = h_tree(HTree(**SMALL, event_values=values)).events
    found = np.sort(np.concatenate([events[name].to_numpy() for name in events.column_names]))
    low, high = DISTRIBUTIONS[values](np.array([0.0, 1.0]))
    assert follows(found, (DISTRIBUTIONS[values](found) - low) / (high - low))


def test_random_widths_lie_between_two_uniform_values() -> None:
    found = ranges(HTree(**SMALL, width=None))
    assert has_mean(found[:, 1] - found[:, 0], 1 / 3)
    ends = np.sort(found.reshape(-1))
    assert follows(ends, ends)


@pytest.mark.parametrize("zipf", [0.0, 0.6, 1.0])
def test_attributes_by_zipf(zipf: float) -> None:
    workload = h_tree(HTree(**{**SMALL, "subscriptions": 4000}, constraints=1, zipf=zipf))
    used = [int(one[0].attribute[1:]) for one in conjunctions(workload)]
    assert is_drawn_by(used, [rank**-zipf for rank in range(1, 51)])


def test_a_constraint_matches_as_often_as_it_is_wide() -> None:
    workload = h_tree(HTree(subscriptions=2000, events=300, training=10, attributes=2, constraints=2, width=0.4))
    assert match_share(workload) == pytest.approx(0.4**2, abs=0.03)
