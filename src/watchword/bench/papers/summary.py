"""The summary for `docs/papers.md`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from watchword.bench.papers.catalog import PAPERS
from watchword.bench.papers.claims import FAILS, HOLDS, IN_PART, UNKNOWN
from watchword.bench.papers.experiment import Result

ABOUT: Final = (
    "Written by `watchword bench papers`, from a run and not by hand. Each line is a figure or table: what the paper "
    "claims, whether it holds here, and what was measured. A value is the median of its passes; where those of two "
    "overlap, they are within noise. Charts and all values are in the HTML report beside the raw results. In "
    "italics: where `auto` stands."
)


def summary(results: Sequence[Result], conditions: Sequence[str]) -> str:
    papers = [name for name in PAPERS if any(result.experiment.paper == name for result in results)]
    lines = [
        "# The papers' experiments, run again",
        "",
        ABOUT,
        "",
        *(f"- {line}" for line in conditions),
        "",
        f"| claims of | {HOLDS} | {IN_PART} | {FAILS} | {UNKNOWN} |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in papers:
        verdicts = [result.verdict.verdict for result in results if result.experiment.paper == name]
        counts = " | ".join(str(verdicts.count(verdict)) for verdict in (HOLDS, IN_PART, FAILS, UNKNOWN))
        lines.append(f"| {name} | {counts} |")
    for name in papers:
        lines += ["", f"## {name}", "", PAPERS[name] + ".", ""]
        lines += ["| id | claim | verdict | measured |", "| --- | --- | --- | --- |"]
        lines += [_line(result) for result in results if result.experiment.paper == name]
    return "\n".join(lines) + "\n"


def _line(result: Result) -> str:
    experiment, verdict = result.experiment, result.verdict
    note = f" ({experiment.note.rstrip('.')}.)" if experiment.note else ""
    measured = f"{verdict.reason}. *{result.auto}*" if result.auto else verdict.reason
    cells = (f"`{experiment.id}` {experiment.figure}", experiment.claim + note, verdict.verdict, measured)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
