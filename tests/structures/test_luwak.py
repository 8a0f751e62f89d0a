"""Luwak and its variants on the examples of the thesis (Figures 2 to 10), their layouts, batches and updates."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.structures.cases import Workbench, found

from watchword.errors import UnknownStructureError
from watchword.structures.luwak import presearch as presearch_module
from watchword.structures.luwak import structure as structure_module
from watchword.structures.luwak.check import Stored, check, room_for_cursors
from watchword.structures.luwak.collect import GREEDY, Collection, collect, frequent_above
from watchword.structures.luwak.cooccurrence import NO_MATRIX, Matrix
from watchword.structures.luwak.documents import (
    Documents,
    index_documents,
    map_documents,
    room_for_documents,
    take_in,
    with_room_for,
    with_room_for_bits,
)
from watchword.structures.luwak.filter import filter_candidates, room_for_filtering
from watchword.structures.luwak.pairs import room_for_pairs
from watchword.structures.luwak.presearch import FullyIndexed
from watchword.structures.luwak.queries import COMPLETE, EXTRA, NOTE, extra_notes, sizes_of
from watchword.structures.luwak.times import Times, thesis_times
from watchword.structures.structure import BUCKETS, CANDIDATES, NODES, PREDICATES
from watchword.structures.terms.vocabulary import TermSets, room_for_terms

NAMES = ["luwak", "luwak-qbatch", "fullyindexed", "presearch"]
every_structure = pytest.mark.parametrize("name", NAMES)

QUERIES = ["graphic tee medium", "tissue facial pack eight", "Disney world ticket day", "tissue graphic wet"]
DOCUMENT = "Sarah wants one Disney graphic tee"
BY_WEIGHT = ["tissue", "Disney", "graphic", "facial", "tee", "world", "wet", "pack", "medium", "ticket", "eight", "day"]


def query(words: str) -> str:
    return " AND ".join(f"{word} = 1" for word in dict.fromkeys(words.split()))


def document(words: str) -> dict[str, Any]:
    return dict.fromkeys(words.split(), 1)


def sample(by_weight: Sequence[str]) -> list[dict[str, Any]]:
    """A training set in which each word is in one document more than the one before it."""
    return [document(" ".join(by_weight[first:])) for first in range(len(by_weight))]


class OneExtraTerm(FullyIndexed):
    """As in Figure 9: one term more is indexed of each query."""

    def _notes(self, sets: TermSets) -> Any:
        return extra_notes(sets, np.minimum(1, sizes_of(sets) - 1))


def bench_of(queries: Sequence[str]) -> Workbench:
    return Workbench([query(words) for words in queries])


def built(name: str, queries: Sequence[str], by_weight: Sequence[str], **parameters: Any) -> tuple[Any, Workbench]:
    bench = bench_of(queries)
    return bench.build(name, range(len(queries)), sample(by_weight), parameters), bench


def one_extra(queries: Sequence[str], by_weight: Sequence[str]) -> tuple[Any, Workbench]:
    bench = bench_of(queries)
    structure, _ = OneExtraTerm.build(bench.given(range(len(queries)), sample(by_weight)), {"batch_size": 600})
    return structure, bench


def words_by_number(structure: Any, bench: Workbench) -> list[str]:
    vocabulary, book = structure.vocabulary, bench.coding.book
    words = [""] * int(vocabulary.count[0])
    for d in range(1, len(book.codes)):
        for slot in range(vocabulary.base[d], vocabulary.base[d] + book.codes[d]):
            if vocabulary.term[slot] >= 0:
                words[vocabulary.term[slot]] = bench.coding.names[book.attribute[d]]
    return words


def index_of_queries(structure: Any, bench: Workbench) -> dict[str, list[Any]]:
    """Representative term -> its queries, with their extra terms where they have notes."""
    words = words_by_number(structure, bench)
    lists: dict[str, list[Any]] = {}
    for term, (at, used, _) in enumerate(structure.lists.dictionary):
        posting = structure.lists.pool.words[at : at + used].tolist()
        while posting:
            entry: Any = f"Q{posting[0] + 1}"
            length = 1
            if isinstance(structure, presearch_module.Filtered):
                length = NOTE + (posting[1] & EXTRA)
                entry = (entry, *(words[t] for t in posting[NOTE:length]), *["all"] * (posting[1] & COMPLETE > 0))
            lists.setdefault(words[term], []).append(entry)
            posting = posting[length:]
    return lists


class Batch:
    """Documents in a batch of their own, indexed and mapped, with the structure's terms."""

    def __init__(self, structure: Any, bench: Workbench, documents: Sequence[Mapping[str, Any]]) -> None:
        events = bench.events(documents)
        self.count = len(documents)
        self.documents: Documents = with_room_for(
            room_for_documents(structure.vocabulary), len(events.code), self.count
        )
        offered = room_for_terms(structure.vocabulary)
        self.rows = take_in(structure.vocabulary, events, 0, self.count, offered, self.documents)
        self.documents = with_room_for_bits(self.documents, self.rows, self.count)
        index_documents(self.documents, self.rows, self.count)
        map_documents(self.documents, self.rows, self.count)
        words = words_by_number(structure, bench)
        self.row = {words[term]: row for row, term in enumerate(self.documents.terms[: self.rows])}

    def postings(self) -> dict[str, list[int]]:
        end, size = self.documents.end, self.documents.size
        return {
            word: self.documents.posting[end[row] - size[row] : end[row]].tolist() for word, row in self.row.items()
        }

    def bits(self) -> dict[str, list[int]]:
        each = -(-self.count // 64)
        return {
            word: _bits(self.documents.bits[row * each : (row + 1) * each], self.count)
            for word, row in self.row.items()
        }


def _bits(words: Any, count: int) -> list[int]:
    return [int(words[d // 64]) >> d % 64 & 1 for d in range(count)]


# --- the figures ----------------------------------------------------------------------------------------------------


@pytest.mark.plain
def test_the_inverted_index_of_four_queries() -> None:
    """Figure 2, and the candidates of section 3.3."""
    luwak, bench = built("luwak", QUERIES, BY_WEIGHT)
    assert index_of_queries(luwak, bench) == {"graphic": ["Q1"], "tissue": ["Q2", "Q4"], "Disney": ["Q3"]}
    matches = luwak.match(bench.events([document(DOCUMENT)]))
    assert found(matches) == [[]]
    # the disjunction of Disney and graphic leaves Q1 and Q3; neither is true
    assert matches.counts[[BUCKETS, NODES, CANDIDATES]].tolist() == [2, 2, 2]


def test_the_inverted_index_with_query_notes() -> None:
    """Figure 9: one extra term of each."""
    structure, bench = one_extra(QUERIES, BY_WEIGHT)
    assert index_of_queries(structure, bench) == {
        "graphic": [("Q1", "tee")],
        "tissue": [("Q2", "facial"), ("Q4", "graphic")],
        "Disney": [("Q3", "world")],
    }
    matches = structure.match(bench.events([document(DOCUMENT)]))
    assert found(matches) == [[]]
    # an AND each; Q3 goes, for there is no `world`; Q1 has `tee` and is checked for `medium`
    assert matches.counts[[NODES, CANDIDATES]].tolist() == [2, 1]


def test_fully_indexed_queries_need_no_check() -> None:
    structure, bench = built("fullyindexed", QUERIES, BY_WEIGHT)
    assert index_of_queries(structure, bench) == {
        "graphic": [("Q1", "tee", "medium", "all")],
        "tissue": [("Q2", "facial", "pack", "eight", "all"), ("Q4", "graphic", "wet", "all")],
        "Disney": [("Q3", "world", "ticket", "day", "all")],
    }
    documents = [document(DOCUMENT), document("medium graphic tee"), document("wet graphic tissue medium tee")]
    matches = structure.match(bench.events(documents))
    assert found(matches) == [[], [0], [0, 3]]
    assert matches.counts[CANDIDATES] == 0


WALK = "lucene revolution conference the"
# Document 18 has the lead's word, 22 the next one's, 31 all four; others stand before and behind.
WALKED = {
    "lucene": [18, 31],
    "revolution": [6, 22, 31],
    "conference": [5, 12, 31, 40],
    "the": [1, 7, 18, 22, 31, 40],
}


@pytest.mark.plain
def test_the_walk_over_posting_lists() -> None:
    """Figures 3 to 8: from 18 over 22 to 31, which has all words; then the lead is at its end."""
    luwak, bench = built("luwak", [WALK], WALK.split())
    documents = [document(" ".join(word for word in WALKED if d in WALKED[word])) for d in range(41)]
    batch = Batch(luwak, bench, documents)
    assert batch.postings() == WALKED
    cursors, pairs = room_for_cursors(luwak.stored.conjunctions), room_for_pairs(41, 41)
    stored = Stored(luwak.stored.conjunctions, luwak.vocabulary)
    assert check(stored, batch.documents, 0, cursors, pairs, 0) == 1
    assert (pairs.document[0], pairs.query[0]) == (31, 0)
    posting = batch.documents.posting
    assert cursors.at[0] == cursors.end[0]  # the lead
    assert [posting[at] for at in cursors.at[1:4]] == [31, 31, 31]
    # lead: 18, 31, end; revolution: 6, 22; conference: 5, 12; the: 1, 7, 18, 22
    assert cursors.steps[0] == 2 + 2 + 2 + 4
    matches = luwak.match(bench.events(documents))
    assert [d for d, row in enumerate(found(matches)) if row] == [31]
    assert matches.counts[PREDICATES] == 10


MAPPED = {
    "lucene": [0, 0, 1, 0, 1, 0, 1, 1, 0, 0],
    "revolution": [1, 0, 1, 0, 0, 0, 1, 1, 0, 1],
    "conference": [0, 0, 0, 1, 0, 1, 1, 0, 0, 1],
    "the": [1, 1, 1, 1, 0, 1, 1, 1, 1, 1],
}


@pytest.mark.plain
def test_the_inverted_bit_map_of_ten_documents() -> None:
    """Figure 10: documents 2, 6 and 7 remain of the two indexed terms; the full evaluation finds 6."""
    structure, bench = one_extra([WALK], WALK.split())
    documents = [document(" ".join(word for word in MAPPED if MAPPED[word][d])) for d in range(10)]
    batch = Batch(structure, bench, documents)
    assert batch.bits() == MAPPED
    filtering, counts = room_for_filtering(1, 10), np.zeros(4, np.int64)
    scratch = structure._scratch(bench.events(documents))
    with scratch as run:
        state = run.state._replace(counts=counts)
        certain, more = filter_candidates(
            structure.lists, batch.documents, batch.rows, 10, filtering, room_for_pairs(10, 10), state
        )
    assert (certain, more, filtering.unsure.tolist()) == (0, 1, [0])
    assert _bits(filtering.left, 10) == [0, 0, 1, 0, 0, 0, 1, 1, 0, 0]
    assert counts[PREDICATES] == 1  # one AND
    assert [d for d, row in enumerate(found(structure.match(bench.events(documents)))) if row] == [6]


# --- how many terms are collected -----------------------------------------------------------------------------------


def decided(c: Collection, terms: Sequence[int], greedy: str) -> int:
    """The thesis's two functions in plain Python; `terms` by weight."""
    pairs = dict(zip(c.matrix.pairs.tolist(), c.matrix.probability.tolist(), strict=True))
    partial, probabilities, frequent, size = 1.0, [1.0], 0, len(terms)
    begin = size if greedy == "none" else size - 1
    for j, (before, term) in enumerate(pairwise(terms), 1):
        of_pair = pairs.get(before << 32 | term, 0)
        partial *= of_pair or c.probability[term]
        frequent += of_pair > 0 or c.probability[term] > c.frequent
        probabilities.append(partial)
        if (1 - (1 - partial) ** c.batch_size) * c.batch_size < 1 and j < begin:
            begin = j
    if frequent == size - 1 and c.common_queries:
        return size - 1
    row, most, best = min(max(size - 2, 0), 4), 0.0, 0
    for j in range(1 if greedy == "off" else begin, size):
        if j < size - 1:
            gain = c.times.check[row] * (1 - probabilities[j]) - j * c.times.one_and
        else:
            gain = c.times.check[row] - j * c.times.one_and - probabilities[j] * c.times.avoid[row]
        if gain >= most:
            most, best = gain, j
    return best


def term_sets(queries: Sequence[Sequence[int]]) -> TermSets:
    """Terms by frequency, the highest number the rarest."""
    starts = np.cumsum([0, *map(len, queries)])
    return TermSets(starts, np.array([t for terms in queries for t in sorted(terms)], np.int32))


@pytest.mark.parametrize("greedy", GREEDY)
@pytest.mark.parametrize("common", [False, True])
def test_the_number_of_extra_terms_is_that_of_the_thesis(greedy: str, common: bool) -> None:
    pick = random.Random(2)
    probability = np.sort([10 ** pick.uniform(-5, -0.3) for _ in range(300)])[::-1]
    pairs = sorted({pick.randrange(1, 60) << 32 | pick.randrange(60) for _ in range(900)})
    shares = [min(probability[p >> 32], probability[p & 0xFFFFFFFF]) * pick.random() for p in pairs]
    queries = [sorted(pick.sample(range(300 if i % 3 else 60), pick.randint(1, 9)))[::-1] for i in range(600)]
    numbers = set()
    for batch, times in ((600, thesis_times(600)), (50, Times(np.full(5, 90.0), 30.0, np.full(5, 60.0), True))):
        matrix = Matrix(np.array(pairs), np.array(shares))
        above = frequent_above(probability, 0.05)
        c = Collection(probability, above, matrix, times, batch, common, GREEDY.index(greedy))
        right = [decided(c, terms, greedy) for terms in queries]
        assert collect(c, term_sets(queries)).tolist() == right
        numbers |= {(n, n == len(terms) - 1) for n, terms in zip(right, queries, strict=True)}
    assert {(0, False), (1, False), (1, True), (3, True)} <= numbers or greedy == "off"


def collection(probability: Sequence[float], **changes: Any) -> Collection:
    given = Collection(np.array(probability), 1.0, NO_MATRIX, thesis_times(600), 600, True, GREEDY.index("all"))
    return given._replace(**changes)


def test_the_rules_for_queries() -> None:
    rare = term_sets([(0, 1, 2, 3)])
    # after one extra term fewer than a document in 600 is expected, and another AND is not worth while
    assert collect(collection([0.5, 0.5, 1e-6, 1e-6]), rare).tolist() == [1]
    # only after two, whatever the gain of one
    assert collect(collection([0.5, 1e-5, 1e-3, 1e-6]), rare).tolist() == [2]
    # never: the thesis's algorithm goes without, this one indexes all
    never = collection([0.5, 0.4, 0.3, 0.2])
    assert collect(never, rare).tolist() == [3]
    assert collect(never._replace(greedy_threshold=GREEDY.index("none")), rare).tolist() == [0]
    # all terms but the representative one are frequent, by themselves or with their neighbour
    common = never._replace(frequent=0.25, greedy_threshold=GREEDY.index("none"))
    assert collect(common, rare).tolist() == [3]
    assert collect(common._replace(common_queries=False), rare).tolist() == [0]
    assert collect(common._replace(frequent=0.35), rare).tolist() == [0]
    pair = Matrix(np.array([3 << 32 | 2]), np.array([0.1]))
    assert collect(common._replace(frequent=0.35, matrix=pair), rare).tolist() == [3]


def test_the_threshold_of_frequent_terms() -> None:
    probability = np.linspace(0.0, 1.0, 1001)
    above = frequent_above(probability, 0.0067)
    assert np.count_nonzero(probability > above) == 6  # of 1000 terms that the training set has
    assert frequent_above(np.empty(0), 0.0067) == 0.0


def test_the_times_of_the_thesis() -> None:
    assert thesis_times(600)[:1][0].tolist() == [7745, 10328, 12645, 14520, 17457]
    assert thesis_times(600).one_and == 95
    assert thesis_times(700).avoid[0] == (4067 + 5618) / 2
    assert thesis_times(1).one_and == 82


@pytest.mark.parametrize("threshold", [0.01, 0.1, 0.5])
def test_the_matrix_holds_the_frequent_neighbours(threshold: float) -> None:
    pick = random.Random(4)
    words = [f"w{i}" for i in range(40)]
    queries = [" ".join(pick.sample(words, pick.randint(2, 5))) for _ in range(150)]
    training = [document(" ".join(w for i, w in enumerate(words) if pick.random() < 8 / (8 + i))) for _ in range(150)]
    bench = bench_of(queries)
    structure = bench.build("presearch", range(150), training, {"pair_threshold": threshold})
    numbers = words_by_number(structure, bench)
    having = {word: {d for d, item in enumerate(training) if word in item} for word in words}
    counts = [len(having[word]) for word in numbers]
    assert counts == sorted(counts, reverse=True)
    assert structure.collection.probability.tolist() == [count / 150 for count in counts]
    rank = {word: number for number, word in enumerate(numbers)}
    right = {}
    for words_of_one in queries:
        for more, rarer in pairwise(sorted(words_of_one.split(), key=rank.__getitem__)):
            both = len(having[more] & having[rarer])
            if both >= math.ceil(threshold * 150):
                right[rank[rarer] << 32 | rank[more]] = both / 150
    matrix = structure.collection.matrix
    assert dict(zip(matrix.pairs.tolist(), matrix.probability.tolist(), strict=True)) == right
    assert len(right) > 0


# --- batches, duplicates, updates -----------------------------------------------------------------------------------


def random_case(seed: int, queries: int = 300, documents: int = 70) -> tuple[list[str], list[str]]:
    pick = random.Random(seed)
    words = [f"w{i}" for i in range(60)]
    weights = [1 / (1 + i) for i in range(60)]
    texts = [" ".join(pick.sample(words, pick.randint(1, 5))) for _ in range(queries)]
    return texts, [" ".join(pick.choices(words, weights, k=40)) for _ in range(documents)]


def right_answers(queries: Sequence[str], documents: Sequence[str]) -> list[list[int]]:
    return [[n for n, q in enumerate(queries) if set(q.split()) <= set(d.split())] for d in documents]


@every_structure
@pytest.mark.parametrize("size", [1, 7, 64, 65, 600])
def test_any_size_of_batch_gives_the_same(name: str, size: int) -> None:
    queries, documents = random_case(1)
    bench = bench_of(queries)
    training = [document(d) for d in documents[:30]]
    structure = bench.build(name, range(len(queries)), training, {"batch_size": size})
    assert found(structure.match(bench.events([document(d) for d in documents]))) == right_answers(queries, documents)


@every_structure
def test_a_batch_ends_early_or_is_cut_in_two(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    queries, documents = random_case(2)
    bench = bench_of(queries)
    batch, right = bench.events([document(d) for d in documents]), right_answers(queries, documents)
    structure = bench.build(name, range(len(queries)))
    whole = structure.match(batch).counts
    assert structure.describe()["bytes"]["document index"] > 0
    monkeypatch.setattr(structure_module, "MOST_CODES", 200)
    matches = structure.match(batch)
    assert found(matches) == right
    assert matches.counts[BUCKETS] > 2 * whole[BUCKETS]  # each batch reads the lists of its terms
    monkeypatch.undo()
    monkeypatch.setattr(structure_module, "MOST_PAIRS", 100)
    structure = bench.build(name, range(len(queries)))
    matches = structure.match(batch)
    assert found(matches) == right
    assert matches.counts[BUCKETS] > whole[BUCKETS]


def test_duplicates_are_evaluated_once() -> None:
    queries = ["tissue graphic", "graphic tissue", "Disney day", "tissue graphic", "tissue wet"]
    evaluated = {"luwak": 5, "luwak-qbatch": 3}
    for name in NAMES:
        structure, bench = built(name, queries, BY_WEIGHT)
        events = bench.events([document("tissue graphic Disney"), document("graphic tissue wet")])
        matches = structure.match(events)
        assert found(matches) == [[0, 1, 3], [0, 1, 3, 4]]
        if name in evaluated:
            assert matches.counts[CANDIDATES] == evaluated[name]
        assert structure.describe()["duplicates"] == (0 if name == "luwak" else 2)
        for gone, left in ((0, [1, 3, 4]), (3, [1, 4]), (1, [4]), (4, [])):
            structure.delete(np.array([gone]))
            assert found(structure.match(events))[1] == left
        assert structure.describe()["duplicates"] == 0
        assert index_of_queries(structure, bench).keys() == {"Disney"}


def test_conditions_that_are_no_terms_are_verified_each() -> None:
    """The presence of `a` stands for three different queries: one evaluation, three verifications."""
    bench = Workbench(["a < 5", "a > 2", "a IN (1, 9)", "a = 3 AND b = 1"])
    for name in NAMES:
        structure = bench.build(name, range(4))
        batch = bench.events([{"a": 1}, {"a": 4}, {"a": 9, "b": 1}, {"a": 3, "b": 1}, {"a": [1, 3], "b": 1}])
        assert found(structure.match(batch)) == [[0, 2], [0, 1], [1, 2], [0, 1, 3], [0, 1, 2, 3]]


@every_structure
def test_more_terms_than_a_note_takes(name: str) -> None:
    long = " AND ".join(f"t{t} = 1" for t in range(600))
    bench = Workbench([long, "t0 = 1 AND t599 = 1"])
    structure = bench.build(name, range(2))
    whole = {f"t{t}": 1 for t in range(600)}
    batch = bench.events([whole, {**whole, "t300": 2}, {"t0": 1}])
    assert found(structure.match(batch)) == [[0, 1], [1], []]
    structure.insert(bench.coded([0]))
    structure.delete(np.array([0]))
    assert found(structure.match(batch)) == [[1, 2], [1], []]


@every_structure
def test_what_comes_and_goes_needs_no_more_memory(name: str) -> None:
    queries, documents = random_case(3, 400, 5)
    bench = bench_of(queries)
    structure = bench.build(name, range(400), [document(d) for d in documents])
    sizes, first = [], 0
    for _ in range(12):
        structure.delete(np.arange(first, first + 400))
        first += 400
        structure.insert(bench.coded(range(400)))
        sizes.append(int(structure.lists.pool.end[0]))
    assert sizes[-1] == sizes[3]
    right = [[first + n for n in row] for row in right_answers(queries, documents)]
    assert found(structure.match(bench.events([document(d) for d in documents]))) == right


def test_new_queries_are_collected_after_the_structure_was_restored() -> None:
    queries, documents = random_case(5)
    bench = bench_of([*queries, "new1 new2 w3", "new1 w1 w2"])
    kind = presearch_module.PreSearch
    training = [document(d) for d in documents]
    structure = kind.restore(bench.build("presearch", range(300), training).parts())
    structure.insert(bench.coded([300, 301, 0]))
    right = right_answers([*queries, "new1 new2 w3", "new1 w1 w2", queries[0]], [*documents, "new1 w1 w2"])
    assert found(structure.match(bench.events([*training, document("new1 w1 w2")]))) == right


def test_measured_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presearch_module, "CALIBRATED", 1)
    queries, documents = random_case(6)
    bench = bench_of(queries)
    training = [document(d) for d in documents]
    measured = bench.build("presearch", range(300), training)
    described = measured.describe()
    assert described["times"] == "measured"
    assert min(described["time_check ns"]) > 0
    assert described["time_AND ns"] > 0
    assert described["time_check ns"][0] != thesis_times(600).check[0]
    assert found(measured.match(bench.events(training))) == right_answers(queries, documents)
    thesis = bench.build("presearch", range(300), training, {"times": "thesis"}).describe()
    assert thesis["time_AND ns"] == 95.0
    assert thesis["times"] == "thesis"


def test_the_filter_evaluates_few_queries_in_full() -> None:
    queries, documents = random_case(7, 2000, 40)
    bench = bench_of(queries)
    batch, training = bench.events([document(d) for d in documents]), [document(d) for d in documents]
    counts, terms = {}, {}
    for name in NAMES:
        structure = bench.build(name, range(2000), training)
        counts[name] = structure.match(batch).counts
        terms[name] = structure.describe().get("extra terms", 0)
    assert counts["presearch"][CANDIDATES] < 0.02 * counts["luwak"][CANDIDATES]
    assert counts["fullyindexed"][CANDIDATES] == 0
    assert 0 < terms["presearch"] <= terms["fullyindexed"]
    assert counts["presearch"][NODES] == counts["luwak-qbatch"][CANDIDATES]


def test_parameters_that_make_no_sense() -> None:
    for name in NAMES:
        with pytest.raises(UnknownStructureError, match="batch_size must be 1 or more, not 0"):
            built(name, QUERIES, BY_WEIGHT, batch_size=0)
    with pytest.raises(UnknownStructureError, match="times must be one of measured, thesis, not 'mine'"):
        built("presearch", QUERIES, BY_WEIGHT, times="mine")
    with pytest.raises(UnknownStructureError, match="greedy_threshold must be one of all, none, off"):
        built("presearch", QUERIES, BY_WEIGHT, greedy_threshold="yes")
