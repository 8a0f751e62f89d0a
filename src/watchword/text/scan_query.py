"""The words and signs of a text query, read one after the other; every refusal says where."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from watchword.errors import ExpressionError, LimitError, QueryError
from watchword.language.patterns import compile_re2
from watchword.language.pointer import pointer
from watchword.limits import NAME_BYTES, PATTERN_BYTES, PHRASE_SLOP
from watchword.text.query import Fuzzy, Leaf, Prefix, Quoted, Regex, Wildcard, Word

_CONNECTOR: Final = re.compile(r"(AND|OR|NOT)(?=[\s()\"]|$)|&&|\|\||!")
_MEANINGS: Final = {"&&": "AND", "||": "OR", "!": "NOT"}
_CHARACTERS: Final = re.compile(r'[^\s()"\\:^~\[\]{}*?]+')  # of a word, none of them with a meaning inside it
_NEVER_FIRST: Final = ":^~[]{}<>+-"  # of a word: without a meaning there, or with one in other languages
_NUMBER: Final = re.compile(r"[0-9]+(\.[0-9]*)?|\.[0-9]+")
_DIGITS: Final = re.compile(r"[0-9]+")
_PIECES: Final = re.compile(r"\\(?P<escaped>.)|(?P<sign>[*?])|(?P<plain>[^\\*?]+)", re.DOTALL)


class Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip_blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def at_end(self) -> bool:
        return self.at == len(self.text)

    def next_is(self, signs: str) -> bool:
        """Whether one of these signs stands here."""
        return self.text[self.at : self.at + 1] in signs and self.at < len(self.text)

    def connector(self) -> str | None:
        """AND, OR or NOT, if one stands here in any spelling."""
        match = _CONNECTOR.match(self.text, self.at)
        return None if match is None else _MEANINGS.get(match[0], match[0])

    def skip_connector(self) -> None:
        match = _CONNECTOR.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def field_before(self) -> str | None:
        """The field's name of `name:`, if that stands here; what it holds must follow at once."""
        begin = self.at
        raw = "" if self.next_is(_NEVER_FIRST + "/") else self._raw_word()
        if not raw or not self.next_is(":"):
            self.at = begin
            return None
        if any(match["sign"] for match in _PIECES.finditer(raw)):
            self.fail("a field's name without wildcards", begin)
        name = _literal(raw)
        if len(name.encode()) > NAME_BYTES:
            self.refuse(LimitError(f"a field's name of more than {NAME_BYTES} bytes"), begin)
        self.at += 1
        return name

    def leaf(self, field: str) -> Leaf:
        begin = self.at
        if self.next_is('"'):
            return self._quoted(field, begin)
        if self.next_is("/"):
            return self._regex(field, begin)
        if self.next_is(_NEVER_FIRST) or self.connector() is not None or not (raw := self._raw_word()):
            self.fail("a word, a phrase or '('", begin)
        if self.next_is("~"):
            return self._fuzzy(field, raw, begin)
        return _word_or_pattern(field, raw, begin)

    def number_after(self, sign: str) -> int | None:
        """The whole number of `@2`, if that sign stands here."""
        if not self.next_is(sign):
            return None
        begin = self.at
        self.at += 1
        digits = _DIGITS.match(self.text, self.at)
        if digits is None:
            self.fail("a whole number")
        self.at = digits.end()
        if len(digits[0]) > len(str(PHRASE_SLOP)):
            self.fail(f"a number up to {PHRASE_SLOP}", begin)
        return int(digits[0])

    def boost(self) -> bool:
        """Skip `^2.5`, which orders results and so has no meaning here; did one stand here?"""
        if not self.next_is("^"):
            return False
        self.at += 1
        number = _NUMBER.match(self.text, self.at)
        if number is None:
            self.fail("a number")
        self.at = number.end()
        return True

    def end_clause(self) -> None:
        """Clauses are separated by blanks or parentheses."""
        if not (self.at_end() or self.next_is(")") or self.text[self.at].isspace()):
            self.fail("a space, ')' or the end")

    def fail(self, expected: str, position: int | None = None, found: str | None = None) -> NoReturn:
        position = self.at if position is None else position
        found = self._shown(position) if found is None else found
        message = f"at position {position}: found {found}, expected {expected}\n{pointer(self.text, position)}"
        raise QueryError(message, position=position, found=found, expected=expected, query_position=position)

    def refuse(self, error: ExpressionError, position: int) -> NoReturn:
        """The error with its position."""
        error.position = position
        raise error

    def _shown(self, position: int) -> str:
        if position == len(self.text):
            return "the end" if position else "nothing"
        character = self.text[position]
        if character.isspace():
            return "a space"
        word = _CHARACTERS.match(self.text, position)
        text = word[0] if word is not None else character
        return f"'{text[:40]}...'" if len(text) > 40 else f"'{text}'"

    def _raw_word(self) -> str:
        """The word that stands here, its escapes and wildcards as they are written."""
        begin = self.at
        while True:
            match = _CHARACTERS.match(self.text, self.at)
            if match is not None:
                self.at = match.end()
            elif self.next_is("*?"):
                self.at += 1
            elif self.next_is("\\"):
                if self.at + 1 == len(self.text):
                    self.at += 1
                    self.fail("a character behind the backslash")
                self.at += 2
            else:
                return self.text[begin : self.at]

    def _quoted(self, field: str, begin: int) -> Quoted:
        text = self._until('"', "a phrase without its end")
        slop = self.number_after("~") or 0
        if slop > PHRASE_SLOP:
            self.fail(f"a number up to {PHRASE_SLOP}", self.at - len(str(slop)))
        return Quoted(field, _literal(text), slop, begin)

    def _regex(self, field: str, begin: int) -> Regex:
        pattern = self._until("/", "a regular expression without its end")
        pattern = re.sub(r"\\(.)", lambda pair: "/" if pair[1] == "/" else pair[0], pattern, flags=re.DOTALL)
        if len(pattern.encode()) > PATTERN_BYTES:
            self.refuse(LimitError(f"a pattern of more than {PATTERN_BYTES} bytes"), begin)
        if not pattern:
            self.fail("a regular expression between '/' and '/'", begin)
        try:
            compile_re2(pattern)
        except ExpressionError as error:
            self.fail(f"a regular expression that RE2 can read: {error}", begin)
        return Regex(field, pattern, False, begin)

    def _until(self, sign: str, unclosed: str) -> str:
        """What stands between this sign and the next one that is not escaped."""
        begin = self.at
        i = begin + 1
        while i < len(self.text) and self.text[i] != sign:
            i += 2 if self.text[i] == "\\" else 1
        if i >= len(self.text):
            self.fail(sign, begin, unclosed)
        self.at = i + 1
        return self.text[begin + 1 : i]

    def _fuzzy(self, field: str, raw: str, begin: int) -> Fuzzy:
        if any(match["sign"] for match in _PIECES.finditer(raw)):
            self.fail("a space: a word with wildcards cannot be fuzzy too")
        digit = self.text[self.at + 1 : self.at + 2]
        self.at += 1
        if digit in ("1", "2"):
            self.at += 1
        elif not (digit == "" or digit.isspace() or digit in ")^"):
            self.fail("1 or 2 edits")
        return Fuzzy(field, _literal(raw), 1 if digit == "1" else 2, begin)


def _literal(raw: str) -> str:
    return re.sub(r"\\(.)", r"\1", raw, flags=re.DOTALL)


def _word_or_pattern(field: str, raw: str, at: int) -> Leaf:
    segments: list[list[str | None]] = [[]]
    for match in _PIECES.finditer(raw):
        if match["sign"] == "*":
            segments.append([])
        elif match["sign"]:
            segments[-1].append(None)
        else:
            segments[-1].extend(match["escaped"] or match["plain"])
    first = segments[0]
    if None not in first and len(segments) == 1:
        return Word(field, _text(first), at)
    if None not in first and len(segments) == 2 and not segments[1]:
        return Prefix(field, _text(first), at)
    return Wildcard(field, tuple(tuple(segment) for segment in segments), at)


def _text(segment: list[str | None]) -> str:
    return "".join(character for character in segment if character is not None)
