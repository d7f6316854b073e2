"""Arithmetic that LLVM does in one instruction a vector, where Python has no way to ask for it."""

# numba infers the types of a kernel, for each set of arguments anew.
# pyright: reportMissingParameterType=false

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

_F = TypeVar("_F", bound=Callable[..., Any])


def inlined(function: _F) -> _F:
    """The function as part of the loop that calls it: LLVM makes no vectors of a call."""
    return cast("_F", numba.njit(error_model="numpy", forceinline=True)(function))


def _typed_multiply_add(context: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once."""
    del context, a, b, c

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


multiply_add: Any = intrinsic(_typed_multiply_add)


@inlined
def bits(x):
    """The bits of a float64 as int64."""
    return np.float64(x).view(np.int64)


@inlined
def of_bits(number):
    """The float64 of these bits."""
    return np.int64(number).view(np.float64)


@inlined
def product_rest(a, b, product):
    """a * b - product, exactly, for `product` = a * b rounded."""
    return multiply_add(a, b, -product)


@inlined
def sum_rest(a, b, total):
    """a + b - total, exactly, for `total` = a + b rounded."""
    other = total - a
    return (a - (total - other)) + (b - other)
