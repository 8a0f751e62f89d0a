"""A batch that is repeated meets the version that it met at first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import watchword
import watchword.spark as wws
from watchword.spark.kept_version import kept_version


@pytest.fixture
def index(spark: Any, tmp_path: Path) -> Path:
    build(spark, tmp_path / "index")
    return tmp_path / "index"


def build(spark: Any, path: Path) -> None:
    wws.build(spark.createDataFrame(pa.table({"id": [1], "expression": ["x > 0"]})), path)


def test_only_the_next_batch_meets_a_new_version(spark: Any, index: Path, tmp_path: Path) -> None:
    assert kept_version(str(tmp_path), str(index), 0) == 1
    build(spark, index)
    assert [kept_version(str(tmp_path), str(index), batch) for batch in (0, 0, 1, 1)] == [1, 1, 2, 2]


def test_a_version_that_is_gone_is_told(spark: Any, index: Path, tmp_path: Path) -> None:
    kept_version(str(tmp_path), str(index), 7)
    build(spark, index)
    wws.remove_old(index, keep=1)
    with pytest.raises(watchword.StorageError, match=r"batch 7 began with version 1 .* delete"):
        kept_version(str(tmp_path), str(index), 7)


def test_a_damaged_note_is_told(index: Path, tmp_path: Path) -> None:
    (tmp_path / "_watchword_version.json").write_text("{")
    with pytest.raises(watchword.StorageError, match="is damaged"):
        kept_version(str(tmp_path), str(index), 0)
