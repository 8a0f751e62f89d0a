"""One Spark session for all tests of this folder: starting one takes seconds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from tests.spark.answers import Shop, built_shop

import watchword.spark as wws

FAST: Final = {
    # a JVM for a minute of small jobs: compiled lightly, collected simply
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "2",
    # and plans interpreted: to compile one takes longer than its few rows
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where tests are spread over processes by group, these stay together: a session each would be too much."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    with wws.session("local[2]", memory="1g", settings=FAST) as session:
        yield session


@pytest.fixture(scope="session")
def shop(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Built once, for all tests that only read it."""
    return built_shop(spark, tmp_path_factory.mktemp("shop"))
