"""A line chart as SVG, without a script: colours are variables of the page, so it reads in light and dark.

values on the y axis, their spread as a thin bar, a title on every mark for the pointer to show
x numbers: lines; x names: marks side by side, for lines between names would say nothing
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import Final

from watchword.bench.harness.metrics import Value
from watchword.bench.papers.numbers import short, shown

WIDTH, HEIGHT = 600, 340
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 12, 48
TICKS: Final = 5
COLOURS: Final = 8

Series = Mapping[float | str, Value]


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers to places on a line of so many pixels."""

    low: float
    high: float
    first: float
    last: float
    log: bool

    def place(self, number: float) -> float:
        low, high, at = (log10(n) if self.log else n for n in (self.low, self.high, number))
        share = (at - low) / (high - low) if high > low else 0.5
        return self.first + share * (self.last - self.first)

    def ticks(self) -> list[float]:
        if not self.log:
            return _even_ticks(self.low, self.high)
        decades = range(ceil(log10(self.low) - 1e-9), floor(log10(self.high) + 1e-9) + 1)
        every = max(1, ceil(len(decades) / (TICKS + 1)))
        found = [10.0**power for power in decades][::every]
        return found if len(found) > 1 else [n for n in _small_steps(self.low) if self.low <= n <= self.high]


def line_chart(
    title: str, curves: Mapping[str, Series], x_label: str, y_label: str, *, log_x: bool, log_y: bool
) -> str:
    """Curves in the order in which the page gives them colours; `auto` has the colour of the text."""
    xs = list(dict.fromkeys(x for series in curves.values() for x in series))
    drawn = {name: _known(series, log_y) for name, series in curves.items()}
    if not any(drawn.values()):
        return '<p class="none">Nothing measured.</p>'
    numbers = [n for known in drawn.values() for v in known.values() for n in (v.low, v.high) if n > 0 or not log_y]
    y = _y_scale(numbers, log_y)
    names = [x for x in xs if isinstance(x, str)]
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">']
    parts += _y_axis(y, y_label)
    if names:
        parts += _names_axis(xs, x_label)
        places = {x: LEFT + (i + 0.5) * (WIDTH - LEFT - RIGHT) / len(xs) for i, x in enumerate(xs)}
    else:
        scale = _x_scale([float(x) for x in xs], log_x)
        parts += _x_axis(scale, x_label)
        places = {x: scale.place(float(x)) for x in xs}
    for number, (name, known) in enumerate(drawn.items()):
        shift = (number - (len(drawn) - 1) / 2) * 9 if names else 0.0
        parts += _curve(name, known, {x: at + shift for x, at in places.items()}, y, joined=not names, number=number)
    return "".join([*parts, "</svg>"])


def legend(names: Sequence[str]) -> str:
    items = (f'<li><svg viewBox="0 0 26 10">{_key(name, i)}</svg>{escape(name)}</li>' for i, name in enumerate(names))
    return f'<ul class="legend">{"".join(items)}</ul>'


def colour_of(name: str, number: int) -> str:
    return "auto" if name == "auto" or name.startswith("auto,") else f"c{number % COLOURS}"


def _key(name: str, number: int) -> str:
    kind = colour_of(name, number)
    return f'<path class="line {kind}" d="M0 5H26"{_dash(name)}/>{_mark(13, 5, number, kind)}'


def _curve(
    name: str, known: Series, places: Mapping[float | str, float], y: Scale, *, joined: bool, number: int
) -> list[str]:
    kind = colour_of(name, number)
    at = [(places[x], y.place(value.median or 0.0), x, value) for x, value in known.items()]
    parts = [f'<g class="curve"><title>{escape(name)}</title>']
    if joined and len(at) > 1:
        points = " ".join(f"{px:.1f},{py:.1f}" for px, py, _, _ in at)
        parts.append(f'<polyline class="line {kind}" points="{points}"{_dash(name)}/>')
    for px, py, x, value in at:
        low, high = (y.place(max(n, y.low)) for n in (value.low, value.high))
        if abs(high - low) > 3:
            parts.append(f'<path class="spread {kind}" d="M{px:.1f} {low:.1f}V{high:.1f}"/>')
        where = x if isinstance(x, str) else shown(x)
        said = escape(f"{name}, {where}: {shown(value.median or 0.0)}")
        parts.append(f"<g>{_mark(px, py, number, kind)}<title>{said}</title></g>")
    return [*parts, "</g>"]


def _dash(name: str) -> str:
    """Curves that differ in the workload alone are told apart by their marks; a second `auto` by its dashes too."""
    return ' stroke-dasharray="6 3"' if name.startswith("auto,") else ""


def _mark(x: float, y: float, number: int, kind: str) -> str:
    """Told apart by shape as well as by colour."""
    shape = number % 4
    if shape == 0:
        return f'<circle class="mark {kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.6"/>'
    if shape == 1:
        return f'<rect class="mark {kind}" x="{x - 3.2:.1f}" y="{y - 3.2:.1f}" width="6.4" height="6.4"/>'
    if shape == 2:
        return f'<path class="mark {kind}" d="M{x:.1f} {y - 4.4:.1f}l4.4 7.6h-8.8z"/>'
    return f'<path class="mark {kind}" d="M{x:.1f} {y - 4.6:.1f}l4.6 4.6l-4.6 4.6l-4.6 -4.6z"/>'


def _y_axis(scale: Scale, label: str) -> list[str]:
    middle = (TOP + HEIGHT - BOTTOM) // 2
    turned = f'text-anchor="middle" transform="rotate(-90 12 {middle})"'
    parts = [f'<text class="label" x="12" y="{middle}" {turned}>{escape(label)}</text>']
    for tick in scale.ticks():
        at = scale.place(tick)
        parts.append(f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{short(tick)}</text>')
    return parts


def _x_axis(scale: Scale, label: str) -> list[str]:
    parts = [_base_line(), _x_label(label)]
    for tick in scale.ticks():
        at = scale.place(tick)
        parts.append(f'<path class="axis" d="M{at:.1f} {HEIGHT - BOTTOM}v5"/>')
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 19}" text-anchor="middle">{short(tick)}</text>')
    return parts


def _names_axis(names: Sequence[float | str], label: str) -> list[str]:
    each = (WIDTH - LEFT - RIGHT) / len(names)
    y = HEIGHT - BOTTOM + 19
    texts = [
        f'<text x="{LEFT + (i + 0.5) * each:.1f}" y="{y}" text-anchor="middle">{escape(str(name))}</text>'
        for i, name in enumerate(names)
    ]
    return [_base_line(), _x_label(label), *texts]


def _base_line() -> str:
    return f'<path class="axis" d="M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>'


def _x_label(label: str) -> str:
    middle = (LEFT + WIDTH - RIGHT) / 2
    return f'<text class="label" x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(label)}</text>'


def _x_scale(xs: Sequence[float], log: bool) -> Scale:
    log = log and min(xs) > 0
    return Scale(min(xs), max(xs), LEFT + 12, WIDTH - RIGHT - 12, log)


def _y_scale(numbers: Sequence[float], log: bool) -> Scale:
    low, high = min(numbers), max(numbers)
    if log:
        low, high = low / 1.25, high * 1.25
        if log10(high / low) < 1:  # at least from one power of ten to the next
            low, high = min(low, 10 ** floor(log10(low * 1.2))), max(high, 10 ** ceil(log10(high / 1.2)))
    else:
        low, high = min(0.0, low), (high * 1.05 or 1.0)
    return Scale(low, high, HEIGHT - BOTTOM, TOP, log)


def _known(series: Series, log: bool) -> Series:
    """A logarithmic axis has no place for nothing."""
    return {x: v for x, v in series.items() if v.median is not None and (v.median > 0 or not log)}


def _even_ticks(low: float, high: float) -> list[float]:
    if high <= low:
        return [low]
    step = 10.0 ** floor(log10((high - low) / TICKS))
    step *= next(times for times in (1, 2, 5, 10) if (high - low) / (step * times) <= TICKS + 1)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(n * step, 12) for n in range(first, last + 1)]


def _small_steps(low: float) -> list[float]:
    """1, 2 and 5 of a power of ten, for a logarithmic axis shorter than one."""
    power = 10.0 ** floor(log10(low))
    return [times * power * ten for ten in (1, 10, 100) for times in (1, 2, 5)]
