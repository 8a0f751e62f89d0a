"""Patterns of LIKE, ILIKE and RLIKE, compiled once each into a test of a text.

A LIKE pattern is cut at its `%` into segments of fixed length; `_` is a None in them:

    'ab_%c'  ->  [['a', 'b', None], ['c']]

Because segments have a fixed length, taking each at its leftmost place is right, so no test backtracks over a run
that was found already, and none takes more than text length times pattern length. RE2 is linear by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import re2

from watchword.errors import ExpressionError

TextTest = Callable[[str], bool]
Segment = list[str | None]


class _FoldedCodePoints(dict[int, str]):
    def __missing__(self, code_point: int) -> str:
        folded = self[code_point] = chr(code_point).lower()[0]
        return folded


_FOLDED = _FoldedCodePoints()


def fold_case(text: str) -> str:
    """Each code point by itself in lower case, so that the length stays and `_` means the same before and after."""
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def segments(pattern: str, escape: str | None) -> list[Segment]:
    parts: list[Segment] = [[]]
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            literal = next(characters, None)
            if literal is None:
                raise ExpressionError(
                    f"the pattern {pattern!r} ends with its escape character: double it, or name another one"
                )
            parts[-1].append(literal)
        elif character == "%":
            parts.append([])
        else:
            parts[-1].append(None if character == "_" else character)
    return parts


def literal_prefix(pattern: str, escape: str | None) -> tuple[str, bool] | None:
    """(text, more may follow) of a pattern that is a text, or a text and then `%`; None for other patterns."""
    first, *rest = segments(pattern, escape)
    if any(rest) or None in first:
        return None
    return "".join(character for character in first if character is not None), bool(rest)


@lru_cache(maxsize=4096)
def like_test(pattern: str, escape: str | None, ignore_case: bool) -> TextTest:
    match = segments_regex(segments(pattern, escape), ignore_case).fullmatch
    if ignore_case:
        return lambda text: match(fold_case(text)) is not None
    return lambda text: match(text) is not None


def segments_regex(parts: Sequence[Sequence[str | None]], ignore_case: bool) -> re.Pattern[str]:
    """These segments one after the other, any run of characters between them."""
    first, *rest = (_segment_regex(part, ignore_case) for part in parts)
    regex = first
    if rest:
        *middle, last = rest
        regex += "".join(f"(?>.*?{part})" for part in middle if part) + ".*" + last
    return re.compile(regex, re.DOTALL)


def _segment_regex(segment: Sequence[str | None], ignore_case: bool) -> str:
    return "".join(
        "." if character is None else re.escape(fold_case(character) if ignore_case else character)
        for character in segment
    )


@lru_cache(maxsize=1024)
def rlike_test(pattern: str) -> TextTest:
    """Raises ExpressionError for what is not an RE2 pattern."""
    search = compile_re2(pattern).search
    # A text of an event may hold lone surrogates, which have no UTF-8: as bytes they match nothing and harm nothing.
    return lambda text: search(text.encode("utf-8", "surrogatepass")) is not None


def compile_re2(pattern: str, ignore_case: bool = False) -> Any:
    """Raises ExpressionError for what is not an RE2 pattern."""
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0]
        shown = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
        raise ExpressionError(
            f"the RE2 pattern {pattern!r} is invalid: {shown} (look-around and backreferences are not in RE2)"
        ) from None
