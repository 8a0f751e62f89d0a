"""A text query in Lucene's manner to its tree.

    +google "quarterly results"~2 (alphabet OR goog*) -rumours

    list      clause clause ...          how they combine: `_Group.close`
    clause    chain OR chain OR ...
    chain     unit AND unit AND ...
    unit      [+ | - | NOT] [field:] (a word, a phrase, a pattern, or a list in parentheses)

Parentheses are kept on a stack of groups, so depth costs no recursion. Why not a library: see docs/decisions/0010.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from watchword.errors import LimitError
from watchword.limits import QUERY_CHARACTERS, QUERY_CLAUSES, QUERY_LEAVES, QUERY_NESTING
from watchword.text.at_least import leaves_without_at_least
from watchword.text.query import Not, Query, all_of, any_of, at_least
from watchword.text.scan_query import Scanner

_REQUIRED: Final = "+"
_PROHIBITED: Final = "-"
_UNMARKED: Final = ""


@dataclass(frozen=True, slots=True)
class _Prefix:
    """What stands before a unit."""

    mark: str
    nots: int
    field: str
    at: int

    def applied(self, unit: Query) -> Query:
        for _ in range(self.nots):
            unit = Not(unit)
        return unit


@dataclass(slots=True)
class _Group:
    """What stands inside one pair of parentheses so far."""

    prefix: _Prefix  # of the group itself
    clauses: list[tuple[str, Query]] = field(default_factory=list)  # finished, each with its mark
    has_plus: bool = False
    alternatives: list[Query] = field(default_factory=list)  # of the clause that is open
    chain: list[tuple[_Prefix, Query]] = field(default_factory=list)
    plus_at: int = -1  # the first + of the open clause

    def add(self, prefix: _Prefix, unit: Query) -> None:
        self.chain.append((prefix, unit))
        if prefix.mark == _REQUIRED and self.plus_at < 0:
            self.plus_at = prefix.at

    def end_chain(self) -> None:
        self.alternatives.append(all_of([prefix.applied(unit) for prefix, unit in self.chain]))
        self.chain = []

    def end_clause(self) -> None:
        """Alternatives are one unmarked clause; what AND joins is required."""
        only_prefix = self.chain[0][0] if len(self.chain) == 1 and not self.alternatives else None
        joined = len(self.chain) > 1
        self.end_chain()
        if only_prefix is not None:
            mark = _PROHIBITED if only_prefix.nots else only_prefix.mark
        else:
            mark = _REQUIRED if joined and len(self.alternatives) == 1 else _UNMARKED
        self.has_plus |= self.plus_at >= 0
        self.clauses.append((mark, any_of(self.alternatives)))
        self.alternatives = []
        self.plus_at = -1

    def optional(self) -> list[Query]:
        return [query for mark, query in self.clauses if mark == _UNMARKED]

    def close(self, minimum: int | None, all_by_default: bool) -> Query:
        """How many of the unmarked clauses must hold: the minimum, where there is one; all of them by default, where
        nothing is marked with +; else one where nothing is required, and none where something is."""
        optional = self.optional()
        wanted = minimum
        if wanted is None and all_by_default and not self.has_plus:
            wanted = len(optional)
        elif wanted is None:
            wanted = int(all(mark != _REQUIRED for mark, _ in self.clauses))
        if wanted >= len(optional):
            return all_of([query for _, query in self.clauses])
        return all_of([at_least(wanted, optional), *(query for mark, query in self.clauses if mark != _UNMARKED)])


def parse_query(text: str, field: str, default_operator: str = "and") -> Query:
    """The tree of a query on this field. Raises QueryError, or LimitError, with the position in the query."""
    if len(text) > QUERY_CHARACTERS:
        raise LimitError(f"a query of {len(text)} characters, the limit is {QUERY_CHARACTERS}: split it")
    return _Parser(text, field, default_operator == "and").parse()


class _Parser:
    def __init__(self, text: str, field: str, all_by_default: bool) -> None:
        self.scanner = Scanner(text)
        self.all_by_default = all_by_default
        self.groups = [_Group(_Prefix(_UNMARKED, 0, field, 0))]
        self.depth = 0
        self.clauses = 0
        self.counted = False  # groups of "at least n"

    def parse(self) -> Query:
        scanner = self.scanner
        while True:
            prefix = self.prefix()
            if scanner.next_is("("):
                self.deepen(1, scanner.at)
                self.groups.append(_Group(prefix))
                scanner.at += 1
                continue
            self.clauses += 1
            if self.clauses > QUERY_CLAUSES:
                scanner.refuse(LimitError(f"more than {QUERY_CLAUSES} words and phrases: split the query"), scanner.at)
            unit: Query = scanner.leaf(prefix.field)
            scanner.boost()
            scanner.end_clause()
            if self.after_unit(prefix, unit):
                return self.finished(self.groups[0].close(None, self.all_by_default))

    def prefix(self) -> _Prefix:
        """The mark, the NOTs and the field before a unit."""
        scanner = self.scanner
        scanner.skip_blanks()
        at, mark, nots = scanner.at, _UNMARKED, 0
        if scanner.next_is("+-"):
            mark = scanner.text[at]
            nots = int(mark == _PROHIBITED)
            scanner.at += 1
            if scanner.at_end() or scanner.next_is("+-!") or scanner.text[scanner.at].isspace():
                scanner.fail(f"a word, a phrase or '(' directly behind '{mark}'")
        else:
            while scanner.connector() == "NOT":
                nots += 1
                scanner.skip_connector()
                scanner.skip_blanks()
        self.deepen(nots, at)
        field = scanner.field_before()
        return _Prefix(mark, nots, self.groups[-1].prefix.field if field is None else field, at)

    def after_unit(self, prefix: _Prefix, unit: Query) -> bool:
        """Put the unit in its group, close the groups that end here, and read the connector; is that the end?"""
        scanner = self.scanner
        while True:
            group = self.groups[-1]
            group.add(prefix, unit)
            self.depth -= prefix.nots
            scanner.skip_blanks()
            connector = scanner.connector()
            if connector == "AND":
                scanner.skip_connector()
                return False
            if group.plus_at >= 0 and (connector == "OR" or group.alternatives):
                scanner.fail("no '+' before an alternative of OR (put all of them in parentheses)", group.plus_at)
            if connector == "OR":
                group.end_chain()
                scanner.skip_connector()
                return False
            group.end_clause()
            if not scanner.next_is(")"):
                if scanner.at_end() and len(self.groups) > 1:
                    scanner.fail("')' or another word")
                return scanner.at_end()
            if len(self.groups) == 1:
                scanner.fail("another word, or the end")
            prefix, unit = self.closed()

    def closed(self) -> tuple[_Prefix, Query]:
        """The group that ends here as one unit, with what stands before it."""
        scanner = self.scanner
        scanner.at += 1
        group = self.groups.pop()
        self.depth -= 1
        boosted = scanner.boost()
        at = scanner.at
        minimum = scanner.number_after("@")
        if minimum is not None:
            self.counted = True
            most = len(group.optional())
            if not 1 <= minimum <= most:
                expected = f"a number from 1 to {most}, as many as can be left out" if most else "no number"
                scanner.fail(expected, at)
        if not boosted:
            scanner.boost()
        scanner.end_clause()
        return group.prefix, group.close(minimum, self.all_by_default)

    def deepen(self, levels: int, at: int) -> None:
        self.depth += levels
        if self.depth > QUERY_NESTING:
            self.scanner.refuse(
                LimitError(f"more than {QUERY_NESTING} parentheses and NOTs inside one another: simplify the query"), at
            )

    def finished(self, query: Query) -> Query:
        if self.counted and leaves_without_at_least(query) > QUERY_LEAVES:
            raise LimitError(
                f"the groups of at least n clauses take more than {QUERY_LEAVES} words when written with AND and OR: "
                "ask for fewer clauses, or for nearly all of them"
            )
        return query
