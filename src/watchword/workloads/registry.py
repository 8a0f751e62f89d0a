"""The generators by name."""

from __future__ import annotations

from typing import Any, Final

from watchword.workloads.be_gen import be_gen
from watchword.workloads.generator import Generator
from watchword.workloads.opindex import opindex
from watchword.workloads.workload import WorkloadError

_GENERATORS: Final[dict[str, Generator[Any]]] = {one.name: one for one in (be_gen, opindex)}


def workloads() -> dict[str, str]:
    """Name -> one line, with the paper's section."""
    return {name: f"{one.line} ({one.section})" for name, one in _GENERATORS.items()}


def generator(name: str) -> Generator[Any]:
    if name not in _GENERATORS:
        raise WorkloadError(f"no workload {name!r}: there are {', '.join(_GENERATORS)}")
    return _GENERATORS[name]
