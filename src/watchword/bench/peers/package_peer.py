"""A peer from PyPI, and Watchword itself: in Python, measured in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from watchword.bench.peers.driver import Way, drive
from watchword.bench.peers.peer import Pace, PeerError, Raw
from watchword.bench.workloads import Workload

Build = Callable[[], Sequence[Way]]


@dataclass(frozen=True, slots=True)
class PackagePeer:
    name: str
    workloads: Sequence[str]
    settings: str
    package: str
    prepare: Callable[[Workload], Build]  # makes what the peer reads; what it returns builds from that, and is timed
    elsewhere: bool = False  # it works in a process that it starts itself, whose memory nobody here sees

    def ready(self) -> str:
        try:
            return version(self.package)
        except PackageNotFoundError:
            raise PeerError(f"{self.package} is not installed: pip install 'watchword[peers]'") from None

    def measure(self, workload: Workload, pace: Pace) -> Iterator[Raw]:
        for raw in drive(self.prepare(workload), len(workload.events), pace):
            yield {**raw, "memory": None, "peak": None} if self.elsewhere else raw
