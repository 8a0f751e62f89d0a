"""The rows of `watchword bench text`: queries of words against documents, and what must be reached in each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.bench.case import WARMING, load
from watchword.bench.check import check_counts
from watchword.bench.keyword_kernel import KeywordKernel
from watchword.bench.measure import alternating, seconds
from watchword.bench.row import Row
from watchword.bench.workloads import COMMON, Keywords, keywords
from watchword.coding.documents import documents_of
from watchword.index.index import Index
from watchword.text.settings import DEFAULT

FIELD: Final = "body"
FAMILY: Final = ("luwak", "luwak-qbatch", "fullyindexed", "presearch")
FAMILY_DOCUMENTS: Final = 600  # a large batch of the thesis


def words_of(workload: Keywords) -> list[str]:
    return [f"w{number}" for number in range(workload.vocabulary)]


def conjunctions(workload: Keywords) -> list[str]:
    """`+w1 +w2` of every query."""
    words, terms = words_of(workload), workload.terms.tolist()
    ends = np.cumsum(workload.k).tolist()
    return [" ".join("+" + words[term] for term in terms[first:last]) for first, last in pairwise([0, *ends])]


def of_all_kinds(workload: Keywords, queries: list[str]) -> list[str]:
    """The same, but of every ten queries one has a phrase, one a prefix and one a wildcard in place of a word.

    A phrase is two words, as rare as those of queries, that stand side by side in some document; a prefix is a word and
    all that begin with it; a wildcard fits ten words that differ in one digit.
    """
    words, tokens = words_of(workload), workload.tokens
    rare = tokens >= COMMON
    rare[np.cumsum(workload.length) - 1] = False  # the last word of a document has no next one
    neighbours = np.flatnonzero(rare[:-1] & (tokens[1:] >= COMMON))
    place = np.random.default_rng(5).choice(neighbours, len(queries)).tolist()
    mixed = list(queries)
    for i in range(0, len(queries) - 2, 10):
        at = place[i]
        first, *others = queries[i].split()
        phrase = f'"{words[tokens[at]]} {words[tokens[at + 1]]}"'
        mixed[i] = " ".join([f"+{phrase}", *others])
        first, *others = queries[i + 1].split()
        mixed[i + 1] = " ".join([f"{first}*", *others])
        first, *others = queries[i + 2].split()
        mixed[i + 2] = " ".join([f"{first[:-2]}?{first[-1]}", *others])
    return mixed


def subscription_table(queries: list[str]) -> pa.Table:
    texts = [f"MATCHES({FIELD}, '{query}')" for query in queries]
    return pa.table({"id": np.arange(len(texts)), "expression": texts})


def document_table(workload: Keywords) -> pa.Table:
    words, tokens = words_of(workload), workload.tokens.tolist()
    ends = np.cumsum(workload.length).tolist()
    texts = [" ".join(words[token] for token in tokens[first:last]) for first, last in pairwise([0, *ends])]
    return pa.table({FIELD: texts})


def text_rows(subscriptions: int, repeats: int) -> Iterator[Row]:
    workload = keywords(subscriptions)
    documents, queries = document_table(workload), conjunctions(workload)
    table = subscription_table(queries)
    load(table.slice(0, WARMING), None)[0].match_batch(documents)
    index, spent = load(table, None)
    kernel = KeywordKernel(workload)
    yield Row("load queries", subscriptions / spent, "/s")
    yield Row("size, ids apart", _bytes_without_ids(index), "B/query")
    yield from _against_kernel(index, kernel, documents, repeats)
    yield from _kinds(workload, queries, documents, index, repeats)
    yield from _family(table, documents.slice(0, FAMILY_DOCUMENTS), kernel.counts, repeats)


def _bytes_without_ids(index: Index) -> float:
    sizes = index.stats()["bytes"]
    return float(sizes["total"] - sizes["ids"]) / len(index)


def _against_kernel(index: Index, kernel: KeywordKernel, documents: pa.Table, repeats: int) -> Iterator[Row]:
    candidates = kernel.run() / len(documents)
    coded = index.encode(documents)
    for what, events in (("coded documents", coded), ("documents from Arrow", documents)):
        check_counts(what, index.match_batch(events), kernel.counts)
    attribute = index._contents.attributes.number(FIELD)
    assert attribute is not None

    def tokenise() -> None:
        coded.cells.documents.clear()
        documents_of(coded.cells, attribute, DEFAULT.default_analyzer)

    bare, matched, whole, cut = alternating(
        repeats, kernel.run, lambda: index.match_batch(coded), lambda: index.match_batch(documents), tokenise
    )
    number = len(documents)
    yield Row("kernel", bare / number * 1e6, "us/document")
    yield Row("kernel: candidates", candidates, "/document")
    yield Row("match_batch: candidates", index.stats()["matching"]["candidates_per_event"], "/document")
    yield Row("matches", float(kernel.counts.mean()), "/document")
    yield Row("match_batch of coded documents", matched / bare, "x kernel", at_most=1.0)
    yield Row("match_batch from an Arrow column of texts", number / whole, "documents/s", at_least=8000)
    yield Row("share of that which is not tokenising", 1 - cut / whole, "", at_least=0.6)
    few = [{FIELD: text} for text in documents[FIELD].slice(0, 100).to_pylist()]
    yield Row("match of one dict", seconds(lambda: [index.match(one) for one in few]) / len(few) * 1e6, "us/document")


def _kinds(workload: Keywords, queries: list[str], documents: pa.Table, index: Index, repeats: int) -> Iterator[Row]:
    """Phrases, prefixes and wildcards, a tenth of the queries each."""
    mixed, _ = load(subscription_table(of_all_kinds(workload, queries)), None)
    alone, together = alternating(repeats, lambda: index.match_batch(documents), lambda: mixed.match_batch(documents))
    yield Row("with phrases, prefixes and wildcards, 10% each", together / alone, "x without", at_most=3.0)


def _family(table: pa.Table, documents: pa.Table, counts: npt.NDArray[np.int64], repeats: int) -> Iterator[Row]:
    """The structures of the Luwak thesis on coded documents."""
    times: dict[str, float] = {}
    for name in FAMILY:
        index = Index(structure=name, training=documents)
        index.subscribe_many(table)
        index.flush()
        coded = index.encode(documents)
        check_counts(name, index.match_batch(coded), counts[: len(documents)])
        times[name] = alternating(repeats, partial(index.match_batch, coded))[0]
        yield Row(name, times[name] / len(documents) * 1e6, "us/document")
        yield Row(f"{name}: size of the structure", index.stats()["bytes"]["structure"] / len(index), "B/query")
    yield Row("presearch against luwak", times["luwak"] / times["presearch"], "x its throughput", at_least=5.0)
    yield Row("presearch against fullyindexed", times["presearch"] / times["fullyindexed"], "x its time", at_most=1.2)
