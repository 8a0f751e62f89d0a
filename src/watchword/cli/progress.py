"""Progress of a step, shown on standard error once it has taken a second, and only to a terminal."""

from __future__ import annotations

import sys
from threading import Timer
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Display

PATIENCE: Final = 1.0  # seconds


class Progress:
    def __init__(self, doing: str, shown: bool = True) -> None:
        self._display = Display(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TimeElapsedColumn(),
            TextColumn("{task.fields[counts]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._display.add_task(doing, total=None, counts="")
        self._timer = Timer(PATIENCE, self._display.start)
        self._timer.daemon = True
        self._shown = shown and sys.stderr.isatty()

    def __enter__(self) -> Self:
        if self._shown:
            self._timer.start()
        return self

    def update(self, done: float | None, counts: str) -> None:
        """`done` goes from 0 to 1; None where nobody knows how much is still to come."""
        if done is None:
            self._display.update(self._task, counts=counts)
        else:
            self._display.update(self._task, completed=done, total=1.0, counts=counts)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._shown:
            self._timer.cancel()
            self._timer.join()
            self._display.stop()
