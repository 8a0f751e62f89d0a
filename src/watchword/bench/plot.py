"""Lines through measured points, as an SVG file: both axes logarithmic, so that a straight line is a power."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

WIDTH: Final = 380
HEIGHT: Final = 300
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 34, 50
COLOURS: Final = ("#1f6fb2", "#b4531f", "#4a8a3c")
Points = Sequence[tuple[float, float]]


class Panel(NamedTuple):
    title: str
    across: str
    up: str
    lines: Mapping[str, Points]
    proportional: bool = True
    """With a dashed line for what grows as x does, from the first point of the first line."""


def svg(panels: Sequence[Panel]) -> str:
    """The panels side by side."""
    body = "".join(_panel(panel, number * WIDTH) for number, panel in enumerate(panels))
    size = f'width="{WIDTH * len(panels)}" height="{HEIGHT}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12" fill="#222">\n'
        f'<rect {size} fill="#fff"/>\n{body}</svg>\n'
    )


def _panel(panel: Panel, left: int) -> str:
    points = [point for line in panel.lines.values() for point in line]
    across = _Axis([x for x, _ in points], left + LEFT, left + WIDTH - RIGHT)
    up = _Axis([y for _, y in points], HEIGHT - BOTTOM, TOP)
    parts = [_text(left + WIDTH / 2, 18, panel.title, "middle", 'font-weight="bold"')]
    for tick in across.ticks():
        parts.append(_line([(across.at(tick), up.end), (across.at(tick), up.begin)], "#ddd"))
        parts.append(_text(across.at(tick), up.begin + 16, shown(tick), "middle"))
    for tick in up.ticks():
        parts.append(_line([(across.begin, up.at(tick)), (across.end, up.at(tick))], "#ddd"))
        parts.append(_text(across.begin - 6, up.at(tick) + 4, shown(tick), "end"))
    parts.append(_text((across.begin + across.end) / 2, HEIGHT - 12, panel.across, "middle"))
    parts.append(_text(across.begin - 48, up.end - 8, panel.up, "start", 'font-size="11"'))
    if panel.proportional:
        first_x, first_y = next(iter(panel.lines.values()))[0]
        last_x = min(across.high, up.high * first_x / first_y)
        ends = [(first_x, first_y), (last_x, first_y * last_x / first_x)]
        parts.append(_line([(across.at(x), up.at(y)) for x, y in ends], "#888", 'stroke-dasharray="5 4"'))
        parts.append(_text(across.end - 8, up.begin - 10, "dashed: in proportion", "end", 'fill="#888"'))
    for number, (name, line) in enumerate(panel.lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = [(across.at(x), up.at(y)) for x, y in line]
        parts.append(_line(places, colour, 'stroke-width="2"'))
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>\n' for x, y in places]
        parts.append(_text(across.end - 8, up.begin - 26 - 16 * number, name, "end", f'fill="{colour}"'))
    return "".join(parts)


class _Axis:
    """From values to places, by their logarithms, with room at both ends."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        self.low, self.high = min(values) / 1.3, max(values) * 1.5
        self.begin, self.end = begin, end

    def at(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self) -> list[float]:
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        every = [step * 10.0**power for power in range(first, last) for step in (1, 2, 5)]
        return [tick for tick in every if self.low <= tick <= self.high]


def shown(value: float) -> str:
    """1,000,000 as 1M."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"


def _line(places: Points, colour: str, more: str = "") -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" {more}/>\n'


def _text(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(text)}</text>\n'
