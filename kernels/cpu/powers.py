"""x ** 0.5 and x ** 2.0 without the C library's pow, and where pow may round another way.

pow is off by at most 0.54 units in the last place, says glibc (sysdeps/ieee754/dbl-64/e_pow.c),
so it gives the nearest float wherever the true value is not that near to the middle of two
floats. Of that, 0.511 are its exp's, and 1.5 * 2**-15 for each unit of the result's logarithm are
its log's: 0.5131 in all for a result from 2**-64 to 2**64. A fused multiply-add tells the true
distance; `_sure` takes 0.5156 there and 0.547 elsewhere, and is then false for one value in 32,
or in eleven. (Of 100 million, pow rounds another way for 0.08%; at most 0.508 off.)
"""

# numba infers the types of a kernel, for each set of arguments anew.
# pyright: reportMissingParameterType=false

import math

import numpy as np

from batchprep.kernels.cpu.fused import inlined, multiply_add
from batchprep.kernels.cpu.jit import compiled

_EXPONENT = 0x7FF0000000000000
_UNIT = 2.0**-52
# From the nearest float, in units: short of the middle by 0.015625 near 1, by 0.046875 elsewhere.
_MIDDLE_NEAR_ONE, _MIDDLE = 0.484375, 0.453125
_LEAST_NEAR_ONE, _MOST_NEAR_ONE = 2.0**-64, 2.0**64
# Outside, a square, a root's remainder or its unit is not a normal float.
_LEAST, _MOST = 1e-250, 1e300


@compiled
def _power_of_two_below(x):
    """The largest power of two that is less than x > 0."""
    return np.int64((np.float64(x).view(np.int64) - 1) & _EXPONENT).view(np.float64)


@compiled
def _middle(result):
    is_near_one = (result > _LEAST_NEAR_ONE) & (result < _MOST_NEAR_ONE)
    return _MIDDLE_NEAR_ONE if is_near_one else _MIDDLE


@compiled
def root_is_sure(x, root):
    """Whether pow(x, 0.5) is `root`, the square root: False promises nothing."""
    # root + e is the true value, e = rest / (2 root) but for what is far below a unit.
    rest = multiply_add(-root, root, x)
    unit = _UNIT * _power_of_two_below(root)
    return (abs(rest) < 2.0 * _middle(root) * (root * unit)) & (x > _LEAST) & (x < _MOST)


@compiled
def square_is_sure(x, square):
    """Whether pow(x, 2.0) is `square`, x * x rounded: False promises nothing."""
    rest = multiply_add(x, x, -square)
    unit = _UNIT * _power_of_two_below(square)
    return (abs(rest) < _middle(square) * unit) & (square > _LEAST) & (square < _MOST)


@inlined
def root_fast(x):
    """pow(x, 0.5): nan where Python's result is complex."""
    return math.nan if (x < 0.0) & (x > -math.inf) else math.sqrt(abs(x))
