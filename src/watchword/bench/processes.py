"""New processes: opening a saved index, and the seconds from the start to the first match."""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

import watchword
from watchword.bench.case import Case, Settings
from watchword.bench.check import WrongMatchesError
from watchword.bench.row import Row
from watchword.errors import WatchwordError

PACKAGE: Final = Path(watchword.__file__).parent
START_SECONDS: Final = 3.0
NEW_INDEX_EVENT: Final = {"a1": 1, "a3": 3}  # the one subscription of `first_match` holds


def opening(case: Case) -> Iterator[Row]:
    with TemporaryDirectory(prefix="watchword-bench-") as folder:
        saved = Path(folder, "index")
        case.index.save(saved)
        size = sum(file.stat().st_size for file in saved.rglob("*") if file.is_file())
        starts = _starts(case.settings, PACKAGE, str(saved), case.dicts[0], os.environ)
    wanted = int(case.kernel_counts[0])
    if starts[0]["matches"] != wanted:
        raise WrongMatchesError(f"{case.name}, opened: {starts[0]['matches']:,} matches, not {wanted:,}")
    yield Row("size on disk", size / case.settings.subscriptions, "B/subscription")
    yield Row("Index.open", median(start["open_seconds"] for start in starts[1:]), "s", at_most=1.0)
    yield Row("process start to first match, saved index", _median_seconds(starts), "s", at_most=START_SECONDS)


def starting(settings: Settings) -> Iterator[Row]:
    """A new index with one subscription, in a new process; what a first program does."""
    starts = _starts(settings, PACKAGE, "", NEW_INDEX_EVENT, os.environ)
    yield Row("process start to first match, new index", _median_seconds(starts), "s", at_most=START_SECONDS)
    if settings.read_only:
        with TemporaryDirectory(prefix="watchword-bench-") as folder:
            starts = _starts_of_read_only_copy(settings, Path(folder))
        first, later = starts[0]["seconds"], _median_seconds(starts)
        yield Row("read-only package, first start: compiles the kernels", first, "s")
        yield Row("read-only package, later start to first match", later, "s", at_most=START_SECONDS)


def _starts_of_read_only_copy(settings: Settings, folder: Path) -> list[dict[str, Any]]:
    """A copy of the package that cannot take a cache, and a user whose cache folder is empty.

    A plain file in the place of `__pycache__` stops even root. Python's own compiled modules, which an installer writes
    beside the sources, go elsewhere.
    """
    package, home = folder / "package" / PACKAGE.name, folder / "home"
    home.mkdir()
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for inner in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (inner / "__pycache__").touch()
    environment = {
        **{name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"},
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "PYTHONUSERBASE": site.getuserbase(),
        "PYTHONPYCACHEPREFIX": str(folder / "modules"),
    }
    starts = _starts(settings, package, "", NEW_INDEX_EVENT, environment)
    if not any(home.rglob("*.nbi")):
        raise WatchwordError(f"no kernel was cached under {home}: the read-only start measures nothing")
    return starts


def _starts(
    settings: Settings, package: Path, saved: str, event: Mapping[str, int], environment: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Several starts after one another; the first one may have to fill the caches."""
    return [_start(package, saved, event, environment) for _ in range(settings.long_repeats + 1)]


def _median_seconds(starts: list[dict[str, Any]]) -> float:
    return median(float(start["seconds"]) for start in starts[1:])


def _start(package: Path, saved: str, event: Mapping[str, int], environment: Mapping[str, str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "watchword.bench.first_match", saved, json.dumps(event)]
    begun = time.monotonic()  # the same clock in all processes
    # Python looks for modules in the working folder first: that makes it this copy of the package.
    # Modules compiled by an earlier start are kept, as they are where nothing forbids it.
    kept = {name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, cwd=package.parent, env=kept, capture_output=True, text=True)
    if done.returncode:
        raise WatchwordError(f"a new process failed: {done.stderr.strip()[-300:]}")
    report: dict[str, Any] = json.loads(done.stdout)
    if Path(report["package"]).parent.resolve() != package.resolve():
        raise WatchwordError(f"a new process took the package {report['package']} instead of {package}")
    return {**report, "seconds": report["at"] - begun}
