"""The loops of by_hand: no branch in the row's path, so that LLVM vectorises or never guesses."""

from __future__ import annotations

import math

import numba
import numpy as np

from benchmarks.tasks.article import THRESHOLD

BLOCK = 4_096  # rows; two buffers of it stay in the first-level cache's neighbourhood


@numba.njit(nogil=True, error_model="numpy")
def roots(price, volume, out):
    for i in range(len(out)):
        value = price[i] * volume[i]
        root = math.sqrt(value)
        out[i] = root if value > THRESHOLD else np.nan


@numba.njit(nogil=True, error_model="numpy")
def roots_of_valid(price, volume, price_bits, volume_bits, out):
    for i in range(len(out)):
        value = price[i] * volume[i]
        root = math.sqrt(value)
        valid = (price_bits[i >> 3] & volume_bits[i >> 3]) >> (i & 7) & 1
        out[i] = root if (value > THRESHOLD) & (valid != 0) else np.nan


@numba.njit(nogil=True, error_model="numpy")
def _powers(price, volume, exponent, out):
    # A pow costs as much as ten rows of the rest: first collect the values that need one.
    values = np.empty(BLOCK)
    places = np.empty(BLOCK, np.int64)
    for start in range(0, len(out), BLOCK):
        found = 0
        for i in range(start, min(start + BLOCK, len(out))):
            value = price[i] * volume[i]
            out[i] = np.nan
            values[found] = value
            places[found] = i
            found += value > THRESHOLD
        for j in range(found):
            out[places[j]] = values[j] ** exponent


def powers(price: np.ndarray, volume: np.ndarray, out: np.ndarray) -> None:
    # As an argument, the exponent keeps its pow; as a literal it would become another function.
    _powers(price, volume, 0.5, out)
