"""Lines of JSON in batches. Blank lines are passed over and not counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Final

import pyarrow as pa

BATCH_BYTES: Final = 64 << 20  # however many lines are asked for, a batch stays this small


def batches_of_lines(stream: BinaryIO, size: int) -> Iterator[list[bytes]]:
    lines: list[bytes] = []
    held = 0
    for line in stream:
        if line.isspace():
            continue
        lines.append(line)
        held += len(line)
        if len(lines) >= size or held >= BATCH_BYTES:
            yield lines
            lines, held = [], 0
    if lines:
        yield lines


def as_text(lines: list[bytes]) -> tuple[pa.Array, dict[int, str]]:
    """The lines as a string array; a line that is not UTF-8 is null in it, with the reason under its number."""
    try:
        return pa.array(lines, pa.binary()).cast(pa.string()), {}
    except pa.ArrowInvalid:
        pass
    texts: list[str | None] = []
    reasons: dict[int, str] = {}
    for number, line in enumerate(lines):
        try:
            texts.append(line.decode())
        except UnicodeDecodeError as error:
            texts.append(None)
            reasons[number] = f"not UTF-8 at byte {error.start}: save the file as UTF-8"
    return pa.array(texts, pa.string()), reasons
