"""rule-engine: each rule is an object that is asked about each event.

Its own `resolve_item` looks for similar names when an event lacks one, and then takes ten times as long.
"""

from __future__ import annotations

from watchword.bench.forms import as_dicts
from watchword.bench.peers.driver import Way, way_name
from watchword.bench.peers.package_peer import Build
from watchword.bench.peers.translate import rule_engine_texts
from watchword.bench.workloads import Workload


def prepare(workload: Workload) -> Build:
    import rule_engine

    texts, events = rule_engine_texts(workload), as_dicts(workload.events)

    def build() -> list[Way]:
        context = rule_engine.Context(resolver=lambda event, name: event.get(name))
        rules = [rule_engine.Rule(text, context=context) for text in texts]
        return [Way(way_name(1), 1, lambda first, end: [sum(rule.matches(events[first]) for rule in rules)])]

    return build
