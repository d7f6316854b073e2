"""Rows that are hard on arithmetic: the edges of each dtype, and random values of every size."""

import itertools
import math

import numpy as np

from batchprep.dtypes import INT64_MAX, INT64_MIN

INTS = (
    0, 1, -1, 2, -2, 3, 7, -7, 10, 31, 62, 63, 64, 65, -63, 100, 255, 1000, 3037000499, -3037000500,
    2**31, -(2**31), 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**62, -(2**62), INT64_MAX - 4096,
    INT64_MAX - 1, INT64_MAX, INT64_MIN + 1, INT64_MIN,
)  # fmt: skip
FLOATS = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 2.0, -2.0, 3.0, 0.1, 1 / 3, 7.0, -7.5, 100.25,
    2.675, math.pi, 171.6, -170.5, 700.0, 710.0, -745.2, 1e16, 2.0**52 + 0.5, 2.0**53, 2.0**62,
    2.0**63, -(2.0**63), 2.0**63 - 1024, 1e22, 1e300, -1e300, 1e-300, 5e-324, -5e-324, 2.3e-308,
    1.7976931348623157e308, -1.7976931348623157e308, math.inf, -math.inf, math.nan,
)  # fmt: skip
EDGES = {
    "b": np.array((False, True)),
    "i": np.array(INTS, np.int64),
    "f": np.array(FLOATS),
    "s": np.array((0, 1, 2), np.int32),
}


def edge_rows(params):
    """Every combination of edges for the arguments, one array an argument."""
    edges = [EDGES[dtype].tolist() for dtype in params]
    columns = zip(*itertools.product(*edges), strict=True)
    return [np.array(c, EDGES[d].dtype) for c, d in zip(columns, params, strict=True)]


def random_rows(dtype, count, rng):
    """Seeded values of every size, edges among them."""
    if dtype == "f":
        return random_floats(count, rng)
    if dtype == "i":
        wide = rng.integers(INT64_MIN, INT64_MAX, count, endpoint=True)
        return np.where(
            rng.random(count) < 0.2, rng.choice(INTS, count), wide >> rng.integers(0, 64, count)
        )
    return rng.choice(EDGES[dtype], count)


def random_floats(count, rng):
    """Floats from every range in which a function of `math` changes its method."""
    share = -(-count // 8)
    parts = (
        np.frombuffer(rng.bytes(8 * share), np.float64),  # any bits, subnormal and nan among them
        rng.normal(size=share),
        rng.normal(scale=100.0, size=share),
        rng.uniform(-1.0, 1.0, share),
        rng.uniform(0.0, 1000.0, share),
        rng.uniform(-720.0, 720.0, share),
        1.0 + rng.normal(scale=1e-5, size=share),
        rng.choice(FLOATS, share),
    )
    return rng.permutation(np.concatenate(parts))[:count]


def same(left, right):
    """Which elements agree to the bit; every nan is one."""
    if left.dtype != np.float64:
        return left == right
    return (left.view(np.int64) == right.view(np.int64)) | (np.isnan(left) & np.isnan(right))


def ulps_apart(left, right):
    """Largest distance in units in the last place; infinite where only one is nan."""
    differ = ~same(left, right)
    left, right = left[differ], right[differ]
    if (np.isnan(left) | np.isnan(right)).any():
        return math.inf
    return max((abs(a - b) for a, b in zip(_ranks(left), _ranks(right), strict=True)), default=0)


def _ranks(values):
    bits = values.view(np.int64).tolist()
    return [b if b >= 0 else -(b - INT64_MIN) for b in bits]
