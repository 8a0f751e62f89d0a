"""Run as a program: `saving_process.py save FOLDER` saves state after state, `match FOLDER` says what is open.

State n has the subscriptions (n, 0), (n, 1), ..., so a mixture of two states would show.
"""

from __future__ import annotations

import sys
from pathlib import Path

from watchword.index.index import Index

SUBSCRIPTIONS = 20


def save_for_ever(folder: Path) -> None:
    index, state = Index(), 0
    while True:
        index.subscribe_many([(k, f"x = {state}") for k in range(SUBSCRIPTIONS)])
        index.save(folder)
        print(state, flush=True)
        state += 1


def state_of(index: Index) -> int:
    """The state that an index is in; it must be complete."""
    states = {int(index.expression(k).removeprefix("x = ")) for k in range(SUBSCRIPTIONS)}
    assert len(index) == SUBSCRIPTIONS
    assert len(states) == 1, states
    (state,) = states
    assert sorted(index.match({"x": state})) == list(range(SUBSCRIPTIONS))
    assert index.match({"x": state - 1}) == []
    return state


if __name__ == "__main__":
    if sys.argv[1] == "save":
        save_for_ever(Path(sys.argv[2]))
    opened = Index.open(sys.argv[2])
    for _ in sys.stdin:
        print(state_of(opened), flush=True)
