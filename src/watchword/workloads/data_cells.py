"""What subscriptions can ask of data: every value as a cell, every constant as SQL text beside those like it.

    row 0   brand = 'Alisha'   price = 379          cells of a row lie side by side
            |                  |
            constants of brand as text              constants of price as numbers
            'AW'  'Alisha'  'FabHomeDecor' ...      379.0  499.0  22646.0 ...      distinct, in order

A cell of running text, as a headline, has its words in place of a constant. Values that no predicate compares (null,
NaN, empty texts, records inside lists) are left out, and so are texts of more than 60 characters that are not named as
running text. Of a list, one element counts.
"""

from __future__ import annotations

import datetime as dt
import enum
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from watchword.language.render import constant_sql, name_sql
from watchword.workloads.choice import Integers

LONGEST_TEXT: Final = 60
_WORD: Final = re.compile(r"[^\W_]+")


class Kind(enum.IntEnum):
    NUMBER = 0
    TEXT = 1
    TIME = 2
    TRUTH = 3
    WORDS = 4


_KINDS: Final[dict[type, Kind]] = {
    int: Kind.NUMBER, float: Kind.NUMBER, str: Kind.TEXT, dt.datetime: Kind.TIME, bool: Kind.TRUTH
}  # fmt: skip


class Cells(NamedTuple):
    row_starts: Integers  # cells of row r are row_starts[r] .. row_starts[r + 1]
    attribute: Integers
    kind: Integers
    constant: Integers  # a place in `constants`; of running text, a number of `word_starts`
    like_first: Integers  # of all constants like it, the first
    like_count: Integers  # and how many there are
    names: pa.Array  # of attributes, as SQL
    constants: pa.Array  # SQL
    prefixes: pa.Array  # of every constant that is a text, the first half of it as a pattern
    word_starts: Integers
    words: pa.Array


def cells_of(records: Iterable[Mapping[str, Any]], running: Collection[str], ignored: Collection[str]) -> Cells:
    found = _Collector(frozenset(running), frozenset(ignored))
    for record in records:
        found.add(record)
    return found.cells()


class _Collector:
    def __init__(self, running: frozenset[str], ignored: frozenset[str]) -> None:
        self._running, self._ignored = running, ignored
        self._row_starts = [0]
        self._values: list[tuple[int, Kind, Any]] = []  # attribute, kind, the value or the number of a text
        self._names: dict[str, int] = {}
        self._like: defaultdict[tuple[int, Kind], set[Any]] = defaultdict(set)
        self._words: list[str] = []
        self._word_starts = [0]

    def add(self, record: Mapping[str, Any]) -> None:
        for name, value in record.items():
            if name not in self._ignored:
                self._add_value(name, _one(value, len(self._values)))
        self._row_starts.append(len(self._values))

    def _add_value(self, name: str, value: Any) -> None:
        kind = _KINDS.get(type(value))
        if kind is None or (kind is Kind.NUMBER and not math.isfinite(value)):
            return
        if kind is Kind.TEXT and name in self._running:
            self._add_words(name, value)
        elif kind is not Kind.TEXT or 0 < len(value) <= LONGEST_TEXT:
            attribute = self._names.setdefault(name, len(self._names))
            self._like[attribute, kind].add(value)
            self._values.append((attribute, kind, value))

    def _add_words(self, name: str, text: str) -> None:
        words = list(dict.fromkeys(_WORD.findall(text.casefold())))
        if words:
            attribute = self._names.setdefault(name, len(self._names))
            self._values.append((attribute, Kind.WORDS, len(self._word_starts) - 1))
            self._words += words
            self._word_starts.append(len(self._words))

    def cells(self) -> Cells:
        constants: list[Any] = []
        place: dict[tuple[int, Kind, Any], int] = {}
        like: dict[tuple[int, Kind], tuple[int, int]] = {}
        for (attribute, kind), values in self._like.items():
            like[attribute, kind] = len(constants), len(values)
            for value in sorted(values):
                place[attribute, kind, value] = len(constants)
                constants.append(value)
        spans = [like.get((attribute, kind), (0, 0)) for attribute, kind, _ in self._values]
        return Cells(
            np.array(self._row_starts),
            np.array([attribute for attribute, _, _ in self._values], np.int64),
            np.array([kind for _, kind, _ in self._values], np.int64),
            np.array([value[2] if value[1] is Kind.WORDS else place[value] for value in self._values], np.int64),
            np.array([first for first, _ in spans], np.int64),
            np.array([count for _, count in spans], np.int64),
            pa.array([name_sql(name) for name in self._names], pa.string()),
            pa.array([constant_sql(value) for value in constants], pa.string()),
            pa.array([_prefix(value) for value in constants], pa.string()),
            np.array(self._word_starts),
            pa.array(self._words, pa.string()),
        )


def _one(value: Any, number: int) -> Any:
    """The value; of a list, one of its elements."""
    return value[number % len(value)] if isinstance(value, list) and value else value


def _prefix(value: Any) -> str:
    return constant_sql(value[: (len(value) + 1) // 2] + "%") if isinstance(value, str) else ""
