"""Events with several texts in one field: MATCHES is true if one of them alone satisfies its query.

A segment's codes say which leaves of a query hold somewhere in the field; that is too much where one text has the one
word and another text the other. So such an event is matched once for each of its texts, with the leaves of that text
only, and what one of them finds is found:

    subscriptions with                      are decided by
    no MATCHES on the field                 the event as it is
    one MATCHES, under no NOT               any of the texts: more texts can only make it true
    several, or under NOT, or naming        direct evaluation, one by one
    other fields

The same goes for lists without elements, ranges, and lists that hold other things than texts.
Invariant: exact. Cost: a match per text, and for each subscription of the last kind what `evaluate` costs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from watchword.coding.cells import RANGE, Cells
from watchword.coding.documents import documents_of
from watchword.coding.values import EMPTY, I32, I64, TEXT
from watchword.index.event_from_cells import event_from_cells
from watchword.index.query_fields import SEVERAL
from watchword.index.segment import Segment
from watchword.language.evaluate import evaluate_flat
from watchword.language.table_rows import to_expression
from watchword.structures.structure import U32


def with_several_texts(segment: Segment, cells: Cells, local_attribute: I32) -> dict[int, list[int]]:
    """The events, and which of their attributes that the segment's queries read are not just one value."""
    found: dict[int, list[int]] = {}
    first, last = int(cells.starts[0]), int(cells.starts[-1])
    if not segment.text_fields or not cells.flags[first:last].any():
        return found
    fields = np.isin(local_attribute, [field.attribute for field in segment.text_fields])
    flagged = first + np.flatnonzero(cells.flags[first:last])
    flagged = flagged[np.isin(cells.attribute[flagged], np.flatnonzero(fields))]  # lists of other things are many
    for cell in flagged.tolist():
        attribute = int(cells.attribute[cell])
        if not _is_alone(cells, cell):
            event = int(np.searchsorted(cells.starts, cell, side="right")) - 1
            attributes = found.setdefault(event, [])
            if attribute not in attributes:
                attributes.append(attribute)
    return found


def _is_alone(cells: Cells, cell: int) -> bool:
    """The one element of a list is as good as a value of its own."""
    neighbours = (place for place in (cell - 1, cell + 1) if cells.starts[0] <= place < cells.starts[-1])
    same = any(cells.attribute[place] == cells.attribute[cell] and cells.flags[place] for place in neighbours)
    return not same and cells.values.kind[cell] != EMPTY


def match_several_texts(
    segment: Segment, cells: Cells, local_attribute: I32, starts: I64, rows: U32, version: int
) -> tuple[I64, U32]:
    """The rows that the events match, given what was found for them as they are."""
    events = with_several_texts(segment, cells, local_attribute)
    if not events:
        return starts, rows
    found = [rows[first:last] for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
    for event, attributes in events.items():
        found[event] = _rows(segment, cells.part(event, event + 1), local_attribute, attributes, found[event], version)
    new_starts = np.zeros_like(starts)
    np.cumsum([len(some) for some in found], out=new_starts[1:])
    return new_starts, np.concatenate(found)


def _rows(segment: Segment, cells: Cells, local_attribute: I32, attributes: list[int], rows: U32, version: int) -> U32:
    field_of_row = segment.text_field_of_rows()
    kept = [rows[~np.isin(field_of_row[rows], [SEVERAL, *local_attribute[attributes].tolist()])]]
    for attribute in attributes:
        field = int(local_attribute[attribute])
        here = cells.attribute[cells.starts[0] : cells.starts[1]] == attribute
        place = int(cells.starts[0]) + np.flatnonzero(here)
        texts = (cells.values.kind[place] == TEXT) & (cells.flags[place] & RANGE == 0)
        some = rows
        if texts.any():
            some = _rows_of_any(segment, cells, local_attribute, attribute, int(texts.sum()), version)
        kept.append(some[field_of_row[some] == field])
    names = [segment.names[number] if number >= 0 else "" for number in local_attribute.tolist()]
    flat = event_from_cells(cells, 0, names)
    candidates = np.flatnonzero(field_of_row == SEVERAL)
    table = segment.table(candidates)
    true = [
        row
        for place, row in enumerate(candidates.tolist())
        if segment.is_live_at(row, version)
        and evaluate_flat(to_expression(table, place), flat, segment.kind.text) is True
    ]
    return np.concatenate([*kept, np.array(true, np.uint32)])


def _rows_of_any(segment: Segment, cells: Cells, local_attribute: I32, attribute: int, texts: int, version: int) -> U32:
    """The rows that the event matches with one of its texts as the only one whose words count."""
    found = []
    name = next(f.analyzer for f in segment.text_fields if f.attribute == local_attribute[attribute])
    documents = documents_of(cells, attribute, name)
    for text in range(texts):
        first, last = int(documents.tokens.starts[text]), int(documents.tokens.starts[text + 1])
        tokens = documents.tokens
        alone = replace(
            documents,
            cell=documents.cell[text : text + 1],
            document=documents.document[text : text + 1],
            tokens=replace(
                tokens,
                starts=np.array([0, last - first], np.int64),
                term=tokens.term[first:last],
                position=tokens.position[first:last],
            ),
        )
        one = replace(cells, documents={**cells.documents, (attribute, name): alone})
        found.append(segment.match(segment.encode(one, local_attribute), version)[1])
    return np.unique(np.concatenate(found))
