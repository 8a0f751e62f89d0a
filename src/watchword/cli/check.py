"""`watchword check`: every byte of a saved index against its checksum."""

from __future__ import annotations

from watchword.cli.options import IndexFolder, OutputFormat
from watchword.cli.progress import Progress
from watchword.cli.saved import open_saved
from watchword.cli.show import Format, show_record


def check(index: IndexFolder, format: OutputFormat = Format.TABLE) -> None:
    """Verify every checksum of a saved index; of one that Spark built, of the version in force."""
    with Progress(f"reading {index}"):
        opened, of_spark = open_saved(index, verify=True, by_tenant=True)
        with opened:
            size = sum(file.stat().st_size for file in index.rglob("*") if file.is_file())
            summary = {"index": str(index), "intact": True, **of_spark, "subscriptions": len(opened), "bytes": size}
    show_record("Checked", summary, format)
