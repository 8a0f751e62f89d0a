"""Optimizing subscription processing in Luwak (thesis of 2019), Tables 3 and 4 and Figures 11 to 17.

Queries of the lengths of its Table 5, documents of those of its Tables 1 and 2,
but fewer of them; times are per batch of
documents, their reading included.
"""

from __future__ import annotations

from typing import Any, Final

from watchword.bench.harness.trial import Source
from watchword.bench.papers.claims import Statement, all_of, crosses, grows, lower, steeper
from watchword.bench.papers.experiment import Axis, Curve, Experiment, Point

QUERIES: Final = 1_099_925
TEXTS: Final = Source("luwak", {"subscriptions": QUERIES, "events": 3_600, "training": 5_000, "seed": 1})
BASE: Final = Source("words", {"of": TEXTS})
BATCHES: Final = (200, 400, 600, 800, 1000, 1200)
BATCH: Final = 600
MILLIONS: Final = (500_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000)

LUWAK, QBATCH, FULL = Curve("luwak"), Curve("luwak-qbatch"), Curve("fullyindexed")
PRESEARCH: Final = Curve("presearch")
AUTO: Final = Curve("auto", follows=False)
BY_SIZE: Final = tuple(Point(size, structure={"batch_size": size}, batch=size) for size in BATCHES)
SIX_HUNDRED: Final = {"batch_size": BATCH}
BY_QUERIES: Final = tuple(
    Point(queries, {"of": TEXTS.but({"subscriptions": queries})}, SIX_HUNDRED, BATCH) for queries in MILLIONS
)
SIZE: Final = Axis("documents in a batch")
LENGTHS: Final = (("2 terms", 2), ("3 terms", 3), ("4 terms", 4), ("5 terms", 5), ("more than 5 terms", 6))


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
    if name[-1] in "ab":
        figure = f"Figure {name[:-1]}({name[-1]})"
    given = {"source": BASE, **more}
    return Experiment(
        id=f"luwak-{name}", paper="Luwak", figure=figure, title=title, claim=claim, x=x, points=points, metric=metric,
        check=all_of(*statements), **given,
    )  # fmt: skip


def _times(name: str, metric: str, title: str, claim: str, *statements: Statement) -> Experiment:
    curves = tuple(Curve(label, "presearch", metric=f"{metric} {length}") for label, length in LENGTHS)
    return _experiment(
        name, title, claim, SIZE, BY_SIZE, f"{metric} 2", *statements, curves=curves, log=False,
        note="As Pre-Search measures it for its cost function, from 10,000 queries on. auto has no such step.",
    )  # fmt: skip


EXPERIMENTS: Final = (
    _times(
        "table3", "time_check", "Time to check a candidate",
        "Checking a candidate takes longer the longer the query and the larger the batch.",
        lower("2 terms", "4 terms"), lower("4 terms", "more than 5 terms"),
        *(grows(label, 1) for label, _ in LENGTHS),
    ),
    _times(
        "table4", "time_avoid", "Time to put out the matches of a query whose terms are all indexed",
        "It takes longer the larger the batch, and less the longer the query, for those match less.",
        lower("4 terms", "2 terms"), lower("more than 5 terms", "4 terms"),
        *(grows(label, 1) for label, _ in LENGTHS),
    ),
    _experiment(
        "11a", "Time per batch with its size",
        "Evaluating equal queries once is more than twice as fast as Luwak; Pre-Search is 8 to 10 times as fast, "
        "close to "
        "FullyIndexed.",
        SIZE, BY_SIZE, "batch_ms", lower("luwak-qbatch", "luwak", by=2), lower("presearch", "luwak", by=8),
        lower("fullyindexed", "luwak", by=8), curves=(LUWAK, QBATCH, PRESEARCH, FULL, AUTO), log=False,
    ),
    _experiment(
        "11b", "Time per batch with its size: Pre-Search and FullyIndexed",
        "FullyIndexed is a little faster than Pre-Search, and larger batches give both a higher throughput.",
        SIZE, BY_SIZE, "rate", lower("presearch", "fullyindexed"), grows("presearch"), grows("fullyindexed"),
        curves=(PRESEARCH, FULL, AUTO), log=False, note="Shown as throughput.",
    ),
    _experiment(
        "12a", "Memory with the size of batches",
        "Luwak needs least memory and FullyIndexed most; Pre-Search lies between, close to FullyIndexed.",
        SIZE, BY_SIZE, "total_mb", lower("luwak", "presearch"), lower("presearch", "fullyindexed"),
        curves=(LUWAK, PRESEARCH, FULL, AUTO), log=False, note="Of the index and the queries; documents are not "
        "counted.",
    ),
    _experiment(
        "12b", "Memory with the size of batches: Pre-Search and FullyIndexed",
        "Pre-Search needs a little less memory than FullyIndexed (1 MB).",
        SIZE, BY_SIZE, "index_mb", lower("presearch", "fullyindexed"), curves=(PRESEARCH, FULL), log=False,
        note="Of the index alone. auto is in Figure 12(a).",
    ),
    _experiment(
        "13", "Where the memory is",
        "Most memory is the index of the queries and the documents; notes and bit maps are the smaller part.",
        Axis("part"), (Point("batches of 600", structure=SIX_HUNDRED, batch=BATCH),), "total_mb",
        lower("notes", "all"), chart=False,
        curves=(
            Curve("all", "presearch"), Curve("index", "presearch", metric="index_mb"),
            Curve("notes", "presearch", metric="notes_mb"), Curve("while it is built", "presearch", metric="peak_mb"),
        ),
        note="Parts of Pre-Search. auto has others.",
    ),
    _experiment(
        "14", "Extra terms that are indexed",
        "Pre-Search indexes about two thirds of the extra terms that FullyIndexed does.",
        SIZE, BY_SIZE, "extra_terms", lower("presearch", "fullyindexed", by=1.2), curves=(PRESEARCH, FULL), log=False,
        note="Held to: 1.2 times fewer. auto has no such terms.",
    ),
    _experiment(
        "15", "Each part of Pre-Search left out",
        "Every part makes Pre-Search faster, the rules for common queries most.",
        SIZE, BY_SIZE, "batch_ms", *(lower("presearch", name) for name in ("no matrix", "no rules", "no threshold")),
        lower("no matrix", "no rules"), lower("no threshold", "no rules"), log=False,
        curves=(
            PRESEARCH, Curve("no matrix", "presearch", {"word_matrix": False}),
            Curve("no rules", "presearch", {"common_queries": False}),
            Curve("no threshold", "presearch", {"greedy_threshold": "none"}), AUTO,
        ),
    ),
    _experiment(
        "16", "Time per batch with the number of queries",
        "From 0.5 to 4 million queries Luwak scales worst, and Pre-Search and FullyIndexed alike.",
        Axis("queries", scaled=True), BY_QUERIES, "batch_ms", lower("presearch", "luwak", by=2),
        lower("fullyindexed", "luwak", by=2), steeper("luwak", "presearch"), curves=(LUWAK, PRESEARCH, FULL, AUTO),
    ),
    _experiment(
        "17", "Time per batch with the number of queries: Pre-Search and FullyIndexed",
        "FullyIndexed is faster with up to 1 million queries, Pre-Search from 2 million on.",
        Axis("queries", scaled=True), BY_QUERIES, "batch_ms", crosses("fullyindexed", "presearch"),
        curves=(PRESEARCH, FULL, AUTO), log=False,
    ),
)  # fmt: skip
