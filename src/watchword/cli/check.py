"""`watchword check`: every byte of a saved index against its checksum."""

from __future__ import annotations

import watchword
from watchword.cli.options import IndexFolder, OutputFormat
from watchword.cli.progress import Progress
from watchword.cli.show import Format, show_record


def check(index: IndexFolder, format: OutputFormat = Format.TABLE) -> None:
    """Verify every checksum of a saved index."""
    with Progress(f"reading {index}"), watchword.Index.open(index, verify=True) as opened:
        size = sum(file.stat().st_size for file in index.rglob("*") if file.is_file())
        summary = {"index": str(index), "intact": True, "subscriptions": len(opened), "bytes": size}
    show_record("Checked", summary, format)
