"""The `watchword` command: its subcommands, and how an error becomes one line and exit code 1."""

from __future__ import annotations

from typing import Annotated, Any

import pyarrow as pa
import typer
from typer.core import TyperGroup

import watchword
from watchword.bench.cli import app as bench
from watchword.cli.build import build
from watchword.cli.check import check
from watchword.cli.demo import demo
from watchword.cli.explain import explain
from watchword.cli.match import match
from watchword.cli.stats import stats
from watchword.cli.stream import stream
from watchword.cli.structures import structures
from watchword.cli.workload import workload


class Commands(TyperGroup):
    """Errors of the library, of files and of Arrow are the user's to mend: one line each, no traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of our output has gone: Typer ends quietly
        except (watchword.WatchwordError, OSError, pa.ArrowException) as error:
            typer.echo(f"{typer.style('error:', fg='red', bold=True)} {error}", err=True)
            raise typer.Exit(1) from error


app = typer.Typer(
    cls=Commands,
    help="Match millions of standing subscriptions against events.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"watchword {watchword.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


for command in (demo, match, build, stream, stats, explain, structures, check, workload):
    app.command()(command)
app.add_typer(bench, name="bench")


def main() -> None:
    app()
