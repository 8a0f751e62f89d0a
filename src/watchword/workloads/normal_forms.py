"""OpIndex's disjunctive and conjunctive normal forms (section 7.6): up to so many clauses of its usual predicates.

    dnf   (a3 = 7 AND a12 <= 30) OR (a901 >= 2)
    cnf   (a3 = 7 OR a12 <= 30) AND (a901 >= 2)

Clauses and predicates in a clause are as many as comes, uniformly, from 1 to their maximum. An attribute occurs once in
a clause, and may come again in another.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from watchword.workloads.generator import Generator, Profile, varying
from watchword.workloads.opindex import OpIndex, OpIndexSource, some_of
from watchword.workloads.sql_text import in_lists, joined


class Form(enum.StrEnum):
    DNF = "dnf"
    CNF = "cnf"


@dataclass(frozen=True, kw_only=True)
class NormalForms(OpIndex):
    form: Form = Form.DNF
    clauses: int = 5  # at most

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "form", Form(self.form))
        self.check("clauses", at_least=1)


class NormalFormsSource(OpIndexSource[NormalForms]):
    def expressions(self, rng: np.random.Generator, first: int, rows: int) -> pa.Array:
        p = self.parameters
        inner, outer = (" AND ", " OR ") if p.form is Form.DNF else (" OR ", " AND ")
        clauses = rng.integers(1, p.clauses + 1, rows)
        sizes, attributes = some_of(self._attributes, rng, int(clauses.sum()), p.subscription_size)
        predicates = self.predicates(rng, attributes)
        return in_lists(clauses, joined("(", in_lists(sizes, predicates, inner), ")"), outer)


_SIZES: Final = tuple(n * 1_000_000 for n in (1, 5, 10, 15, 20))

PROFILES: Final[Mapping[str, Profile[NormalForms]]] = {
    **{
        f"size-{form}": varying(f"{form}: N (figure 13)", NormalForms(form=form), subscriptions=_SIZES) for form in Form
    },
    **{
        f"clauses-{form}": varying(
            f"{form}: most clauses (figure 13)", NormalForms(form=form), clauses=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
        )
        for form in Form
    },
}

normal_forms: Final = Generator(
    "normal-forms",
    "disjunctions of conjunctions, or conjunctions of disjunctions",
    "OpIndex section 7.6",
    NormalForms(),
    NormalFormsSource,
    PROFILES,
)
