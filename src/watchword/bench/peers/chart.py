"""A chart of the results as one SVG file: time per event over subscriptions, a line per peer, both axes logarithmic.

The colours are given as CSS, which follows the reader's light or dark scheme; nothing is loaded from elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from watchword.bench.peers.registry import WATCHWORD

Record = Mapping[str, Any]
Points = dict[int, float]  # us per event by subscriptions

WIDTH, HEIGHT, GAP = 760, 380, 40
LEFT, RIGHT, TOP, BOTTOM = 84, 220, 44, 46  # around the plot of a panel
LABEL: Final = 15  # height of a line of text
COLOURS: Final = 11
UNITS: Final = ((1e6, "s"), (1e3, "ms"), (1.0, "us"))

STYLE: Final = """
svg { color-scheme: light dark; font: 13px system-ui, sans-serif; }
svg { --ground: #ffffff } .ground { fill: var(--ground) }
.text { fill: #1f2328 } .faint { fill: #59636e } .grid { stroke: #d1d9e0 }
.line { fill: none; stroke-width: 2 } .own { stroke-width: 4 }
.lead { stroke-width: 1; stroke-dasharray: 2 3 }
.label { stroke: var(--ground); stroke-width: 4; paint-order: stroke } .label.own { font-weight: 700 }
.c0 { --c: #0b57d0 } .c1 { --c: #b3261e } .c2 { --c: #8a5300 } .c3 { --c: #146c2e } .c4 { --c: #7b2fa8 }
.c5 { --c: #00696e } .c6 { --c: #a0246d } .c7 { --c: #566000 } .c8 { --c: #4d5966 } .c9 { --c: #c2410c }
.c10 { --c: #3949ab }
.line { stroke: var(--c) } .dot, .label { fill: var(--c) }
@media (prefers-color-scheme: dark) {
  svg { --ground: #0d1117 } .text { fill: #e6edf3 } .faint { fill: #9198a1 } .grid { stroke: #30363d }
  .c0 { --c: #7cacf8 } .c1 { --c: #f2776f } .c2 { --c: #e0a33e } .c3 { --c: #6dd58c } .c4 { --c: #c58af9 }
  .c5 { --c: #4fd8dd } .c6 { --c: #ff8bcb } .c7 { --c: #c3cc5a } .c8 { --c: #b6c2cf } .c9 { --c: #ff9d66 }
  .c10 { --c: #a5b4fc }
}
"""


def chart(records: Sequence[Record]) -> str:
    """The fastest way of each peer, a panel per workload."""
    panels = _panels(records)
    peers = list(
        dict.fromkeys(peer for lines in panels.values() for peer in lines)
    )  # each has its colour in all panels
    height = max(1, len(panels)) * (HEIGHT + GAP)
    body = [part for number, (name, lines) in enumerate(panels.items()) for part in _panel(number, name, lines, peers)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            "<title>Time per event of Watchword and its peers</title>",
            f"<style>{STYLE}</style>",
            f'<rect class="ground" width="{WIDTH}" height="{height}"/>',
            *body,
            "</svg>\n",
        ]
    )


def _panels(records: Sequence[Record]) -> dict[str, dict[str, Points]]:
    panels: dict[str, dict[str, Points]] = {}
    for record in records:
        if "us_per_event" in record:
            points = panels.setdefault(record["workload"], {}).setdefault(record["peer"], {})
            size = record["subscriptions"]
            points[size] = min(points.get(size, math.inf), record["us_per_event"])
    return panels


def _panel(number: int, name: str, lines: dict[str, Points], peers: list[str]) -> Iterator[str]:
    sizes = [size for points in lines.values() for size in points]
    times = [time for points in lines.values() for time in points.values()]
    across = _Axis(_decades(min(sizes), max(sizes)), LEFT, WIDTH - RIGHT)
    up = _Axis(_decades(min(times), max(times)), HEIGHT - BOTTOM, TOP)
    yield f'<g transform="translate(0 {number * (HEIGHT + GAP)})">'
    yield f'<text class="text" x="{LEFT}" y="24" font-size="16" font-weight="700">{escape(name)}</text>'
    yield f'<text class="faint" x="{LEFT + 90}" y="24">time per event, fastest way of each; lower is better</text>'
    for decade in up.decades:
        yield _grid(LEFT, up.at(10.0**decade), WIDTH - RIGHT, up.at(10.0**decade))
        yield _tick(LEFT - 8, up.at(10.0**decade) + 4, "end", _time(10.0**decade))
    for decade in across.decades:
        yield _grid(across.at(10.0**decade), TOP, across.at(10.0**decade), HEIGHT - BOTTOM)
        yield _tick(across.at(10.0**decade), HEIGHT - BOTTOM + 18, "middle", f"{10**decade:,}")
    yield _tick((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "middle", "subscriptions")
    kinds = {peer: f"c{peers.index(peer) % COLOURS}{' own' if peer == WATCHWORD else ''}" for peer in lines}
    for peer, points in lines.items():
        yield from _line([(across.at(size), up.at(points[size])) for size in sorted(points)], kinds[peer])
    for last in sorted(set(sizes)):
        ending = {peer: up.at(points[last]) for peer, points in lines.items() if max(points) == last}
        for (peer, y), place in zip(ending.items(), _spread(list(ending.values())), strict=True):
            yield from _label(peer, across.at(last), y, place, kinds[peer])
    yield "</g>"


def _line(points: list[tuple[float, float]], kind: str) -> Iterator[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield f'<polyline class="line {kind}" points="{path}"/>'
    for x, y in points:
        yield f'<circle class="dot {kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'


def _label(peer: str, x: float, y: float, place: float, kind: str) -> Iterator[str]:
    """The name beside the last point of its line, at the height `place`."""
    yield f'<path class="line lead {kind}" d="M{x:.1f} {y:.1f}L{x + 10:.1f} {place:.1f}"/>'
    yield f'<text class="label {kind}" x="{x + 14:.1f}" y="{place + 4:.1f}">{escape(peer)}</text>'


class _Axis:
    """Decades along a stretch of the picture."""

    def __init__(self, decades: range, begin: float, end: float) -> None:
        self.decades, self._begin, self._end = decades, begin, end

    def at(self, value: float) -> float:
        part = (math.log10(value) - self.decades[0]) / (len(self.decades) - 1)
        return self._begin + part * (self._end - self._begin)


def _decades(low: float, high: float) -> range:
    first = math.floor(math.log10(low))
    return range(first, max(first + 1, math.ceil(math.log10(high))) + 1)


def _spread(wanted: list[float]) -> list[float]:
    """Places of labels near what is wanted, none over another."""
    places = [0.0] * len(wanted)
    last = -math.inf
    for index in sorted(range(len(wanted)), key=wanted.__getitem__):
        last = places[index] = max(wanted[index], last + LABEL)
    over = max(0.0, last - (HEIGHT - BOTTOM))
    return [place - over for place in places]


def _time(us: float) -> str:
    size, unit = next(((size, unit) for size, unit in UNITS if us >= size), (1.0, "us"))
    return f"{us / size:g} {unit}"


def _grid(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _tick(x: float, y: float, anchor: str, text: str) -> str:
    return f'<text class="faint" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'
