"""How long and how often a trial is measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    passes: int = 3
    seconds: float = 0.5  # of matching, all passes together: a slow structure gets fewer events
    most_seconds: float = 300.0  # of a whole trial, building included; then its process is ended
    events: int = 10_000  # at most, of a workload
    updates: int = 1_000  # subscriptions that come or go at a time
