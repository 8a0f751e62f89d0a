"""What entries ask: their conditions, and what of them is left to verify once an entry's key holds."""

from __future__ import annotations

from typing import NamedTuple

from watchword.coding.values import I32, I64, U8

POINT = 0  # keyed by one code
RANGE = 1  # keyed by an interval
SINGLE = 2  # keyed by an interval, and nothing else to verify


class Asked(NamedTuple):
    """The conditions of entries, split ones included."""

    dimension: I32
    low: I32
    high: I32
    mode: U8
    set_of: I32
    set_starts: I64
    set_low: I32
    set_high: I32


class Rest(NamedTuple):
    """What is to be verified of each entry once its key holds, cheapest first."""

    starts: I64
    condition: I32
    simple: I32  # how many are plain intervals; they stand first
    entry_class: U8
