"""Functions of float64 for math="fast": no branch, no table, no call, so that loops vectorise.

Each is total and gives the special values of the C library: nan, infinities, zeros with their
sign, subnormal results. Elsewhere the result is one of the two floats around the true value
(less than 1 unit in the last place off; tanh less than 2), which tests/ops/test_transcendental.py
measures. They need a CPU with fused multiply-add.

Method: arguments are reduced exactly, or to a sum of two floats where one does not hold enough
(Muller, Elementary Functions, 3rd edition, ch. 11; Dekker's and Knuth's exact sums); polynomials
are Chebyshev interpolants, computed with 200 bits.
"""

# numba infers the types of a kernel, for each set of arguments anew.
# pyright: reportMissingParameterType=false

import math

import numpy as np

from batchprep.kernels.cpu.fused import (
    bits,
    inlined,
    multiply_add,
    of_bits,
    product_rest,
    sum_rest,
)

_SHIFT = 6755399441055744.0  # 1.5 * 2**52: what is added to it is rounded to a whole number
_LOG2_E = 1.4426950408889634
_LN2, _LN2_REST = 0.6931471805599453, 2.3190468138462996e-17
_LN2_32, _LN2_32_REST = 0.6931471803691238, 1.9082149292705877e-10  # the first has 32 bits
_LN2_42, _LN2_42_REST = 0.6931471805598903, 5.497923018708371e-14  # the first has 42 bits
_LOG2_E_REST = 2.0355273740931033e-17
_LOG10_E, _LOG10_E_REST = 0.4342944819032518, 1.098319650216765e-17
_LOG10_2_42, _LOG10_2_42_REST = 0.30102999566395283, 2.8363394551044964e-14
_THIRD, _THIRD_REST = 0.3333333333333333, 1.850371707708594e-17
_TWO_BY_PI = 0.6366197723675814
_PI_BY_2, _PI_BY_2_REST, _PI_BY_2_LAST = (
    1.5707963267948966,
    6.123233995736766e-17,
    -1.4973849048591698e-33,
)

_LEAST_NORMAL = 2.2250738585072014e-308
_ROOT_HALF_BITS = 0x3FE6A09E667F3BCD  # of sqrt(0.5), rounded up
_WHOLE_BITS = 0x4338000000000000  # of _SHIFT

_MOST_REDUCED = 2.0**45


# ------------------------------------------------------------------------------------ exponentials


@inlined
def _scaled(x, k):
    """x * 2**k for k in -1100..1100, in two steps: 2**k alone may be no float."""
    half = k >> 1
    return x * of_bits((half + 1023) << 52) * of_bits((k - half + 1023) << 52)


@inlined
def _whole(x):
    """The nearest whole number, |x| < 2**51, as a float and as an int."""
    shifted = x + _SHIFT
    return shifted - _SHIFT, bits(shifted) - _WHOLE_BITS


@inlined
def _exp_parts(r, rest):
    """e**(r + rest) - 1 - r, for |r| <= 0.347 and a rest far below it."""
    square = r * r
    rest = multiply_add(0.5, product_rest(r, r, square), multiply_add(r, rest, rest))
    odd = multiply_add(square, 2.5105312729622103e-08, 2.755725517000089e-06)
    odd = multiply_add(square, odd, 0.0001984126987500228)
    odd = multiply_add(square, odd, 0.008333333333326084)
    odd = multiply_add(square, odd, 0.1666666666666667)
    even = multiply_add(square, 2.09147553258932e-09, 2.755727347871858e-07)
    even = multiply_add(square, even, 2.480158732567746e-05)
    even = multiply_add(square, even, 0.0013888888888883711)
    even = multiply_add(square, even, 0.04166666666666667)
    even = multiply_add(square, even, 0.5)
    return multiply_add(square, multiply_add(r, odd, even), rest)


@inlined
def _exp_scaled(r, rest, k):
    """e**(r + rest) * 2**k."""
    near = 1.0 + r
    return _scaled(near + (((1.0 - near) + r) + _exp_parts(r, rest)), k)


@inlined
def _reduced_exponent(x, rest):
    """The number of ln(2) in x + rest, and what is left of it, as a sum of two."""
    count, k = _whole(x * _LOG2_E)
    above = multiply_add(-count, _LN2_32, x)
    below = multiply_add(-count, _LN2_32_REST, rest)
    r = above + below
    return r, (above - r) + below, k


@inlined
def _between(x, low, high):
    """x, no lower and no higher; nan stays."""
    x = max(x, low)
    return min(x, high)


@inlined
def exp_fast(x):
    """e**x."""
    return _exp_scaled(*_reduced_exponent(_between(x, -746.0, 710.0), 0.0))


@inlined
def exp2_fast(x):
    """2**x."""
    x = _between(x, -1080.0, 1030.0)
    count, k = _whole(x)
    part = x - count
    r = part * _LN2
    return _exp_scaled(r, multiply_add(part, _LN2_REST, product_rest(part, _LN2, r)), k)


@inlined
def _half_expm1(x):
    """(e**x - 1) / 2 as a sum of two, for x in -60..710."""
    r, rest, k = _reduced_exponent(x, 0.0)
    half = of_bits((k + 1022) << 52)
    above = half - 0.5
    linear = half * r
    total = above + linear
    lost = sum_rest(half, -0.5, above) + sum_rest(above, linear, total)
    return total, multiply_add(half, _exp_parts(r, rest), lost)


@inlined
def expm1_fast(x):
    """e**x - 1."""
    total, rest = _half_expm1(_between(x, -60.0, 710.0))
    return x if abs(x) < 1e-17 else 2.0 * (total + rest)


@inlined
def tanh_fast(x):
    """Hyperbolic tangent."""
    # -n / (1 + n), for n = (e**(-2 |x|) - 1) / 2 as a sum of two.
    total, rest = _half_expm1(_between(-2.0 * abs(x), -60.0, 0.0))
    n = total + rest
    rest += total - n
    below = 1.0 + n
    below_rest = ((1.0 - below) + n) + rest
    inverse = 1.0 / below
    quotient = n * inverse
    left = multiply_add(-quotient, below_rest, rest - product_rest(quotient, below, n))
    return x if abs(x) < 1e-9 else math.copysign(multiply_add(left, inverse, quotient), x)


# -------------------------------------------------------------------------------------- logarithms


@inlined
def _reduced_mantissa(x):
    """f and k of x = (1 + f) * 2**k, with 1 + f from sqrt(0.5) to sqrt(2), for finite x > 0."""
    is_small = x < _LEAST_NORMAL
    number = bits(x * 18014398509481984.0 if is_small else x)
    k = (number - _ROOT_HALF_BITS) >> 52
    count = of_bits(k + _WHOLE_BITS) - (_SHIFT + 54.0 if is_small else _SHIFT)
    return of_bits(number - (k << 52)) - 1.0, count


@inlined
def _atanh_tail(z):
    """(atanh(s) / s - 1 - z / 3) / z**2 for z = s**2 <= 0.0295."""
    tail = multiply_add(z, 0.058621635304233734, 0.05853063232281699)
    tail = multiply_add(z, tail, 0.0666740439940617)
    tail = multiply_add(z, tail, 0.0769229744350359)
    tail = multiply_add(z, tail, 0.09090909168049924)
    tail = multiply_add(z, tail, 0.11111111110826383)
    tail = multiply_add(z, tail, 0.14285714285714685)
    return multiply_add(z, tail, 0.2)


@inlined
def _log_tail(f):
    """log(1 + f) - f, for 1 + f from sqrt(0.5) to sqrt(2)."""
    # log(1 + f) = 2 atanh(s) = f - s * (f - ...): as in fdlibm (e_log.c).
    s = f / (2.0 + f)
    z = s * s
    half = 0.5 * f * f
    tail = 2.0 * z * multiply_add(z, _atanh_tail(z), _THIRD)
    return multiply_add(s, half + tail, -half)


@inlined
def _inside(x, value, of_least):
    """The value for a finite argument above the least one; infinity, or nan, for another."""
    outside = x if x > of_least else math.nan
    return value if (x > of_least) & (x < math.inf) else outside


@inlined
def _log_with(x, rest):
    """log(x) + rest, for finite x > 0 and a rest below a unit of x's mantissa."""
    f, k = _reduced_mantissa(x)
    above = k * _LN2_42
    total = above + f
    below = multiply_add(k, _LN2_42_REST, rest + _log_tail(f))
    return total + (((above - total) + f) + below)


@inlined
def log_fast(x):
    """Natural logarithm: nan at and below 0."""
    return _inside(x, _log_with(x, 0.0), 0.0)


@inlined
def log1p_fast(x):
    """log(1 + x): nan at and below -1."""
    total = 1.0 + x
    value = _log_with(total, sum_rest(1.0, x, total) / total)
    return x if x == 0.0 else _inside(x, value, -1.0)


@inlined
def _log_times(x, unit, unit_rest, factor, factor_rest):
    """log(x) * factor, where log(2) * factor is `unit`."""
    f, k = _reduced_mantissa(x)
    tail = _log_tail(f)
    log = f + tail
    rest = (f - log) + tail
    product = log * factor
    rest = multiply_add(
        rest, factor, multiply_add(log, factor_rest, product_rest(log, factor, product))
    )
    above = k * unit
    total = above + product
    return total + (((above - total) + product) + multiply_add(k, unit_rest, rest))


@inlined
def log2_fast(x):
    """Logarithm to base 2: nan at and below 0."""
    return _inside(x, _log_times(x, 1.0, 0.0, _LOG2_E, _LOG2_E_REST), 0.0)


@inlined
def log10_fast(x):
    """Logarithm to base 10: nan at and below 0."""
    value = _log_times(x, _LOG10_2_42, _LOG10_2_42_REST, _LOG10_E, _LOG10_E_REST)
    return _inside(x, value, 0.0)


# ------------------------------------------------------------------------------------------ powers


@inlined
def _atanh_parts(f):
    """log(1 + f) as a sum of two with 67 bits."""
    below = 2.0 + f
    inverse = 1.0 / below
    s = f * inverse
    left = -product_rest(s, below, f)
    s_rest = multiply_add(-s, f - (below - 2.0), left) * inverse
    z = s * s
    z_rest = multiply_add(2.0 * s, s_rest, product_rest(s, s, z))
    tail = z * _atanh_tail(z)
    third = _THIRD + tail
    third_rest = ((_THIRD - third) + tail) + _THIRD_REST
    v = z * third
    v_rest = multiply_add(z, third_rest, multiply_add(z_rest, third, product_rest(z, third, v)))
    t = s * v
    t_rest = multiply_add(s, v_rest, multiply_add(s_rest, v, product_rest(s, v, t)))
    total = s + t
    return 2.0 * total, 2.0 * (((s - total) + t) + (s_rest + t_rest))


@inlined
def _log_parts(x):
    """log(x) as a sum of two, for finite x > 0."""
    f, k = _reduced_mantissa(x)
    log, rest = _atanh_parts(f)
    above = k * _LN2_42
    total = above + log
    return total, ((above - total) + log) + multiply_add(k, _LN2_42_REST, rest)


@inlined
def _power_of_positive(a, b):
    """a ** b for a >= 0, nan where it is nan; 1 for 1 ** infinity."""
    is_inside = (a > 0.0) & (a < math.inf)
    log, rest = _log_parts(a if is_inside else 1.0)
    log = log if is_inside else (-math.inf if a == 0.0 else a)
    product = log * b
    product = 0.0 if log == 0.0 else product
    below = multiply_add(rest, b, product_rest(log, b, product))
    below = below if (abs(product) < 800.0) & (abs(b) < math.inf) else 0.0
    return _exp_scaled(*_reduced_exponent(_between(product, -746.0, 710.0), below))


@inlined
def power_fast(a, b):
    """a ** b: nan where Python's result is complex."""
    value = _power_of_positive(abs(a), b)
    half = 0.5 * b
    is_whole = np.floor(b) == b
    is_odd = is_whole & (np.floor(half) != half)
    is_below = math.copysign(1.0, a) < 0.0
    value = -value if is_below & is_odd else value
    is_complex = (a < 0.0) & (a > -math.inf) & (not is_whole)
    value = math.nan if is_complex else value
    return 1.0 if (b == 0.0) | (a == 1.0) else value


# ----------------------------------------------------------------------------------- trigonometric


@inlined
def is_reduced(x):
    """Whether sin_fast and cos_fast know the angle, as they do of a nan."""
    return not abs(x) > _MOST_REDUCED


@inlined
def _reduced_angle(x):
    """The quarter turn in which x lies, and what is left, |.| <= 0.786, as a sum of two."""
    count, quarter = _whole(x * _TWO_BY_PI)
    left = multiply_add(-count, _PI_BY_2, x)  # exactly: both have no digit below 2**-53
    product = count * _PI_BY_2_REST
    angle = left - product
    rest = sum_rest(left, -product, angle) - product_rest(count, _PI_BY_2_REST, product)
    return quarter, angle, multiply_add(-count, _PI_BY_2_LAST, rest)


@inlined
def _sine(x, rest):
    z = x * x
    tail = multiply_add(z, -7.586685070091267e-13, 1.605853141458901e-10)
    tail = multiply_add(z, tail, -2.5052106231157904e-08)
    tail = multiply_add(z, tail, 2.7557319219335453e-06)
    tail = multiply_add(z, tail, -0.0001984126984126506)
    tail = multiply_add(z, tail, 0.008333333333333331)
    tail = multiply_add(z, tail, -0.16666666666666666)
    return x + multiply_add(x * z, tail, multiply_add(-0.5 * z, rest, rest))


@inlined
def _cosine(x, rest):
    z = x * x
    half = 0.5 * z
    tail = multiply_add(z, -1.1382614868556325e-11, 2.0876146024689747e-09)
    tail = multiply_add(z, tail, -2.7557317270560326e-07)
    tail = multiply_add(z, tail, 2.4801587298763433e-05)
    tail = multiply_add(z, tail, -0.0013888888888887395)
    tail = multiply_add(z, tail, 0.041666666666666664)
    above = 1.0 - half
    lost = ((1.0 - above) - half) - 0.5 * product_rest(x, x, z)
    return above + multiply_add(z * z, tail, multiply_add(-x, rest, lost))


@inlined
def _turned(x, turn):
    """Sine of x and so many quarter turns."""
    quarter, angle, rest = _reduced_angle(x)
    quarter += turn
    value = _cosine(angle, rest) if quarter & 1 else _sine(angle, rest)
    return of_bits(bits(value) ^ ((quarter & 2) << 62))


@inlined
def sin_fast(x):
    """Sine of an angle that is_reduced."""
    return x if abs(x) < 1e-8 else _turned(x, 0)


@inlined
def cos_fast(x):
    """Cosine of an angle that is_reduced."""
    return _turned(x, 1)
