"""`Index`: subscriptions in, matches out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa

from watchword.coding.attributes import Attributes
from watchword.coding.cells import Cells
from watchword.coding.event import flatten
from watchword.coding.read_events import read_events
from watchword.errors import EventError, SubscriptionIdError
from watchword.index import storage
from watchword.index.contents import Contents
from watchword.index.identifiers import Identifier, checked_id, id_array
from watchword.index.incoming import read_subscriptions
from watchword.index.maintenance import HEAD_SLOTS, Maintenance
from watchword.index.matching import CodedBatch, match_coded, match_one, read_batch, to_table
from watchword.index.segment import Kind
from watchword.index.stats import Tally, collect
from watchword.language.build import Source, to_expression
from watchword.language.explain import Explanation, explain
from watchword.language.expression import Expression
from watchword.language.render import to_sql
from watchword.language.table_rows import to_expression as tree_of
from watchword.limits import STATS_EVENTS
from watchword.text.settings import TextSettings

TRAINING_EVENTS = 10_000  # more do not make the statistics better
TREES = 4096  # at a time in memory, when all are asked for


class Index:
    """Standing subscriptions, and the events that satisfy them.

    All methods may be called from several threads. A match sees the index as it was when the match began.
    """

    def __init__(
        self,
        training: Any = None,
        structure: str = "auto",
        analyzers: Mapping[str, str] | None = None,
        default_analyzer: str = "standard",
        default_operator: str = "and",
        **parameters: Any,
    ) -> None:
        """`training`: a sample of events, as `match_batch` takes them, for the statistics of the index.

        `structure` is one of `structures()`; `parameters` are its own, as its paper names them. `analyzers`: how the
        text of a field becomes words, by the field's name, where it is not the default one's. `default_operator`:
        what a bare list of words in a text query means, all of them ("and") or some of them ("or").
        """
        text = TextSettings(analyzers or {}, default_analyzer, default_operator)
        kind = Kind.of(structure, parameters, text)
        self._kind = kind
        self._contents = Contents(text)
        self._training_source = training
        self._training: tuple[int, Cells] | None = None  # for how many attributes it was read
        self._maintenance = Maintenance(self._contents, self._training_cells, kind)
        self._tally = Tally()

    def __len__(self) -> int:
        return len(self._contents)

    def __contains__(self, identifier: object) -> bool:
        try:
            checked = checked_id(identifier)
        except SubscriptionIdError:
            return False
        with self._contents.lock:
            return self._contents.find(checked) is not None

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- subscriptions ----------------------------------------------------------------------------------------

    def subscribe(self, identifier: Identifier, expression: Source) -> None:
        """Add a subscription, or replace the one of this id. A bad expression raises and changes nothing."""
        self._contents.put(checked_id(identifier), to_expression(expression))
        self._maintenance.after_update()

    def subscribe_many(self, subscriptions: Any) -> pa.Table:
        """Add or replace many: a table with columns `id` and `expression`, or pairs of them.

        Good rows go in; the table of the others (row, id, reason) is returned.
        """
        incoming = read_subscriptions(subscriptions, self._contents.id_type)
        if len(incoming.ids) >= HEAD_SLOTS:
            self._contents.put_segment(self._maintenance.build(incoming.ids, incoming.table))
        elif len(incoming.ids):
            self._contents.put_table(incoming.ids, incoming.table)
        self._maintenance.after_update()
        return incoming.error_table()

    def unsubscribe(self, identifier: Identifier) -> bool:
        """Remove a subscription; was it there?"""
        removed = self._contents.remove(checked_id(identifier))
        self._maintenance.after_update()
        return removed

    def unsubscribe_many(self, identifiers: Any) -> int:
        """Remove all of these that are there, a column or sequence of ids; how many were?"""
        ids = id_array(identifiers)
        removed = self._contents.remove_many(ids.drop_null())
        self._maintenance.after_update()
        return removed

    def subscriptions(self) -> Iterator[tuple[Identifier, Expression]]:
        """All subscriptions as they stand now, with the trees of their expressions; in no particular order."""
        self.flush()
        snapshot = self._contents.snapshot
        for part in snapshot.sealed:
            rows = part.segment.live_rows(snapshot.version)
            for first in range(0, len(rows), TREES):
                some = rows[first : first + TREES]
                table = part.segment.table(some)
                for place, identifier in enumerate(part.segment.identifiers.array.take(pa.array(some)).to_pylist()):
                    yield identifier, tree_of(table, place)

    def expression(self, identifier: Identifier) -> str:
        """The expression of a subscription, as SQL."""
        return to_sql(self._expression(identifier))

    def _expression(self, identifier: Identifier) -> Any:
        expression = self._contents.expression(checked_id(identifier))
        if expression is None:
            raise SubscriptionIdError(f"there is no subscription {identifier!r} in this index")
        return expression

    # --- matching ---------------------------------------------------------------------------------------------

    def match(self, event: Mapping[str, Any]) -> list[Identifier]:
        """The ids of the subscriptions that this event satisfies, in no particular order."""
        snapshot = self._contents.snapshot
        cells = read_events([event], self._contents.attributes)
        if cells.errors:
            raise EventError(cells.errors[0])
        ids, counts = match_one(snapshot, cells)
        self._tally.add(1, len(ids), counts)
        return ids

    def encode(self, events: Any, id: str | None = None, json: str | None = None) -> CodedBatch:
        """Read and code events once, to match them several times."""
        snapshot = self._contents.snapshot
        batch = read_batch(events, self._contents.attributes, id, json, keep=True)
        batch.prepare(snapshot, batch.known)
        return batch

    def match_batch(
        self,
        events: Any,
        id: str | None = None,
        json: str | None = None,
        threads: int = 1,
        errors: list[tuple[Any, str]] | None = None,
    ) -> pa.Table:
        """All matches of many events: a table (event, subscription), ordered by event.

        `events`: an Arrow table, a pandas frame, dicts, an Arrow array of JSON texts, or what `encode` returned.
        `id`: the column or key that names an event, else its row number from 0. `json`: the column that holds the
        event as JSON. A bad event matches nothing; it is added to `errors` as (event, reason), or warned of.
        """
        snapshot = self._contents.snapshot
        attributes = self._contents.attributes
        if isinstance(events, CodedBatch):
            batch = events
            batch.prepare(snapshot, len(attributes))
        else:
            batch = read_batch(events, attributes, id, json)
        _report(batch, errors)
        id_type = self._contents.id_type or pa.large_string()
        found = match_coded(snapshot, batch, id_type, threads)
        self._tally.add(len(batch), len(found.ids), found.counts)
        return to_table(found, batch.ids)

    def explain(self, identifier: Identifier, event: Mapping[str, Any]) -> Explanation:
        """Why the subscription matches the event or not: every node with its truth, actual and wanted values."""
        return explain(self._expression(identifier), flatten(event), self._kind.text)

    # --- the index itself -------------------------------------------------------------------------------------

    def stats(self, events: Any = None, json: str | None = None) -> dict[str, Any]:
        """Counts, bytes by part, candidates and matches per event, costly subscriptions.

        `events` (and `json`, as for `match_batch`): a sample. Subscriptions that are candidates of some of it but
        never match are costly too. Without it the training events are taken, where there are some.
        """
        cells = self._training_cells() if events is None else read_events(events, self._contents.attributes, json=json)
        sample = None if cells is None else cells.part(0, min(len(cells), STATS_EVENTS))
        return collect(self._contents, self._tally, self._kind.name, sample)

    def flush(self) -> None:
        """Wait until all subscriptions are sealed and merges that are due are done."""
        self._maintenance.flush()

    def save(self, path: str | Path) -> None:
        """Write the index to a folder, atomically: a reader finds the old state or the new one."""
        folder = Path(path).absolute()
        with self._maintenance.paused(), self._contents.lock:  # updates wait until all is sealed and written
            self.flush()
            names = list(self._contents.attributes.names)
            storage.save(folder, self._contents.snapshot, self._training_cells(), names, self._kind)

    @classmethod
    def open(cls, path: str | Path, verify: bool | None = None) -> Index:
        """Map a saved index. `verify`: compare every byte with its checksum (by itself up to 1 GiB)."""
        folder = Path(path).absolute()
        saved = storage.load(folder, verify)
        index = cls(structure=saved.kind.name, **asdict(saved.kind.text), **saved.kind.parameters)
        index._contents.attributes.add(saved.names)
        if saved.training is not None:
            index._training = len(saved.names), saved.training
        for segment in saved.segments:
            index._contents.load_segment(segment)
        return index

    @classmethod
    def open_parts(cls, paths: Sequence[str | Path], verify: bool | None = None) -> Index:
        """Map several saved indexes as one, to match: events are read once for all. No id may be in two of them."""
        parts = [storage.load(Path(path).absolute(), verify) for path in paths]
        index = cls(**asdict(parts[0].kind.text)) if parts else cls()
        for saved in parts:
            index._contents.attributes.add(saved.names)
            for segment in saved.segments:
                index._contents.load_segment(segment)
        return index

    def close(self) -> None:
        """Stop background work. The index can still be used; it then no longer seals or merges by itself."""
        self._maintenance.close()

    def _training_cells(self) -> Cells | None:
        """The training events, read for the attributes that are known by now."""
        if self._training_source is None:
            return None if self._training is None else self._training[1]
        known = len(self._contents.attributes)
        if self._training is None or self._training[0] < known:
            self._training = known, _read_sample(self._training_source, self._contents.attributes)
        return self._training[1]


def _read_sample(events: Any, attributes: Attributes) -> Cells:
    cells = read_events(events, attributes)
    return cells.part(0, TRAINING_EVENTS) if len(cells) > TRAINING_EVENTS else cells


def _report(batch: CodedBatch, errors: list[tuple[Any, str]] | None) -> None:
    for event, reason in sorted(batch.cells.errors.items()):
        name = event if batch.ids is None else batch.ids[event].as_py()
        if errors is None:
            warnings.warn(f"event {name!r} could not be read and matches nothing: {reason}", stacklevel=3)
        else:
            errors.append((name, reason))
