"""Sealing and merging in the background, so that matching stays fast while subscriptions come and go.

    a head of HEAD_SLOTS slots        -> sealed into a segment
    segments of like size             -> merged, so that a segment is at least GROWTH times the sum of all smaller ones
    a segment with many removed rows  -> rebuilt without them

Every segment costs each event one more coding and one more visit, a rebuild costs time once per row: with GROWTH 8 a
subscription is rebuilt about log8(n / HEAD_SLOTS) times, and there are about as many segments. One thread does this
work while there is some; matches and updates go on meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Final

import pyarrow as pa

from watchword.coding.cells import Cells
from watchword.coding.expand_matches import expand_matches
from watchword.index.contents import Contents, LiveHead
from watchword.index.segment import Kind, Segment, build_segment
from watchword.language.table import ExpressionTable
from watchword.language.table_rows import concatenate

HEAD_SLOTS: Final = 4096
GROWTH: Final = 8
REMOVED_SHARE: Final = 0.25  # of a segment's rows

Training = Callable[[], Cells | None]


class Maintenance:
    def __init__(self, contents: Contents, training: Training, kind: Kind) -> None:
        self._contents = contents
        self._kind = kind
        self._training = training
        self._lock = (
            threading.RLock()
        )  # held while heads or segments are being replaced; taken before the contents' lock
        self._thread: threading.Thread | None = None
        self._thread_lock = threading.Lock()
        self._closed = False
        self._failure: BaseException | None = None

    def after_update(self) -> None:
        """Start the background work if there is some."""
        self._raise_failure()
        if self._closed or not self._is_due():
            return
        with self._thread_lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="watchword-maintenance", daemon=True)
                self._thread.start()

    def flush(self) -> None:
        """Seal what is in the heads and merge what is due, now."""
        with self._lock:
            self._seal()
            while self._merge():
                pass

    def paused(self) -> AbstractContextManager[bool]:
        """While this is held, nothing is sealed or merged by others."""
        return self._lock

    def close(self) -> None:
        self._closed = True
        thread = self._thread
        if thread is not None and thread.is_alive():
            thread.join()
        self._raise_failure()

    def _raise_failure(self) -> None:
        """What failed in the background is raised by whoever comes next."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def build(self, ids: pa.Array, table: ExpressionTable) -> Segment:
        """A segment whose key costs come from the training events, where there are any."""
        expanded = expand_matches(table, self._kind.text)
        local = self._contents.local_attributes(expanded.table.names)
        return build_segment(table, expanded, ids, self._training(), local, self._kind)

    def _is_due(self) -> bool:
        snapshot = self._contents.snapshot
        return snapshot.heads[-1].slots >= HEAD_SLOTS or bool(_due([part.segment for part in snapshot.sealed]))

    def _run(self) -> None:
        try:
            while not self._closed and self._is_due():
                with self._lock:
                    if self._contents.snapshot.heads[-1].slots >= HEAD_SLOTS:
                        self._seal()
                    else:
                        self._merge()
        except BaseException as failure:  # handed to the next update: nothing may fail unseen
            self._failure = failure

    def _seal(self) -> None:
        self._contents.freeze_head()
        snapshot = self._contents.snapshot
        frozen = [(part.head, part.slots) for part in snapshot.heads[:-1]]
        self._replace([head for head, _ in frozen], [], snapshot.version)

    def _merge(self) -> bool:
        snapshot = self._contents.snapshot
        due = _due([part.segment for part in snapshot.sealed])
        if due:
            self._replace([], due, snapshot.version)
        return bool(due)

    def _replace(self, heads: Sequence[LiveHead], segments: Sequence[Segment], version: int) -> None:
        """One segment of all that stands in these at this version, in their place."""
        if not heads and not segments:
            return
        tables, ids = [], []
        for segment in segments:
            rows = segment.live_rows(version)
            tables.append(segment.table(rows))
            ids.append(segment.identifiers.array.take(pa.array(rows)))
        for head in heads:
            slots = head.live_slots(len(head.ids), version)
            tables.append(head.head.table(slots))
            ids.append(pa.array([head.ids[slot] for slot in slots], self._contents.id_type))
        all_ids = pa.concat_arrays(ids)
        new = self.build(all_ids, concatenate(tables)) if len(all_ids) else None
        self._contents.swap(heads, segments, new, version)


def _due(segments: Sequence[Segment]) -> list[Segment]:
    """The segments to make one of: the smallest ones that are too large together for the next larger one."""
    by_size = sorted(segments, key=len)
    total, due = 0, 0
    for position, segment in enumerate(by_size):
        if position and len(segment) < GROWTH * total:
            due = position + 1
        total += len(segment)
    if due:
        return by_size[:due]
    return [segment for segment in by_size if segment.deleted > REMOVED_SHARE * len(segment)][:1]
