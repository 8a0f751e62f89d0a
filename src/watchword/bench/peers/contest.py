"""Measures the peers: each in a process of its own on one core, its counts compared with Watchword's."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from statistics import median
from typing import Any, Final

import numpy as np

from watchword.bench.peers.peer import Pace, Peer, PeerError, Raw
from watchword.bench.peers.watchword_side import true_counts
from watchword.bench.workloads import Integers, Workload, make_workload

CORE: Final = 0  # of those that this process may use

Record = dict[str, Any]
Key = tuple[str, int, str]  # workload, subscriptions, peer


def contest(
    peers: Sequence[Peer],
    workloads: Sequence[str],
    sizes: Sequence[int],
    pace: Pace,
    known: Collection[Key],
    doing: Callable[[str], Any],
) -> Iterator[Record]:
    """A record per way to match; what is `known` already is left out. `doing` shows what is under way."""
    for name in workloads:
        beaten: dict[str, str] = {}  # by a smaller size, and so by the larger ones
        for size in sorted(sizes):
            taking = [p for p in peers if name in p.workloads and (name, size, p.name) not in known]
            if not taking:
                continue
            with doing(f"{name}, {size:,}: what is right"):
                workload = make_workload(name, size)
                counts = _true_counts(workload, pace.limit)
            for peer in taking:
                with doing(f"{name}, {size:,}: {peer.name}"):
                    records = list(_measured(peer, workload, counts, pace, beaten))
                for record in records:
                    yield {"workload": name, "subscriptions": size, "peer": peer.name, **record}


def _true_counts(workload: Workload, limit: float) -> Integers:
    results = _alone(lambda: iter([{"counts": true_counts(workload)}]), limit)
    if "failed" in results[-1]:
        raise PeerError(f"Watchword itself, which the others are compared with: {results[-1]['failed']}")
    counts: Integers = results[0]["counts"]
    return counts


def _measured(peer: Peer, workload: Workload, counts: Integers, pace: Pace, beaten: dict[str, str]) -> Iterator[Record]:
    try:
        version = peer.ready()
    except PeerError as error:
        yield {"skipped": str(error)}
        return
    about = {"version": version, "settings": peer.settings}
    if peer.name in beaten:
        yield {**about, "skipped": beaten[peer.name]}
        return
    for raw in _alone(lambda: peer.measure(workload, pace), pace.limit):
        if "failed" in raw:
            beaten[peer.name] = f"at {len(workload.k):,} subscriptions: {raw['failed']}"
            yield {**about, "skipped": raw["failed"]}
        else:
            yield {**about, **_record(raw, counts)}


def _record(raw: Raw, counts: Integers) -> Record:
    found = np.asarray(raw["counts"])
    wrong = np.flatnonzero(found != counts[: len(found)])
    each = [seconds * 1e6 for seconds in raw["seconds"]]
    return {
        "way": raw["way"],
        "us_per_event": median(each),
        "fastest": min(each),
        "slowest": max(each),
        "events": len(found),
        "matches_per_event": float(found.mean()),
        "build_seconds": raw["build_seconds"],
        "memory_mb": None if raw["memory"] is None else raw["memory"] / 1e6,
        "peak_mb": None if raw["peak"] is None else raw["peak"] / 1e6,
        "counts": "equal" if not len(wrong) else _difference(int(wrong[0]), len(wrong), found, counts),
    }


def _difference(event: int, wrong: int, found: Integers, counts: Integers) -> str:
    return f"event {event} has {found[event]:,}, not {counts[event]:,}; {wrong:,} of {len(found):,} events differ"


def _alone(work: Callable[[], Iterator[Raw]], limit: float) -> list[Raw]:
    """What a process of its own measures until the limit; last what failed, if something did."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    results: list[Raw] = []
    with tempfile.TemporaryDirectory() as scratch:  # removed here even where that process is killed
        process = context.Process(target=_send, args=(work, sending, scratch))
        process.start()
        sending.close()
        until = time.monotonic() + limit
        try:
            while receiving.poll(max(0.0, until - time.monotonic())):
                results.append(receiving.recv())
            results.append({"failed": f"not done within {limit:,.0f} s"})
        except EOFError:
            process.join()
            if process.exitcode:
                results.append({"failed": f"the process ended with code {process.exitcode}: out of memory?"})
        finally:
            _end(process)
    return results


def _send(work: Callable[[], Iterator[Raw]], sending: Any, scratch: str) -> None:
    os.setsid()  # so that what it starts ends with it
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[CORE]})
    tempfile.tempdir = scratch
    os.dup2(os.open(os.path.join(scratch, "said"), os.O_WRONLY | os.O_CREAT), 2)  # libraries' greetings and warnings
    try:
        for raw in work():
            sending.send(raw)
    except PeerError as error:
        sending.send({"failed": str(error)})
    except Exception as error:  # whatever a library raises fails this peer, not the others
        sending.send({"failed": f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"})


def _end(process: Any) -> None:
    """Also what it has started and left behind."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.join()
