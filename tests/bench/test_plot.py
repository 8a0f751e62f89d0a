"""A plot shows what was measured: every point in its place."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from watchword.bench.plot import Panel, shown, svg

NAMES = {"svg": "http://www.w3.org/2000/svg"}


def places(text: str) -> list[tuple[float, float]]:
    circles = ElementTree.fromstring(text).findall("svg:circle", NAMES)
    return [(float(circle.attrib["cx"]), float(circle.attrib["cy"])) for circle in circles]


def test_a_power_is_a_straight_line() -> None:
    drawn = places(svg([Panel("a < b", "x", "y", {"cubes": [(x, x**3) for x in (1, 10, 100)]})]))
    (x0, y0), (x1, y1), (x2, y2) = drawn
    assert x0 < x1 < x2
    assert y0 > y1 > y2
    assert x2 - x1 == pytest.approx(x1 - x0, abs=0.2)
    assert y2 - y1 == pytest.approx(y1 - y0, abs=0.2)


def test_panels_stand_side_by_side() -> None:
    panel = Panel("one", "x", "y", {"a": [(1, 2), (3, 4)], "b": [(1, 3), (3, 5)]})
    drawn = places(svg([panel, panel]))
    left, right = drawn[:4], drawn[4:]
    assert [(round(x + 380, 1), y) for x, y in left] == right


@pytest.mark.parametrize(("value", "text"), [(1e6, "1M"), (20_000, "20k"), (0.5, "0.5"), (2e9, "2G")])
def test_numbers_are_short(value: float, text: str) -> None:
    assert shown(value) == text
