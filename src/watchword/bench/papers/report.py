"""The report: one HTML page that needs nothing beside itself."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Final

from watchword.bench.harness.metrics import METRICS, Value
from watchword.bench.papers.catalog import PAPERS
from watchword.bench.papers.chart import legend, line_chart
from watchword.bench.papers.claims import FAILS, HOLDS, IN_PART, UNKNOWN
from watchword.bench.papers.experiment import Experiment, Result, X
from watchword.bench.papers.numbers import shown, spread

WIDE: Final = 48  # letters in the columns of a table
GAP: Final = 2.5  # between two of them

CLASSES: Final = {HOLDS: "holds", IN_PART: "part", FAILS: "fails", UNKNOWN: "unknown"}


def page(results: Sequence[Result], conditions: Sequence[str]) -> str:
    """`conditions`: what was run, and where."""
    style = files("watchword.bench.papers").joinpath("page.css").read_text("utf-8")
    papers = [name for name in PAPERS if any(result.experiment.paper == name for result in results)]
    body = "".join(_paper(name, [r for r in results if r.experiment.paper == name]) for name in papers)
    lines = "".join(f'<p class="quiet">{escape(line)}</p>' for line in conditions)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>The papers' experiments, run again</title><style>{style}</style></head><body>"
        f"<h1>The papers' experiments, run again</h1>{lines}{_counts(papers, results)}{body}</body></html>\n"
    )


def _counts(papers: Sequence[str], results: Sequence[Result]) -> str:
    rows = []
    for name in papers:
        verdicts = [result.verdict.verdict for result in results if result.experiment.paper == name]
        cells = "".join(f"<td>{verdicts.count(verdict) or ''}</td>" for verdict in CLASSES)
        rows.append(f'<tr><td><a href="#{_anchor(name)}">{escape(name)}</a></td>{cells}</tr>')
    heads = "".join(f'<th><span class="verdict {kind}">{verdict}</span></th>' for verdict, kind in CLASSES.items())
    head = f"<thead><tr><th>claims of</th>{heads}</tr></thead>"
    return f'<table class="summary">{head}<tbody>{"".join(rows)}</tbody></table>'


def _paper(name: str, results: Sequence[Result]) -> str:
    articles = "".join(map(_article, results))
    return f'<h2 id="{_anchor(name)}">{escape(name)}</h2><p class="quiet">{escape(PAPERS[name])}</p>{articles}'


def _anchor(paper: str) -> str:
    return "".join(letter for letter in paper.lower() if letter.isalnum())


def _article(result: Result) -> str:
    experiment, verdict = result.experiment, result.verdict
    findings = verdict.reason.split("; ")
    reason = "".join(f"<li>{escape(finding)}</li>" for finding in findings)
    note = f'<p class="note quiet"><b>Note.</b> {escape(experiment.note)}</p>' if experiment.note else ""
    auto = f"<p>{escape(result.auto)}.</p>" if result.auto else ""
    said = f'<div class="reason"><b>Measured</b><ul>{reason}</ul>{auto}{note}</div>'
    title = escape(f"{experiment.figure}: {experiment.title}")
    return (
        f'<article id="{experiment.id}"><div class="head"><h3>{title}</h3>'
        f'<span class="verdict {CLASSES[verdict.verdict]}">{verdict.verdict}</span>'
        f'<span class="id">{experiment.id}</span></div>'
        f'<p class="claim">{escape(experiment.claim)}</p>{_body(result, said)}</article>'
    )


def _body(result: Result, said: str) -> str:
    """The chart, and its table beside it; a wide table goes below, and what was measured beside the chart."""
    table = f'<div class="scroll">{_table(result)}</div>'
    if not result.experiment.chart:
        return f"{said}{table}"
    beside, below = (said, table) if _is_wide(result) else (table, "")
    above = "" if below else said
    return f'{above}<div class="both">{_figure(result)}<div>{beside}</div></div>{below}'


def _is_wide(result: Result) -> bool:
    names = list(result.values)
    each = 16 if result.experiment.deviation else 9
    return sum(max(each, len(name)) + GAP for name in names) > WIDE


def _figure(result: Result) -> str:
    experiment = result.experiment
    chart = line_chart(
        experiment.title,
        result.values,
        experiment.x.label,
        y_label(experiment),
        log_x=experiment.x.log,
        log_y=experiment.log,
    )
    return f"<figure>{legend(list(result.values))}{chart}</figure>"


def y_label(experiment: Experiment) -> str:
    metric = METRICS[experiment.metric]
    return f"{metric.label} ({metric.unit})" if metric.unit else metric.label


def _table(result: Result) -> str:
    experiment = result.experiment
    xs: list[X] = list(dict.fromkeys(x for series in result.values.values() for x in series))
    heads = "".join(f"<th>{escape(name)}</th>" for name in result.values)
    rows = "".join(
        f"<tr><td>{escape(x_text(x))}</td>"
        + "".join(_cell(series.get(x, Value(None, status=""))) for series in result.values.values())
        + "</tr>"
        for x in xs
    )
    deviation = f", with its {METRICS[experiment.deviation].label} (sd)" if experiment.deviation else ""
    caption = f"{y_label(experiment)}{deviation}" if experiment.chart else ""
    about = f'<caption class="quiet">{escape(caption)}</caption>' if caption else ""
    head = f"<thead><tr><th>{escape(experiment.x.label)}</th>{heads}</tr></thead>"
    return f"<table>{about}{head}<tbody>{rows}</tbody></table>"


def x_text(x: X) -> str:
    return x if isinstance(x, str) else shown(x)


def _cell(value: Value) -> str:
    if value.median is None:
        return f'<td class="none" title="{escape(value.reason)}">{escape(value.status)}</td>'
    small = [text for text in (spread(value), _deviation(value)) if text]
    return f"<td>{shown(value.median)}{''.join(f' <small>{text}</small>' for text in small)}</td>"


def _deviation(value: Value) -> str:
    return "" if value.deviation is None else f"sd {shown(value.deviation)}"
