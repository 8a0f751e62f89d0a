"""One code against the intervals of 32 conjunctions at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

LANES: Final = 32


def _within(typing_context: Any, lanes: Any, low: Any, high: Any, code: Any) -> Any:
    """Bit i: lanes[low + i] <= code <= lanes[high + i], for 32 lanes. What is read must exist; the type is unsigned."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, first, last, value = arguments
        data = context.make_array(lanes)(context, builder, array).data
        item = ir.IntType(lanes.dtype.bitwidth)
        vector = ir.VectorType(item, LANES)

        def load(place: Any) -> Any:
            pointer = builder.bitcast(builder.gep(data, [place]), vector.as_pointer())
            return builder.load(pointer, align=item.width // 8)

        one = builder.trunc(value, item)
        undefined = ir.Constant(vector, ir.Undefined)
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        all_lanes = builder.shuffle_vector(
            builder.insert_element(undefined, one, ir.Constant(ir.IntType(32), 0)), undefined, zeros
        )
        above = builder.icmp_unsigned("<=", load(first), all_lanes)
        below = builder.icmp_unsigned("<=", all_lanes, load(last))
        bits = builder.bitcast(builder.and_(above, below), ir.IntType(LANES))
        return builder.zext(bits, cgutils.intp_t)

    return types.int64(lanes, types.intp, types.intp, types.int64), generate


def _within_plainly(lanes: Any, low: int, high: int, code: int) -> int:
    bits = 0
    for i in range(LANES):
        if lanes[low + i] <= code <= lanes[high + i]:
            bits |= 1 << i
    return bits


_as_python: Final[bool] = vars(config)["DISABLE_JIT"]
within: Callable[[Any, int, int, int], int] = _within_plainly if _as_python else cast(Any, intrinsic(_within))
