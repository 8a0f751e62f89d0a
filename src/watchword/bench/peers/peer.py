"""What is compared: a peer, how long it is measured, and what comes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from watchword.bench.workloads import Workload
from watchword.errors import WatchwordError

BOOLEAN: Final = ("dense", "sparse")
TEXT: Final = ("keyword",)

Raw = dict[str, Any]  # of one way to match: way, batch, build_seconds, memory, peak, seconds per event, counts


class PeerError(WatchwordError):
    """A peer cannot be measured here, and why."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds, for each way to match: warming up, a pass, and all together with the build."""

    warm: float = 4.0
    measured: float = 0.5
    passes: int = 5
    limit: float = 170.0


class Peer(Protocol):
    """Something that matches events against subscriptions; it is measured in a process of its own, on one core."""

    @property
    def name(self) -> str: ...

    @property
    def workloads(self) -> Sequence[str]: ...

    @property
    def settings(self) -> str:
        """How it is set, for readers of the results."""

    def ready(self) -> str:
        """Its version, once it can run here; else PeerError says what is missing and the remedy."""

    def measure(self, workload: Workload, pace: Pace) -> Iterator[Raw]:
        """A raw result per way to match."""
