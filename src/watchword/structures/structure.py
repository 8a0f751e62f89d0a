"""The contract of every structure: built from coded expressions, matches coded events, gives its arrays out and in.

    Input --build--> structure --match(events)--> Matches
                     structure --parts()--> arrays --restore--> structure        (a file, another process)

Expressions are numbered by the structure: `build` returns the order it gave them. A structure is never changed while
it matches for an index; several threads match with it at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from watchword.coding.codebook import Codebook
from watchword.coding.coded import CodedExpressions
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64
from watchword.room import room
from watchword.structures.selectivity import Selectivity

U32 = npt.NDArray[np.uint32]
Parameters = Mapping[str, Any]

# What structures count while they match: the columns of `Matches.counts`.
CANDIDATES: Final = 0  # expressions that had to be verified
PREDICATES: Final = 1  # predicates evaluated
NODES: Final = 2  # nodes of a tree visited
BUCKETS: Final = 3  # lists, buckets or cells looked into
COUNTS: Final = 4
COUNT_NAMES: Final = ("candidates", "predicates", "nodes", "buckets")


@dataclass(slots=True)
class Input:
    """What a structure is built from."""

    coded: CodedExpressions
    book: Codebook
    selectivity: Selectivity
    training: CodedEvents | None = None  # a sample of events, where there is one


@dataclass(slots=True)
class Matches:
    """Expressions that hold: those of event e are expression[starts[e] : starts[e + 1]], each once, in no order."""

    starts: I64
    expression: U32
    counts: I64


class Structure(ABC):
    """`Parts` is a NamedTuple of arrays, numbers and further such tuples: all that makes the structure."""

    Parts: ClassVar[Any]
    defaults: ClassVar[Parameters] = {}
    """The parameters it takes, with their values from the paper."""

    @classmethod
    @abstractmethod
    def build(cls, given: Input, parameters: Parameters) -> tuple[Self, I64]:
        """The structure, and the order of its expressions: new number -> the one in `given.coded`."""

    @classmethod
    @abstractmethod
    def restore(cls, parts: Any) -> Self:
        """The structure whose `parts` these are. The arrays may be mapped from a file."""

    @abstractmethod
    def parts(self) -> Any: ...

    @abstractmethod
    def match(self, events: CodedEvents) -> Matches: ...

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """What it consists of, for statistics: numbers by name."""

    @abstractmethod
    def always_candidates(self) -> I64:
        """The expressions that every event has to verify."""

    @abstractmethod
    def unsatisfiable(self) -> I64:
        """The expressions that no event can satisfy."""

    def candidates_of(self, events: CodedEvents) -> I64 | None:
        """Expression -> for how many of the events it is a candidate; None where a structure does not tell."""
        return None


def match_in_room(step: Callable[[int, I64, U32], int], events: int, usual: float, least: int) -> tuple[I64, U32]:
    """Run `step(first event, starts, out)` until all events are matched, with a larger `out` whenever one was full.

    `step` returns the event at which it stopped. There is room for `usual` matches per event, and for `least` more.
    """
    starts = np.zeros(events + 1, np.int64)
    out = room(int(1.2 * usual * events) + least, np.uint32)
    done = 0
    while done < events:
        done = step(done, starts, out)
        if done < events:
            grown = room(2 * len(out) + least, np.uint32)
            grown[: starts[done]] = out[: starts[done]]
            out = grown
    return starts, out[: starts[events]]


def nbytes(part: Any) -> int:
    """The bytes of all arrays in (tuples in) a tuple."""
    if isinstance(part, np.ndarray):
        return part.nbytes
    return sum(map(nbytes, part)) if isinstance(part, tuple) else 0
