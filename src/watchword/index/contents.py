"""What an index holds at any moment: sealed segments, heads that take updates, and where each id is.

    Snapshot(version 7):  segments A, B   |  head 1 (being sealed): 8,192 slots  |  head 2: 17 slots

Writers change the contents under a lock and publish a new snapshot; a match takes the newest one and never waits.
Removing writes the next version into the row, appending makes a head longer; both become visible together when
that version is published. So a replaced subscription is never seen twice, nor missing.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from watchword.coding.attributes import Attributes
from watchword.coding.values import I32
from watchword.errors import SubscriptionIdError
from watchword.index.head import Head
from watchword.index.identifiers import Identifier
from watchword.index.segment import Segment
from watchword.language.expression import Expression
from watchword.language.table import ExpressionTable
from watchword.language.table_rows import to_expression
from watchword.text.settings import TextSettings


@dataclass(slots=True, eq=False)
class LiveHead:
    head: Head
    ids: list[Identifier] = field(default_factory=list)
    deleted: dict[int, int] = field(default_factory=dict)  # slot -> version

    def live_slots(self, count: int, version: int) -> list[int]:
        return [slot for slot in range(count) if self.deleted.get(slot, version + 1) > version]


class SealedPart(NamedTuple):
    segment: Segment
    local_attribute: I32  # the index's attribute numbers -> the segment's


class HeadPart(NamedTuple):
    head: LiveHead
    slots: int


class Snapshot(NamedTuple):
    sealed: tuple[SealedPart, ...]
    heads: tuple[HeadPart, ...]
    version: int
    length: int  # subscriptions


class Contents:
    def __init__(self, settings: TextSettings) -> None:
        self.lock = threading.RLock()
        self.settings = settings
        self.attributes = Attributes()
        self.id_type: pa.DataType | None = None
        self._sealed: list[SealedPart] = []
        self._heads: list[LiveHead] = [self._new_head()]
        self._slots: dict[Identifier, tuple[LiveHead, int]] = {}
        self._count = 0
        self.snapshot = Snapshot((), (), 0, 0)
        self._publish()

    def __len__(self) -> int:
        return self.snapshot.length

    # --- looking up -------------------------------------------------------------------------------------------

    def find(self, identifier: Identifier) -> tuple[LiveHead | Segment, int] | None:
        """The part that holds the id now, and its slot or row there."""
        place = self._slots.get(identifier)
        if place is not None or not self._sealed:
            return place
        if self.id_type != _type_of(identifier):
            return None
        wanted = pa.array([identifier], self.id_type)
        for part in reversed(self._sealed):
            row = int(part.segment.identifiers.find(wanted)[0])
            if row >= 0 and part.segment.is_live(row):
                return part.segment, row
        return None

    def expression(self, identifier: Identifier) -> Expression | None:
        with self.lock:
            place = self.find(identifier)
        if place is None:
            return None
        part, row = place
        if isinstance(part, LiveHead):
            return part.head.expression(row)
        return to_expression(part.table(np.array([row])), 0)

    # --- changing ---------------------------------------------------------------------------------------------

    def put(self, identifier: Identifier, expression: Expression) -> bool:
        """Add or replace one subscription; was the id there before?"""
        with self.lock:
            self._check_type(_type_of(identifier))
            replaced = self._remove(identifier)
            self._append(identifier, expression)
            self._publish()
        return replaced

    def remove(self, identifier: Identifier) -> bool:
        with self.lock:
            removed = self._remove(identifier)
            if removed:
                self._publish()
        return removed

    def remove_many(self, ids: pa.Array) -> int:
        """Remove all of these that are there: how many."""
        with self.lock:
            before = self._count
            self._remove_many(ids)
            if self._count < before:
                self._publish()
            return before - self._count

    def put_table(self, ids: pa.Array, table: ExpressionTable) -> None:
        """Add or replace a few subscriptions in the head. The ids are distinct."""
        with self.lock:
            self._check_type(ids.type)
            for row, identifier in enumerate(ids.to_pylist()):
                self._remove(identifier)
                self._append(identifier, to_expression(table, row))
            self._publish()

    def put_segment(self, segment: Segment) -> None:
        """Add or replace many subscriptions at once. The segment's ids are distinct."""
        ids = segment.identifiers.array
        with self.lock:
            self._check_type(ids.type)
            self._remove_many(ids)
            self._sealed.append(self.sealed_part(segment))
            self._count += len(segment)
            self._publish()

    def load_segment(self, segment: Segment) -> None:
        """Add a segment as it was saved, with its removed rows."""
        with self.lock:
            self._check_type(segment.identifiers.array.type)
            self._sealed.append(self.sealed_part(segment))
            self._count += len(segment) - segment.deleted
            self._publish()

    def freeze_head(self) -> None:
        """Let a new head take what comes, so that the present one can be sealed."""
        with self.lock:
            if self._heads[-1].ids:
                self._heads.append(self._new_head())
                self._publish()

    def swap(self, heads: Sequence[LiveHead], old: Sequence[Segment], new: Segment | None, version: int) -> None:
        """Put `new`, built from heads and segments as they were at `version`, in their place.

        What has been removed from them since then is removed from it too.
        """
        with self.lock:
            if new is not None:
                gone = [head.ids[slot] for head in heads for slot, at in head.deleted.items() if at > version]
                gone_ids = [pa.array(gone, self.id_type)] + [
                    segment.identifiers.array.take(pa.array(np.flatnonzero(segment.deleted_at > version)))
                    for segment in old
                ]
                for ids in gone_ids:
                    for row in new.identifiers.find(ids).tolist():
                        if row >= 0 and new.is_live(row):
                            new.delete(row, self.snapshot.version)
            for head in heads:
                for slot, identifier in enumerate(head.ids):
                    if self._slots.get(identifier) == (head, slot):
                        del self._slots[identifier]
            kept = [part for part in self._sealed if not any(part.segment is segment for segment in old)]
            self._sealed = kept if new is None else [*kept, self.sealed_part(new)]
            self._heads = [head for head in self._heads if not any(head is sealed for sealed in heads)]
            if not self._heads:
                self._heads.append(self._new_head())
            self._publish()

    def sealed_part(self, segment: Segment) -> SealedPart:
        return SealedPart(segment, self.local_attributes(segment.names))

    def local_attributes(self, names: Sequence[str]) -> I32:
        """The map from the index's attribute numbers to places in `names`, -1 for all others; adds new ones."""
        with self.lock:
            numbers = self.attributes.add(names)
            local = np.full(len(self.attributes), -1, np.int32)
        local[numbers] = np.arange(len(numbers), dtype=np.int32)
        return local

    def _new_head(self) -> LiveHead:
        return LiveHead(Head(self.attributes, self.settings))

    def _append(self, identifier: Identifier, expression: Expression) -> None:
        head = self._heads[-1]
        slot = head.head.append(expression)
        head.ids.append(identifier)
        self._slots[identifier] = head, slot
        self._count += 1

    def _remove(self, identifier: Identifier) -> bool:
        place = self.find(identifier)
        if place is None:
            return False
        part, row = place
        if isinstance(part, LiveHead):
            part.head.delete(row, self.snapshot.version + 1)
            part.deleted[row] = self.snapshot.version + 1
            del self._slots[identifier]
        else:
            part.delete(row, self.snapshot.version + 1)
        self._count -= 1
        return True

    def _remove_many(self, ids: pa.Array) -> None:
        for part in self._sealed:
            for row in part.segment.identifiers.find(ids).tolist():
                if row >= 0 and part.segment.is_live(row):
                    part.segment.delete(row, self.snapshot.version + 1)
                    self._count -= 1
        if self._slots:
            for identifier in set(self._slots).intersection(ids.to_pylist()):
                self._remove(identifier)

    def _check_type(self, id_type: pa.DataType) -> None:
        if self.id_type is None:
            self.id_type = id_type
        elif self.id_type != id_type:
            known, new = _NAMES[self.id_type], _NAMES[id_type]
            raise SubscriptionIdError(f"the ids of this index are {known}, not {new}: convert the new ones")

    def _publish(self) -> None:
        heads = tuple(HeadPart(head, len(head.ids)) for head in self._heads)
        self.snapshot = Snapshot(tuple(self._sealed), heads, self.snapshot.version + 1, self._count)


_NAMES = {pa.int64(): "integers", pa.large_string(): "strings"}


def _type_of(identifier: object) -> pa.DataType:
    if isinstance(identifier, str):
        return pa.large_string()
    if isinstance(identifier, (int, np.integer)) and not isinstance(identifier, bool):
        return pa.int64()
    raise SubscriptionIdError(f"an id must be a string or an integer, not {type(identifier).__name__}")
