"""The limits of expressions and events, checked before any work is done on them."""

from __future__ import annotations

from typing import Final

EXPRESSION_BYTES: Final = 1 << 20  # UTF-8 bytes of one expression's text
EXPRESSION_NODES: Final = 65_536  # predicates, ANDs, ORs and NOTs of one expression
NESTING: Final = 256  # parentheses or NOTs inside one another
LIST_LENGTH: Final = 65_536  # operands of one IN
PATTERN_BYTES: Final = 4_096  # one LIKE or RLIKE pattern
NAME_BYTES: Final = 1_024  # one attribute name
EVENT_BYTES: Final = 16 << 20  # the text of one event given as JSON
EVENT_VALUES: Final = 1 << 20  # values of one event, elements of lists counted
EVENT_NESTING: Final = 64  # records inside one another
INTEGER_MIN: Final = -(1 << 63)
INTEGER_MAX: Final = (1 << 63) - 1
STATS_EVENTS: Final = 1_000  # of a sample, looked at for costly subscriptions
