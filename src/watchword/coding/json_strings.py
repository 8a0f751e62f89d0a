"""Strings in JSON text: where they end, and their escapes decoded."""

from __future__ import annotations

from typing import Final

import numpy as np

from watchword.coding.values import U8
from watchword.kernel import lean

QUOTE: Final = 34
_BACKSLASH: Final = 92
NO_ROOM: Final = -1
NOT_TEXT: Final = -2
_SPACE: Final = 32
_U: Final = 117

_ESCAPES: Final = np.zeros(256, np.uint8)  # the letter behind a backslash -> the byte it means, 0 where none
for _letter, _byte in zip(b'"\\/bfnrt', b'"\\/\b\f\n\r\t', strict=True):
    _ESCAPES[_letter] = _byte

_HEX: Final = np.full(256, -1, np.int64)
for _digit, _letters in enumerate([b"%X" % _digit for _digit in range(16)]):
    for _letter in _letters + _letters.lower():
        _HEX[_letter] = _digit


@lean
def _unit(text: U8, at: int, end: int) -> int:
    """The number that four hexadecimal digits write, or -1."""
    if at + 4 > end:
        return -1
    unit = 0
    for i in range(at, at + 4):
        digit = _HEX[text[i]]
        if digit < 0:
            return -1
        unit = unit * 16 + digit
    return unit


@lean
def string_end(text: U8, at: int, end: int) -> tuple[int, bool]:
    """From behind the opening quote: where the closing one stands, or -1, and whether there are escapes."""
    escaped = False
    while at < end:
        byte = text[at]
        if byte == QUOTE:
            return at, escaped
        if byte < _SPACE:
            return -1, escaped
        if byte == _BACKSLASH:
            escaped = True
            at += 1
            if at >= end:
                return -1, escaped
            if text[at] == _U:
                if _unit(text, at + 1, end) < 0:
                    return -1, escaped
                at += 4
            elif _ESCAPES[text[at]] == 0:
                return -1, escaped
        at += 1
    return -1, escaped


@lean
def _encode(code: int, to: U8, size: int) -> int:
    """Write a code point as UTF-8; the size of the text with it."""
    if code < 0x80:
        to[size] = code
        return size + 1
    if code < 0x800:
        to[size] = 0xC0 | (code >> 6)
        to[size + 1] = 0x80 | (code & 0x3F)
        return size + 2
    if code < 0x10000:
        to[size] = 0xE0 | (code >> 12)
        to[size + 1] = 0x80 | ((code >> 6) & 0x3F)
        to[size + 2] = 0x80 | (code & 0x3F)
        return size + 3
    to[size] = 0xF0 | (code >> 18)
    to[size + 1] = 0x80 | ((code >> 12) & 0x3F)
    to[size + 2] = 0x80 | ((code >> 6) & 0x3F)
    to[size + 3] = 0x80 | (code & 0x3F)
    return size + 4


@lean
def decode(text: U8, at: int, length: int, to: U8, size: int) -> int:
    """Append the string of `length` bytes at `at`, whose escapes are sound, to `to` behind `size` bytes; the new size.

    NO_ROOM where it might not fit; NOT_TEXT where half of a surrogate pair stands alone.
    """
    end = at + length
    if size + length > len(to):  # no escape is shorter than what it means
        return NO_ROOM
    while at < end:
        if text[at] != _BACKSLASH:
            to[size] = text[at]
            size += 1
            at += 1
        elif text[at + 1] != _U:
            to[size] = _ESCAPES[text[at + 1]]
            size += 1
            at += 2
        else:
            code = _unit(text, at + 2, end)
            at += 6
            if 0xD800 <= code < 0xE000:
                low = -1
                if code < 0xDC00 and at + 6 <= end and text[at] == _BACKSLASH and text[at + 1] == _U:
                    low = _unit(text, at + 2, end)
                if not 0xDC00 <= low < 0xE000:
                    return NOT_TEXT
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                at += 6
            size = _encode(code, to, size)
    return size
