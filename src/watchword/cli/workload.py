"""`watchword workload`: subscriptions and events as the papers generate them, or from one's own data, as Parquet."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from watchword.cli.files import FileError
from watchword.cli.options import Force, OutputFormat
from watchword.cli.progress import Progress
from watchword.cli.show import Format, show_record, show_rows
from watchword.cli.writers import writing


def workload(
    name: Annotated[
        str | None, typer.Argument(help="Which; NAME:PROFILE for settings of its paper. None: list all.")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", metavar="FILE", help="Rows of your own: .jsonl, .jsonl.gz or .parquet.")
    ] = None,
    text: Annotated[list[str] | None, typer.Option("--text", metavar="KEY", help="Of the data: running text.")] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="KEY", help="Of the data: no condition.")
    ] = None,
    subscriptions: Annotated[int | None, typer.Option(min=0, help="How many; the paper's if not given.")] = None,
    events: Annotated[int | None, typer.Option(min=0, help="How many; of --data, so many rows are read.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another number, other rows.")] = 1,
    parameter: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A parameter; again for more.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Where the files go.")] = None,
    format: OutputFormat = Format.TABLE,
    force: Force = False,
) -> None:
    """Make a workload: subscriptions.parquet, events.parquet, training.parquet, workload.json."""
    if name is None and data is None:
        _show_all(format)
        return
    if out is None:
        raise typer.BadParameter("--out is missing", param_hint="--out")
    settings = _settings(parameter or [])
    if data is not None:
        if name is not None:
            raise typer.BadParameter("a workload from --data has no name", param_hint="NAME")
        called, source = "from-events", _of_data(data, text or [], ignore or [], subscriptions, events, seed, settings)
    else:
        assert name is not None
        called, source = name, _generated(name, subscriptions, events, seed, settings)
    show_record("Made", _write(called, source, out, force), format)


def _show_all(format: Format) -> None:
    from watchword.workloads import generator, workloads

    rows = [
        {"workload": name, "description": line, "profiles": list(generator(name).profiles)}
        for name, line in workloads().items()
    ]
    show_rows("Workloads", rows, format)


def _settings(texts: list[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise typer.BadParameter(f"{text!r} is not KEY=VALUE", param_hint="--set")
        found[name.replace("-", "_")] = value
    return found


def _generated(name: str, subscriptions: int | None, events: int | None, seed: int, settings: dict[str, str]) -> Any:
    from watchword.workloads import generator, with_settings

    called, _, profile = name.partition(":")
    made = generator(called)
    counts = {"subscriptions": subscriptions, "events": events, "training": events, "seed": seed}
    given = {key: value for key, value in counts.items() if value is not None}
    return made.source(with_settings(replace(made.profile(profile).parameters, **given), settings))


def _of_data(
    data: str, texts: list[str], ignored: list[str], subscriptions: int | None, rows: int | None, seed: int,
    settings: dict[str, str],
) -> Any:  # fmt: skip
    from watchword.workloads import FromEvents, data_source

    if settings:
        raise typer.BadParameter("a workload from --data has no parameters beside its options", param_hint="--set")
    wanted = FromEvents(seed=seed, texts=tuple(texts), ignore=tuple(ignored))
    if subscriptions is not None:
        wanted = replace(wanted, subscriptions=subscriptions)
    return data_source(data, wanted, rows=rows)


def _write(name: str, source: Any, out: Path, force: bool) -> dict[str, Any]:
    """Block by block, so that memory does not grow with the workload."""
    from watchword.workloads.source import Stream

    if out.exists() and not (out.is_dir() and force):
        raise FileError(f"{out}: already exists; add --force to replace what is there")
    out.mkdir(parents=True, exist_ok=True)
    for stream in (Stream.SUBSCRIPTIONS, Stream.EVENTS, Stream.TRAINING):
        file = f"{stream.name.lower()}.parquet"
        blocks = max(1, source.blocks_of(stream))
        schema = source.block(stream, 0).schema
        with Progress(f"writing {file}") as progress, writing(str(out / file), schema, force) as writer:
            for number in range(blocks):
                writer.write(source.block(stream, number))
                progress.update((number + 1) / blocks, f"{source.rows_of(stream):,} rows")
    about = {"name": name, "events_form": str(source.form), "parameters": asdict(source.parameters)}
    (out / "workload.json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")
    counts = {stream.name.lower(): source.rows_of(stream) for stream in Stream if stream}
    return {"workload": name, **counts, "events_form": str(source.form), "out": str(out)}
