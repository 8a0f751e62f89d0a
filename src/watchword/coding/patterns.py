"""Text patterns by what can be said of them in codes.

    LIKE 'abc'      equal to a text                     an interval of one code
    LIKE 'abc%'     a prefix                            an interval in the order of texts
    LIKE '%abc'     a suffix                            an interval in the order of reversed texts
    LIKE '%'        any text                            the interval of all texts
    anything else   LIKE 'a%b', '%abc%', 'a_c', RLIKE   a code of its own: "pattern 17 holds"

ILIKE is LIKE on folded text.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

import re2

from watchword.language.expression import Operator
from watchword.language.patterns import Segment, fold_case, segments


class Form(enum.IntEnum):
    EXACT = 1
    PREFIX = 2
    SUFFIX = 3
    ANY_TEXT = 4
    GENERAL = 5


@dataclass(frozen=True, slots=True)
class Pattern:
    form: Form
    folded: bool
    literal: str  # of EXACT, PREFIX, SUFFIX; of GENERAL the regular expression


@dataclass(frozen=True, slots=True)
class GeneralPattern:
    """A regular expression whose truth on the (folded) text of an attribute is a dimension."""

    dimension: int
    attribute: int
    folded: bool
    regex: str


def classify(operator: Operator, pattern: str, escape: str | None) -> Pattern:
    if operator is Operator.RLIKE:
        return Pattern(Form.GENERAL, False, pattern)
    folded = operator is Operator.ILIKE
    runs = segments(pattern, escape)
    if folded:
        runs = [[sign and fold_case(sign) for sign in run] for run in runs]
    first, last, middle = runs[0], runs[-1], runs[1:-1]
    if any(None in run for run in runs) or any(middle) or (len(runs) > 1 and first and last):
        return Pattern(Form.GENERAL, folded, _regular_expression(runs))
    literal = "".join(sign for run in runs for sign in run if sign)
    if len(runs) == 1:
        return Pattern(Form.EXACT, folded, literal)
    return Pattern(Form.PREFIX if first else Form.SUFFIX if last else Form.ANY_TEXT, folded, literal)


def _regular_expression(runs: list[Segment]) -> str:
    """Each run of signs as it stands (None is any one), anything between them."""
    body = ".*".join("".join("." if sign is None else re2.escape(sign) for sign in run) for run in runs)
    return f"(?s)\\A{body}\\z"
