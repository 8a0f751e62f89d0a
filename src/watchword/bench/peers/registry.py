"""All that is compared, declared as data: how each is set, and which of its versions Java 17 runs."""

from __future__ import annotations

from typing import Final

from watchword.bench.forms import as_json
from watchword.bench.peers import one_by_one, sql, watchword_side, word_finders
from watchword.bench.peers.java_peer import Files, JavaPeer
from watchword.bench.peers.package_peer import PackagePeer
from watchword.bench.peers.peer import BOOLEAN, TEXT, Peer
from watchword.bench.peers.translate import (
    documents,
    feature_lines,
    predicate_search,
    queries,
    rules,
    training_frequencies,
)
from watchword.bench.workloads import Workload

LUCENE_VERSIONS: Final = ("9.12.3", "9.11.1")  # 10 needs Java 21; not every mirror has the last of 9
BATCHES: Final = (1, 200, 600)
PASSES: Final = 4
ARITY: Final = 64

WATCHWORD: Final = "Watchword"


def _lucene_files(workload: Workload) -> Files:
    frequencies = training_frequencies().items()
    return {
        "subscriptions": queries(workload).to_pylist(),
        "events": documents(workload.events),
        "frequencies": [f"w{word} {number}" for word, number in frequencies],
    }


def _lucene(name: str, settings: str, passes: int, weights: str) -> JavaPeer:
    return JavaPeer(
        name,
        TEXT,
        settings,
        "lucene",
        "LucenePeer",
        LUCENE_VERSIONS,
        _lucene_files,
        lambda workload: [passes, weights],
        BATCHES,
    )


def _vespa_files(workload: Workload) -> Files:
    return {"subscriptions": predicate_search(workload).to_pylist(), "events": feature_lines(workload.events)}


def _ruler_files(workload: Workload) -> Files:
    return {"subscriptions": rules(workload), "events": as_json(workload.events)["event"].to_pylist()}


PEERS: Final[tuple[Peer, ...]] = (
    PackagePeer(WATCHWORD, BOOLEAN, "defaults", "watchword", watchword_side.prepare_boolean),
    JavaPeer(
        "Vespa predicate search",
        BOOLEAN,
        f"arity {ARITY}, bounds of the values, posting list cache built while warming up; equality as a set",
        "vespa",
        "VespaPeer",
        ("8.738.17",),
        _vespa_files,
        lambda workload: [ARITY, workload.card],
    ),
    JavaPeer(
        "event-ruler",
        BOOLEAN,
        "defaults, rulesForJSONEvent",
        "ruler",
        "RulerPeer",
        ("2.1.0",),
        _ruler_files,
        lambda workload: [],
    ),
    PackagePeer("rule-engine", BOOLEAN, "every rule asked", "rule-engine", one_by_one.prepare),
    PackagePeer(
        WATCHWORD, TEXT, "queries as conjunctions over an attribute per word", "watchword", watchword_side.prepare_text
    ),
    _lucene("Lucene Monitor", "TermFilteredPresearcher", 1, "default"),
    _lucene("Lucene Monitor, weighted", "TermFilteredPresearcher, document frequencies", 1, "frequencies"),
    _lucene("Lucene Monitor, multipass", f"{PASSES} passes, document frequencies", PASSES, "frequencies"),
    PackagePeer("pyahocorasick", TEXT, "rarest word, then a set", "pyahocorasick", word_finders.prepare_aho_corasick),
    PackagePeer("hyperscan", TEXT, "literals, rarest word, then a set", "hyperscan", word_finders.prepare_hyperscan),
    PackagePeer("DuckDB", (*BOOLEAN, *TEXT), "predicates as a table, one thread", "duckdb", sql.prepare_duckdb),
    PackagePeer(
        "Spark SQL", (*BOOLEAN, *TEXT), "predicates as a cached table, local[1]", "pyspark", sql.prepare_spark, True
    ),
)
