"""Lookups in sorted keys."""

# numba infers the types of a kernel, for each set of arguments anew.
# pyright: reportMissingParameterType=false

import numpy as np

from batchprep.kernels.cpu.jit import compiled


@compiled
def find_i64(keys, x):
    """1 + the position of x among sorted keys, 0 where it is not there."""
    low = _lower_bound(keys, x)
    return np.int64(low + 1 if low < len(keys) and keys[low] == x else 0)


@compiled
def find_f64(keys, x):
    """1 + the position of x among sorted keys, 0 where it is not there: nan never is."""
    low = _lower_bound(keys, x)
    return np.int64(low + 1 if low < len(keys) and keys[low] == x else 0)


@compiled
def _lower_bound(keys, x):
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low
