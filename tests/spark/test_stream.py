"""Streams: a new version counts from the next micro-batch on, bad events stop nothing, folders are not mixed up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest
from tests.spark.answers import rows

import watchword
import watchword.spark as wws
from watchword.spark import sink

NOW = {"availableNow": True}


def build(spark: Any, path: Path, *expressions: str) -> int:
    table = pa.table({"id": list(range(len(expressions))), "expression": list(expressions)})
    return wws.build(spark.createDataFrame(table), path).version


def events(spark: Any, folder: Path) -> Any:
    lines = spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder))
    return lines.selectExpr("cast(get_json_object(value, '$.id') as bigint) as id", "value")


def put(folder: Path, name: str, *lines: Any) -> None:
    """A file appears whole, as a source of files needs it."""
    folder.mkdir(exist_ok=True)
    new = folder / f".{name}"
    new.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    new.rename(folder / f"{name}.jsonl")


@pytest.fixture
def folders(spark: Any, tmp_path: Path) -> dict[str, Path]:
    build(spark, tmp_path / "index", "x > 0", "x > 5")
    put(tmp_path / "in", "a", {"id": 1, "x": 1}, {"id": 2, "x": 9})
    return {name: tmp_path / name for name in ("in", "index", "out", "checkpoint")}


def run(spark: Any, folders: dict[str, Path], **options: Any) -> None:
    source, index, out, checkpoint = folders.values()
    query = wws.stream(events(spark, source), index, out, checkpoint, json="value", trigger=NOW, **options)
    query.awaitTermination()


def test_a_new_version_counts_from_the_next_batch_on(spark: Any, folders: dict[str, Path]) -> None:
    run(spark, folders)
    assert build(spark, folders["index"], "x > 5", "x > 0") == 2
    put(folders["in"], "b", {"id": 3, "x": 3})
    run(spark, folders)
    found = wws.read_matches(spark, folders["out"])
    assert rows(found) == [(1, 0), (2, 0), (2, 1), (3, 1)]
    assert {(row.batch, row.version) for row in found.collect()} == {(0, 1), (1, 2)}
    assert rows(spark.read.parquet(str(folders["out"]))) == rows(found)


def test_a_version_is_picked_up_without_a_restart(spark: Any, folders: dict[str, Path]) -> None:
    source, index, out, checkpoint = folders.values()
    query = wws.stream(events(spark, source), index, out, checkpoint, json="value")
    try:
        query.processAllAvailable()
        build(spark, index, "x > 5", "x > 0")
        put(source, "b", {"id": 3, "x": 3})
        query.processAllAvailable()
    finally:
        query.stop()
    assert rows(wws.read_matches(spark, out)) == [(1, 0), (2, 0), (2, 1), (3, 1)]


def test_a_batch_that_is_there_is_not_written_again(spark: Any, folders: dict[str, Path]) -> None:
    run(spark, folders)
    commits = folders["checkpoint"] / "commits"
    for file in commits.glob("*0*"):
        file.unlink()  # as if the driver had been killed between the rename and Spark's own note of it
    build(spark, folders["index"], "TRUE")
    run(spark, folders)
    assert rows(wws.read_matches(spark, folders["out"])) == [(1, 0), (2, 0), (2, 1)]
    assert not (folders["out"] / "_staging").exists() or not any((folders["out"] / "_staging").iterdir())


def test_bad_events_come_to_a_folder_of_their_own(spark: Any, folders: dict[str, Path], tmp_path: Path) -> None:
    put(folders["in"], "b", '{"id": 7, "x": ', {"id": 8, "x": 1})
    run(spark, folders, errors=tmp_path / "bad")
    assert rows(wws.read_matches(spark, folders["out"])) == [(1, 0), (2, 0), (2, 1), (8, 0)]
    bad = spark.read.parquet(str(tmp_path / "bad")).toArrow()
    assert len(bad) == 1
    assert "not JSON" in bad["reason"][0].as_py()


def test_match_on_a_streaming_frame_for_other_sinks(spark: Any, folders: dict[str, Path]) -> None:
    found = wws.match(events(spark, folders["in"]), folders["index"], json="value")
    assert found.isStreaming
    query = found.writeStream.format("memory").queryName("found").trigger(**NOW).start()
    query.awaitTermination()
    assert rows(spark.table("found")) == [(1, 0), (2, 0), (2, 1)]


def test_folders_of_two_checkpoints_are_not_mixed(spark: Any, folders: dict[str, Path], tmp_path: Path) -> None:
    run(spark, folders)
    with pytest.raises(watchword.StorageError, match="holds the matches of another checkpoint"):
        run(spark, folders | {"checkpoint": tmp_path / "new"})
    with pytest.raises(watchword.StorageError, match="has batches that are not in"):
        run(spark, folders | {"out": tmp_path / "other"})


def test_of_two_runs_of_a_batch_the_first_counts(spark: Any, tmp_path: Path) -> None:
    """A driver that was thought dead may still be writing: here it renames while the other one writes."""
    late = spark.createDataFrame([(2,)], "x int")

    class Overtaken:
        @property
        def write(self) -> Any:
            sink.write_once(spark.createDataFrame([(1,)], "x int"), tmp_path, 0)
            return late.write

    sink.write_once(cast(Any, Overtaken()), tmp_path, 0)
    assert [row.x for row in spark.read.parquet(str(tmp_path)).collect()] == [1]
    assert not any((tmp_path / "_staging").iterdir())


def test_only_a_streaming_frame_is_streamed(spark: Any, folders: dict[str, Path]) -> None:
    frame = spark.createDataFrame([(1, 2)], "id int, x int")
    with pytest.raises(watchword.EventError, match="needs a streaming DataFrame"):
        wws.stream(frame, folders["index"], folders["out"], folders["checkpoint"])
