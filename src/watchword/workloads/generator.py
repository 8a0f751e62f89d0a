"""A generator: a function of its parameters that makes a workload, with its name, paper and the paper's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic

from watchword.workloads.source import P, Source, generate
from watchword.workloads.workload import Workload, WorkloadError


@dataclass(frozen=True)
class Profile(Generic[P]):
    """A column, row or figure of the paper: its settings, and those that it goes through."""

    line: str
    variants: tuple[P, ...]

    @property
    def parameters(self) -> P:
        return self.variants[0]


def varying(line: str, base: P, **values: tuple[Any, ...]) -> Profile[P]:
    """The base with each of these values; several names change together."""
    rows = [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]
    return Profile(line, tuple(replace(base, **row) for row in rows))


@dataclass(frozen=True)
class Generator(Generic[P]):
    name: str
    line: str
    section: str  # of the paper
    defaults: P
    source: type[Source[P]]
    profiles: Mapping[str, Profile[P]] = field(default_factory=dict)

    def profile(self, name: str) -> Profile[P]:
        """By name; the defaults without one."""
        if not name:
            return Profile("defaults", (self.defaults,))
        if name not in self.profiles:
            raise WorkloadError(f"{self.name} has no profile {name!r}: it has {', '.join(self.profiles)}")
        return self.profiles[name]

    def __call__(self, parameters: P | None = None) -> Workload:
        return generate(self.name, self.source(self.defaults if parameters is None else parameters))
