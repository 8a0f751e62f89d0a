"""OpIndex's keywords, products, normal forms and prefixes (sections 7.1, 7.6 and 7.7)."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from tests.workloads.checks import conjunctions, is_well_made, match_share, predicates
from tests.workloads.statistics import has_mean, has_share, is_drawn_by

from watchword.language.build import to_expression
from watchword.language.expression import And, Or
from watchword.workloads import (
    Generator,
    Keywords,
    NormalForms,
    Prefixes,
    Products,
    keywords,
    normal_forms,
    prefixes,
    products,
)

SMALL: dict[str, Any] = {"subscriptions": 4000, "events": 600, "training": 50}


@pytest.mark.parametrize("generator", [keywords, normal_forms, prefixes, products], ids=lambda one: one.name)
def test_every_figure(generator: Generator[Any]) -> None:
    for profile in generator.profiles.values():
        wanted = profile.variants[-1]
        parameters = type(wanted)(**{**vars(wanted), "subscriptions": 100, "events": 20, "training": 10})
        assert 0 <= match_share(is_well_made(generator, parameters)) < 1


@pytest.mark.parametrize("size", [5.4, 123.0])
def test_documents_of_keywords_are_as_long_as_published(size: float) -> None:
    documents = keywords(Keywords(**SMALL, event_size=size)).records()
    assert has_mean([len(document) for document in documents], size)
    assert {value for document in documents for value in document.values()} == {1}


def test_term_frequencies() -> None:
    workload = keywords(Keywords(**SMALL, intervals=True))
    bounds = np.array([one.operands for row in conjunctions(workload) for one in row], np.int64)
    assert is_drawn_by((bounds[:, 1] - bounds[:, 0]).tolist(), [1.0] * 16)
    assert has_mean(bounds[:, 0], 2.0)
    assert has_mean([value for document in workload.records() for value in document.values()], 2.0)


def test_products_have_their_attributes_as_often_as_published() -> None:
    parameters = Products(**{**SMALL, "events": 2000})
    found = Counter(name for product in products(parameters).records() for name in product)
    assert has_share(found["p0"], 2000, 0.31)
    assert has_share(found["p1"], 2000, 0.17)
    assert sum(found.values()) / 2000 == pytest.approx(parameters.presence.sum(), rel=0.03)


def test_subscriptions_to_products_choose_by_the_logarithm() -> None:
    parameters = Products(**SMALL, attributes=300, sets=0.5)
    rows = conjunctions(products(parameters))
    assert is_drawn_by([len(row) - 1 for row in rows], [1.0] * 4)
    assert is_drawn_by([int(row[0].attribute[1:]) for row in rows], np.log1p(296_846 * parameters.presence))
    used = [one for row in rows for one in row]
    assert has_share(sum(one.operator == "IN" for one in used), len(used), 0.5)
    for one in used:
        assert len(set(one.operands)) == len(one.operands) <= 5
        assert one.operator == "IN" or len(one.operands) == 1


@pytest.mark.parametrize(("form", "outer", "inner"), [("dnf", Or, And), ("cnf", And, Or)])
def test_normal_forms(form: Any, outer: type[Any], inner: type[Any]) -> None:
    texts = normal_forms(NormalForms(**SMALL, form=form)).subscriptions["expression"].to_pylist()
    clauses = [re.findall(r"\(([^)]*)\)", text) for text in texts]
    assert is_drawn_by([len(one) - 1 for one in clauses], [1.0] * 5)
    between = " OR " if inner is Or else " AND "
    sizes = [len(clause.split(between)) for one in clauses for clause in one]
    assert is_drawn_by([size - 1 for size in sizes], [1.0] * 4)
    for text, one in zip(texts[:200], clauses, strict=False):
        tree = to_expression(text)
        if len(one) > 1:
            assert isinstance(tree, outer)
        elif between in text:
            assert isinstance(tree, inner)


@pytest.mark.parametrize("length", [2, 4])
def test_prefixes(length: int) -> None:
    workload = prefixes(Prefixes(**SMALL, prefix=0.3, prefix_length=length, subscription_size=3))
    used = [one for text in workload.subscriptions["expression"].to_pylist() for one in predicates(text)]
    patterns = [one for one in used if one.operator == "LIKE"]
    assert has_share(len(patterns), len(used), 0.3)
    assert {len(one.operands[0]) - len("'%'") for one in patterns} == {length}
    assert {one.attribute[0] for one in patterns} == {"s"}
    assert {one.attribute[0] for one in used if one.operator == "="} == {"a"}
    events = workload.records()
    values = [value for event in events for value in event.values()]
    assert has_share(sum(isinstance(value, str) for value in values), len(values), 0.5)
