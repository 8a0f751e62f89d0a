"""Expressions of which no two have the same shape: what a loader meets that has no use for having seen the last one."""

from __future__ import annotations

import random
import re

_CONSTANT_OR_NAME = re.compile(r"'[^']*'|\b[a-z]?\d+\b")


def distinct_shapes(count: int, seed: int = 4) -> list[str]:
    """Nested ANDs, ORs and NOTs, about six predicates each; shapes differ by more than names and constants."""
    rng = random.Random(seed)
    found: dict[str, str] = {}
    while len(found) < count:
        text = _expression(rng, 3)
        found.setdefault(_CONSTANT_OR_NAME.sub("x", text), text)
    return list(found.values())


def _expression(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return _predicate(rng)
    word = rng.choice((" AND ", " OR "))
    text = word.join(_expression(rng, depth - 1) for _ in range(rng.randint(2, 3)))
    return f"NOT ({text})" if rng.random() < 0.15 else f"({text})"


def _predicate(rng: random.Random) -> str:
    name = f"a{rng.randrange(400)}"
    low = rng.randrange(40)
    form = rng.randrange(6)
    if form == 0:
        return f"{name} {rng.choice(('=', '<>', '<', '<=', '>', '>='))} {low}"
    if form == 1:
        return f"{name} {rng.choice(('', 'NOT '))}BETWEEN {low} AND {low + rng.randint(1, 9)}"
    if form == 2:
        operands = ", ".join(str(low + i) for i in range(rng.randint(2, 5)))
        return f"{name} {rng.choice(('', 'NOT '))}IN ({operands})"
    if form == 3:
        return f"{name} {rng.choice(('', 'NOT '))}LIKE '{rng.choice(('t%', '%t', '%t%'))}'"
    if form == 4:
        return f"{name} IS {rng.choice(('', 'NOT '))}NULL"
    return f"{name} = 'text {low}'"
