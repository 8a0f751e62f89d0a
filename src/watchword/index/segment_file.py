"""A segment as a file: its arrays under dotted names, and what is no array as JSON beside them."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.coding.codebook import Codebook
from watchword.coding.patterns import GeneralPattern
from watchword.coding.ranges import starts_of
from watchword.coding.text_leaves import FieldLeaves, TextField
from watchword.index.container import Arrays, read_container, write_container
from watchword.index.identifiers import Identifiers, integers, text_buffers
from watchword.index.segment import Kind, Segment
from watchword.index.sources import Sources
from watchword.structures.registry import structure_class
from watchword.text.settings import TextSettings


def write_segment(path: Path, segment: Segment) -> None:
    arrays: dict[str, npt.NDArray[Any]] = {}
    scalars: dict[str, int | float] = {}
    _flatten("book", segment.book, arrays, scalars)
    _flatten("structure", segment.structure.parts(), arrays, scalars)
    for number, field in enumerate(segment.text_fields):
        _flatten(f"text.{number}", field.leaves, arrays, scalars)
    sources = segment.sources
    arrays |= {
        "row_starts": segment.row_starts,
        "id_hashes": segment.identifiers.hashes,
        "id_rows": segment.identifiers.rows,
        "source_starts": sources.starts,
        "source_sizes": sources.sizes,
        "source_data": sources.data,
        **write_ids(segment.identifiers.array),
        **write_names(segment.names),
    }
    meta = {
        "scalars": scalars,
        "structure": {"name": segment.kind.name, "parameters": dict(segment.kind.parameters)},
        "text": asdict(segment.kind.text),
        "expressions": sources.count,
        "patterns": [asdict(pattern) for pattern in segment.patterns],
        "text_fields": [[field.attribute, field.analyzer] for field in segment.text_fields],
        "first_leaf": segment.first_leaf,
    }
    write_container(path, arrays, meta)


def read_segment(path: Path, *, verify: bool) -> Segment:
    container = read_container(path, verify=verify)
    arrays, meta = container.arrays, container.meta
    names = read_names(arrays)
    kind = Kind(meta["structure"]["name"], meta["structure"]["parameters"], TextSettings(**meta["text"]))
    built = structure_class(kind.name)
    return Segment(
        book=_restore("book", Codebook, arrays, meta["scalars"]),
        patterns=[GeneralPattern(**pattern) for pattern in meta["patterns"]],
        text_fields=[
            TextField(attribute, analyzer, _restore(f"text.{number}", FieldLeaves, arrays, meta["scalars"]))
            for number, (attribute, analyzer) in enumerate(meta["text_fields"])
        ],
        first_leaf=meta["first_leaf"],
        names=names,
        kind=kind,
        structure=built.restore(_restore("structure", built.Parts, arrays, meta["scalars"])),
        row_starts=arrays["row_starts"],
        identifiers=Identifiers(read_ids(arrays), arrays["id_hashes"], arrays["id_rows"]),
        sources=Sources(
            meta["expressions"], arrays["source_starts"], arrays["source_sizes"], arrays["source_data"], names
        ),
    )


def _flatten(prefix: str, part: Any, arrays: dict[str, npt.NDArray[Any]], scalars: dict[str, int | float]) -> None:
    for name, value in part._asdict().items():
        if isinstance(value, np.ndarray):
            arrays[f"{prefix}.{name}"] = value
        elif isinstance(value, tuple):
            _flatten(f"{prefix}.{name}", value, arrays, scalars)
        else:
            scalars[f"{prefix}.{name}"] = value


def _restore(prefix: str, kind: Any, arrays: Arrays, scalars: dict[str, int | float]) -> Any:
    values: list[Any] = []
    for field, hint in get_type_hints(kind).items():
        name = f"{prefix}.{field}"
        if name in arrays:
            values.append(arrays[name])
        elif name in scalars:
            values.append(scalars[name])
        else:
            values.append(_restore(name, hint, arrays, scalars))
    return kind(*values)


def write_ids(ids: pa.Array) -> dict[str, npt.NDArray[Any]]:
    if pa.types.is_int64(ids.type):
        return {"ids": integers(ids)}
    starts, text = text_buffers(ids)
    return {"id_starts": starts, "id_text": text}


def read_ids(arrays: Arrays) -> pa.Array:
    if "ids" in arrays:
        return pa.Array.from_buffers(pa.int64(), len(arrays["ids"]), [None, pa.py_buffer(arrays["ids"])])
    starts, text = arrays["id_starts"], arrays["id_text"]
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(text)]
    return pa.Array.from_buffers(pa.large_string(), len(starts) - 1, buffers)


def write_names(names: list[str]) -> dict[str, npt.NDArray[Any]]:
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    return {
        "name_starts": starts_of(np.array([len(name) for name in encoded], np.int64)),
        "name_text": np.frombuffer(b"".join(encoded), np.uint8),
    }


def read_names(arrays: Arrays) -> list[str]:
    starts, text = arrays["name_starts"].tolist(), arrays["name_text"].tobytes()
    return [text[first:last].decode("utf-8", "surrogatepass") for first, last in pairwise(starts)]
