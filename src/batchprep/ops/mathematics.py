"""The functions of `math` on float64: nan for a domain error, an infinity for a range error.

The accuracies are measured by tests/ops/test_accuracy.py: the C library's functions give CPython's
bits in a numba kernel, NumPy's SIMD versions of most of them do not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from batchprep.ops.op import Case, Gap, Op, never, notyet

_NAN: Final = math.nan
_OWN_LGAMMA: Final = "CPython has its own lgamma; near its zeros the C library's shares few digits"
_NO_NUMPY: Final = "NumPy has no such function"


def _total(function: Callable[..., float], *, odd: bool = False) -> Callable[..., float]:
    """The function without exceptions; past float64 an odd one takes the sign of its argument."""

    def meaning(*args: float) -> float:
        try:
            return function(*args)
        except ValueError:
            return _NAN
        except OverflowError:
            return math.copysign(math.inf, args[0]) if odd else math.inf

    return meaning


def _integral(function: Callable[[float], int]) -> Callable[[float], float]:
    """The rounding function from float to float: infinities stay, zeros keep their sign."""

    def meaning(value: float) -> float:
        if not math.isfinite(value):
            return value
        return math.copysign(float(function(value)), value)

    return meaning


def _unary(
    name: str,
    *cases: Case,
    numpy: str | Gap = "",
    ulp: int = 0,
    numba: str = "",
    c: str = "",
    odd: bool = False,
    vector: int = 0,
) -> Op:
    """A function of one float that the C library, numba and math call by one name.

    `ulp` is NumPy's; numba and C call the C library and are bit-equal. `vector` is that of our own
    kernel for math="fast", if there is one: 1 is one of the two floats around the true value, and
    2 the same where the C library itself is further off.
    """
    return Op(
        name=name,
        params="f",
        result="f",
        meaning=_total(getattr(math, name), odd=odd),
        scalar=numba or f"math.{name}({{0}})",
        array=numpy or f"np.{name}({{0}})",
        c=c or f"{name}({{0}})",
        fast=f"k.{name}_fast({{0}})" if vector else "",
        ulp={"numpy": ulp, **({"numba fast": vector} if vector else {})},
        cases=cases,
    )


def _pole(name: str, numpy: str, *cases: Case, inside: str, ulp: int, vector: int = 1) -> Op:
    """A function that is infinite at the end of its domain, where math raises ValueError."""
    return _unary(
        name,
        *cases,
        numpy=f"{numpy}(np.where({inside.format('{0}', abs='np.absolute')}, {{0}}, np.nan))",
        numba=f"k.{name}_f64({{0}})",
        c=f"bp_{name}_f64({{0}})",
        ulp=ulp,
        vector=vector,
    )


def _rounding(name: str, *cases: Case) -> Op:
    return Op(
        name=name,
        params="f",
        result="f",
        meaning=_integral(getattr(math, name)),
        scalar=f"np.{name}({{0}})",
        array=f"np.{name}({{0}})",
        c=f"{name}({{0}})",
        cases=cases,
    )


MATHEMATICS: Final = (
    _unary("sqrt", ((2.25,), 1.5), ((-1.0,), _NAN), ((-0.0,), -0.0)),
    _unary("exp", ((0.0,), 1.0), ((1000.0,), math.inf), ((-1000.0,), 0.0), ulp=1, vector=1),
    _unary("exp2", ((3.0,), 8.0), ((2000.0,), math.inf), ulp=1, vector=1),
    _unary("expm1", ((0.0,), 0.0), ((1000.0,), math.inf), ulp=1, vector=1),
    _pole("log", "np.log", ((1.0,), 0.0), ((0.0,), _NAN), inside="{0} > 0.0", ulp=1),
    _pole("log2", "np.log2", ((8.0,), 3.0), ((0.0,), _NAN), inside="{0} > 0.0", ulp=1),
    _pole(
        "log10", "np.log10", ((1000.0,), 3.0), ((-1.0,), _NAN), inside="{0} > 0.0", ulp=2, vector=2
    ),
    _pole("log1p", "np.log1p", ((0.0,), 0.0), ((-1.0,), _NAN), inside="{0} > -1.0", ulp=1),
    # NumPy's sin and cos agree where it takes the C library's; it has SIMD versions for some CPUs.
    _unary("sin", ((0.0,), 0.0), ((math.inf,), _NAN), ulp=1, vector=1),
    _unary("cos", ((0.0,), 1.0), ((math.inf,), _NAN), ulp=1, vector=1),
    _unary("tan", ((0.0,), 0.0), ((math.inf,), _NAN), ulp=1),
    _unary("asin", ((1.0,), math.pi / 2), ((2.0,), _NAN), numpy="np.arcsin({0})", ulp=1),
    _unary("acos", ((1.0,), 0.0), ((2.0,), _NAN), numpy="np.arccos({0})", ulp=1),
    _unary("atan", ((math.inf,), math.pi / 2), ((0.0,), 0.0), numpy="np.arctan({0})", ulp=1),
    _unary("sinh", ((0.0,), 0.0), ((-1000.0,), -math.inf), ulp=2, odd=True),
    _unary("cosh", ((0.0,), 1.0), ((-1000.0,), math.inf), ulp=2),
    _unary("tanh", ((0.0,), 0.0), ((-math.inf,), -1.0), ulp=3, vector=2),
    _unary("asinh", ((0.0,), 0.0), ((-math.inf,), -math.inf), numpy="np.arcsinh({0})", ulp=2),
    _unary("acosh", ((1.0,), 0.0), ((0.5,), _NAN), numpy="np.arccosh({0})", ulp=2),
    _pole(
        "atanh",
        "np.arctanh",
        ((0.0,), 0.0),
        ((1.0,), _NAN),
        inside="{abs}({0}) < 1.0",
        ulp=2,
        vector=0,
    ),
    _unary("cbrt", ((1.0,), 1.0), ((-0.0,), -0.0), numba="np.cbrt({0})", ulp=3),
    _unary("erf", ((0.0,), 0.0), ((math.inf,), 1.0), numpy=notyet(_NO_NUMPY)),
    _unary("erfc", ((0.0,), 1.0), ((math.inf,), 0.0), numpy=notyet(_NO_NUMPY)),
    Op(
        name="gamma",
        params="f",
        result="f",
        meaning=_total(math.gamma, odd=True),
        scalar="k.gamma_f64({0})",
        array=notyet(_NO_NUMPY),
        c="bp_gamma_f64({0})",
        ulp={"numba": 10, "c": 10},
        cases=(((5.0,), 24.0), ((0.0,), _NAN), ((200.0,), math.inf), ((-1.0,), _NAN)),
    ),
    Op(
        name="lgamma",
        params="f",
        result="f",
        meaning=_total(math.lgamma),
        scalar=never(_OWN_LGAMMA),
        array=notyet(_NO_NUMPY),
        c=never(_OWN_LGAMMA),
        cases=(((2.0,), 0.0), ((0.0,), _NAN), ((-math.inf,), math.inf)),
    ),
    _rounding("floor", ((-0.5,), -1.0), ((-0.0,), -0.0), ((math.inf,), math.inf)),
    _rounding("ceil", ((-0.5,), -0.0), ((0.5,), 1.0)),
    _rounding("trunc", ((-1.5,), -1.0), ((-0.5,), -0.0)),
    Op(
        name="atan2",
        params="ff",
        result="f",
        meaning=math.atan2,
        scalar="math.atan2({0}, {1})",
        array="np.arctan2({0}, {1})",
        c="atan2({0}, {1})",
        ulp={"numpy": 1},
        cases=(((0.0, -1.0), math.pi), ((-0.0, -1.0), -math.pi)),
    ),
    Op(
        name="hypot",
        params="ff",
        result="f",
        meaning=_total(math.hypot),
        # + 0.0 makes a signalling nan quiet: hypot(nan, inf) is inf for quiet ones only.
        scalar="math.hypot({0} + 0.0, {1} + 0.0)",
        array="np.hypot({0} + 0.0, {1} + 0.0)",
        c="hypot({0} + 0.0, {1} + 0.0)",
        # CPython sums the squares in extended precision of its own since 3.10.
        ulp={"numpy": 1, "numba": 1, "c": 1},
        cases=(((3.0, 4.0), 5.0), ((math.inf, _NAN), math.inf)),
    ),
    Op(
        name="fmod_c",
        params="ff",
        result="f",
        meaning=_total(math.fmod),
        scalar="np.fmod({0}, {1})",
        array="np.fmod({0}, {1})",
        c="fmod({0}, {1})",
        cases=(((-7.5, 2.0), -1.5), ((1.0, 0.0), _NAN), ((1.0, math.inf), 1.0)),
    ),
    Op(
        name="remainder",
        params="ff",
        result="f",
        meaning=_total(math.remainder),
        scalar="k.remainder_f64({0}, {1})",
        array="h.remainder_f64({0}, {1})",
        c="bp_remainder_f64({0}, {1})",
        cases=(((5.0, 2.0), 1.0), ((7.0, 2.0), -1.0), ((1.0, 0.0), _NAN)),
    ),
)
