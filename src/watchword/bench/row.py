"""A row of a benchmark: what was measured, and what must be reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    measured: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None

    @property
    def holds(self) -> bool | None:
        """None for information only."""
        if self.at_most is not None:
            return self.measured <= self.at_most
        return None if self.at_least is None else self.measured >= self.at_least

    def to_dict(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "measured": self.measured,
            "unit": self.unit,
            "at_most": self.at_most,
            "at_least": self.at_least,
            "holds": self.holds,
        }

    def to_text(self) -> dict[str, Any]:
        """The row of a table for people."""
        limit = next((limit for limit in (self.at_most, self.at_least) if limit is not None), None)
        bound = "at most" if self.at_most is not None else "at least"
        return {
            "what": self.what,
            "measured": f"{_shown(self.measured)} {self.unit}",
            "must reach": None if limit is None else f"{bound} {_shown(limit)}",
            "holds": self.holds,
        }


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
