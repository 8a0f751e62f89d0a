"""64 events side by side: one comparison asks all of them.

    table   dimension 0: code of event 0, of event 1, ... of event 63 | dimension 1: ... | ...

A condition becomes one load and two comparisons of whole registers, whose result is a mask of the events that it is
true of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic

LANES: Final = 64


def _lanes_within(typing_context: Any, table: Any, place: Any, low: Any, high: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(table)(context, builder, arguments[0]).data
        item = context.get_value_type(table.dtype)
        row = ir.VectorType(item, LANES)
        pointer = builder.bitcast(builder.gep(data, [arguments[1]]), row.as_pointer())
        codes = builder.load(pointer, align=table.dtype.bitwidth // 8)
        bounds = []
        for bound in arguments[2:]:
            one = builder.insert_element(ir.Constant(row, ir.Undefined), bound, ir.Constant(ir.IntType(32), 0))
            none = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            bounds.append(builder.shuffle_vector(one, ir.Constant(row, ir.Undefined), none))
        above = builder.icmp_unsigned(">=", codes, bounds[0])
        below = builder.icmp_unsigned("<=", codes, bounds[1])
        return builder.bitcast(builder.and_(above, below), ir.IntType(LANES))

    return types.uint64(table, place, table.dtype, table.dtype), generate


def _one_by_one(table: Any, place: int, low: int, high: int) -> np.uint64:
    mask = 0
    for lane in range(LANES):
        if low <= table[place + lane] <= high:
            mask |= 1 << lane
    return np.uint64(mask)


def _lowest(typing_context: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


def _lowest_in_python(mask: Any) -> int:
    return (int(mask) & -int(mask)).bit_length() - 1


_as_python: Final[bool] = vars(config)["DISABLE_JIT"]

lanes_within: Callable[[Any, int, Any, Any], Any] = _one_by_one if _as_python else cast(Any, intrinsic(_lanes_within))
"""A bit for each of the LANES items from `place` on that is in low .. high. All are of the table's unsigned type."""

lowest_lane: Callable[[Any], int] = _lowest_in_python if _as_python else cast(Any, intrinsic(_lowest))
"""The place of the lowest bit of a mask that is not 0."""
