"""Ops on float64: arithmetic as IEEE 754, `//`, `%` and rounding as Python."""

from __future__ import annotations

import math
import operator
from typing import Final

from batchprep.ops.op import Op, never

_DECIMAL: Final = "CPython rounds through the shortest decimal text"


def _divide(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.copysign(math.inf, math.copysign(1.0, a) * math.copysign(1.0, b))


def _floor_divide(a: float, b: float) -> float:
    return a // b if b != 0.0 else math.nan


def _modulo(a: float, b: float) -> float:
    return a % b if b != 0.0 else math.nan


def _copy_sign(size: float, sign: float) -> float:
    return math.copysign(size, 1.0 if math.isnan(sign) else sign)


def _is_odd(value: float) -> bool:
    return math.isfinite(value) and value % 2.0 == 1.0


def _power(a: float, b: float) -> float:
    if -math.inf < a < 0.0 and math.isfinite(b) and b != math.floor(b):
        return math.nan  # Python's result is complex, or too large for a complex
    try:
        return a**b
    except (OverflowError, ZeroDivisionError):
        negative = math.copysign(1.0, a) < 0 and _is_odd(b)
        return -math.inf if negative else math.inf


def _round_to_integral(value: float) -> float:
    return math.copysign(float(round(value)), value) if math.isfinite(value) else value


def _round_to_digits(value: float, digits: int) -> float:
    try:
        return round(value, digits)
    except OverflowError:
        return math.copysign(math.inf, value)


FLOATS: Final = (
    Op(
        name="fadd",
        params="ff",
        result="f",
        meaning=operator.add,
        scalar="({0} + {1})",
        array="np.add({0}, {1})",
        c="({0} + {1})",
        cases=(((0.1, 0.2), 0.30000000000000004), ((1e308, 1e308), math.inf)),
    ),
    Op(
        name="fsub",
        params="ff",
        result="f",
        meaning=operator.sub,
        scalar="({0} - {1})",
        array="np.subtract({0}, {1})",
        c="({0} - {1})",
        cases=(((1.0, 0.9), 0.09999999999999998), ((math.inf, math.inf), math.nan)),
    ),
    Op(
        name="fmul",
        params="ff",
        result="f",
        meaning=operator.mul,
        scalar="({0} * {1})",
        array="np.multiply({0}, {1})",
        c="({0} * {1})",
        cases=(((0.1, 3.0), 0.30000000000000004), ((-1.0, 0.0), -0.0)),
    ),
    Op(
        name="fdiv",
        params="ff",
        result="f",
        meaning=_divide,
        scalar="({0} / {1})",
        array="np.divide({0}, {1})",
        c="({0} / {1})",
        cases=(((1.0, -0.0), -math.inf), ((0.0, 0.0), math.nan), ((1.0, 4.0), 0.25)),
    ),
    Op(
        name="fneg",
        params="f",
        result="f",
        meaning=operator.neg,
        scalar="(-{0})",
        array="np.negative({0})",
        c="(-{0})",
        cases=(((0.0,), -0.0), ((-2.5,), 2.5)),
    ),
    Op(
        name="fabs",
        params="f",
        result="f",
        meaning=abs,
        scalar="abs({0})",
        array="np.absolute({0})",
        c="fabs({0})",
        cases=(((-0.0,), 0.0), ((-2.5,), 2.5)),
    ),
    Op(
        name="ffloordiv",
        params="ff",
        result="f",
        meaning=_floor_divide,
        scalar="k.floor_divide_f64({0}, {1})",
        array="h.floor_divide_f64({0}, {1})",
        c="bp_floor_divide_f64({0}, {1})",
        cases=(((-7.5, 2.0), -4.0), ((1.0, 0.0), math.nan), ((-1.0, math.inf), -1.0)),
    ),
    Op(
        name="fmod",
        params="ff",
        result="f",
        meaning=_modulo,
        scalar="k.modulo_f64({0}, {1})",
        array="h.modulo_f64({0}, {1})",
        c="bp_modulo_f64({0}, {1})",
        cases=(((-7.5, 2.0), 0.5), ((1.0, 0.0), math.nan), ((-0.0, 2.0), 0.0)),
    ),
    Op(
        name="fpow",
        params="ff",
        result="f",
        meaning=_power,
        scalar="k.power_f64({0}, {1})",
        array="np.power({0}, {1})",
        c="bp_power_f64({0}, {1})",
        fast="k.power_fast({0}, {1})",
        ulp={"numpy": 1, "numba fast": 1},
        cases=(((2.0, 0.5), 1.4142135623730951), ((0.0, -1.0), math.inf), ((-8.0, 0.5), math.nan)),
    ),
    Op(
        name="flt",
        params="ff",
        result="b",
        meaning=operator.lt,
        scalar="({0} < {1})",
        array="np.less({0}, {1})",
        c="({0} < {1})",
        cases=(((1.0, 2.0), True), ((math.nan, 2.0), False)),
    ),
    Op(
        name="fle",
        params="ff",
        result="b",
        meaning=operator.le,
        scalar="({0} <= {1})",
        array="np.less_equal({0}, {1})",
        c="({0} <= {1})",
        cases=(((-0.0, 0.0), True), ((math.nan, math.nan), False)),
    ),
    Op(
        name="fgt",
        params="ff",
        result="b",
        meaning=operator.gt,
        scalar="({0} > {1})",
        array="np.greater({0}, {1})",
        c="({0} > {1})",
        cases=(((2.0, 1.0), True), ((math.nan, 1.0), False)),
    ),
    Op(
        name="fge",
        params="ff",
        result="b",
        meaning=operator.ge,
        scalar="({0} >= {1})",
        array="np.greater_equal({0}, {1})",
        c="({0} >= {1})",
        cases=(((2.0, 2.0), True), ((math.nan, 1.0), False)),
    ),
    Op(
        name="feq",
        params="ff",
        result="b",
        meaning=operator.eq,
        scalar="({0} == {1})",
        array="np.equal({0}, {1})",
        c="({0} == {1})",
        cases=(((0.0, -0.0), True), ((math.nan, math.nan), False)),
    ),
    Op(
        name="fne",
        params="ff",
        result="b",
        meaning=operator.ne,
        scalar="({0} != {1})",
        array="np.not_equal({0}, {1})",
        c="({0} != {1})",
        cases=(((0.0, -0.0), False), ((math.nan, math.nan), True)),
    ),
    Op(
        name="fisfinite",
        params="f",
        result="b",
        meaning=math.isfinite,
        scalar="math.isfinite({0})",
        array="np.isfinite({0})",
        c="bp_is_finite({0})",
        cases=(((1e308,), True), ((math.inf,), False), ((math.nan,), False)),
    ),
    Op(
        name="fisnan",
        params="f",
        result="b",
        meaning=math.isnan,
        scalar="({0} != {0})",
        array="np.isnan({0})",
        c="({0} != {0})",
        cases=(((math.nan,), True), ((math.inf,), False)),
    ),
    Op(
        name="fisinf",
        params="f",
        result="b",
        meaning=math.isinf,
        scalar="math.isinf({0})",
        array="np.isinf({0})",
        c="bp_is_infinite({0})",
        cases=(((-math.inf,), True), ((math.nan,), False)),
    ),
    Op(
        name="frint",
        params="f",
        result="f",
        meaning=_round_to_integral,
        scalar="np.rint({0})",
        array="np.rint({0})",
        c="rint({0})",
        cases=(((2.5,), 2.0), ((-0.4,), -0.0), ((math.inf,), math.inf)),
    ),
    Op(
        name="fround_digits",
        params="fi",
        result="f",
        meaning=_round_to_digits,
        scalar=never(_DECIMAL),
        array=never(_DECIMAL),
        c=never(_DECIMAL),
        cases=(((2.675, 2), 2.67), ((1234.5, -2), 1200.0), ((math.nan, 2), math.nan)),
    ),
    Op(
        name="fcopysign",
        params="ff",
        result="f",
        # The sign of a nan depends on the compiler and the CPU: here it counts as +.
        meaning=_copy_sign,
        scalar="math.copysign({0}, {1} if {1} == {1} else 1.0)",
        array="np.copysign({0}, np.where(np.isnan({1}), 1.0, {1}))",
        c="copysign({0}, {1} == {1} ? {1} : 1.0)",
        cases=(((2.0, -0.0), -2.0), ((-3.0, 1.0), 3.0), ((-3.0, -math.nan), 3.0)),
    ),
)
