"""The tests of a structure run in one process, so that its kernels are compiled once and not by every process."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "structures":
            callspec = getattr(item, "callspec", None)
            name = callspec.params.get("name") if callspec else None
            group = name or item.path.stem.removeprefix("test_")
            item.add_marker(pytest.mark.xdist_group(group.partition("-")[0]))
