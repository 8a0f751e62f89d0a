"""A trial in a process of its own, pinned to one core: its memory is its own, and what it leaves behind is gone.

The process is forked when the workload is coded, so it starts at once; if it takes too long it is ended.
"""

from __future__ import annotations

import multiprocessing
import os
from typing import Any

from watchword.bench.check import WrongMatchesError
from watchword.bench.harness.coded import Coded
from watchword.bench.harness.settings import Settings
from watchword.bench.harness.store import FAILED, MEASURED, REFUSED, Row
from watchword.bench.harness.tasks import perform
from watchword.bench.harness.trial import Trial
from watchword.errors import LimitError, WatchwordError


def measure(coded: Coded, trial: Trial, settings: Settings) -> list[Row]:
    """The rows of the trial; one that says why where there is nothing measured. Wrong matches are an error."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(coded, trial, settings, sending), daemon=True)
    process.start()
    sending.close()
    try:
        if not receiving.poll(settings.most_seconds):
            return [{"status": FAILED, "reason": f"took longer than {settings.most_seconds:g} s"}]
        status, found = receiving.recv()
    except EOFError:
        process.join()
        return [{"status": FAILED, "reason": f"the process ended with code {process.exitcode}: out of memory?"}]
    finally:
        process.kill()
        process.join()
    if status == "wrong":
        raise WrongMatchesError(found)
    return found if status == MEASURED else [{"status": status, "reason": found}]


def _work(coded: Coded, trial: Trial, settings: Settings, sending: Any) -> None:
    _pin()
    try:
        rows = [{"status": MEASURED, **row} for row in perform(coded, trial, settings)]
        sending.send((MEASURED, rows))
    except WrongMatchesError as error:
        sending.send(("wrong", str(error)))
    except LimitError as error:
        sending.send((REFUSED, str(error)))
    except (WatchwordError, MemoryError) as error:
        sending.send((FAILED, f"{type(error).__name__}: {error}"))


def _pin() -> None:
    """One core, where the system lets a process choose; the last one, for the first serves interrupts."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
