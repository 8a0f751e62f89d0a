"""What the page on Spark shows does what it says."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Any

import pytest

import watchword.spark as wws

PAGE = Path(__file__).parents[2] / "docs" / "spark.md"


def test_the_backtest_counts_notifications_by_day(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = PAGE.read_text("utf-8").partition("## Backtest")[2].partition("\n## ")[0]
    code = "\n".join(re.findall(r"```python\n(.*?)```", section, re.DOTALL))
    days = [dt.date(2025, 1, 1 + number % 3) for number in range(30)]
    rows = [(number, day, "lamp" if number % 2 else "sofa", number) for number, day in enumerate(days)]
    history = spark.createDataFrame(rows, "id int, day date, category string, price int")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"spark": spark, "wws": wws, "history": history}
    exec(compile(code, str(PAGE), "exec"), names)
    wanted = {day: sum(1 for _, of, category, price in rows if of == day and category == "lamp" and price < 20)
              for day in days}  # fmt: skip
    assert {row["day"]: row["count"] for row in names["per_day"].collect()} == wanted
    assert sum(wanted.values()) == 10
