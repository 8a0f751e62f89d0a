"""`watchword explain`: why a subscription matches an event, or does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
import typer
from rich.console import Console

import watchword
from watchword.cli.files import existing
from watchword.cli.loading import subscribe
from watchword.cli.options import OutputFormat, SubscriptionsFile
from watchword.cli.refused import Refused
from watchword.cli.saved import open_saved
from watchword.cli.show import Format, show_explanation, show_json
from watchword.cli.subscriptions import Subscriptions, read_subscriptions

if TYPE_CHECKING:
    from watchword.index.index import Index


def explain(
    what: Annotated[list[str], typer.Argument(metavar="[DIR] ID", help="A saved index and a subscription's id.")],
    event: Annotated[str, typer.Option("--event", metavar="JSON", help="The event as JSON, or @FILE.")],
    subscriptions: SubscriptionsFile = None,
    format: OutputFormat = Format.TABLE,
) -> None:
    """Draw which parts of a subscription hold on an event, and which do not."""
    wanted = 2 if subscriptions is None else 1
    if len(what) != wanted:
        raise typer.BadParameter("give DIR ID, or --subscriptions FILE ID")
    record = _event(event)
    identity = what[-1]
    opened = open_saved(Path(what[0])).opened if subscriptions is None else _only(subscriptions, identity)
    with opened:
        explanation = opened.explain(_id_in(opened, identity), record)
    if format is Format.JSON:
        show_json(explanation.to_dict())
    else:
        show_explanation(explanation, Console(highlight=False))


def _event(text: str) -> dict[str, Any]:
    content: str | bytes = text
    if text.startswith("@"):
        existing(text[1:])
        content = Path(text[1:]).read_bytes()
    try:
        record = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise watchword.EventError(f"--event: not JSON: {error}") from error
    if not isinstance(record, dict):
        raise watchword.EventError('--event: not a record; write it as {"price": 3}')
    return record


def _only(name: str, identity: str) -> Index:
    """An index of this one subscription: the others need not be parsed."""
    table = read_subscriptions(name).table
    row = table.filter(pc.equal(table["id"].cast(pa.string()), identity)).slice(0, 1)
    index = watchword.Index()
    subscribe(index, Subscriptions(row), Refused(None, None))
    return index


def _id_in(index: Index, text: str) -> str | int:
    """Ids are text or integers; on a command line both are text."""
    for identity in (text, int(text) if text.removeprefix("-").isdecimal() else text):
        if identity in index:
            return identity
    raise watchword.SubscriptionIdError(f"no subscription {text!r} in the index")
