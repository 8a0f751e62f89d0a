"""All experiments, in the order of their papers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from watchword.bench.papers import betree, edbt, htree, luwak, opindex
from watchword.bench.papers.experiment import Experiment
from watchword.errors import WatchwordError

EXPERIMENTS: Final = (
    *opindex.EXPERIMENTS,
    *betree.EXPERIMENTS,
    *htree.EXPERIMENTS,
    *edbt.EXPERIMENTS,
    *luwak.EXPERIMENTS,
)

PAPERS: Final = {
    "OpIndex": "An Efficient Publish/Subscribe Index for E-Commerce Databases (Zhang, Chan, Tan; VLDB 2014)",
    "BE-Tree": (
        "BE-Tree: An Index Structure to Efficiently Match Boolean Expressions over High-dimensional Discrete Space"
        " (Sadoghi, Jacobsen; SIGMOD 2011)"
    ),
    "H-Tree": "H-Tree: An Efficient Index Structure for Event Matching in Publish/Subscribe Systems (Qian et al.)",
    "EDBT'12": "Subscription Indexes for Web Syndication Systems (EDBT 2012)",
    "Luwak": "Optimizing Subscription Processing in Luwak (Qiu; thesis, NYU Tandon, 2019)",
}


def chosen(only: Sequence[str]) -> list[Experiment]:
    """Those of these ids; `opindex-10` stands for all of its panels. All, if none is named."""
    found = {name: [one for one in EXPERIMENTS if one.id == name or _panel_of(one.id, name)] for name in only}
    for name, some in found.items():
        if not some:
            raise WatchwordError(f"no experiment {name!r}: `watchword bench papers --list` names them")
    wanted = {one.id for some in found.values() for one in some}
    return [one for one in EXPERIMENTS if one.id in wanted or not only]


def _panel_of(identifier: str, figure: str) -> bool:
    rest = identifier.removeprefix(figure)
    return len(rest) == 1 and rest.isalpha()
