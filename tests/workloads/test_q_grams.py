"""Strings as 3-grams: sizes and dimensions of BE-Tree's Table 3, and what matches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.workloads.checks import conjunctions, is_well_made, loaded, match_share

from watchword.workloads import q_grams

SMALL: dict[str, Any] = {"subscriptions": 3000, "events": 250, "training": 50}


@pytest.mark.parametrize("name", ["author", "title", "author-match-probability-high"])
def test_sizes_of_table_3(name: str) -> None:
    wanted = replace(q_grams.profiles[name].variants[0], **SMALL)
    workload = is_well_made(q_grams, wanted)
    rows = conjunctions(workload)
    assert sum(map(len, rows)) / len(rows) == pytest.approx(wanted.subscription_size, rel=0.03)
    events = workload.records()
    assert sum(map(len, events)) / len(events) == pytest.approx(wanted.event_size, rel=0.05)
    names = {name for event in events for name in event}
    assert all(name == "^" or (len(name) == 2 and name.isalpha()) for name in names)
    assert {value for event in events for value in event.values()} <= set("abcdefghijklmnopqrstuvwxyz")


def test_a_string_reads_as_its_letters() -> None:
    """Each gram's last two letters are the next one's attribute, until a pair comes again."""
    for row in conjunctions(q_grams(replace(q_grams.defaults, **SMALL)))[:300]:
        assert row[0].attribute == '"^"'
        first, second = row[0].operands[0].strip("'"), row[1].attribute.strip('"')
        assert second[0] == first
        assert len({one.attribute for one in row}) == len(row)


def test_an_event_is_one_of_the_strings() -> None:
    workload = q_grams(replace(q_grams.defaults, **SMALL))
    index = loaded(workload)
    assert all(index.match(event) for event in workload.records())


@pytest.mark.parametrize("name", ["author-match-probability-low"])
def test_the_matching_probability_is_under_control(name: str) -> None:
    wanted = replace(q_grams.profiles[name].parameters, **SMALL, match_probability=0.02)
    assert 0.02 <= match_share(q_grams(wanted)) <= 0.021
