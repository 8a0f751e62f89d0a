"""The limits of expressions and events, checked before any work is done on them."""

from __future__ import annotations

from typing import Final

EXPRESSION_BYTES: Final = 1 << 20  # UTF-8 bytes of one expression's text
EXPRESSION_NODES: Final = 65_536  # predicates, ANDs, ORs and NOTs of one expression
NESTING: Final = 256  # parentheses or NOTs inside one another
LIST_LENGTH: Final = 65_536  # operands of one IN
PATTERN_BYTES: Final = 4_096  # one LIKE or RLIKE pattern
NAME_BYTES: Final = 1_024  # one attribute name
QUERY_CHARACTERS: Final = 10_000  # the text of one query of MATCHES
QUERY_CLAUSES: Final = 1_000  # words, phrases, patterns of one query
QUERY_NESTING: Final = 64  # parentheses or NOTs inside one another, in one query
QUERY_LEAVES: Final = 16_384  # of one query whose groups of "at least n" are written with AND and OR
PHRASE_SLOP: Final = 10_000  # positions by which the words of a phrase may be apart
EVENT_BYTES: Final = 16 << 20  # the text of one event given as JSON
EVENT_VALUES: Final = 1 << 20  # values of one event, elements of lists counted
EVENT_NESTING: Final = 64  # records inside one another
INTEGER_MIN: Final = -(1 << 63)
INTEGER_MAX: Final = (1 << 63) - 1
STATS_EVENTS: Final = 1_000  # of a sample, looked at for costly subscriptions
