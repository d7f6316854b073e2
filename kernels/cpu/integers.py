"""Ops on int64 that are more than one instruction."""

# numba infers the types of a kernel, for each set of arguments anew.
# pyright: reportMissingParameterType=false

import numpy as np

from batchprep.kernels.cpu.jit import compiled
from batchprep.ops.integers import MAY_OVERFLOW, power_bounds

_LOWEST_BASE, _HIGHEST_BASE = (np.array(bounds, np.int64) for bounds in power_bounds())


# numba tells LLVM that signed sums, differences and products do not overflow, and LLVM then
# drops the checks for overflow and for zero. What may wrap is computed on uint64.


@compiled
def add_i64(a, b):
    """a + b, wrapped."""
    return np.int64(np.uint64(a) + np.uint64(b))


@compiled
def subtract_i64(a, b):
    """a - b, wrapped."""
    return np.int64(np.uint64(a) - np.uint64(b))


@compiled
def multiply_i64(a, b):
    """a * b, wrapped."""
    return np.int64(np.uint64(a) * np.uint64(b))


@compiled
def negate_i64(a):
    """-a: the lowest int64 is its own negative."""
    return np.int64(np.uint64(0) - np.uint64(a))


@compiled
def absolute_i64(a):
    """|a|: the lowest int64 stays."""
    return negate_i64(a) if a < 0 else a


@compiled
def floor_divide_i64(a, b):
    """a // b, rounded down: 0 by zero, and the lowest int64 by -1 is itself."""
    # The divisor is made safe before the division: the CPU traps on 0 and on the lowest by -1,
    # and both sides of a choice are computed.
    divisor = 1 if b in (0, -1) else b
    quotient = a // divisor
    return negate_i64(a) if b == -1 else (0 if b == 0 else quotient)


@compiled
def modulo_i64(a, b):
    """a % b with the sign of b: 0 by zero."""
    divisor = 1 if b in (0, -1) else b
    return a % divisor


@compiled
def floor_divide_by(a, shift, odd):
    """a // (odd << shift), where a >> shift is within 2**52: exact, and in vectors.

    The quotient of two such doubles is never rounded up to the next whole number: that is
    1 / odd away, more than half of its last bit.
    """
    quotient = np.float64(a >> shift) / np.float64(odd)
    whole = np.int64(quotient)
    return whole - np.int64(np.float64(whole) > quotient)


@compiled
def power_i64(a, b):
    """a ** b, wrapped: 0 for a negative exponent."""
    result = np.uint64(1 if b >= 0 else 0)
    base = np.uint64(a)
    exponent = b if b >= 0 else np.int64(0)
    while exponent > 0:
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return np.int64(result)


@compiled
def shift_left_i64(a, b):
    """a << b, wrapped: 0 outside 0..63."""
    return a << (b & 63) if 0 <= b <= 63 else np.int64(0)


@compiled
def shift_right_i64(a, b):
    """a >> b: only the sign is left past 63, 0 for a negative shift."""
    amount = b if b <= 63 else np.int64(63)
    return a >> (amount & 63) if b >= 0 else np.int64(0)


@compiled
def gcd_i64(a, b):
    """Greatest common divisor: the lowest int64 stands for 2**63."""
    # uint64, since the magnitude of the lowest int64 is no int64.
    larger = np.uint64(absolute_i64(a))
    smaller = np.uint64(absolute_i64(b))
    while smaller != np.uint64(0):
        larger, smaller = smaller, larger % smaller
    return np.int64(larger)


@compiled
def add_overflows(a, b):
    """Whether a + b is past int64."""
    total = add_i64(a, b)
    return ((a ^ total) & (b ^ total)) < 0


@compiled
def subtract_overflows(a, b):
    """Whether a - b is past int64."""
    return ((a ^ b) & (a ^ subtract_i64(a, b))) < 0


@compiled
def multiply_overflows(a, b):
    """Whether a * b may be past int64: certain if it is, rare if it is within 4096 of the edge."""
    return abs(np.float64(a) * np.float64(b)) >= MAY_OVERFLOW


@compiled
def power_overflows(a, b):
    """Whether a ** b is past int64: never for a negative exponent."""
    exponent = min(max(b, 0), 64)
    return (a < _LOWEST_BASE[exponent]) | (a > _HIGHEST_BASE[exponent])


@compiled
def shift_left_overflows(a, b):
    """Whether a << b is past int64: never for a negative shift."""
    amount = min(max(b, 0), 63)
    lost = ((a << amount) >> amount) != a
    return lost | ((b > 63) & (a != 0))
