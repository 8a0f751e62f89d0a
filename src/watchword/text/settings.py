"""How an index reads text: which analyzer each field has, and what a bare list of words means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from watchword.errors import TextSettingsError
from watchword.text.analyzers import Analyzer, analyzer

OPERATORS: Final = ("and", "or")


@dataclass(frozen=True)
class TextSettings:
    """`analyzers`: field -> analyzer's name; other fields have the default one.

    `default_operator`: "and" where a bare list of words means all of them, "or" where one is enough.
    """

    analyzers: Mapping[str, str] = field(default_factory=dict)
    default_analyzer: str = "standard"
    default_operator: str = "and"

    def __post_init__(self) -> None:
        if not isinstance(self.analyzers, Mapping):
            raise TextSettingsError(
                f"analyzers is a {type(self.analyzers).__name__}: give a mapping of fields to analyzers' names"
            )
        object.__setattr__(self, "analyzers", dict(self.analyzers))
        for name in (*self.analyzers.values(), self.default_analyzer):
            analyzer(name)
        if self.default_operator not in OPERATORS:
            raise TextSettingsError(f"the default operator is {self.default_operator!r}: name one of and, or")

    def __hash__(self) -> int:
        return hash((frozenset(self.analyzers.items()), self.default_analyzer, self.default_operator))

    def analyzer_of(self, field: str) -> Analyzer:
        return analyzer(self.analyzers.get(field, self.default_analyzer))


DEFAULT: Final = TextSettings()
