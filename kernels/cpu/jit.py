"""The one way in which kernels are compiled."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

_F = TypeVar("_F", bound=Callable[..., Any])


def compiled(function: _F) -> _F:
    """The function for calls from kernels: total as IEEE 754, without fast-math, no GIL."""
    return cast("_F", numba.njit(nogil=True, error_model="numpy")(function))
