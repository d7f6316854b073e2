"""The loops of the wide task: one for each feature, over blocks that stay in the second cache."""

from __future__ import annotations

import math

import numba
import numpy as np

BLOCK = 2_048  # rows, a multiple of 8; sixteen columns of it are 256 KiB

# log(1 + x) as FreeBSD's log1p has it (s_log1p.c, 1993): below 1 ulp, and without a branch.
_G1, _G2, _G3 = 6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01
_G4, _G5, _G6 = 2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01
_G7 = 1.479819860511658591e-01
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_ROOT_HALF = 0x3FE6A09E << 32
_ONE = 0x3FF00000 << 32
# Adding it to a small whole number makes the bits of a float: AVX2 has no cast from int64.
_MAGIC_BITS, _MAGIC = 0x4338000000000000, 6755399441055744.0


@numba.njit(nogil=True, error_model="numpy", inline="always")
def _log1p(x):
    """For x >= 0."""
    one_more = 1.0 + x
    bits = np.float64(one_more).view(np.int64) + (_ONE - _ROOT_HALF)
    power = (bits >> 52) - 0x3FF
    mantissa = np.int64((bits & 0x000FFFFFFFFFFFFF) + _ROOT_HALF).view(np.float64) - 1.0
    lost = (x - (one_more - 1.0)) if power < 2 else (1.0 - (one_more - x))
    scale = np.int64(power + _MAGIC_BITS).view(np.float64) - _MAGIC
    half = 0.5 * mantissa * mantissa
    s = mantissa / (2.0 + mantissa)
    z = s * s
    w = z * z
    r = z * (_G1 + w * (_G3 + w * (_G5 + w * _G7))) + w * (_G2 + w * (_G4 + w * _G6))
    low = scale * _LN2_LOW + lost / one_more
    return s * (half + r) + low - half + mantissa + scale * _LN2_HIGH


@numba.njit(nogil=True, error_model="numpy")
def features(
    price,
    cost,
    discount,
    age,
    volume,
    clicks,
    views,
    stock,
    cost_bits,
    age_bits,
    log_value,
    log_clicks,
    margin,
    rate,
    root,
    clipped,
    age_z,
    sold_out,
):
    for start in range(0, len(price), BLOCK):
        stop = min(start + BLOCK, len(price))
        _logs(price[start:stop], volume[start:stop], log_value[start:stop])
        _log_counts(clicks[start:stop], log_clicks[start:stop])
        bits = slice(start >> 3, (stop + 7) >> 3)
        _margins(price[start:stop], cost[start:stop], cost_bits[bits], margin[start:stop])
        _rates(clicks[start:stop], views[start:stop], rate[start:stop])
        _roots(price[start:stop], volume[start:stop], root[start:stop])
        _clips(discount[start:stop], clipped[start:stop])
        _scores(age[start:stop], age_bits[bits], age_z[start:stop])
        _sold_out(volume[start:stop], stock[start:stop], sold_out[start:stop])


@numba.njit(nogil=True, error_model="numpy")
def _logs(price, volume, out):
    for i in range(len(out)):
        out[i] = _log1p(price[i] * volume[i])


@numba.njit(nogil=True, error_model="numpy")
def _log_counts(clicks, out):
    for i in range(len(out)):
        out[i] = _log1p(np.float64(clicks[i]))


@numba.njit(nogil=True, error_model="numpy")
def _margins(price, cost, bits, out):
    for i in range(len(out)):
        valid = bits[i >> 3] >> (i & 7) & 1
        out[i] = (price[i] - cost[i]) / price[i] if valid != 0 else np.nan


@numba.njit(nogil=True, error_model="numpy")
def _rates(clicks, views, out):
    for i in range(len(out)):
        quotient = np.float64(clicks[i]) / np.float64(views[i])
        out[i] = quotient if views[i] > 0 else 0.0


@numba.njit(nogil=True, error_model="numpy")
def _roots(price, volume, out):
    for i in range(len(out)):
        out[i] = math.sqrt(price[i] * volume[i])


@numba.njit(nogil=True, error_model="numpy")
def _clips(discount, out):
    for i in range(len(out)):
        value = discount[i]
        value = max(0.0, value)
        out[i] = min(0.9, value)


@numba.njit(nogil=True, error_model="numpy")
def _scores(age, bits, out):
    for i in range(len(out)):
        valid = bits[i >> 3] >> (i & 7) & 1
        out[i] = (age[i] - 38.5) / 12.25 if valid != 0 else np.nan


@numba.njit(nogil=True, error_model="numpy")
def _sold_out(volume, stock, out):
    for i in range(len(out)):
        out[i] = volume[i] >= stock[i]
