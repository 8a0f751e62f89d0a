"""Weighted and distinct choice follow their weights."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.workloads.statistics import follows, has_mean, has_share, is_drawn_by

from watchword.workloads import WorkloadError
from watchword.workloads.choice import Choice, zipf


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.mark.plain
@pytest.mark.parametrize("weights", [[1.0], [0.5, 0.0, 3.5], [1e-9, 1.0, 7.0, 2.0, 2.0], list(range(1, 60))])
def test_an_alias_table_draws_by_weight(weights: list[float]) -> None:
    drawn = Choice(len(weights), np.array(weights)).draw(rng(), 20_000).tolist()
    assert {number for number in drawn if not weights[number]} == set()
    if len(weights) > 1:
        assert is_drawn_by(drawn, weights)


def test_statistics_can_fail() -> None:
    assert not is_drawn_by([0] * 500 + [1] * 700, [1, 1])
    assert not has_share(600, 1000, 0.5)
    assert not has_mean(rng().normal(0.2, 1.0, 10_000), 0.0)
    assert not follows(np.ones(400), np.linspace(0.15, 1, 400))


@pytest.mark.plain
@pytest.mark.parametrize("numbers", [6, 500])  # few race against each other, many are drawn until they differ
def test_distinct_numbers_are_drawn_one_after_another(numbers: int) -> None:
    """The second one by the weights of those that are left: known for the two heaviest numbers."""
    weights = np.array([4.0, 3.0, *[3.0 / (numbers - 2)] * (numbers - 2)])
    drawn = Choice(numbers, weights).distinct(rng(), 20_000, 3)
    assert all(len(set(row)) == 3 for row in drawn[:2000].tolist())
    assert is_drawn_by(drawn[:, 0].tolist(), weights)
    pairs = Counter(map(tuple, drawn[:, :2].tolist()))
    assert has_share(pairs[0, 1], 20_000, 0.4 * 3 / 6)
    assert has_share(pairs[1, 0], 20_000, 0.3 * 4 / 7)


def test_zipf_has_its_exponent() -> None:
    assert is_drawn_by(zipf(50, 0.8).draw(rng(), 30_000).tolist(), [r**-0.8 for r in range(1, 51)])
    assert is_drawn_by(zipf(50, 0.0).draw(rng(), 30_000).tolist(), [1.0] * 50)


def test_all_numbers_and_none() -> None:
    choice = zipf(5, 1.0)
    assert np.sort(choice.distinct(rng(), 3, 5)).tolist() == [[0, 1, 2, 3, 4]] * 3
    assert choice.distinct(rng(), 3, 0).shape == (3, 0)
    with pytest.raises(WorkloadError, match="6 different numbers were asked for, and there are only 5"):
        choice.distinct(rng(), 3, 6)
