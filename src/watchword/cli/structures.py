"""`watchword structures`: the index structures by name."""

from __future__ import annotations

import watchword
from watchword.cli.options import OutputFormat
from watchword.cli.show import Format, show_rows


def structures(format: OutputFormat = Format.TABLE) -> None:
    """List the index structures that there are."""
    rows = [{"structure": name, "description": line} for name, line in watchword.structures().items()]
    show_rows("Structures", rows, format)
