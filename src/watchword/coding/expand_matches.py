"""MATCHES replaced by AND, OR and NOT of the leaves of its query.

    section = 'business' AND MATCHES(body, '+google -rumo*')
    AND  section = 'business'  AND  leaf 0  NOT  leaf 1        leaf 0: body has google, leaf 1: body has rumo...

Most queries are a few words that are all required: those are analysed as one batch, as documents are. All others are
parsed one by one, each distinct one once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as column
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.coding.ranges import gather_bytes, positions, starts_of
from watchword.coding.text_leaves import NOTHING, PRESENT, TERM, FieldLeaves, StoredLeaf, TextField, stored
from watchword.coding.values import I32, I64, U8
from watchword.coding.word_lists import mark_word_lists
from watchword.kernel import lean
from watchword.language.expression import Operator
from watchword.language.table import AND, LEAF, NOT, OR, ExpressionTable
from watchword.text.analyse_query import analysed_query
from watchword.text.analyzers import Analyzer, Cut
from watchword.text.at_least import without_at_least
from watchword.text.eight_bytes import PADDING
from watchword.text.query import AllOf, AnyOf, Leaf, Not, Query, children_of
from watchword.text.settings import TextSettings
from watchword.text.tokenise import tokenise
from watchword.text.vocabulary import Vocabulary, Words, hash_words

Flags = npt.NDArray[np.bool_]

_PLUS: Final = ord("+")
_SPACE: Final = ord(" ")
_ELSEWHERE: Final = 32  # bits of a mark, behind which the attribute of MATCHES stands
_KINDS: Final = {AllOf: AND, AnyOf: OR, Not: NOT}


@dataclass(slots=True)
class Expanded:
    table: ExpressionTable  # without MATCHES; its names may have grown by fields that only queries name
    leaf: I32  # predicate -> the leaf that it stands for, -1: none
    fields: list[TextField]  # their leaves are numbered on from field to field
    mark: I64
    """Predicate -> its negation; of a leaf also how many leaves its query has and, if it is on another field than its
    MATCHES, on which that is. Expressions with equal trees and marks mean the same for every event: MATCHES(a, '-x') is
    no NOT MATCHES(a, 'x') where there is a list of texts."""


class _Subtrees(NamedTuple):
    """For each MATCHES the nodes in its place: in prefix order, with the field and leaf of each LEAF."""

    starts: I64
    kind: U8
    children: I32
    field: I32
    leaf: I32
    sense: I32  # of a leaf: 1 under an odd number of NOTs


@dataclass(slots=True)
class _Gathered:
    """The distinct leaves of one field, while they are gathered."""

    attribute: int
    analyzer: Analyzer
    words: Words = column(default_factory=Words)
    terms: int = 0  # leaf i is the term that is word i, up to this one
    others: dict[StoredLeaf, int] = column(default_factory=dict)

    def begin_with(self, vocabulary: Vocabulary) -> None:
        lengths = np.diff(vocabulary.offsets).astype(np.int32)
        self.words.numbers(vocabulary.data, vocabulary.offsets[:-1], lengths, vocabulary.hash)
        self.terms = len(vocabulary)

    def number(self, leaf: StoredLeaf) -> int:
        if leaf.kind == TERM and self.terms:
            word = int(self.numbers_of(leaf.words)[0])
            if word < self.terms:
                return word
        return self.others.setdefault(leaf, self.terms + len(self.others))

    def numbers_of(self, words: Sequence[str]) -> I32:
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        lengths = np.array([len(word) for word in encoded], np.int32)
        data = np.frombuffer(b"".join(encoded) + bytes(PADDING), np.uint8).copy()
        begins, hashes = starts_of(lengths)[:-1], np.empty(len(lengths), np.uint64)
        hash_words(data, begins, lengths, hashes)
        return self.words.numbers(data, begins, lengths, hashes)

    def finished(self) -> TextField:
        others = [*self.others, StoredLeaf(PRESENT, 0, (), ())]
        word = self.numbers_of([word for leaf in others for word in leaf.words])
        terms = np.zeros(self.terms, np.int32)
        words = self.words.vocabulary()
        leaves = FieldLeaves(
            np.concatenate([terms + np.int32(TERM), [leaf.kind for leaf in others]]).astype(np.uint8),
            np.concatenate([terms, [leaf.parameter for leaf in others]]).astype(np.int32),
            starts_of(np.concatenate([terms + 1, [len(leaf.words) for leaf in others]]).astype(np.int64)),
            np.concatenate([np.arange(self.terms), word]).astype(np.int32),
            np.concatenate([terms, [place for leaf in others for place in leaf.positions]]).astype(np.int32),
            words.offsets,
            words.data,
            words.hash,
        )
        return TextField(self.attribute, self.analyzer.name, leaves)


def expand_matches(table: ExpressionTable, settings: TextSettings) -> Expanded:
    matches = np.flatnonzero(table.operator == Operator.MATCHES)
    if len(matches) == 0:
        return Expanded(table, np.full(len(table.operator), -1, np.int32), [], table.negated.astype(np.int64))
    gathering = _Gathering(table, settings)
    subtrees = gathering.subtrees(matches)
    fields = [gathered.finished() for gathered in gathering.fields]
    first_leaf = starts_of(np.array([len(field.leaves.kind) for field in fields]))
    attributes = np.array([field.attribute for field in fields], np.int32)
    leaf = (first_leaf[subtrees.field] + subtrees.leaf).astype(np.int32)
    return _spliced(table, matches, subtrees, gathering.names, attributes, leaf, fields)


class _Gathering:
    def __init__(self, table: ExpressionTable, settings: TextSettings) -> None:
        self.table = table
        self.settings = settings
        self.fields: list[_Gathered] = []
        self.names = list(table.names)
        self._numbers = {name: number for number, name in enumerate(table.names)}
        self._field_numbers: dict[str, int] = {}
        self._parsed: dict[tuple[str, str], _Nodes] = {}

    def field_number(self, name: str) -> int:
        number = self._field_numbers.get(name)
        if number is None:
            attribute = self._numbers.setdefault(name, len(self.names))
            if attribute == len(self.names):
                self.names.append(name)
            number = self._field_numbers[name] = len(self.fields)
            self.fields.append(_Gathered(attribute, self.settings.analyzer_of(name)))
        return number

    def subtrees(self, matches: I64) -> _Subtrees:
        constants = self.table.constants
        text = self.table.constant_starts[matches]
        begins, lengths = constants.bits[text], constants.length[text]
        attribute = self.table.attribute[matches]
        simple = self._simple(attribute, begins, lengths)
        counts = np.zeros(len(matches), np.int64)
        batches = []
        for a in np.unique(attribute[simple]).tolist():
            some = np.flatnonzero(simple & (attribute == a))
            starts, word = self._word_lists(a, begins[some], lengths[some])
            counts[some] = np.diff(starts)
            batches.append((some, self.field_number(self.table.names[a]), starts, word))
        nodes = [
            self._parsed_nodes(self.table.names[attribute[i]], constants.text_at(int(text[i])))
            for i in np.flatnonzero(~simple).tolist()
        ]
        sizes = np.where(counts > 1, counts + 1, 1)
        sizes[~simple] = [len(some.kind) for some in nodes]
        starts = starts_of(sizes)
        out = _Subtrees(
            starts,
            np.empty(starts[-1], np.uint8),
            np.zeros(starts[-1], np.int32),
            np.zeros(starts[-1], np.int32),
            np.zeros(starts[-1], np.int32),
            np.zeros(starts[-1], np.int32),
        )
        for some, number, word_starts, word in batches:
            nothing = -1
            if (np.diff(word_starts) == 0).any():
                nothing = self.fields[number].number(StoredLeaf(NOTHING, 0, (), ()))
            _write_lists(some, number, word_starts, word, nothing, out)
        slow = positions(starts[:-1][~simple], starts_of(sizes[~simple]))
        out.kind[slow] = [value for some in nodes for value in some.kind]
        out.children[slow] = [value for some in nodes for value in some.children]
        out.field[slow] = [value for some in nodes for value in some.field]
        out.leaf[slow] = [value for some in nodes for value in some.leaf]
        out.sense[slow] = [value for some in nodes for value in some.sense]
        return out

    def _simple(self, attribute: I32, begins: I64, lengths: I32) -> Flags:
        """Which queries are only words, all required, in a field where each word is analysed by itself."""
        by_words = [self.settings.analyzer_of(name).cut in (Cut.WORDS, Cut.SPACES) for name in self.table.names]
        simple = np.array(by_words, bool)[attribute]
        all_by_default = self.settings.default_operator == "and"
        mark_word_lists(self.table.constants.text, begins, lengths, all_by_default, simple)
        return simple

    def _word_lists(self, attribute: int, begins: I64, lengths: I32) -> tuple[I64, I32]:
        """The terms of queries that are only words."""
        gathered = self.fields[self.field_number(self.table.names[attribute])]
        starts = starts_of(lengths)
        data = gather_bytes(self.table.constants.text, begins, starts)
        data[data == _PLUS] = _SPACE
        tokens = tokenise(gathered.analyzer, np.append(data, np.zeros(PADDING, np.uint8)), starts[:-1], lengths)
        gathered.begin_with(tokens.vocabulary)
        return tokens.starts, tokens.term

    def _parsed_nodes(self, name: str, text: bytes) -> _Nodes:
        query = text.decode("utf-8", "surrogatepass")
        self.field_number(name)  # also if the query only names others: what the field has decides too
        nodes = self._parsed.get((name, query))
        if nodes is None:
            nodes = self._parsed[name, query] = _Nodes()
            self._write(nodes, without_at_least(analysed_query(query, name, self.settings)), 0)
        return nodes

    def _write(self, nodes: _Nodes, query: Query, sense: int) -> None:
        if isinstance(query, Leaf):
            number = self.field_number(query.field)
            nodes.add(LEAF, 0, number, self.fields[number].number(stored(query)), sense)
            return
        children = children_of(query)
        nodes.add(_KINDS[type(query)], len(children), 0, 0, 0)
        for child in children:
            self._write(nodes, child, sense ^ isinstance(query, Not))


@dataclass(slots=True)
class _Nodes:
    """The columns of `_Subtrees` for one query."""

    kind: list[int] = column(default_factory=list)
    children: list[int] = column(default_factory=list)
    field: list[int] = column(default_factory=list)
    leaf: list[int] = column(default_factory=list)
    sense: list[int] = column(default_factory=list)

    def add(self, kind: int, children: int, field: int, leaf: int, sense: int) -> None:
        self.kind.append(kind)
        self.children.append(children)
        self.field.append(field)
        self.leaf.append(leaf)
        self.sense.append(sense)


@lean
def _write_lists(some: I64, field: int, starts: I64, word: I32, nothing: int, out: _Subtrees) -> None:
    """The nodes of queries that are only words: an AND, or the one word, or the leaf that nothing satisfies."""
    for i in range(len(some)):
        at, words = out.starts[some[i]], starts[i + 1] - starts[i]
        if words > 1:
            out.kind[at], out.children[at] = AND, words
            at += 1
        for j in range(max(1, words)):
            out.kind[at + j], out.field[at + j] = LEAF, field
            out.leaf[at + j] = word[starts[i] + j] if words else nothing


def _spliced(
    table: ExpressionTable,
    matches: I64,
    subtrees: _Subtrees,
    names: list[str],
    attributes: I32,
    leaf: I32,
    fields: list[TextField],
) -> Expanded:
    """The table with each MATCHES replaced by its subtree."""
    subtree = np.full(len(table.operator), -1, np.int32)
    subtree[matches] = np.arange(len(matches))
    leaves = np.ones(len(table.operator), np.int64)
    in_subtree = np.concatenate([[0], np.cumsum(subtrees.kind == LEAF)])
    leaves[matches] = in_subtree[subtrees.starts[1:]] - in_subtree[subtrees.starts[:-1]]
    of_predicate = starts_of(leaves)
    nodes = len(table.kind) - len(matches) + len(subtrees.kind)
    predicates = int(of_predicate[-1])
    node_starts = np.zeros(len(table) + 1, np.int64)
    kind, count = np.empty(nodes, np.uint8), np.empty(nodes, np.int32)
    attribute, operator = np.empty(predicates, np.int32), np.empty(predicates, np.uint8)
    negated, new_leaf = np.zeros(predicates, np.uint8), np.full(predicates, -1, np.int32)
    sense = np.zeros(predicates, np.int64)
    old = (table.node_starts, table.kind, table.count, table.attribute, table.operator, table.negated)
    _splice(
        old,
        subtree,
        subtrees,
        attributes,
        leaf,
        node_starts,
        (kind, count, attribute, operator, negated, new_leaf, sense),
    )
    constants = np.zeros(predicates, np.int64)
    constants[of_predicate[:-1]] = np.diff(table.constant_starts)  # the query's text stays with its first leaf
    spliced = ExpressionTable(
        node_starts,
        kind,
        count,
        of_predicate[table.leaf_starts],
        attribute,
        operator,
        negated,
        starts_of(constants),
        table.constants,
        names,
    )
    of_query = np.repeat(np.where(subtree >= 0, leaves, 0), leaves)  # leaf -> how many its query has
    return Expanded(spliced, new_leaf, fields, negated + sense + 2 * of_query)


@lean
def _splice(
    old: tuple[I64, U8, I32, I32, U8, U8],
    subtree: I32,
    subtrees: _Subtrees,
    attributes: I32,
    leaf: I32,
    node_starts: I64,
    out: tuple[U8, I32, I32, U8, U8, I32, I64],
) -> None:
    old_starts, old_kind, old_count, old_attribute, old_operator, old_negated = old
    kind, count, attribute, operator, negated, new_leaf, sense = out
    n, p, predicate = 0, 0, 0
    for e in range(len(old_starts) - 1):
        for i in range(old_starts[e], old_starts[e + 1]):
            if old_kind[i] != LEAF or subtree[predicate] < 0:
                kind[n], count[n] = old_kind[i], old_count[i]
                n += 1
                if old_kind[i] == LEAF:
                    attribute[p], operator[p] = old_attribute[predicate], old_operator[predicate]
                    negated[p] = old_negated[predicate]
                    p += 1
                    predicate += 1
                continue
            tree = subtree[predicate]
            for j in range(subtrees.starts[tree], subtrees.starts[tree + 1]):
                kind[n], count[n] = subtrees.kind[j], subtrees.children[j]
                n += 1
                if subtrees.kind[j] == LEAF:
                    attribute[p], operator[p] = attributes[subtrees.field[j]], old_operator[predicate]
                    new_leaf[p], sense[p] = leaf[j], subtrees.sense[j]
                    if attribute[p] != old_attribute[predicate]:
                        sense[p] += np.int64(old_attribute[predicate] + 1) << _ELSEWHERE
                    p += 1
            predicate += 1
        node_starts[e + 1] = n
