"""The one way a function becomes machine code: `@kernel`.

Kernels are compiled on first use, cached on disk (in the user's cache folder where the package's own
is read-only) and release the interpreter lock. With NUMBA_DISABLE_JIT=1 they run as plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

AHEAD: Final = 16
"""How many items ahead a loop over one array prefetches from another: about as long as memory takes to answer."""

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    return cast(F, numba.njit(cache=True, nogil=True)(function))


def lean(function: F) -> F:
    """A kernel that allocates no array: compiled without reference counts, which are atomic and slow in loops."""
    return cast(F, numba.njit(cache=True, nogil=True, _nrt=False)(function))  # type: ignore[call-overload]


def inlined(function: F) -> F:
    """A kernel small enough to be pasted into its callers."""
    return cast(F, numba.njit(cache=True, nogil=True, inline="always")(function))


def _prefetch(typing_context: Any, array: Any, place: Any) -> Any:
    """Ask for the cache line that holds item `place` of the array, counted through all its axes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(array)(context, builder, arguments[0]).data
        byte = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte.type, number, number, number])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [byte.type], kind)
        builder.call(hint, [byte, number(0), number(3), number(1)])  # to read, to keep near, data
        return context.get_dummy_value()

    return types.none(array, place), generate


def _no_prefetch(array: Any, place: Any) -> None:
    """Plain Python has nothing to ask for."""


_as_python: Final[bool] = vars(config)["DISABLE_JIT"]
prefetch: Callable[[Any, Any], None] = _no_prefetch if _as_python else cast(Any, intrinsic(_prefetch))
