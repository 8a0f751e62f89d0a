"""Tasks that look into structures of terms: nodes by the rank of a term, visited nodes against the model's."""

from __future__ import annotations

from math import comb
from typing import Any, Final

import numpy as np

from watchword.bench.harness.coded import Coded
from watchword.bench.harness.settings import Settings
from watchword.bench.harness.trial import Trial
from watchword.coding.values import I64
from watchword.structures.structure import NODES
from watchword.structures.terms.models import Model
from watchword.structures.terms.ordered_trie import OrderedTrie

MODEL_EVENTS: Final = 12  # the model follows every path through an event's terms
MOST_MODEL_TERMS: Final = 28


def ranks(coded: Coded, trial: Trial, settings: Settings) -> list[dict[str, Any]]:
    """For some ranks: how often a term of about this rank occurs, its nodes, and those of the complete trie."""
    trie = _trie(coded, trial)
    conjunctions = trie.stored.trimmed()
    occurrences = np.bincount(trie._terms(np.arange(len(conjunctions.expression))).terms, minlength=trie.terms)
    nodes = _nodes_of_terms(trie)
    by_rank = np.argsort(-occurrences, kind="stable")
    occurrences, nodes = occurrences[by_rank], nodes[by_rank]
    longest = int(np.diff(conjunctions.starts).max(initial=1))
    rows = []
    for rank in _some_ranks(len(occurrences)):
        near = slice(int(0.95 * (rank - 1)), max(rank, int(1.05 * rank)))  # terms of nearly this rank
        complete = sum(comb(rank - 1, length) for length in range(longest))
        rows.append(
            {
                "step": float(rank),
                "subscriptions": len(coded),
                "occurrences": float(occurrences[near].mean()),
                "term_nodes": float(nodes[near].mean()),
                "complete_nodes": float(complete),
            }
        )
    return rows


def _some_ranks(terms: int) -> list[int]:
    """1, 2, 5, 10, 20, ... and the last."""
    decades = (10**power for power in range(len(str(terms))))
    ranks = [times * ten for ten in decades for times in (1, 2, 5) if times * ten < terms]
    return [*ranks, terms]


def _nodes_of_terms(trie: OrderedTrie) -> I64:
    """Term -> the nodes that begin with it."""
    terms = trie.parts().trie.slots.words
    return np.bincount(terms[terms >= 0], minlength=trie.terms)


def model(coded: Coded, trial: Trial, settings: Settings) -> list[dict[str, Any]]:
    """The nodes that events visit, and how many the distributions of terms and lengths let expect (theorem 2)."""
    trie = _trie(coded, trial)
    conjunctions = trie.stored.trimmed()
    terms = trie._terms(np.arange(len(conjunctions.expression))).terms
    lengths = np.diff(conjunctions.starts)
    occurrences = np.bincount(terms, minlength=trie.terms)
    by_rank = np.argsort(-occurrences, kind="stable")
    rank_of = np.empty(len(by_rank), np.int64)
    rank_of[by_rank] = np.arange(len(by_rank))
    expected = Model(occurrences[by_rank] / occurrences.sum(), np.bincount(lengths)[1:] / len(lengths), len(lengths))
    rows = []
    for event in range(coded.event_count):
        item = rank_of[_terms_of(trie, coded, event)]
        if len(item) > MOST_MODEL_TERMS:
            continue
        visited = int(trie.match(coded.some(event, event + 1)).counts[NODES])
        estimate = expected.rot_visited(np.sort(item).tolist())
        rows.append({"subscriptions": len(coded), "events": 1, "nodes": visited, "expected_nodes": estimate})
        if len(rows) == MODEL_EVENTS:
            break
    return _summed(rows)


def _summed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All events as one row: the means are compared, not event by event."""
    if not rows:
        return []
    return [{**rows[0], **{name: sum(row[name] for row in rows) for name in ("events", "nodes", "expected_nodes")}}]


def _terms_of(trie: OrderedTrie, coded: Coded, event: int) -> I64:
    """The terms of an event that some subscription has."""
    events = coded.some(event, event + 1)
    here = slice(events.starts[0], events.starts[1])
    slots = trie.vocabulary.base[events.dimension[here]] + events.code[here]
    found = trie.vocabulary.term[slots]
    terms: I64 = found[found >= 0].astype(np.int64)
    return terms


def _trie(coded: Coded, trial: Trial) -> OrderedTrie:
    built = coded.build(trial.structure, trial.parameters, np.arange(len(coded)), training=trial.training)[0]
    assert isinstance(built, OrderedTrie), f"the task {trial.task!r} looks into tries, not into {trial.structure!r}"
    return built
