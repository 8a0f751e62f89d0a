"""What an index can say about itself."""

from __future__ import annotations

import threading
from typing import Any, Final

import numpy as np
import pyarrow as pa

from watchword.coding.cells import Cells
from watchword.coding.codebook import CONSTANT_DIMENSION
from watchword.coding.encode import CodedEvents
from watchword.coding.values import I64
from watchword.index.contents import Contents, Snapshot
from watchword.index.identifiers import Identifier
from watchword.index.segment import Segment
from watchword.structures.structure import COUNT_NAMES, COUNTS, nbytes

SHOWN: Final = 20  # ids of costly subscriptions


class Tally:
    """Events matched so far, their matches, and what structures counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.events = self.matches = 0
        self.counts = np.zeros(COUNTS, np.int64)

    def add(self, events: int, matches: int, counts: I64) -> None:
        with self._lock:
            self.events += events
            self.counts += counts
            self.matches += matches

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


def collect(contents: Contents, tally: Tally, structure: str, sample: Cells | None) -> dict[str, Any]:
    """`sample`: events on which costly subscriptions are looked for."""
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
        "costly": _costly(snapshot, sample),
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
        "text": sum(nbytes(field.leaves) for field in segment.text_fields),
        "structure": nbytes(segment.structure.parts()),
        "sources": segment.sources.data.nbytes + segment.sources.starts.nbytes + segment.sources.sizes.nbytes,
        "rows": segment.row_starts.nbytes + segment.deleted_at.nbytes + segment.deleted_bits.nbytes,
        "ids": identifiers.array.nbytes + identifiers.hashes.nbytes + identifiers.rows.nbytes,
    }


class _Costly:
    """Ids of subscriptions, the costliest first: SHOWN of them, and how many there are."""

    def __init__(self) -> None:
        self.count = 0
        self._found: list[tuple[int, Identifier]] = []  # candidates, id

    def add(self, segment: Segment, rows: I64, candidates: I64) -> None:
        self.count += len(rows)
        most = np.argsort(-candidates, kind="stable")[:SHOWN]
        ids = segment.identifiers.array.take(pa.array(rows[most])).to_pylist()
        self._found += zip(candidates[most].tolist(), ids, strict=True)

    def to_dict(self) -> dict[str, Any]:
        found = sorted(self._found, key=lambda pair: -pair[0])[:SHOWN]
        return {"count": self.count, "ids": [identifier for _, identifier in found]}


def _always_candidates(segment: Segment) -> I64:
    """What every event has to verify, and what a text without any word has to: queries that only exclude some."""
    present = segment.book.present[segment.book.present >= 0]
    dimension = np.concatenate([[CONSTANT_DIMENSION], present]).astype(np.int32)
    ones = np.ones(len(dimension), np.int32)
    starts, none = np.array([0, len(dimension)]), np.zeros(len(dimension), np.uint8)
    text = CodedEvents(starts, dimension, ones, none, np.zeros(1, np.uint8))
    candidates = segment.structure.candidates_of(text) if len(present) else None
    always = segment.structure.always_candidates()
    return always if candidates is None else np.union1d(always, np.flatnonzero(candidates))


def _costly(snapshot: Snapshot, sample: Cells | None) -> dict[str, Any]:
    """Sealed subscriptions that every event, or every text, has to verify; that are candidates of events of the sample
    but match none of it; that no event can satisfy."""
    always, never, unsatisfiable = _Costly(), _Costly(), _Costly()
    for part in snapshot.sealed:
        segment, structure = part.segment, part.segment.structure
        rows = segment.live_rows(snapshot.version)
        expressions = segment.expression_of(rows)
        for costly, some in ((always, _always_candidates(segment)), (unsatisfiable, structure.unsatisfiable())):
            those = rows[np.isin(expressions, some)]
            costly.add(segment, those, np.zeros(len(those), np.int64))
        if sample is not None:
            events = segment.encode(sample, part.local_attribute)
            candidates = structure.candidates_of(events)
            if candidates is None:
                candidates = np.ones(segment.sources.count, np.int64)
            candidates[structure.match(events).expression] = 0
            waiting = candidates[expressions] > 0
            never.add(segment, rows[waiting], candidates[expressions[waiting]])
    never_matching = None if sample is None else {**never.to_dict(), "events": len(sample)}
    return {
        "always_candidates": always.to_dict(),
        "never_matching": never_matching,
        "unsatisfiable": unsatisfiable.to_dict(),
    }
