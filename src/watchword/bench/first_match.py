"""A new process on its way to its first match: `python -m watchword.bench.first_match SAVED EVENT`.

SAVED is the folder of an index, or empty for a new one with one subscription from text. The figures go to standard
output as JSON. This module imports nothing that the library does not.
"""

from __future__ import annotations

import json
import sys
import time

import watchword


def main(saved: str, event: str) -> None:
    kind = watchword.Index  # imports the library, which has a row of its own: start to first match
    begun = time.perf_counter()
    if saved:
        index = kind.open(saved)
    else:
        index = kind()
        index.subscribe(0, "a1 >= 1 AND (a2 = 'two' OR a3 BETWEEN 3 AND 4)")
    opened = time.perf_counter()
    found = index.match(json.loads(event))
    report = {
        "at": time.monotonic(),
        "open_seconds": opened - begun,
        "matches": len(found),
        "package": watchword.__file__,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
