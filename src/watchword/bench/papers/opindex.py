"""OpIndex (VLDB 2014), Figures 1 and 7 to 14.

Parameters of its Table 3; the defaults are 1M subscriptions of at most 4 predicates over 20,000 attributes,
events of at
most 20, 40% equalities, 50 values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from watchword.bench.harness.trial import Source
from watchword.bench.papers.claims import Check, all_of, falls, flat, grows, lower, near, steeper, within
from watchword.bench.papers.experiment import Axis, Curve, Experiment, Point, varied

MILLION: Final = 1_000_000
SIZES: Final = tuple(n * MILLION for n in (1, 10, 20, 30, 40))
SYNTHETIC: Final = Source("opindex", {"subscriptions": MILLION, "seed": 1})
CAPACITY: Final = 5  # of BE-Tree's leaves, as section 7.2 chooses it

OPINDEX, BASIC, KINDEX, AUTO = Curve("opindex"), Curve("opindex-bs"), Curve("kindex"), Curve("auto")
BETREE: Final = Curve("betree", parameters={"max_cap": CAPACITY})
THREE: Final = (OPINDEX, KINDEX, BETREE, AUTO)
FOUR: Final = (OPINDEX, BASIC, KINDEX, BETREE, AUTO)

SUBSCRIPTIONS: Final = Axis("subscriptions", scaled=True)
ATTRIBUTES: Final = Axis("attributes")


def _experiment(
    panel: str, title: str, claim: str, x: Axis, points: tuple[Point, ...], metric: str, check: Check, **more: Any
) -> Experiment:
    figure, letter = panel.rstrip("abcdef"), panel[-1] if panel[-1].isalpha() else ""
    named = f"Figure {figure}({letter})" if letter else f"Figure {figure}"
    given = {"source": SYNTHETIC, "curves": FOUR, **more}
    return Experiment(
        id=f"opindex-{panel}", paper="OpIndex", figure=named, title=title, claim=claim, x=x, points=points,
        metric=metric, check=check, **given,
    )  # fmt: skip


DIMENSIONS: Final = varied("dimensions", (20_000, 30_000, 40_000, 50_000, 60_000))
GROWING: Final = varied("subscriptions", SIZES)
LARGEST: Final = varied("subscription_size", (4, 8, 12, 16, 20))
VALUES: Final = varied("values", (50, 200, 800, 3_200, 12_800))
CAPACITIES: Final = tuple(Point(cap, structure={"max_cap": cap}) for cap in (5, 50, 100, 150, 200, 250))
FOLLOWING: Final = (Curve("betree"), replace(AUTO, follows=False))

_SYNTHETIC: Final = (
    _experiment(
        "1a", "Construction time with the number of attributes",
        "Construction of the inverted lists (k-index, OpIndex) takes far less than BE-Tree's at 20,000 to 60,000 "
        "attributes.",
        ATTRIBUTES, DIMENSIONS, "build_s", all_of(lower("kindex", "betree"), lower("opindex", "betree")), curves=THREE,
    ),
    _experiment(
        "1b", "Matching time with the number of attributes",
        "OpIndex matches fastest at every number of attributes, and the k-index scales better than BE-Tree.",
        ATTRIBUTES, DIMENSIONS, "match_us",
        all_of(lower("opindex", "kindex", "betree"), steeper("betree", "kindex")), curves=THREE,
    ),
    _experiment(
        "7a", "BE-Tree's construction time with the capacity of its leaves",
        "From a capacity of 5 to 150, construction becomes 15 times faster.",
        Axis("capacity of a leaf"), CAPACITIES, "build_s", all_of(falls("betree", 2)), curves=FOLLOWING,
        note="Held to: construction becomes at least twice as fast.",
    ),
    _experiment(
        "7b", "BE-Tree's matching time with the capacity of its leaves",
        "From a capacity of 5 to 150, matching becomes 15 times slower.",
        Axis("capacity of a leaf"), CAPACITIES, "match_us", all_of(grows("betree", 2)), curves=FOLLOWING,
        note="Held to: matching becomes at least twice as slow.",
    ),
    _experiment(
        "8a", "Memory with the number of subscriptions",
        "BE-Tree takes about twice the memory of OpIndex, and the k-index 7 times more.",
        SUBSCRIPTIONS, GROWING, "index_mb",
        all_of(lower("opindex", "betree"), lower("opindex", "kindex", by=2), lower("betree", "kindex")), curves=THREE,
        note="Bytes of the index's arrays, the subscriptions apart; the paper has the memory of the whole process.",
    ),
    _experiment(
        "8b", "Memory with the number of values",
        "OpIndex's memory does not depend on the number of values; BE-Tree's grows tenfold, and the k-index runs out.",
        Axis("values of an attribute", log=True), VALUES, "index_mb",
        all_of(flat("opindex"), grows("betree", 2), grows("kindex", 2)), curves=THREE,
    ),
    _experiment(
        "9a", "Insertion time with the number of subscriptions",
        "OpIndex is built three orders of magnitude faster than BE-Tree and one faster than the k-index; OpIndex-BS a "
        "little faster still.",
        SUBSCRIPTIONS, GROWING, "build_s",
        all_of(lower("opindex", "betree", by=100), lower("opindex", "kindex", by=5), lower("opindex-bs", "opindex")),
        note="Held to: 100 times below BE-Tree, 5 times below the k-index.",
    ),
    _experiment(
        "9b", "Insertion time with the size of subscriptions",
        "OpIndex is built three orders of magnitude faster than BE-Tree and one faster than the k-index at every size.",
        Axis("most predicates of a subscription"), LARGEST, "build_s",
        all_of(lower("opindex", "betree", by=100), lower("opindex", "kindex", by=5)),
        note="Held to: 100 times below BE-Tree, 5 times below the k-index.",
    ),
    _experiment(
        "10a", "Matching time with the number of subscriptions",
        "OpIndex matches fastest, more than 10 times faster than the k-index, and scales better than OpIndex-BS.",
        SUBSCRIPTIONS, GROWING, "match_us",
        all_of(lower("opindex", "betree"), lower("opindex", "kindex", by=10), steeper("opindex-bs", "opindex")),
    ),
    _experiment(
        "10b", "Matching time with the size of subscriptions",
        "OpIndex scales best with the size of subscriptions; the k-index grows linearly, BE-Tree sharply at 20.",
        Axis("most predicates of a subscription"), LARGEST, "match_us",
        all_of(lower("opindex", "kindex", "betree"), steeper("kindex", "opindex"), steeper("betree", "opindex")),
    ),
    _experiment(
        "10c", "Matching time with the size of events",
        "All grow with the size of events: the k-index is slowest, and OpIndex-BS comes close to BE-Tree.",
        Axis("most attributes of an event"), varied("event_size", (20, 40, 60, 80, 100, 120)), "match_us",
        all_of(grows("opindex"), grows("kindex"), grows("betree"), lower("opindex", "opindex-bs", "betree", "kindex")),
    ),
    _experiment(
        "10d", "Matching time with the share of equalities",
        "All become faster with more equalities, and the k-index and BE-Tree gain more than OpIndex.",
        Axis("% equalities"), varied("equality", (0.2, 0.4, 0.6, 0.8, 1.0), 100), "match_us",
        all_of(falls("opindex", 1), falls("kindex"), falls("betree"), steeper("opindex", "kindex"),
               steeper("opindex", "betree")),
    ),
    _experiment(
        "10e", "Matching time with the number of values",
        "The matching time of all three stays the same from 50 to 12,800 values.",
        Axis("values of an attribute", log=True), VALUES, "match_us",
        all_of(flat("opindex"), flat("kindex"), flat("betree")),
    ),
    _experiment(
        "10f", "Matching time with skew",
        "OpIndex is fastest at every exponent of Zipf's law, and scales better than the k-index.",
        Axis("exponent of Zipf's law"), varied("zipf", (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)), "match_us",
        all_of(lower("opindex", "kindex", "betree"), steeper("kindex", "opindex")),
    ),
)  # fmt: skip

MILLIONS: Final = varied("subscriptions", tuple(n * MILLION for n in (1, 2, 3, 4, 5)))
BUILT_FASTER: Final = lower("opindex", "betree", by=10)
FASTEST: Final = lower("opindex", "kindex", "betree")

AOL: Final = Source("keywords", {"subscriptions": MILLION, "seed": 1})
EBAY: Final = Source("products", {"subscriptions": MILLION, "seed": 1})


def _keywords(panel: str, operator: str, documents: str, event_size: float) -> Experiment:
    return _experiment(
        panel, f"Matching time with the number of subscriptions, {documents}, {operator}",
        "OpIndex matches fastest: 4 to 9 times faster than BE-Tree on short documents, two orders of magnitude "
        "faster than "
        "the k-index.",
        SUBSCRIPTIONS, MILLIONS, "match_us", all_of(lower("opindex", "betree", by=2), lower("opindex", "kindex",
        by=10)),
        source=AOL.but({"event_size": event_size, "intervals": operator == "in"}), curves=THREE,
        note="Generated keywords; the paper has AOL's queries. Held to: 2 times faster than BE-Tree, 10 than the "
        "k-index.",
    )  # fmt: skip


def _keywords_built(panel: str, operator: str, claim: str, check: Check) -> Experiment:
    return _experiment(
        panel, f"Construction time with the number of subscriptions, {operator}", claim, SUBSCRIPTIONS, MILLIONS,
        "build_s", check, source=AOL.but({"intervals": operator == "in"}), curves=THREE,
        note="Generated keywords; the paper has AOL's queries. Held to: 10 times faster than BE-Tree.",
    )  # fmt: skip


def _products(
    panel: str, title: str, claim: str, x: Axis, points: tuple[Point, ...], metric: str, operator: str, check: Check
) -> Experiment:
    return _experiment(
        panel, f"{title}, {operator}", claim, x, points, metric, check,
        source=EBAY.but({"sets": float(operator == "in")}),
        curves=THREE, note="Generated products; the paper has eBay's. Panels are in the order in which its text has "
        "them.",
    )  # fmt: skip


_PREDICATES: Final = Axis("most predicates of a subscription")
_FORMS: Final = (
    Curve("opindex, DNF", "opindex", workload={"form": "dnf"}), Curve("opindex, CNF", "opindex",
    workload={"form": "cnf"}),
    Curve("auto, DNF", "auto", workload={"form": "dnf"}), Curve("auto, CNF", "auto", workload={"form": "cnf"}),
)  # fmt: skip
_ALONE: Final = (OPINDEX, AUTO)

_REAL: Final = (
    _keywords_built(
        "11a", "=", "With = alone the k-index and OpIndex are built about as fast, BE-Tree two orders of magnitude "
        "slower.",
        all_of(BUILT_FASTER, near("kindex", "opindex", 3)),
    ),
    _keywords_built(
        "11b", "in", "With intervals the k-index takes longer to build than OpIndex, and BE-Tree much longer.",
        all_of(BUILT_FASTER, lower("opindex", "kindex")),
    ),
    _keywords("11c", "=", "tweets", 5.4), _keywords("11d", "in", "tweets", 5.4),
    _keywords("11e", "=", "articles", 123.0), _keywords("11f", "in", "articles", 123.0),
    *(_products(
        panel, "Construction time with the number of subscriptions",
        "The k-index and OpIndex are built about as fast, BE-Tree orders of magnitude slower.", SUBSCRIPTIONS, MILLIONS,
        "build_s", operator, all_of(BUILT_FASTER, near("kindex", "opindex", 3)),
    ) for panel, operator in (("12a", "="), ("12b", "in"))),
    *(_products(
        panel, "Matching time with the number of subscriptions", "OpIndex matches fastest at every number of "
        "subscriptions.",
        SUBSCRIPTIONS, MILLIONS, "match_us", operator, all_of(FASTEST),
    ) for panel, operator in (("12c", "="), ("12d", "in"))),
    *(_products(
        panel, "Matching time with the size of subscriptions",
        "OpIndex matches fastest, and is the further ahead of BE-Tree the larger subscriptions are.", _PREDICATES,
        LARGEST,
        "match_us", operator, all_of(FASTEST, steeper("betree", "opindex")),
    ) for panel, operator in (("12e", "="), ("12f", "in"))),
    _experiment(
        "13a", "CNF and DNF with the number of subscriptions",
        "DNF scales better with the number of subscriptions than CNF.", SUBSCRIPTIONS,
        varied("subscriptions", tuple(n * MILLION for n in (1, 5, 10, 15, 20))), "match_us",
        all_of(steeper("opindex, CNF", "opindex, DNF")), source=Source("normal-forms", {"subscriptions": MILLION,
        "seed": 1}),
        curves=_FORMS,
    ),
    _experiment(
        "13b", "CNF and DNF with the number of clauses", "CNF scales better with the number of clauses than DNF.",
        Axis("most clauses"), varied("clauses", (1, 2, 4, 6, 8, 10)), "match_us",
        all_of(steeper("opindex, DNF", "opindex, CNF")), source=Source("normal-forms", {"subscriptions": MILLION,
        "seed": 1}),
        curves=_FORMS,
    ),
    _experiment(
        "14a", "Matching time with the share of prefix operators",
        "Matching takes longer the more operators are prefixes, and less than 0.4 ms with nothing else.",
        Axis("% prefix operators"), varied("prefix", (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), 100), "match_us",
        all_of(grows("opindex"), within("opindex", 0, 400)), source=Source("prefixes", {"subscriptions": MILLION,
        "seed": 1}),
        curves=_ALONE,
    ),
    _experiment(
        "14b", "Matching time with the length of prefixes",
        "The length of the prefixes hardly matters: longer ones match a little faster.", Axis("letters of a prefix"),
        varied("prefix_length", (2, 3, 4, 5, 6)), "match_us", all_of(flat("opindex", 2)),
        source=Source("prefixes", {"subscriptions": MILLION, "prefix": 1.0, "seed": 1}), curves=_ALONE,
    ),
)  # fmt: skip

EXPERIMENTS: Final = (*_SYNTHETIC, *_REAL)
