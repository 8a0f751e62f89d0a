"""Numbers as people read them."""

from __future__ import annotations

from watchword.bench.harness.metrics import Value


def shown(number: float) -> str:
    """Three digits that count."""
    size = abs(number)
    if size >= 1e12:
        return f"{number:.1e}"
    if size >= 100 or number == int(number):
        return f"{number:,.0f}"
    return f"{number:.3g}" if size >= 0.001 or size == 0 else f"{number:.1e}"


def short(number: float) -> str:
    """For ticks: 10k, 2M."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if unit <= abs(number) < 1e12:
            return f"{number / unit:.3g}{name}"
    return f"{number:.3g}"


def spread(value: Value) -> str:
    """Half of the distance between the passes, in percent of their median; empty below one percent."""
    if not value.median:
        return ""
    percent = 50 * (value.high - value.low) / abs(value.median)
    return f"±{percent:.0f}%" if percent >= 1 else ""
