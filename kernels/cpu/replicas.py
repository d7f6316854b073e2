"""Functions of the C library step by step, without a branch: every bit is the library's own.

Each float64 operation of glibc's source stands here once, in its order, with the products that
its build for CPUs with fused multiply-add fuses (x86-64; GCC contracts every sum with a product,
so that which one of two products is the only question). IEEE 754 then makes the results equal.
`backends/numba/replicas.py` asks the library in use whether it is that one.

Source: sysdeps/ieee754/dbl-64/s_log1p.c, after fdlibm (Sun Microsystems, 1993). Of 396 million
values of every size, none differed (glibc 2.36).
"""

# numba infers the types of a kernel, for each set of arguments anew.
# pyright: reportMissingParameterType=false

import math

from batchprep.kernels.cpu.fused import bits, inlined, multiply_add, of_bits

_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_MANTISSA = 0xFFFFFFFFFFFFF
_HIGH_MANTISSA = 0xFFFFF
_ONE, _HALF = 0x3FF << 52, 0x3FE << 52
_ROOT_TWO = 0x6A09E  # the high bits of its mantissa
_WHOLE, _WHOLE_BITS = 6755399441055744.0, 0x4338000000000000  # 1.5 * 2**52
# High words of the source: 0.41422 and -0.2929, between which 1 + x needs no reduction.
_MOST_NEAR, _LEAST_NEAR = 0x3FDA827A << 32, ((0xBFD2BEC3 - (1 << 32)) << 32) | 0xFFFFFFFF


@inlined
def _log_tail(f, half):
    """s * (hfsq + R) of the source."""
    s = f / (2.0 + f)
    z = s * s
    square = z * z
    fourth = square * square
    sixth = square * fourth
    second = multiply_add(z, 2.857142874366239149e-01, 3.999999999940941908e-01)
    third = multiply_add(z, 1.818357216161805012e-01, 2.222219843214978396e-01)
    last = multiply_add(z, 1.479819860511658591e-01, 1.531383769920937332e-01)
    tail = multiply_add(z, 6.666666666666735130e-01, square * second)
    tail = multiply_add(sixth, last, multiply_add(fourth, third, tail))
    return s * (tail + half)


@inlined
def _reduced(x):
    """k, f, c and hu of the source for an x that is not near 0."""
    total = 1.0 + x if x < 9007199254740992.0 else x
    number = bits(total)
    k = (number >> 52) - 1023
    lost = 1.0 - (total - x) if k > 0 else x - (total - 1.0)
    lost = lost / total if x < 9007199254740992.0 else 0.0
    high = (number >> 32) & _HIGH_MANTISSA
    is_low = high < _ROOT_TWO
    f = of_bits((number & _MANTISSA) | (_ONE if is_low else _HALF)) - 1.0
    return (k if is_low else k + 1), f, lost, (high if is_low else (0x100000 - high) >> 2)


@inlined
def log1p_replica(x):
    """log(1 + x): nan at and below -1."""
    number = bits(x)
    is_near = (number < _MOST_NEAR) & ((number >= 1 << 32) | (number <= _LEAST_NEAR))
    k, f, lost, high = _reduced(x)
    k = 0 if is_near else k
    f = x if is_near else f
    lost = 0.0 if k == 0 else lost
    count = of_bits(k + _WHOLE_BITS) - _WHOLE
    below = multiply_add(count, _LN2_LOW, lost)
    half = 0.5 * f * f
    short = half * multiply_add(f, -0.66666666666666666, 1.0) - below
    long = half - (_log_tail(f, half) + below)
    value = count * _LN2_HIGH - ((short if (high == 0) & (not is_near) else long) - f)
    value = x - x * x * 0.5 if abs(x) < 1.862645149230957e-09 else value  # 2**-29
    value = x if abs(x) < 5.551115123125783e-17 else value  # 2**-54
    outside = x if x > -1.0 else math.nan
    return value if (x > -1.0) & (x < math.inf) else outside
