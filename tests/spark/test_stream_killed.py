"""kill -9 of the driver at random moments, while the index changes: nothing is missing, nothing is twice."""

from __future__ import annotations

import json
import random
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.dataset
import pytest
from tests.spark import streaming_job
from tests.spark.killing import program

import watchword
import watchword.spark as wws

KILLS: Final = 10
FILES: Final = 150
EVENTS: Final = 40  # per file


def wishes(version: int) -> pa.Table:
    """Each version has other subscriptions under the same ids; every event matches one of them at least."""
    expressions = ["number >= 0", f"x > {version}", f"y = {version % 5} AND x < 15", f"x = {version} OR y = 1"]
    return pa.table({"id": list(range(len(expressions))), "expression": expressions})


@pytest.mark.long
def test_the_output_is_exact_after_kills_at_any_moment(spark: Any, tmp_path: Path) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    chance = random.Random(seed)
    source, index, out, checkpoint, bad = (tmp_path / name for name in ("in", "index", "out", "checkpoint", "bad"))
    source.mkdir()
    version = wws.build(spark.createDataFrame(wishes(1)), index, parts=2).version
    events: list[dict[str, int]] = []
    put = 0

    def more() -> None:
        nonlocal put
        rows = [{"number": len(events) + i, "x": chance.randrange(20), "y": chance.randrange(5)} for i in range(EVENTS)]
        events.extend(rows)
        new = source / f".{put:05d}"
        new.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"number": ' + str(-put - 1) + ', "x": \n')
        new.rename(source / f"{put:05d}.jsonl")
        put += 1

    for _ in range(5):
        more()
    kills = 0
    while kills < KILLS or put < FILES or done(out) < put:
        assert kills < 4 * KILLS, (tmp_path / "log").read_text()
        with program(str(streaming_job.__file__), *map(str, (source, index, out, checkpoint, bad)),
                     log=tmp_path / "log") as driver:  # fmt: skip
            before = done(out)
            while done(out) == before and driver.poll() is None and before < put:
                time.sleep(0.05)  # it has started and matched something
            end = time.monotonic() + chance.uniform(0, 8)
            while time.monotonic() < end or (kills >= KILLS and done(out) < put):
                assert driver.poll() is None, (tmp_path / "log").read_text()
                for _ in range(chance.randrange(3)):
                    if put < FILES:
                        more()
                if chance.random() < 0.3 and put < FILES:
                    version = wws.build(spark.createDataFrame(wishes(version + 1)), index, parts=2).version
                time.sleep(chance.uniform(0, 0.3))
        kills += 1
    assert version > 5
    check(events, pa.dataset.dataset(out, partitioning="hive").to_table())
    check(events, wws.read_matches(spark, out).toArrow())
    errors = spark.read.parquet(str(bad)).toArrow()
    assert len(errors) == put


def done(out: Path) -> int:
    """Files of which all events can be seen: subscription 0 matches each event once.

    A batch is a file, but for one: where the kill fell between Spark's note of a file and its note of the batch, the
    batch after it has two.
    """
    if not any(out.glob("batch=*")):
        return 0
    matches = pyarrow.dataset.dataset(out, partitioning="hive")
    return int(matches.count_rows(filter=pyarrow.dataset.field("subscription") == 0)) // EVENTS


def check(events: list[dict[str, int]], found: pa.Table) -> None:
    """Every event with one version, and exactly the matches of that version."""
    pairs: defaultdict[int, list[int]] = defaultdict(list)
    version_of: dict[int, int] = {}
    for row in found.to_pylist():
        assert version_of.setdefault(row["number"], row["version"]) == row["version"]
        pairs[row["number"]].append(row["subscription"])
    batches = set(found["batch"].to_pylist())
    assert batches == set(range(len(batches)))
    assert sorted(pairs) == list(range(len(events)))
    per_batch = Counter((row["batch"], row["version"]) for row in found.to_pylist())
    assert len({batch for batch, _ in per_batch}) == len(per_batch)  # a batch has one version
    for version in sorted(set(version_of.values())):
        index = watchword.Index()
        index.subscribe_many(wishes(version))
        numbers = [number for number, of in version_of.items() if of == version]
        wanted = index.match_batch([events[number] for number in numbers], id="number")
        expected = sorted(zip(wanted["event"].to_pylist(), wanted["subscription"].to_pylist(), strict=True))
        assert sorted((number, one) for number in numbers for one in pairs[number]) == expected
