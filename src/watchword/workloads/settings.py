"""Parameters from texts, as a command line gives them: `dimensions=50`, `operators=high`, `width=none`."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import replace
from types import NoneType
from typing import Any, get_args, get_type_hints

from watchword.workloads.source import P
from watchword.workloads.workload import WorkloadError

_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


def with_settings(parameters: P, settings: Mapping[str, str]) -> P:
    """The parameters with these of them changed."""
    types = get_type_hints(type(parameters))
    values = {}
    for name, text in settings.items():
        if name not in types:
            raise WorkloadError(f"{type(parameters).__name__} has no parameter {name!r}: it has {', '.join(types)}")
        values[name] = _value(name, text, types[name])
    return replace(parameters, **values)


def _value(name: str, text: str, kind: Any) -> Any:
    kinds = get_args(kind) or (kind,)
    if NoneType in kinds and text.lower() == "none":
        return None
    plain = kinds[0]
    try:
        if plain is bool:
            return _TRUTH[text.lower()]
        if plain is int:
            return int(text.replace("_", "").replace(",", ""))
        return plain(text)
    except (KeyError, ValueError):
        choices = ", ".join(plain) if issubclass(plain, enum.Enum) else "true or false"
        wanted = choices if plain is bool or issubclass(plain, enum.Enum) else f"of type {plain.__name__}"
        none = ", or none" if NoneType in kinds else ""
        raise WorkloadError(f"{name} must be {wanted}{none}, not {text!r}") from None
