"""Raw values as columns: what constants of subscriptions and cells of events are made of.

    kind[i]    bits[i]                              length[i]
    BOOL       0 or 1                               0
    INT        the integer                          0
    FLOAT      the float64, bit for bit             0
    FLOAT_PLUS a float64: the value lies strictly   0
               between it and the next float64
    TIME       microseconds since 1970-01-01 UTC    0
    TIME_PLUS  microseconds: the value lies         0
               strictly between it and the next
    TEXT       where its UTF-8 begins in `text`     bytes
    OTHER      present, but comparable with         0
               nothing (a null inside a list)
    EMPTY      a list or set without elements       0

FLOAT_PLUS holds what neither an int64 nor a float64 can (unsigned integers, decimals, huge integers of events):
all that matters of such a value is where it stands among the constants, which are int64 or float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

OTHER: Final = 0
BOOL: Final = 1
INT: Final = 2
FLOAT: Final = 3
FLOAT_PLUS: Final = 4
TIME: Final = 5
TIME_PLUS: Final = 6
TEXT: Final = 7
EMPTY: Final = 8

U8 = npt.NDArray[np.uint8]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]


@dataclass(slots=True)
class Values:
    kind: U8
    bits: I64
    length: I32
    text: U8

    def __len__(self) -> int:
        return len(self.kind)

    def text_at(self, i: int) -> bytes:
        start = int(self.bits[i])
        return self.text[start : start + int(self.length[i])].tobytes()
