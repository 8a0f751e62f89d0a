"""Matches while other threads change the index: each answer is that of some moment.

Heads are sealed after a few subscriptions, so background work runs all the time.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.index.answers import matched

import watchword.index.maintenance as maintenance
import watchword.index.segment as segment
from watchword.coding.attributes import Attributes
from watchword.index.index import Index

PATIENCE = 30.0  # seconds until a thread counts as hung


@pytest.fixture(autouse=True)
def small_heads() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("watchword.index.maintenance.HEAD_SLOTS", 8)
        patch.setattr("watchword.index.index.HEAD_SLOTS", 8)
        patch.setattr("watchword.index.maintenance.GROWTH", 2)
        yield
    sys.setswitchinterval(before)


def warm(index: Index) -> None:
    """Compile what the threads use."""
    index.subscribe_many([(f"warm {n}", f"warm = {n}") for n in range(8)])
    index.subscribe("warm", "warm = 9")
    index.match({"warm": 1})
    index.unsubscribe("warm")
    index.flush()


def together(writer: Callable[[], None], *others: Callable[[], None]) -> None:
    """Run the writer once and the others over and over until it is done; the first exception is raised."""
    done = threading.Event()
    failures: list[BaseException] = []

    def once(task: Callable[[], None]) -> None:
        try:
            task()
        except BaseException as failure:
            failures.append(failure)
            done.set()

    def write() -> None:
        once(writer)
        done.set()

    def repeat(task: Callable[[], None]) -> None:
        while not done.is_set():
            once(task)

    threads = [threading.Thread(target=write, daemon=True)]
    threads += [threading.Thread(target=repeat, args=(task,), daemon=True) for task in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "a thread hangs"
    if failures:
        raise failures[0]


def test_a_replaced_subscription_is_found_exactly_once() -> None:
    index = Index()
    warm(index)
    for k in range(3):
        index.subscribe(f"s{k}", "x = 0")

    def write() -> None:
        for n in range(400):
            index.subscribe(f"s{n % 3}", f"x = {n // 3 % 2}")

    def match() -> None:
        found = matched(index, [{"x": 0}, {"x": 1}])
        assert sorted(found[0] + found[1]) == ["s0", "s1", "s2"]
        assert all(f"s{k}" in index for k in range(3))

    together(write, match, match, index.flush)
    assert matched(index, [{"x": 0}, {"x": 1}]) == [["s1", "s2"], ["s0"]]


@pytest.mark.parametrize("rows", [1, 12])
def test_replacing_does_not_change_the_length(rows: int) -> None:
    index = Index()
    warm(index)
    index.subscribe_many([(f"s{k}", "x = 0") for k in range(rows)])

    def write() -> None:
        for _ in range(300 // rows):
            index.subscribe_many([(f"s{k}", "x = 0") for k in range(rows)])

    def ask() -> None:
        for _ in range(100):
            assert len(index) == rows + 8
        assert index.stats()["subscriptions"] == rows + 8

    together(write, ask)


@pytest.mark.parametrize("rows", [5, 12])
def test_rows_replaced_together_are_seen_together(rows: int) -> None:
    """Few go to the head, many become a segment."""
    index = Index()
    warm(index)
    index.subscribe_many([(f"s{k}", "x = 0") for k in range(rows)])

    def write() -> None:
        for n in range(60):
            index.subscribe_many([(f"s{k}", f"x = {n % 4}") for k in range(rows)])

    def match() -> None:
        found = matched(index, [{"x": x} for x in range(4)], threads=2)
        assert sorted(map(len, found)) == [0, 0, 0, rows]

    together(write, match, index.flush)
    assert len(index) == rows + 8


def test_a_moving_window_has_no_gap() -> None:
    index = Index()
    warm(index)
    index.subscribe("0", "x >= 0")

    def write() -> None:
        for n in range(1, 300):
            index.subscribe(str(n), "x >= 0")
            if n >= 5:
                assert index.unsubscribe(str(n - 5))

    def match() -> None:
        found = sorted(map(int, index.match({"x": 1})))
        assert found == list(range(found[0], found[-1] + 1))
        assert len(found) <= 6

    def ask() -> None:
        found = index.match({"x": 1})
        if found[-1] in index:
            assert index.stats()["subscriptions"] >= 1

    together(write, match, ask)
    assert sorted(map(int, index.match({"x": 1}))) == [295, 296, 297, 298, 299]


@pytest.mark.parametrize("rows", [4, 40])
def test_several_writers_with_attributes_of_their_own(rows: int, monkeypatch: Any) -> None:
    """Few rows go to the head, many become a segment; all writers name new attributes at once."""
    index = Index()
    names, batches = "abcd", range(10)
    failures: list[BaseException] = []
    write_names = Attributes._write

    busy = threading.Lock()

    def write_alone(attributes: Attributes, first_new: int) -> None:
        assert busy.acquire(blocking=False), "two threads add attributes at once"
        time.sleep(0.001)
        write_names(attributes, first_new)
        busy.release()

    monkeypatch.setattr(Attributes, "_write", write_alone)

    def write(name: str) -> None:
        try:
            for n in batches:
                pairs = [(f"{name}{n}.{k}", f"{name}{n}_{k} = {k} AND shared >= {n}") for k in range(rows)]
                assert index.subscribe_many(pairs).num_rows == 0
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=write, args=(name,), daemon=True) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "a thread hangs"
    assert not failures
    assert len(index) == len(names) * len(batches) * rows
    places = [(name, n, k) for name in names for n in batches for k in range(rows)]
    events = [{f"{name}{n}_{k}": k, "shared": n} for name, n, k in places]
    for _ in range(2):
        assert matched(index, events) == [[f"{name}{n}.{k}"] for name, n, k in places]
        index.flush()


def test_saving_while_a_head_is_being_sealed(tmp_path: Path, monkeypatch: Any) -> None:
    building, go = threading.Event(), threading.Event()
    build = segment.build_segment

    def slow(*arguments: Any) -> Any:
        building.set()
        go.wait(PATIENCE)
        return build(*arguments)

    monkeypatch.setattr(maintenance, "build_segment", slow)
    index = Index()
    for n in range(8):
        index.subscribe(f"s{n}", "x = 1")
    assert building.wait(PATIENCE)
    saver = threading.Thread(target=index.save, args=(tmp_path,), daemon=True)
    saver.start()
    saver.join(0.2)
    go.set()
    saver.join(5)
    assert not saver.is_alive(), "save and background work wait for each other"
    assert len(Index.open(tmp_path)) == 8


def test_an_update_while_a_head_is_being_sealed(monkeypatch: Any) -> None:
    """What is removed or replaced meanwhile must be so in the new segment too."""
    building, go = threading.Event(), threading.Event()
    build = segment.build_segment

    def slow(*arguments: Any) -> Any:
        building.set()
        assert go.wait(PATIENCE)
        return build(*arguments)

    monkeypatch.setattr(maintenance, "build_segment", slow)
    index = Index()
    for n in range(8):
        index.subscribe(f"s{n}", "x = 1")
    assert building.wait(PATIENCE)
    assert index.unsubscribe("s3")
    index.subscribe("s4", "x = 2")
    index.subscribe("s5", "x = 2")
    index.subscribe("s5", "x = 1")
    assert index.unsubscribe("s6")
    index.subscribe("s6", "x = 1")
    right = [["s0", "s1", "s2", "s5", "s6", "s7"], ["s4"]]
    assert matched(index, [{"x": 1}, {"x": 2}]) == right
    go.set()
    for _ in range(2):
        index.flush()
        assert matched(index, [{"x": 1}, {"x": 2}]) == right
        assert len(index) == 7
        assert [n for n in range(8) if f"s{n}" in index] == [0, 1, 2, 4, 5, 6, 7]


class BrokenError(Exception):
    """What a test lets background work raise."""


@pytest.fixture
def failing(monkeypatch: Any) -> Index:
    """An index whose background work has failed once, and would now succeed."""

    def broken(*_: Any) -> Any:
        raise BrokenError

    index = Index()
    with monkeypatch.context() as patch:
        patch.setattr(maintenance, "build_segment", broken)
        for n in range(8):
            index.subscribe(f"s{n}", "x = 1")
        thread = index._maintenance._thread
        assert thread is not None
        thread.join(PATIENCE)
    return index


def test_the_next_update_raises_what_background_work_raised(failing: Index) -> None:
    with pytest.raises(BrokenError):
        failing.subscribe("next", "x = 1")
    assert len(failing.match({"x": 1})) == len(failing)
    failing.subscribe("after", "x = 1")
    failing.flush()
    assert failing.stats()["head"] == 0
    assert {f"s{n}" for n in range(8)} | {"after"} <= set(failing.match({"x": 1}))


def test_closing_raises_what_background_work_raised(failing: Index) -> None:
    with pytest.raises(BrokenError):
        failing.close()


def test_close_waits_and_leaves_a_usable_index() -> None:
    with Index() as index:
        for n in range(50):
            index.subscribe(n, "x = 1")
    assert not any(thread.name == "watchword-maintenance" for thread in threading.enumerate())
    for n in range(50, 100):
        index.subscribe(n, "x = 1")
    assert sorted(index.match({"x": 1})) == list(range(100))
    index.flush()
    assert index.stats()["head"] == 0
