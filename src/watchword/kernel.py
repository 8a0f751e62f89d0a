"""The one way a function becomes machine code: `@kernel`.

Kernels are compiled on first use, cached on disk (in the user's cache folder where the package's own
is read-only) and release the interpreter lock. With NUMBA_DISABLE_JIT=1 they run as plain Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    return cast(F, numba.njit(cache=True, nogil=True)(function))


def lean(function: F) -> F:
    """A kernel that allocates no array: compiled without reference counts, which are atomic and slow in loops."""
    return cast(F, numba.njit(cache=True, nogil=True, _nrt=False)(function))  # type: ignore[call-overload]


def inlined(function: F) -> F:
    """A kernel small enough to be pasted into its callers."""
    return cast(F, numba.njit(cache=True, nogil=True, inline="always")(function))
