"""What an index can say about itself."""

from __future__ import annotations

import threading
from typing import Any, Final

import numpy as np
import pyarrow as pa

from watchword.index.contents import Contents, Snapshot
from watchword.index.identifiers import Identifier
from watchword.index.matching import Found
from watchword.index.segment import Segment
from watchword.structures.structure import COUNT_NAMES, COUNTS, nbytes

SHOWN: Final = 20  # ids of costly subscriptions


class Tally:
    """Events matched so far, their matches, and what structures counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.events = self.matches = 0
        self.counts = np.zeros(COUNTS, np.int64)

    def add(self, events: int, found: Found) -> None:
        with self._lock:
            self.events += events
            self.counts += found.counts
            self.matches += len(found.ids)

    def to_dict(self) -> dict[str, Any]:
        events = max(1, self.events)
        return {
            "events": self.events,
            **{
                f"{name}_per_event": count / events
                for name, count in zip(COUNT_NAMES, self.counts.tolist(), strict=True)
            },
            "matches_per_event": self.matches / events,
        }


def collect(contents: Contents, tally: Tally, structure: str) -> dict[str, Any]:
    snapshot = contents.snapshot
    segments = [part.segment for part in snapshot.sealed]
    expressions = sum(segment.sources.count for segment in segments)
    stored = sum(len(segment) for segment in segments)
    parts = [segment_bytes(segment) for segment in segments]
    total = {name: sum(part[name] for part in parts) for name in (parts[0] if parts else {})}
    return {
        "subscriptions": len(contents),
        "structure": structure,
        "attributes": len(contents.attributes),
        "duplicates": stored - expressions,
        "removed_not_yet_dropped": sum(segment.deleted for segment in segments),
        "head": sum(part.slots for part in snapshot.heads),
        "bytes": {**total, "total": sum(total.values())},
        "matching": tally.to_dict(),
        "costly": _costly(snapshot, segments),
        "segments": [
            {
                "subscriptions": len(segment),
                "expressions": segment.sources.count,
                "removed": segment.deleted,
                "structure": segment.structure.describe(),
            }
            for segment in segments
        ],
    }


def segment_bytes(segment: Segment) -> dict[str, int]:
    """Bytes of arrays, by what they are for."""
    identifiers = segment.identifiers
    return {
        "codebook": nbytes(segment.book),
        "structure": nbytes(segment.structure.parts()),
        "sources": segment.sources.data.nbytes + segment.sources.starts.nbytes + segment.sources.sizes.nbytes,
        "rows": segment.row_starts.nbytes + segment.deleted_at.nbytes + segment.deleted_bits.nbytes,
        "ids": identifiers.array.nbytes + identifiers.hashes.nbytes + identifiers.rows.nbytes,
    }


def _costly(snapshot: Snapshot, segments: list[Segment]) -> dict[str, Any]:
    """Subscriptions that every event has to verify, and those that no event can satisfy."""
    always: list[Identifier] = []
    never: list[Identifier] = []
    counts = [0, 0]
    for segment in segments:
        costly = ((always, segment.structure.always_candidates()), (never, segment.structure.unsatisfiable()))
        for number, (ids, expressions) in enumerate(costly):
            rows = _rows_of(segment, expressions, snapshot.version)
            counts[number] += len(rows)
            ids += segment.identifiers.array.take(pa.array(rows[: SHOWN - len(ids)])).to_pylist()
    return {
        "always_candidates": {"count": counts[0], "ids": always},
        "unsatisfiable": {"count": counts[1], "ids": never},
    }


def _rows_of(segment: Segment, expressions: np.ndarray[Any, Any], version: int) -> np.ndarray[Any, Any]:
    rows = segment.live_rows(version)
    return rows[np.isin(segment.expression_of(rows), expressions)]
