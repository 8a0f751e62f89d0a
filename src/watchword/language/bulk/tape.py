"""The tape: what the kernels found in the text, in the order in which they found it, three integers at a time.

    0        used       -             -           how many entries are in use, this one counted
    1 ..     DROPPED    -             -           a node reserved and not needed, or
             AND | OR   operands      -
             NOT        1             -
             TRUE ..    0             -
             LEAF       name starts   its bytes   in the text that was read
             operator   negated       operands    always behind a LEAF, and behind that its constants:
             kind       bits          bytes       as in `coding.values`; a string starts in the text that was read

A string whose quotes are doubled has the kind DOUBLED: it is copied without them later. The tape is one array because
kernels call each other for every few bytes, and each array that such a call passes on costs time.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from watchword.coding.values import I64
from watchword.kernel import lean

DROPPED: Final = 0
DOUBLED: Final = 100


def new_tape(rows: int, size: int) -> I64:
    """A tape for so many rows of together `size` bytes, if they are ordinary."""
    tape = np.empty((8 + 4 * rows + size // 4, 3), np.int64)
    tape[0, 0] = 1
    return tape


@lean
def most_entries(size: int) -> int:
    """Entries of a row of so many bytes at most: two for an opening parenthesis, three for a name of one letter."""
    return 2 * size + 8


@lean
def put(tape: I64, first: int, second: int, third: int) -> int:
    number: int = tape[0, 0]
    tape[number, 0] = first
    tape[number, 1] = second
    tape[number, 2] = third
    tape[0, 0] = number + 1
    return number


def grown(tape: I64, size: int) -> I64:
    """The same with room for a row of so many bytes."""
    longer = np.empty((2 * len(tape) + most_entries(size), 3), np.int64)
    longer[: len(tape)] = tape
    return longer
