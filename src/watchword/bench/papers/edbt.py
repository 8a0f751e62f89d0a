"""Subscription indexes for web syndication (EDBT 2012), Figures 2 to 11, Tables 3 and 4.


tems of 25 to 36 of 1.5M terms as in section 4.2; subscriptions have 2.2 terms on average and at most 12 unless a figure
says otherwise.
"""

from __future__ import annotations

from typing import Any, Final

from watchword.bench.harness.trial import Source
from watchword.bench.papers.claims import (
    Statement,
    all_of,
    at,
    crosses,
    flat,
    grows,
    linear,
    lower,
    ordered,
    steeper,
    within,
)
from watchword.bench.papers.experiment import Axis, Curve, Experiment, Point, varied

MILLION: Final = 1_000_000
BASE: Final = Source("syndication", {"subscriptions": 10 * MILLION, "vocabulary": MILLION * 3 // 2, "seed": 1})
# the vocabularies of items of which section 4.3 and Figures 8 and 10 make 88,000 to 471,000 terms of subscriptions
VOCABULARIES: Final = (100_000, 250_000, 500_000, 1_000_000, 1_500_000)
LENGTHS: Final = (3, 6, 9, 12, 24, 36)
OCCURRENCES: Final = 1_500_000  # of terms, in all subscriptions of Figure 3 together
ORDERS: Final = ("frequency", "reverse", "arrival", "random")
DISTRIBUTIONS: Final = ("real", "uniform", "inverse")

FREQUENT_FIRST: Final = {"order": "frequency"}  # as the paper's figures have it where they do not say
CIL, RIL, AUTO = Curve("cil"), Curve("ril"), Curve("auto")
ROT: Final = Curve("rot", parameters=FREQUENT_FIRST)
POT: Final = Curve("pot", parameters=FREQUENT_FIRST)
THREE: Final = (CIL, RIL, POT, AUTO)
FOUR: Final = (CIL, RIL, ROT, POT)
SUBSCRIPTIONS: Final = Axis("subscriptions", scaled=True)
TERMS: Final = Axis("terms of items", log=True)
RANK: Final = Axis("rank of the term", log=True)
SIZES: Final = varied("subscriptions", tuple(n * MILLION for n in (5, 10, 25, 50, 75, 100)))


def _experiment(
    name: str,
    title: str,
    claim: str,
    x: Axis,
    points: tuple[Point, ...],
    metric: str,
    *statements: Statement,
    **more: Any,
) -> Experiment:
    figure = f"Table {name.removeprefix('table')}" if name.startswith("table") else f"Figure {name}"
    given = {"source": BASE, **more}
    return Experiment(
        id=f"edbt-{name}", paper="EDBT'12", figure=figure, title=title, claim=claim, x=x, points=points, metric=metric,
        check=all_of(*statements), **given,
    )  # fmt: skip


def _ordered(figure: str, title: str, claim: str, metric: str, *statements: Statement) -> Experiment:
    return _experiment(
        figure, title, claim, Axis("order of the terms"),
        tuple(Point(order, structure={"order": order}) for order in ORDERS), metric, *statements,
        source=BASE.but({"vocabulary": 470_000}), curves=(Curve("rot"), Curve("pot")), log=False,
        note="auto has neither nodes nor an order of terms.",
    )  # fmt: skip


def _distributed(figure: str, title: str, claim: str, metric: str, *statements: Statement) -> Experiment:
    points = tuple(Point(name, {"terms": name}) for name in DISTRIBUTIONS)
    return _experiment(
        figure, title, claim, Axis("distribution of terms in subscriptions"), points, metric, *statements, curves=FOUR,
        note="auto has no nodes to count.",
    )  # fmt: skip


_RANKED: Final = {"source": BASE.but({"vocabulary": 470_000}), "task": "ranks"}

EXPERIMENTS: Final = (
    _experiment(
        "2", "Nodes by the rank of their term",
        "ROT has far fewer nodes for frequent terms than CIL has postings, and fewer than the complete trie.",
        RANK, (), "term_nodes", lower("rot", "cil"), lower("rot", "complete trie"), **_RANKED,
        curves=(
            Curve("cil", "rot", FREQUENT_FIRST, metric="occurrences"), ROT,
            Curve("complete trie", "rot", FREQUENT_FIRST, metric="complete_nodes"),
        ),
        note="CIL has a posting for each occurrence. auto has no nodes. At the rarest terms the three meet.",
    ),
    _experiment(
        "table4", "Gain by the rank of a term",
        "Sharing prefixes saves nearly all nodes of the most frequent term, half at rank 1,000, none at the rarest.",
        RANK, (), "gain", at("gain %", "first", 90, 100), at("gain %", "last", -1, 20), **_RANKED, chart=False,
        curves=(
            Curve("occurrences", "rot", FREQUENT_FIRST, metric="occurrences"),
            Curve("ROT nodes", "rot", FREQUENT_FIRST), Curve("gain %", "rot", FREQUENT_FIRST, metric="gain"),
        ),
        note="auto has no nodes.",
    ),
    _experiment(
        "3", "Nodes by the rank of their term, for fixed lengths",
        "The longer the subscriptions, the more nodes ROT has for the same number of occurrences of terms.",
        RANK, (), "term_nodes",
        *(lower(f"{short} terms", f"{long} terms") for short, long in ((3, 6), (6, 12), (12, 36))),
        **_RANKED,
        curves=tuple(
            Curve(f"{length} terms", "rot", FREQUENT_FIRST, {"length": length, "subscriptions": OCCURRENCES // length})
            for length in LENGTHS
        ),
        note="1.5M occurrences of terms in each set of subscriptions, as in the paper. auto has no nodes.",
    ),
    _ordered(
        "4", "Nodes created, by the order of terms",
        "The order hardly matters to the size: ROT has 2% to 24% more nodes in other orders than by frequency, POT "
        "less "
        "than 1% more.",
        "created", flat("rot", 1.25), flat("pot", 1.05), lower("pot", "rot"),
    ),
    _ordered(
        "5", "Nodes visited, by the order of terms",
        "ROT visits 36% more nodes by frequency than in reverse order; POT hardly differs (at most 8%).",
        "visited", ordered("rot", "frequency", "reverse", by=1.2), flat("pot", 1.1),
    ),
    _distributed(
        "6", "Size of the index, by the distribution of terms",
        "The distribution changes nothing for CIL and RIL; ROT is larger with uniform terms, POT hardly.",
        "created", flat("cil", 1.05), flat("ril", 1.05), ordered("rot", "uniform", "real"), ordered("rot", "uniform",
        "inverse"), flat("pot", 1.3),
    ),
    _distributed(
        "7", "Nodes visited, by the distribution of terms",
        "Matching visits most nodes with the real distribution, far fewer with a uniform one, fewest with the "
        "inverse one; "
        "ROT and POT visit orders of magnitude fewer than CIL.",
        "visited", *(ordered(name, "real", "uniform", "inverse", by=2) for name in ("cil", "rot", "pot")),
        lower("rot", "cil", by=5), lower("pot", "cil", by=5),
    ),
    _experiment(
        "8", "Memory with the size of the vocabulary",
        "CIL and RIL take a third of POT's memory; they grow by 10% with the vocabulary, POT by 30%.",
        TERMS, varied("vocabulary", VOCABULARIES), "index_mb", lower("cil", "pot", by=2), lower("ril", "pot", by=2),
        flat("cil", 1.3), flat("ril", 1.3), steeper("pot", "cil"), curves=THREE,
        note="Held to: half of POT's memory. The paper has the memory of Java objects.",
    ),
    _experiment(
        "9", "Memory with the number of subscriptions",
        "Memory grows linearly with the number of subscriptions, and POT's four times as fast as CIL's and RIL's.",
        SUBSCRIPTIONS, SIZES, "index_mb", linear("cil"), linear("ril"), linear("pot"), lower("cil", "pot", by=2),
        lower("ril", "pot", by=2), curves=THREE, note="Held to: half of POT's memory.",
    ),
    _experiment(
        "10", "Matching time with the size of the vocabulary",
        "RIL and POT match one or two orders of magnitude faster than CIL; POT is ahead of RIL with few terms, RIL "
        "with "
        "many.",
        TERMS, varied("vocabulary", VOCABULARIES), "match_us", lower("ril", "cil", by=5), lower("pot", "cil", by=5),
        crosses("pot", "ril"), curves=THREE, note="Held to: 5 times faster than CIL.",
    ),
    _experiment(
        "11", "Matching time with the number of subscriptions",
        "Matching times grow linearly, CIL's 6.5 times as fast as RIL's; POT is a little ahead of RIL at 100M.",
        SUBSCRIPTIONS, SIZES, "match_us", linear("cil"), linear("ril"), linear("pot"), lower("ril", "cil", by=3),
        steeper("ril", "pot"), curves=THREE, note="Held to: RIL 3 times faster than CIL, POT growing less than RIL.",
    ),
    _experiment(
        "table3", "Nodes visited against those that the model expects",
        "Theorem 2 predicts the nodes that an item visits in ROT within 1.3%, for lengths from 2 to 8.",
        Axis("terms of a subscription"),
        tuple(Point(length, {"length": length}) for length in range(2, 9)), "visited",
        within("deviation %", -5, 5), grows("visited"), task="model", chart=False,
        source=BASE.but({"subscriptions": MILLION}),
        curves=(
            Curve("visited", "rot", FREQUENT_FIRST), Curve("expected", "rot", FREQUENT_FIRST, metric="expected"),
            Curve("deviation %", "rot", FREQUENT_FIRST, metric="model_error"),
        ),
        note="Held to: within 5%, over a dozen items of at most 28 terms, for the model follows every path. auto has "
        "no nodes.",
    ),
)  # fmt: skip
