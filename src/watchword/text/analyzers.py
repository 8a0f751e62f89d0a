"""Analyzers: a text to its terms with their positions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from watchword.errors import TextSettingsError

_WORDS: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Token:
    term: str
    position: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Analyzer:
    name: str

    def tokens(self, text: str) -> list[Token]:
        return [
            Token(self.fold(match[0]), position, match.start(), match.end())
            for position, match in enumerate(_WORDS.finditer(text))
        ]

    def fold(self, text: str) -> str:
        """What the analyzer does to single characters."""
        return text.casefold()


@lru_cache
def analyzer(name: str) -> Analyzer:
    if name != "standard":
        raise TextSettingsError(f"there is no analyzer {name!r}: name one of standard")
    return Analyzer(name)
