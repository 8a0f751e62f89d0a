"""No time counts unless the matches are right: every count is compared with the kernel's."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.bench.workloads import Integers
from watchword.errors import WatchwordError


class WrongMatchesError(WatchwordError):
    """The index found other matches than the yardstick's kernel."""


def check_counts(what: str, matches: pa.Table, counts: Integers) -> None:
    """`counts`: the kernel's matches per event; the matches name events by number."""
    found = np.bincount(matches["event"].to_numpy(), minlength=len(counts))
    if len(found) > len(counts):
        raise WrongMatchesError(f"{what}: a match of event {len(found) - 1:,}, but there are {len(counts):,} events")
    wrong = np.flatnonzero(found != counts)
    if len(wrong):
        event = int(wrong[0])
        raise WrongMatchesError(
            f"{what}: event {event} has {found[event]:,} matches where the kernel finds {counts[event]:,}"
            f" ({len(wrong):,} of {len(counts):,} events differ): the index is wrong, please report it"
        )


def check_ids(what: str, found: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> None:
    """The same subscriptions, in any order."""
    if not np.array_equal(np.sort(found), np.sort(wanted)):
        raise WrongMatchesError(
            f"{what}: {len(found):,} matches, {len(wanted):,} expected, and not the same ones: the index is wrong,"
            " please report it"
        )
