"""Where in a text an error is: its line, and a caret under the place."""

from __future__ import annotations


def pointer(text: str, position: int) -> str:
    """The line of the text that holds the position, cut to what is near, and a caret under it."""
    start = max(text.rfind("\n", 0, position) + 1, position - 60)
    end = text.find("\n", position)
    shown = text[start : min(len(text) if end < 0 else end, position + 40)].replace("\t", " ").replace("\r", " ")
    shown = shown.encode("utf-8", "replace").decode()  # half of a surrogate pair cannot be printed
    return f"  {shown}\n  {' ' * (position - start)}^"
