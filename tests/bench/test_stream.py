"""What a measured stream says: latencies from the moment an event was due to the moment its batch could be seen."""

from __future__ import annotations

import numpy as np
import pytest

from watchword.bench.stream import Run, rows

RATE, SECONDS = 10, 20


def measured(seen: list[float], last: list[int], matches: int = 400) -> dict[str, float]:
    memory = [(float(second), 100 + second, 50) for second in range(SECONDS)]
    run = Run(1000.0, 1000 + np.array(seen), np.array(last), matches, memory, [70, 71], {"addBatch": 7.0}, 20.0)
    return {row.what: row.measured for row in rows(run, RATE, SECONDS, 400)}


def test_latency_is_from_due_to_seen() -> None:
    found = measured(seen=[10.5, 21.0], last=[99, 199])
    # the last event of each batch waits shortest, its first longest
    assert found["latency, highest"] == pytest.approx(10.9)
    assert found["latency, median"] == pytest.approx((0.5 + 10.9) / 2, abs=0.06)
    assert found["produced"] == 10
    assert found["matches missing or too many"] == 0
    assert found["a batch: addBatch"] == 7


def test_what_never_came_is_infinitely_late() -> None:
    found = measured(seen=[10.5], last=[99], matches=200)
    assert found["latency, highest"] == float("inf")
    assert found["latency, median of the last tenth"] == float("inf")
    assert found["matches missing or too many"] == 200


def test_memory_is_compared_between_quarters() -> None:
    found = measured(seen=[10.5, 21.0], last=[99, 199])
    jvm = found["memory of JVM, against the second quarter"]
    assert jvm == pytest.approx(np.mean([100 + second for second in range(16, 20)]) / np.mean([106, 107, 108, 109]))
    assert found["memory of workers, against the second quarter"] == 1
