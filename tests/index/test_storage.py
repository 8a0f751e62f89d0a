"""Saved indexes: they come back as they were, and damage of any kind is found and named."""

from __future__ import annotations

import json
import random
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.index.answers import by_event, matched

import watchword.index.storage as storage
from watchword.errors import StorageError
from watchword.index.container import FORMAT
from watchword.index.index import Index

EVENTS: list[dict[str, Any]] = [
    {"a": n % 5, "b": n, "text": f"item {n} of abc"[: n + 5], "tags": ["x", n % 3]} for n in range(25)
]
EXPRESSIONS = [
    *(f"a = {n % 5} AND b <= {n}" for n in range(40)),
    *(f"b BETWEEN {n} AND {n + 3}" for n in range(10)),
    *("text LIKE 'item%' AND b > 3", "text LIKE '%a%c'", "text RLIKE 'o[f]'", "text ILIKE '%ABC'", "tags = 'x'"),
    *("TRUE", "a IS NULL", "b IN (1, 2, 3.5) OR NOT (a = 1 OR a = 2)", "a = 1 AND b <= 1"),
]


def filled(name: Callable[[int], Any] = str, training: Any = None) -> Index:
    index = Index(training=training)
    assert index.subscribe_many([(name(n), text) for n, text in enumerate(EXPRESSIONS)]).num_rows == 0
    return index


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Two segments, removed rows, training events."""
    index = filled(training=EVENTS[:10])
    index.flush()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("watchword.index.maintenance.GROWTH", 0)  # nothing merges
        index.subscribe_many([(f"more {n}", f"new = {n} OR b = {n}") for n in range(12)])
        index.flush()
        for name in ("0", "7", "more 3"):
            assert index.unsubscribe(name)
        index.save(tmp_path / "index")
    return tmp_path / "index"


def files(folder: Path, pattern: str = "*") -> list[Path]:
    return sorted(path for path in folder.glob(pattern) if path.is_file())


# --- round trips ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [str, lambda n: f"é {n}" * n, lambda n: n, lambda n: (n - 30) << 58])
def test_ids_of_either_type_come_back(tmp_path: Path, name: Callable[[int], Any]) -> None:
    index = filled(name)
    right = matched(index, EVENTS)
    index.save(tmp_path)
    again = Index.open(tmp_path)
    assert matched(again, EVENTS) == right
    assert len(again) == len(EXPRESSIONS)
    for n in range(len(EXPRESSIONS)):
        assert again.expression(name(n)) == index.expression(name(n))


def test_a_saved_index_goes_on(saved: Path) -> None:
    index = Index.open(saved)
    assert len(index) == len(EXPRESSIONS) + 12 - 3
    assert "7" not in index
    assert "more 4" in index
    index.subscribe("7", "a = 99")
    assert index.unsubscribe("more 4")
    assert not index.unsubscribe("more 3")
    assert sorted(index.match({"a": 99})) == ["55", "57", "7"]
    right = matched(index, EVENTS)
    index.save(saved)
    again = Index.open(saved)
    assert matched(again, EVENTS) == right
    again.flush()
    assert matched(again, EVENTS) == right


def test_training_comes_back(saved: Path) -> None:
    index = Index.open(saved)
    index.subscribe_many([(f"late {n}", f"b = {n} AND a >= 0") for n in range(50)])
    index.flush()
    index.save(saved)
    assert sum(str(row).startswith("late") for row in Index.open(saved).match({"b": 5, "a": 1})) == 1


def test_an_empty_index(tmp_path: Path) -> None:
    Index().save(tmp_path)
    index = Index.open(tmp_path)
    assert len(index) == 0
    assert index.match({"a": 1}) == []
    assert matched(index, EVENTS) == [[]] * len(EVENTS)
    index.subscribe(7, "a = 1")
    index.save(tmp_path)
    assert Index.open(tmp_path).match({"a": 1}) == [7]


def test_everything_removed(tmp_path: Path) -> None:
    index = filled()
    index.flush()
    for n in range(len(EXPRESSIONS)):
        index.unsubscribe(str(n))
    index.save(tmp_path)
    assert len(Index.open(tmp_path)) == 0


def test_saving_again_keeps_only_what_is_in_force(tmp_path: Path) -> None:
    index = filled()
    index.save(tmp_path)
    for number in range(5):
        index.subscribe(f"new {number}", "a = 1")
        index.save(tmp_path)
    names = {path.name.split("-")[0] for path in files(tmp_path)}
    assert names == {"CURRENT", "manifest", "segment", "state"}
    assert len(files(tmp_path)) == 3 + len(index.stats()["segments"])
    assert "new 4" in Index.open(tmp_path)


def test_one_index_in_several_folders(tmp_path: Path) -> None:
    index = filled()
    index.save(tmp_path / "one" / "deep")
    index.save(tmp_path / "two")
    index.subscribe("new", "a = 1")
    index.save(tmp_path / "one" / "deep")
    shutil.rmtree(tmp_path / "two")
    assert "new" in Index.open(tmp_path / "one" / "deep")
    index.save(tmp_path / "two")
    assert matched(Index.open(tmp_path / "two"), EVENTS) == matched(index, EVENTS)


def test_a_folder_that_another_index_was_saved_to(tmp_path: Path) -> None:
    first, second = filled(), Index()
    first.save(tmp_path)
    second.subscribe("only", "a = 1")
    second.save(tmp_path)
    first.save(tmp_path)
    assert matched(Index.open(tmp_path), EVENTS) == matched(first, EVENTS)


def test_a_reader_goes_on_while_its_folder_is_saved_to(saved: Path) -> None:
    reader, writer = Index.open(saved), Index.open(saved)
    right = matched(reader, EVENTS)
    writer.subscribe_many([(f"{n}", "a = 1") for n in range(30)])
    writer.save(saved)
    assert matched(reader, EVENTS) == right
    assert len(reader.expression("2")) > 3
    reader.subscribe("x", "a = 2")
    reader.flush()
    assert "x" in reader
    assert "x" not in Index.open(saved)


def test_many_rounds_of_change_and_save(tmp_path: Path) -> None:
    """Merged segments go and new ones take their place, also in memory: each must be written itself."""
    index = Index()
    model: dict[int, int] = {}
    for number in range(60):
        index.subscribe_many([(number * 10 + k, f"x = {number}") for k in range(1 + number % 4)])
        model |= {number * 10 + k: number for k in range(1 + number % 4)}
        for gone in [key for key in model if key % 7 == number % 7]:
            assert index.unsubscribe(gone)
            del model[gone]
        index.flush()
        events = [{"x": x} for x in range(number + 1)]
        right = [sorted(key for key in model if model[key] == x) for x in range(number + 1)]
        assert matched(index, events) == right
        if number % 2:
            index.save(tmp_path)
            assert matched(Index.open(tmp_path), events) == right


def test_a_reader_that_meets_a_save_gets_one_state_or_the_other(tmp_path: Path, monkeypatch: Any) -> None:
    index = filled()
    index.save(tmp_path)
    saves: list[int] = []
    read_manifest = storage._read_manifest

    def read_then_save(folder: Path, pointer: Any) -> Any:
        result = read_manifest(folder, pointer)
        if not saves:
            saves.append(1)
            index.subscribe("new", "a = 1")
            index.save(tmp_path)
        return result

    monkeypatch.setattr(storage, "_read_manifest", read_then_save)
    assert len(Index.open(tmp_path)) in (len(EXPRESSIONS), len(EXPRESSIONS) + 1)


def test_a_failed_save_leaves_the_old_state(saved: Path, monkeypatch: Any) -> None:
    index = Index.open(saved)
    right = matched(index, EVENTS)
    index.subscribe("x", "a = 1")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space"):
        index.save(saved)
    assert matched(Index.open(saved), EVENTS) == right
    monkeypatch.undo()
    index.save(saved)
    assert "x" in Index.open(saved)


def test_what_a_killed_save_left_is_removed_by_the_next(saved: Path) -> None:
    index = Index.open(saved)
    index.save(saved)
    in_force = len(files(saved))
    for leftover in ("segment-0123456789abcdef.seg", "state-0123456789abcdef.seg", "manifest-0123456789abcdef.json"):
        (saved / leftover).write_bytes(b"half written")
    index.subscribe("x", "a = 1")
    index.save(saved)
    assert len(files(saved)) <= in_force + 1


def test_files_of_others_stay(saved: Path) -> None:
    (saved / "notes.txt").write_text("mine")
    Index.open(saved).save(saved)
    assert (saved / "notes.txt").read_text() == "mine"


# --- damage ---------------------------------------------------------------------------------------------------


def data_bytes(path: Path) -> set[int]:
    """Positions that hold data: all but what only fills up to the next multiple of 64."""
    raw = path.read_bytes()
    if path.suffix != ".seg":
        return set(range(len(raw)))
    length = struct.unpack_from("<I", raw, 12)[0]
    used, first = set(range(24 + length)), -(-(24 + length) // 64) * 64
    for entry in json.loads(raw[24 : 24 + length])["arrays"]:
        used |= set(range(first + entry["place"], first + entry["place"] + entry["bytes"]))
    return used


def test_a_changed_byte_is_found_wherever_it_is(saved: Path) -> None:
    pick = random.Random(5)
    right = matched(Index.open(saved), EVENTS)
    for path in files(saved):
        raw, used = path.read_bytes(), data_bytes(path)
        places = {0, 7, 8, 12, 13, 16, 23, 24, 40, len(raw) - 1} | set(pick.sample(range(len(raw)), min(len(raw), 40)))
        places |= set(pick.sample(sorted(used), min(len(used), 40)))
        for place in sorted(places & set(range(len(raw)))):
            path.write_bytes(raw[:place] + bytes([raw[place] ^ (1 << pick.randrange(8))]) + raw[place + 1 :])
            if place in used:
                with pytest.raises(StorageError) as caught:
                    Index.open(saved, verify=True)
                names = [path.name] if path.suffix == ".seg" else ["CURRENT", "manifest-"]
                assert any(name in str(caught.value) for name in names), (path.name, place, str(caught.value))
            else:
                assert matched(Index.open(saved, verify=True), EVENTS) == right
        path.write_bytes(raw)
    assert matched(Index.open(saved, verify=True), EVENTS) == right


@pytest.mark.parametrize("verify", [True, False, None])
def test_a_truncated_file_is_found(saved: Path, verify: bool | None) -> None:
    for path in files(saved):
        raw = path.read_bytes()
        for size in (0, 1, 10, 24, len(raw) // 2, len(raw) - 1):
            path.write_bytes(raw[:size])
            with pytest.raises(StorageError, match=r"CURRENT|manifest-" if path.suffix != ".seg" else path.name):
                Index.open(saved, verify=verify)
        path.write_bytes(raw)
    Index.open(saved, verify=verify)


def test_a_grown_file_is_found(saved: Path) -> None:
    for path in files(saved, "*.seg"):
        raw = path.read_bytes()
        path.write_bytes(raw + b"\0")
        with pytest.raises(StorageError, match=path.name):
            Index.open(saved, verify=False)
        path.write_bytes(raw)


def test_a_missing_file_is_named(saved: Path) -> None:
    for path in files(saved):
        raw = path.read_bytes()
        path.unlink()
        with pytest.raises(StorageError) as caught:
            Index.open(saved)
        if path.name != "CURRENT":
            assert path.name in str(caught.value)
        path.write_bytes(raw)


def test_an_unknown_format_is_said(saved: Path, monkeypatch: Any) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(storage, "FORMAT", FORMAT + 1)
        with pytest.raises(StorageError, match=f"format {FORMAT}, .*reads format {FORMAT + 1}.*build it again"):
            Index.open(saved)
    monkeypatch.setattr("watchword.index.container.FORMAT", FORMAT + 1)
    with pytest.raises(StorageError, match=rf"segment-\w+\.seg has format {FORMAT}"):
        Index.open(saved)


def test_what_is_no_index(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(StorageError, match="there is no index"):
            Index.open(path)
    (tmp_path / "file").write_text("text")
    with pytest.raises(StorageError):
        Index.open(tmp_path / "file")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b"null", b'{"manifest": 3}', b'{"manifest": ""}', b"\xff"])
def test_a_damaged_pointer(saved: Path, content: bytes) -> None:
    (saved / "CURRENT").write_bytes(content)
    with pytest.raises(StorageError, match="CURRENT"):
        Index.open(saved)


def test_saving_over_a_damaged_index_makes_it_whole(saved: Path) -> None:
    index = Index.open(saved)
    (saved / "CURRENT").write_bytes(b"nonsense")
    index.save(saved)
    found = Index.open(saved).match_batch(EVENTS)
    assert by_event(found, len(EVENTS)) == matched(index, EVENTS)
