"""Bits, eight rows a byte, and bytes, eight rows an int64: a vector instruction does both ways.

The first row is the lowest bit of the lowest byte, as in Arrow's bitmaps on a little-endian CPU.
"""

# numba infers the types of a kernel, for each set of arguments anew.
# pyright: reportMissingParameterType=false

import numpy as np

from batchprep.kernels.cpu.fused import inlined

_EACH = np.uint64(0x0101010101010101)
_BELOW = np.uint64(0x7F7F7F7F7F7F7F7F)
_GATHER = np.uint64(0x0102040810204080)  # brings bit 8 * j to bit 56 + j
_PLACES = np.uint64(0x8040201008040201)  # bit j of byte j


@inlined
def equal_bits(codes, wanted):
    """A bit for each of eight codes in 0..127: set where it is the one in all bytes of `wanted`."""
    differ = ((codes ^ wanted) + _BELOW) >> np.uint64(7)
    return np.uint8(((~differ & _EACH) * _GATHER) >> np.uint64(56))


@inlined
def choose_bytes(bits, if_set, if_not):
    """A byte for each bit: that of `if_set` where it is set, else that of `if_not`."""
    chosen = (np.uint64(bits) * _EACH) & _PLACES
    mask = (((chosen + _BELOW) >> np.uint64(7)) & _EACH) * np.uint64(255)
    return (if_set & mask) | (if_not & ~mask)
