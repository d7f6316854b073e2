"""Ops on float64 that are more than one instruction or library call."""

# numba infers the types of a kernel, for each set of arguments anew.
# pyright: reportMissingParameterType=false

import math

import numpy as np

from batchprep.kernels.cpu.jit import compiled

_TWO_TO_63 = 2.0**63


@compiled
def fits_int64(x):
    """Whether x truncates to an int64: not so for nan and the infinities."""
    return (x >= -_TWO_TO_63) & (x < _TWO_TO_63)


@compiled
def truncate_f64(x):
    """x towards zero as int64: 0 where it does not fit."""
    return np.int64(x) if (x >= -_TWO_TO_63) & (x < _TWO_TO_63) else np.int64(0)


@compiled
def floor_divide_f64(a, b):
    """a // b as CPython computes it (float_floor_div): nan by zero."""
    if b == 0.0:
        return math.nan
    remainder = np.fmod(a, b)
    quotient = (a - remainder) / b
    if remainder != 0.0 and (b < 0.0) != (remainder < 0.0):
        quotient -= 1.0
    if quotient == 0.0:
        return math.copysign(0.0, a / b)
    floor = np.floor(quotient)
    return floor + 1.0 if quotient - floor > 0.5 else floor


@compiled
def modulo_f64(a, b):
    """a % b as CPython computes it (float_rem): the sign of b, nan by zero."""
    remainder = np.fmod(a, b)
    if remainder == 0.0:
        return math.copysign(0.0, b)
    return remainder + b if (b < 0.0) != (remainder < 0.0) else remainder


@compiled
def remainder_f64(a, b):
    """a minus the nearest multiple of b as CPython computes it (math.remainder)."""
    if math.isinf(b) and math.isfinite(a):
        return a
    size, divisor = abs(a), abs(b)
    over = np.fmod(size, divisor)
    under = divisor - over
    if over < under:
        result = over
    elif over > under:
        result = -under
    else:  # a tie goes to the even multiple
        result = over - 2.0 * np.fmod(0.5 * (size - over), divisor)
    return math.copysign(1.0, a) * result


@compiled
def power_f64(a, b):
    """a ** b by the C library's pow: nan where Python's result is complex."""
    # As CPython first: pow gives nan for a signalling nan, which any buffer may hold.
    return 1.0 if (b == 0.0) | (a == 1.0) else a**b


@compiled
def log_f64(x):
    """Natural logarithm: nan at and below 0."""
    return math.log(x) if x > 0.0 else math.nan


@compiled
def log2_f64(x):
    """Logarithm to base 2: nan at and below 0."""
    return math.log2(x) if x > 0.0 else math.nan


@compiled
def log10_f64(x):
    """Logarithm to base 10: nan at and below 0."""
    return math.log10(x) if x > 0.0 else math.nan


@compiled
def log1p_f64(x):
    """log(1 + x): nan at and below -1."""
    return math.log1p(x) if x > -1.0 else math.nan


@compiled
def atanh_f64(x):
    """Inverse hyperbolic tangent: nan outside ]-1, 1[."""
    return math.atanh(x) if abs(x) < 1.0 else math.nan


@compiled
def gamma_f64(x):
    """The C library's gamma function: nan at 0."""
    return math.gamma(x) if x != 0.0 else math.nan
