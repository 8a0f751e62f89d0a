"""The values of the event at hand, where kernels look them up by dimension, and whether conditions hold for them.

    value[d]             the event's code on dimension d, 0 where it has none (its first one, where it has several)
    first[d] .. last[d]  where all its codes on d stand in `code`; only of events with several on some dimension

The functions take any tuple that has these fields.
"""

from __future__ import annotations

from typing import Any

from watchword.coding.cells import LIST
from watchword.coding.coded import LIST_ALL, SET_ALL
from watchword.coding.encode import CodedEvents
from watchword.kernel import lean


@lean
def set_values(state: Any, events: CodedEvents, e: int) -> None:
    """Of an event with several codes on some dimension."""
    for i in range(events.starts[e], events.starts[e + 1]):
        d = events.dimension[i]
        if events.code[i] == 0:
            continue
        if state.last[d] <= events.starts[e]:
            state.first[d] = i
            state.value[d] = events.code[i]
            if events.flags[i] != 0:
                state.flags[d] = LIST_ALL if events.flags[i] & LIST else SET_ALL
        state.last[d] = i + 1


@lean
def forget_values(state: Any, events: CodedEvents, e: int) -> None:
    for i in range(events.starts[e], events.starts[e + 1]):
        d = events.dimension[i]
        state.first[d], state.last[d], state.flags[d] = 0, 0, 0


@lean
def in_intervals(conditions: Any, number: int, code: int) -> bool:
    """Is the code in one of the intervals of this set?"""
    low, high = conditions.set_starts[number], conditions.set_starts[number + 1]
    end = high
    while low < high:
        middle = (low + high) >> 1
        if conditions.set_high[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low < end and conditions.set_low[low] <= code


@lean
def in_condition(conditions: Any, c: int, code: int) -> bool:
    if code < conditions.low[c] or code > conditions.high[c]:
        return False
    return conditions.set_of[c] < 0 or in_intervals(conditions, conditions.set_of[c], code)


@lean
def condition_holds(conditions: Any, c: int, state: Any) -> bool:
    d = conditions.dimension[c]
    if len(state.last) == 0 or state.last[d] <= state.first[d] + 1:
        return in_condition(conditions, c, state.value[d])
    all_must = state.flags[d] & conditions.mode[c] != 0
    for i in range(state.first[d], state.last[d]):
        if in_condition(conditions, c, state.code[i]) != all_must:
            return not all_must
    return all_must


@lean
def some_code_in(state: Any, d: int, low: int, high: int) -> bool:
    """Does the event, which has several codes on some dimension, have one on d in low .. high?"""
    if state.last[d] <= state.first[d] + 1:
        return low <= state.value[d] <= high
    for i in range(state.first[d], state.last[d]):
        if low <= state.code[i] <= high:
            return True
    return False
