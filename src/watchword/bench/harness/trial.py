"""What is to be measured: a workload by its generator and parameters, a structure and its parameters, a task.

    Source    "op_index" with dimensions = 20,000, ...      --sources.make-->  Workload
    Trial     a source, a structure, what to do with it     --measure------>  rows, one per pass

Both are plain data: two figures that need the same trial share its rows, and a run that stopped knows what it has.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Source:
    """Where a workload comes from. `parameters` may hold further sources, for a workload mixed from two."""

    generator: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def but(self, changes: Mapping[str, Any]) -> Source:
        return Source(self.generator, {**self.parameters, **changes})

    def to_dict(self) -> dict[str, Any]:
        plain = {
            name: value.to_dict() if isinstance(value, Source) else value for name, value in self.parameters.items()
        }
        return {"generator": self.generator, **plain}

    @property
    def text(self) -> str:
        return _text(self.to_dict())


@dataclass(frozen=True, slots=True)
class Trial:
    source: Source
    structure: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    task: str = "match"  # see `tasks.TASKS`
    batch: int = 0  # events that are matched together; 0: all of them
    training: bool = True  # the structure sees the workload's sample of events

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source.to_dict(),
            "structure": self.structure,
            "parameters": dict(self.parameters),
            "task": self.task,
            "batch": self.batch,
            "training": self.training,
        }

    @property
    def key(self) -> str:
        """The name under which its rows are kept."""
        return hashlib.sha256(_text(self.to_dict()).encode()).hexdigest()[:20]


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
