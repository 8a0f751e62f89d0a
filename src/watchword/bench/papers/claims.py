"""Claims held against what was measured: small statements, each with its numbers, joined to a verdict.

    lower("opindex", "kindex", by=10)     at every x, ten times below
    grows, falls, flat, linear            along the x axis
    steeper("kindex", "opindex")          which of two grows by more
    crosses("pot", "ril")                 below at the first x, above at the last

A statement holds at a share of its points. Two values whose passes overlap are within noise and count for no side;
where most are, neither side has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from statistics import median
from typing import Final

from watchword.bench.harness.metrics import Value

HOLDS: Final = "holds"
IN_PART: Final = "holds in part"
FAILS: Final = "does not hold"
UNKNOWN: Final = "not measured"

UNDECIDED: Final = 0.5

Measured = Mapping[str, Mapping[float | str, Value]]  # curve -> x -> value, in the order of the points


@dataclass(frozen=True, slots=True)
class Verdict:
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class Finding:
    """The share of a statement that holds, None where nothing says; and its numbers in words."""

    share: float | None
    text: str


Statement = Callable[[Measured], Finding]
Check = Callable[[Measured], Verdict]


def all_of(*statements: Statement) -> Check:
    def check(measured: Measured) -> Verdict:
        findings = [statement(measured) for statement in statements]
        shares = [finding.share for finding in findings if finding.share is not None]
        reason = "; ".join(finding.text for finding in findings)
        if not shares:
            return Verdict(UNKNOWN, reason)
        if len(shares) == len(findings) and all(share == 1 for share in shares):
            return Verdict(HOLDS, reason)
        return Verdict(FAILS if all(share == 0 for share in shares) else IN_PART, reason)

    return check


def lower(one: str, *others: str, by: float = 1.0) -> Statement:
    """`one` is below each of the others, by a factor."""

    def statement(measured: Measured) -> Finding:
        texts, shares = [], []
        for other in others:
            pairs = _pairs(measured, one, other)
            if not pairs:
                texts.append(f"{one} against {other}: not measured")
                continue
            ratios = [_over(b.median, a.median) for a, b in pairs]
            clear = [ratio for ratio, (a, b) in zip(ratios, pairs, strict=True) if by > 1 or not _overlap(a, b)]
            below = sum(ratio >= by if by > 1 else ratio > 1 for ratio in clear)
            shares.append(below / len(clear) if 2 * len(clear) >= len(ratios) else UNDECIDED)
            noise = len(ratios) - len(clear)
            texts.append(
                f"{one} is {f'at least {by:g} times ' if by > 1 else ''}below {other} at {below} of {len(ratios)} "
                f"points"
                f"{f', {noise} within noise' if noise else ''} ({_range(ratios)})"
            )
        return Finding(sum(shares) / len(shares) if shares else None, "; ".join(texts))

    return statement


def grows(curve: str, by: float = 1.2) -> Statement:
    return _along(curve, lambda growth: growth >= by, f"grow by {by:g} times or more")


def falls(curve: str, by: float = 1.2) -> Statement:
    return _along(curve, lambda growth: growth <= 1 / by, f"fall by {by:g} times or more")


def flat(curve: str, within: float = 1.5) -> Statement:
    """The largest value is not so many times the smallest."""

    def statement(measured: Measured) -> Finding:
        numbers = _numbers(measured, curve)
        if len(numbers) < 2:
            return Finding(None, f"{curve}: not measured")
        spread = _over(max(numbers), min(numbers))
        return Finding(float(spread <= within), f"{curve} varies by {_times(spread)} (flat: at most {within:g})")

    return statement


def linear(curve: str, low: float = 0.7, high: float = 1.3) -> Statement:
    """The exponent of its growth along x is about 1."""

    def statement(measured: Measured) -> Finding:
        points = [(x, v) for x, v in _known(measured, curve) if isinstance(x, float | int) and x > 0 and v > 0]
        if len(points) < 2:
            return Finding(None, f"{curve}: not measured")
        (x0, y0), (x1, y1) = points[0], points[-1]
        exponent = log(y1 / y0) / log(x1 / x0)
        return Finding(float(low <= exponent <= high), f"{curve} grows with the power {exponent:.2f} of x")

    return statement


def steeper(one: str, other: str) -> Statement:
    """From the first point to the last, `one` grows by a larger factor."""

    def statement(measured: Measured) -> Finding:
        growths = [_growth(measured, curve) for curve in (one, other)]
        if growths[0] is None or growths[1] is None:
            return Finding(None, f"{one} against {other}: not measured")
        text = f"{one} grows by {_times(growths[0])}, {other} by {_times(growths[1])}"
        return Finding(float(growths[0] > growths[1]), text)

    return statement


def crosses(one: str, other: str) -> Statement:
    def statement(measured: Measured) -> Finding:
        pairs = _pairs(measured, one, other)
        if len(pairs) < 2:
            return Finding(None, f"{one} against {other}: not measured")
        first, last = (_over(b.median, a.median) for a, b in (pairs[0], pairs[-1]))
        text = f"{other} is {_times(first)} {one} at the first point, {_times(last)} at the last"
        return Finding(((first > 1) + (last < 1)) / 2, text)

    return statement


def within(curve: str, low: float, high: float) -> Statement:
    """Every value lies between two bounds."""

    def statement(measured: Measured) -> Finding:
        numbers = _numbers(measured, curve)
        if not numbers:
            return Finding(None, f"{curve}: not measured")
        inside = sum(low <= number <= high for number in numbers)
        text = f"{curve} is from {min(numbers):.3g} to {max(numbers):.3g} (wanted: {low:g} to {high:g})"
        return Finding(inside / len(numbers), text)

    return statement


def steadier(one: str, *others: str) -> Statement:
    """Its standard deviation between events is the least."""

    def statement(measured: Measured) -> Finding:
        ratios = []
        for other in others:
            for a, b in _pairs(measured, one, other):
                if a.deviation is not None and b.deviation is not None:
                    ratios.append(_over(b.deviation, a.deviation))
        if not ratios:
            return Finding(None, f"deviation of {one}: not measured")
        less = sum(ratio > 1 for ratio in ratios)
        text = f"{one} deviates less than {', '.join(others)} at {less} of {len(ratios)} points ({_range(ratios)})"
        return Finding(less / len(ratios), text)

    return statement


def deviation_falls(curve: str) -> Statement:
    def statement(measured: Measured) -> Finding:
        found = [value.deviation for value in measured.get(curve, {}).values() if value.deviation is not None]
        if len(found) < 2:
            return Finding(None, f"deviation of {curve}: not measured")
        return Finding(
            float(found[-1] < found[0]), f"{curve} deviates by {found[0]:.3g} at first, {found[-1]:.3g} at last"
        )

    return statement


def _along(curve: str, holds: Callable[[float], bool], wanted: str) -> Statement:
    def statement(measured: Measured) -> Finding:
        growth = _growth(measured, curve)
        if growth is None:
            return Finding(None, f"{curve}: not measured")
        return Finding(
            float(holds(growth)), f"{curve} at the last point is {_times(growth)} the first (wanted: {wanted})"
        )

    return statement


def _known(measured: Measured, curve: str) -> list[tuple[float | str, float]]:
    return [(x, value.median) for x, value in measured.get(curve, {}).items() if value.median is not None]


def _numbers(measured: Measured, curve: str) -> list[float]:
    return [number for _, number in _known(measured, curve)]


def _growth(measured: Measured, curve: str) -> float | None:
    numbers = _numbers(measured, curve)
    return _over(numbers[-1], numbers[0]) if len(numbers) > 1 else None


def _pairs(measured: Measured, one: str, other: str) -> list[tuple[Value, Value]]:
    """The values of both curves at each x where there are both."""
    second = measured.get(other, {})
    both = [(value, second[x]) for x, value in measured.get(one, {}).items() if x in second]
    return [(a, b) for a, b in both if a.median is not None and b.median is not None]


def _overlap(a: Value, b: Value) -> bool:
    return a.low <= b.high and b.low <= a.high


def _over(a: float | None, b: float | None) -> float:
    """Values of structures that have nothing at all, as the bytes of Scan's index, are taken for a trace of it."""
    return max(a or 0.0, 1e-12) / max(b or 0.0, 1e-12)


def _range(ratios: Sequence[float]) -> str:
    """How many times larger the other one is: the least, the middle and the most."""
    if len(ratios) == 1:
        return _times(ratios[0])
    return f"{_times(min(ratios))} to {_times(max(ratios))}, median {_times(median(ratios))}"


def _times(ratio: float) -> str:
    if ratio >= 1e6:
        return f"{ratio:.1g}x"
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.2g}x" if ratio < 10 else f"{ratio:.0f}x"


def returns(curve: str, within: float = 1.5) -> Statement:
    """At the end it is about what it was at first."""

    def statement(measured: Measured) -> Finding:
        growth = _growth(measured, curve)
        if growth is None:
            return Finding(None, f"{curve}: not measured")
        return Finding(
            float(growth <= within), f"{curve} ends at {_times(growth)} its first value (wanted: {within:g})"
        )

    return statement


def at(curve: str, end: str, low: float, high: float) -> Statement:
    """The value at the first or the last point lies between two bounds."""

    def statement(measured: Measured) -> Finding:
        numbers = _numbers(measured, curve)
        if not numbers:
            return Finding(None, f"{curve}: not measured")
        number = numbers[0 if end == "first" else -1]
        return Finding(
            float(low <= number <= high), f"{curve} is {number:.3g} at the {end} point ({low:g} to {high:g})"
        )

    return statement


def ordered(curve: str, *xs: str, by: float = 1.0) -> Statement:
    """From one named x to the next the value falls, by a factor."""

    def statement(measured: Measured) -> Finding:
        known = dict(_known(measured, curve))
        if any(x not in known for x in xs):
            return Finding(None, f"{curve}: not measured at all of {', '.join(xs)}")
        steps = list(pairwise(xs))
        fallen = sum(known[a] > known[b] and known[a] >= by * known[b] for a, b in steps)
        numbers = ", ".join(f"{known[x]:,.4g} ({x})" for x in xs)
        wanted = f"each at least {by:g} times the next" if by > 1 else "falling"
        return Finding(fallen / len(steps), f"{curve}: {numbers}; wanted: {wanted}")

    return statement


def near(one: str, other: str, factor: float) -> Statement:
    """Neither is more than so many times the other."""

    def statement(measured: Measured) -> Finding:
        ratios = [_over(b.median, a.median) for a, b in _pairs(measured, one, other)]
        if not ratios:
            return Finding(None, f"{one} against {other}: not measured")
        close = sum(1 / factor <= ratio <= factor for ratio in ratios)
        text = f"{other} is within {factor:g} times {one} at {close} of {len(ratios)} points ({_range(ratios)})"
        return Finding(close / len(ratios), text)

    return statement


def against_all(measured: Measured, one: str = "auto") -> str:
    """How one curve stands against the best of the others, in words; empty where it is not there."""
    others = [known for name, known in measured.items() if name != one]
    ratios = []
    for x, value in measured.get(one, {}).items():
        best = [known[x].median for known in others if x in known and known[x].median is not None]
        if value.median is not None and best:
            ratios.append(_over(min(number for number in best if number is not None), value.median))
    if not ratios:
        return ""
    below = sum(ratio > 1 for ratio in ratios)
    return f"{one} is below the best of the others at {below} of {len(ratios)} points ({_range(ratios)})"
