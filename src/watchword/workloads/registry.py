"""The generators by name."""

from __future__ import annotations

from typing import Any, Final

from watchword.workloads.be_gen import be_gen
from watchword.workloads.generator import Generator
from watchword.workloads.h_tree import h_tree
from watchword.workloads.keywords import keywords
from watchword.workloads.luwak import luwak
from watchword.workloads.normal_forms import normal_forms
from watchword.workloads.opindex import opindex
from watchword.workloads.prefixes import prefixes
from watchword.workloads.products import products
from watchword.workloads.q_grams import q_grams
from watchword.workloads.syndication import syndication
from watchword.workloads.workload import WorkloadError

_ALL: Final[tuple[Generator[Any], ...]] = (
    be_gen, q_grams, opindex, keywords, products, normal_forms, prefixes, h_tree, syndication, luwak,
)  # fmt: skip
_BY_NAME: Final = {one.name: one for one in _ALL}


def workloads() -> dict[str, str]:
    """Name -> one line, with the paper's section."""
    return {name: f"{one.line} ({one.section})" for name, one in _BY_NAME.items()}


def generator(name: str) -> Generator[Any]:
    if name not in _BY_NAME:
        raise WorkloadError(f"no workload {name!r}: there are {', '.join(_BY_NAME)}")
    return _BY_NAME[name]
