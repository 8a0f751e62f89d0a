"""A batch of events as columns of raw values: the one form that every kind of input becomes.

    event   0          1      2
    starts  0      3   3      5          cells of event e: starts[e] .. starts[e+1]
    cells   [price][color][tags|LIST]  -  [..][..]

A cell is an attribute (its number in the index's `Attributes`) and a raw value. Attributes that no subscription
uses and null values have no cell. A list gives one cell per element, each flagged LIST (an empty one the single
kind EMPTY, flagged); a set likewise with SET. A range gives two neighbouring cells flagged SET | RANGE, low then
high, OPEN on a bound that is not included; an unbounded side has kind OTHER. Elements of one attribute stand
together. Where an attribute comes twice in an event, the last one counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from watchword.coding.values import I32, I64, U8, Values

if TYPE_CHECKING:
    from watchword.coding.documents import Documents

LIST: Final = 1
SET: Final = 2
RANGE: Final = 4
OPEN: Final = 8


class RawCells(NamedTuple):
    """The columns of `Cells` as kernels take them."""

    starts: I64
    attribute: I32
    flags: U8
    kind: U8
    bits: I64
    length: I32
    text: U8


@dataclass(slots=True)
class Cells:
    starts: I64
    attribute: I32
    flags: U8
    values: Values
    errors: dict[int, str]  # event -> why it could not be read; such an event has no cells
    documents: dict[tuple[int, str], Documents] = field(default_factory=dict)
    """The texts of an attribute, tokenised by the analyzer of this name (see `documents`)."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def raw(self) -> RawCells:
        values = self.values
        return RawCells(self.starts, self.attribute, self.flags, values.kind, values.bits, values.length, values.text)

    def part(self, first: int, last: int) -> Cells:
        """The events first .. last - 1."""
        errors = {event - first: reason for event, reason in self.errors.items() if first <= event < last}
        return Cells(self.starts[first : last + 1], self.attribute, self.flags, self.values, errors)
