"""`watchword demo`: a made-up shop from end to end, offline: load, match, explain, update live, save, reopen, Spark."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

import watchword
from watchword.cli.demo_spark import run_on_spark
from watchword.cli.options import OutputFormat
from watchword.cli.shop import Shop
from watchword.cli.show import Format, show_explanation, show_record

if TYPE_CHECKING:
    from watchword.index.index import Index

BATCHES: Final = 40
SHOWN: Final = 5
LATECOMER: Final = ("latecomer", "category = 'lamp' AND tags = 'vintage' AND price < 100")


def demo(
    subscriptions: Annotated[int, typer.Option("--subscriptions", min=1, help="How many people watch.")] = 200_000,
    events: Annotated[int, typer.Option("--events", min=BATCHES, help="How many offers come in.")] = 20_000,
    seed: Annotated[int, typer.Option("--seed", help="Another number, another shop.")] = 7,
    spark: Annotated[bool, typer.Option("--spark/--no-spark", help="End with the same on embedded Spark.")] = True,
    format: OutputFormat = Format.TABLE,
) -> None:
    """See it work: a shop with many watchers, offers coming in, and what they match."""
    Demo(subscriptions, events, seed, Console(highlight=False, quiet=format is Format.JSON)).run(format, spark)


class Demo:
    """The steps in their order; each says what it does and leaves its figures for the summary."""

    def __init__(self, subscriptions: int, events: int, seed: int, console: Console) -> None:
        self._console = console
        self._figures: dict[str, Any] = {}
        shop = Shop(seed)
        wishes = shop.expressions(subscriptions)
        self._table = pa.table({"id": [f"watcher-{number}" for number in range(subscriptions)], "expression": wishes})
        self._offers = shop.offers(events)

    def run(self, format: Format, spark: bool) -> None:
        self._say(
            f"[bold]Watchword[/bold] {watchword.__version__}: a shop where {len(self._table):,} watchers wait for"
            f" {len(self._offers):,} offers. All of it is made up; nothing leaves this machine."
        )
        with watchword.Index() as index:
            self._warm_up()
            self._load(index)
            self._look(index)
            self._stream(index)
            self._save(index)
            if spark:
                self._spark(index)
        show_record("What it did", self._figures, format)

    def _say(self, text: str) -> None:
        self._console.print(text)
        self._console.print()

    def _step(self, title: str, text: str) -> None:
        self._console.rule(f"[bold cyan]{title}", align="left", style="cyan")
        self._console.print(text)

    def _warm_up(self) -> None:
        """Machine code is made on first use and kept on disk: it must not count as loading or matching."""
        begun = time.perf_counter()
        self._say("Getting ready. The first run compiles the kernels, which can take two minutes; then they are kept.")
        with self._console.status("Getting ready"), watchword.Index() as index:
            index.subscribe_many(self._table.slice(0, 10_000))
            index.flush()
            index.subscribe(*LATECOMER)
            index.match_batch(_as_json(self._offers[:100]))
            index.match(self._offers[0])
        self._figures["getting_ready_seconds"] = round(time.perf_counter() - begun, 2)

    def _load(self, index: Index) -> None:
        self._step("Load", "A subscription is an id and an expression. For example:")
        for expression in self._table["expression"].slice(0, 3).to_pylist():
            self._console.print(Text(f"  {expression}", "green"))
        begun = time.perf_counter()
        with self._console.status("Loading"):
            refused = index.subscribe_many(self._table)
            index.flush()
        seconds = time.perf_counter() - begun
        rate = round(len(index) / seconds)
        self._figures |= {
            "subscriptions": len(index),
            "refused": len(refused),
            "loading_seconds": round(seconds, 2),
            "subscriptions_per_second": rate,
        }
        self._say(f"{len(index):,} subscriptions loaded in {seconds:.1f} s: {rate:,} a second.")

    def _look(self, index: Index) -> None:
        """One offer, some of its matches, and why one of them holds."""
        offer = self._offers[0]
        index.match(offer)
        begun = time.perf_counter()
        found = index.match(offer)
        milliseconds = 1000 * (time.perf_counter() - begun)
        self._step("Match", "An event is a record. This offer comes in:")
        self._console.print(Text(f"  {json.dumps(offer, ensure_ascii=False)}", "green"))
        self._console.print(f"It matches {len(found):,} subscriptions, found in {milliseconds:.2f} ms. Some of them:")
        for identity in found[:SHOWN]:
            row = int(str(identity).removeprefix("watcher-"))
            self._console.print(Text(f"  {identity}  ", "cyan") + Text(str(self._table["expression"][row]), "green"))
        self._console.print()
        if found:
            longest = max(found[:SHOWN], key=lambda identity: len(str(index.explain(identity, offer))))
            self._step("Explain", f"Why does {longest} match?")
            show_explanation(index.explain(longest, offer), self._console)
            self._console.print()

    def _stream(self, index: Index) -> None:
        """All offers in batches, while a subscription comes and goes."""
        self._step("Stream", "All offers as JSON, in batches. Meanwhile one more watcher comes, and leaves again:")
        self._console.print(Text(f"  {LATECOMER[1]}", "green"))
        texts = _as_json(self._offers)
        size = len(texts) // BATCHES
        matches = late = 0
        busy = 0.0
        columns = [BarColumn(), MofNCompleteColumn(), TextColumn("offers  {task.fields[counts]}")]
        with Progress(*columns, console=self._console, disable=self._console.quiet) as progress:
            task = progress.add_task("", total=len(texts), counts="")
            for number, start in enumerate(range(0, len(texts), size)):
                if number == BATCHES // 4:
                    index.subscribe(*LATECOMER)
                    progress.console.print(f"  offer {start:,}: the latecomer is in, and counts at once")
                if number == BATCHES * 3 // 4:
                    index.unsubscribe(LATECOMER[0])
                    progress.console.print(f"  offer {start:,}: the latecomer is out, with {late:,} matches")
                batch = texts.slice(start, size)
                begun = time.perf_counter()
                found = index.match_batch(batch, threads=os.cpu_count() or 1)
                busy += time.perf_counter() - begun
                matches += len(found)
                late += pc.sum(pc.equal(found["subscription"], LATECOMER[0])).as_py() or 0
                rate = (start + len(batch)) / busy
                progress.update(task, advance=len(batch), counts=f"{rate:,.0f}/s  {matches:,} matches")
        self._figures |= {
            "events": len(texts),
            "matches": matches,
            "matching_seconds": round(busy, 2),
            "events_per_second": round(len(texts) / busy),
            "matches_per_second": round(matches / busy),
            "latecomer_matches": late,
        }
        self._say(f"{len(texts):,} offers matched in {busy:.2f} s: {len(texts) / busy:,.0f} a second.")

    def _save(self, index: Index) -> None:
        with TemporaryDirectory(prefix="watchword-demo-") as folder:
            path = Path(folder, "shop")
            begun = time.perf_counter()
            index.save(path)
            saved = time.perf_counter()
            size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
            with watchword.Index.open(path) as opened:
                reopened = time.perf_counter()
                same = sorted(opened.match(self._offers[0])) == sorted(index.match(self._offers[0]))
        self._figures |= {
            "saved_bytes": size,
            "saving_seconds": round(saved - begun, 2),
            "opening_seconds": round(reopened - saved, 3),
            "same_matches_after_reopening": same,
        }
        self._step("Save", f"Saved ({size / 1e6:.1f} MB), opened again, and asked about the first offer once more:")
        self._say("the same matches." if same else "[bold red]different matches: please report this.")

    def _spark(self, index: Index) -> None:
        self._step("Spark", "The same as DataFrames, on a Spark inside this process: built and matched by its workers.")
        texts = _as_json(self._offers)
        with self._console.status("Running on Spark"):
            figures = run_on_spark(self._table, texts, len(index.match_batch(texts)))
        self._figures |= figures
        if "spark" in figures:
            self._say(f"[yellow]Left out.[/yellow] {escape(figures['spark'])}")
            return
        same = "the same matches" if figures["spark_same_matches"] else "[bold red]different matches[/bold red]"
        self._say(
            f"Started in {figures['spark_starting_seconds']:.1f} s, built in {figures['spark_building_seconds']:.1f} s,"
            f" matched in {figures['spark_matching_seconds']:.1f} s: {same}."
        )


def _as_json(offers: list[dict[str, Any]]) -> pa.Array:
    return pa.array([json.dumps(offer, ensure_ascii=False) for offer in offers], pa.string())
