"""Made-up words: syllables of a consonant and a vowel, two of them for frequent words, more for the others.

Word number i is a number of base 80 whose digits are syllables. Numbers are multiplied by a stride first, which leaves
them different and makes neighbours begin differently.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from watchword.workloads.sql_text import joined

SYLLABLES: Final = pa.array([consonant + vowel for consonant in "bcdfghklmnprstvz" for vowel in "aeiou"])
BASE: Final = len(SYLLABLES)
STRIDE: Final = 618_033  # has no factor with the base in common
LONGEST: Final = 5  # syllables: three billion words


def words(count: int) -> pa.Array:
    """The first `count` words, by number; no two are the same."""
    made: list[pa.Array] = []
    for syllables in range(2, LONGEST + 1):
        numbers = np.arange(min(count, BASE**syllables)) * STRIDE % BASE**syllables
        digits = [numbers // BASE**place % BASE for place in range(syllables)]
        made.append(joined(*(SYLLABLES.take(pa.array(digit)) for digit in reversed(digits))))
        count -= len(numbers)
    return pa.concat_arrays(made)
