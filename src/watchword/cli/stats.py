"""`watchword stats`: what a saved index holds."""

from __future__ import annotations

import watchword
from watchword.cli.options import IndexFolder, OutputFormat
from watchword.cli.show import Format, show_record


def stats(index: IndexFolder, format: OutputFormat = Format.TABLE) -> None:
    """Show the counts, sizes and structures of a saved index."""
    with watchword.Index.open(index) as opened:
        show_record(str(index), opened.stats(), format)
