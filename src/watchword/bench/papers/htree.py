"""H-Tree, Figures 4 to 15.

Parameters of its Table II as its captions give them; standard deviations are those between events, as in its Tables III
to V.
"""

from __future__ import annotations

from typing import Any, Final

from watchword.bench.harness.trial import Source
from watchword.bench.papers.claims import (
    Statement,
    all_of,
    deviation_falls,
    falls,
    flat,
    linear,
    lower,
    steadier,
    steeper,
)
from watchword.bench.papers.experiment import Axis, Curve, Experiment, Point, varied

MILLION: Final = 1_000_000
BASE: Final = Source("h-tree", {"subscriptions": MILLION, "attributes": 50, "constraints": 20, "width": 0.1, "seed": 1})
SUBSCRIPTIONS: Final = Axis("subscriptions", scaled=True)
TO_FIVE_MILLION: Final = varied("subscriptions", tuple(n * 100_000 for n in (1, 2, 4, 8, 10, 20, 30, 40, 50)))
TO_ONE_MILLION: Final = varied("subscriptions", tuple(n * 100_000 for n in range(1, 11)))

SIMPLE, SIENA, AUTO = Curve("simple"), Curve("siena"), Curve("auto")
TAMA: Final = Curve("tama", parameters={"discretization_level": 13})
HTREE: Final = Curve("htree", parameters={"n_ind": 8, "n_cel": 8})
ALL: Final = (SIMPLE, SIENA, TAMA, HTREE, AUTO)
BEST: Final = lower("htree", "simple", "siena", "tama")
STEADY: Final = steadier("htree", "simple", "siena", "tama")


def _figure(
    number: int, title: str, claim: str, x: Axis, points: tuple[Point, ...], *statements: Statement, **more: Any
) -> Experiment:
    given = {"source": BASE, "curves": ALL, "metric": "match_us", "deviation": "event_sd", **more}
    return Experiment(
        id=f"htree-{number}", paper="H-Tree", figure=f"Figure {number}", title=title, claim=claim, x=x, points=points,
        check=all_of(*statements), **given,
    )  # fmt: skip


def _converted(values: str, label: str, conversion: bool) -> Curve:
    parameters = {**HTREE.parameters, "conversion": conversion}
    return Curve(f"htree, {label}", "htree", parameters, {"values": values})


EXPERIMENTS: Final = (
    _figure(
        4, "Number of subscriptions",
        "Matching times are linear; H-Tree is fastest (12 times faster than Tama at 5M) and fluctuates least, and "
        "Simple "
        "is faster than Siena.",
        SUBSCRIPTIONS, TO_FIVE_MILLION, BEST, lower("simple", "siena"), linear("htree"), STEADY,
    ),
    _figure(
        5, "Distribution of the constraints' values",
        "Converting by the distribution brings the times under normal and Pareto values down (by 12% and 25%), and "
        "their "
        "deviations to those of uniform ones.",
        SUBSCRIPTIONS, TO_FIVE_MILLION, lower("htree, normal (C)", "htree, normal"),
        lower("htree, Pareto (C)", "htree, Pareto"), steadier("htree, normal (C)", "htree, normal"),
        steadier("htree, Pareto (C)", "htree, Pareto"),
        source=BASE.but({"width": 0.02}),
        curves=(
            _converted("uniform", "uniform", False), _converted("normal", "normal", False),
            _converted("normal", "normal (C)", True), _converted("pareto", "Pareto", False),
            _converted("pareto", "Pareto (C)", True),
            *(Curve(f"auto, {label}", "auto", workload={"values": values})
              for values, label in (("uniform", "uniform"), ("normal", "normal"), ("pareto", "Pareto"))),
        ),
    ),
    _figure(
        6, "Number of constraints", "H-Tree is fastest at every number of constraints, on average almost 30 times "
        "faster than "
        "Tama.",
        Axis("constraints of a subscription"),
        tuple(Point(n, {"constraints": n, "attributes": 2 * n}) for n in (5, 10, 20, 30, 40, 50, 100, 150, 200)),
        BEST, lower("htree", "tama", by=10), STEADY, note="Held to: 10 times faster than Tama.",
    ),
    _figure(
        7, "Share of the attributes that are constrained (RCA)",
        "The more of the attributes subscriptions constrain, the faster H-Tree is, and the less it deviates; Tama "
        "comes "
        "close to Simple.",
        Axis("constraints / attributes"),
        tuple(Point(n / 100, {"constraints": n, "attributes": 100}) for n in range(10, 100, 10)),
        falls("htree", 2), lower("htree", "simple", "tama"), deviation_falls("htree"),
    ),
    _figure(
        8, "Number of indexed attributes",
        "Each further indexed attribute makes matching at least 29% faster; at 5M H-Tree is 5 times faster than Tama "
        "with 4 "
        "of them, 35 times with 8.",
        SUBSCRIPTIONS, TO_FIVE_MILLION, lower("htree, n_ind = 6", "htree, n_ind = 4", by=1.9),
        lower("htree, n_ind = 8", "htree, n_ind = 6", by=1.9), lower("htree, n_ind = 4", "tama", by=3),
        lower("htree, n_ind = 8", "tama", by=20), steadier("htree, n_ind = 8", "htree, n_ind = 4"),
        source=BASE.but({"constraints": 25}),
        curves=(TAMA, *(Curve(f"htree, n_ind = {n}", "htree", {"n_ind": n, "n_cel": 8}) for n in (4, 6, 8)), AUTO),
        note="Two attributes at 29% each are 1.9 times; held to: 3 and 20 times faster than Tama.",
    ),
    _figure(
        9, "Skew of the constrained attributes",
        "The more skewed the choice of attributes, the faster H-Tree is and the less it deviates: 2,190 times faster "
        "than "
        "Tama at a = 1 and 5M.",
        SUBSCRIPTIONS, TO_FIVE_MILLION, lower("htree, a = 0.6", "htree, a = 0.2"), lower("htree, a = 1", "htree, a = "
        "0.6"),
        lower("htree, a = 1", "tama", by=100), steadier("htree, a = 1", "htree, a = 0.2"),
        curves=(
            Curve("tama", parameters=TAMA.parameters, workload={"zipf": 1.0}),
            *(Curve(f"htree, a = {a:g}", "htree", HTREE.parameters, {"zipf": a}) for a in (0.2, 0.6, 1.0)),
            Curve("auto, a = 1", "auto", workload={"zipf": 1.0}),
        ),
        note="Held to: 100 times faster than Tama at a = 1.",
    ),
    _figure(
        10, "Fixed width of ranges",
        "The width matters to Tama alone, whose time is linear in it; at 0.1 H-Tree is 44, 167 and 34 times faster "
        "than "
        "Simple, Siena and Tama, and fluctuates least.",
        Axis("width"), varied("width", tuple(n / 100 for n in range(1, 11))), flat("htree", 1.5), flat("simple", 1.5),
        flat("siena", 1.5), linear("tama"), BEST, STEADY, source=BASE.but({"constraints": 25}),
    ),
    _figure(
        11, "Random width of ranges",
        "H-Tree is slowed a little by wide ranges, which it splits; Tama becomes slower than Simple.",
        SUBSCRIPTIONS, TO_ONE_MILLION, lower("htree", "simple", "tama"), lower("simple", "tama"),
        source=BASE.but({"constraints": 25, "width": None}),
    ),
    _figure(
        12, "Insertion time, fixed width",
        "H-Tree takes less than 10% more than Simple to insert, Tama almost twice as long.",
        SUBSCRIPTIONS, TO_ONE_MILLION, lower("htree", "tama"), lower("simple", "htree"), lower("simple", "tama",
        by=1.5),
        linear("htree"), metric="build_s", deviation="",
    ),
    _figure(
        13, "Insertion time, random width",
        "With random widths H-Tree takes 60% more than Simple, and Tama fluctuates greatly.",
        SUBSCRIPTIONS, TO_ONE_MILLION, lower("simple", "htree"), lower("htree", "tama"), metric="build_s", deviation="",
        source=BASE.but({"width": None}),
    ),
    _figure(
        14, "Deletion time",
        "The more attributes are indexed, the faster a subscription is deleted, as buckets are smaller.",
        SUBSCRIPTIONS, TO_ONE_MILLION, lower("htree, n_ind = 6", "htree, n_ind = 4"),
        lower("htree, n_ind = 8", "htree, n_ind = 6"), steeper("htree, n_ind = 4", "htree, n_ind = 8"),
        metric="delete_us", deviation="", task="update",
        source=BASE.but({"attributes": 100, "constraints": 30, "width": 0.05}),
        curves=(*(Curve(f"htree, n_ind = {n}", "htree", {"n_ind": n, "n_cel": 10}) for n in (4, 6, 8)), AUTO),
        note="The text does not say for which numbers of indexed attributes; 4, 6 and 8 as in Figure 8.",
    ),
    _figure(
        15, "Memory",
        "H-Tree takes a little more memory than Simple and much less than Tama.",
        SUBSCRIPTIONS, TO_FIVE_MILLION, lower("simple", "htree"), lower("htree", "tama", by=2), linear("htree"),
        metric="total_mb", deviation="",
        note="Bytes of all arrays with the subscriptions; the paper counts by formulas.",
    ),
)  # fmt: skip
