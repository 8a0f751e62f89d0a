"""Integers that lie close together are coded by counting bits, others by search: both give the same matches."""

from __future__ import annotations

import pytest

import watchword as ww

EXTREMES = [-(1 << 63), -(1 << 53) - 1, -1, (1 << 53) + 1, (1 << 63) - 1]


@pytest.mark.plain
@pytest.mark.parametrize("lowest", [-70, 0, (1 << 53) - 70, (1 << 53) + 1])
@pytest.mark.parametrize("span", [1, 2, 63, 64, 65])
def test_integers_around_the_constants(lowest: int, span: int) -> None:
    constants = sorted({lowest, lowest + span // 3, lowest + span - 1})
    index = ww.Index()
    index.subscribe_many([(f"a={c}", f"a = {c}") for c in constants] + [(f"b<={c}", f"b <= {c}") for c in constants])
    index.flush()
    for value in [*range(lowest - 2, lowest + span + 2), *EXTREMES]:
        wanted = [f"a={c}" for c in constants if value == c] + [f"b<={c}" for c in constants if value <= c]
        assert sorted(index.match({"a": value, "b": value})) == sorted(wanted)
        assert sorted(index.match({"a": str(value), "b": value})) == sorted(w for w in wanted if w[0] == "b")


def test_fractions_between_integers() -> None:
    index = ww.Index()
    index.subscribe_many([("a", "x < 3"), ("b", "x <= 4"), ("c", "x = 5"), ("d", "y IN (1, 2.5)")])
    index.flush()
    assert sorted(index.match({"x": 3.5})) == ["b"]
    assert sorted(index.match({"x": 5.0, "y": 2.5})) == ["c", "d"]
    assert index.match({"x": 4.5, "y": 2}) == []
