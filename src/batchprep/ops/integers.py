"""Ops on int64, which wrap, and the tests that say where a Python int would not."""

from __future__ import annotations

import math
import operator
from typing import Final

from batchprep.dtypes import INT64_MAX, INT64_MIN
from batchprep.ops.op import Op

_MODULUS: Final = 2**64
_WIDTH: Final = 64

# Three roundings (two operands, their product) lose at most 3 in 2**53, and float64s below 2**63
# are 1024 apart: a product that overflows is never computed as less than 2**63 - 4096.
MAY_OVERFLOW: Final = 2.0**63 - 4096


def wrap(value: int) -> int:
    """The int64 with the same 64 low bits."""
    return (value - INT64_MIN) % _MODULUS + INT64_MIN


def _overflows(value: int) -> bool:
    return not INT64_MIN <= value <= INT64_MAX


def _add(a: int, b: int) -> int:
    return wrap(a + b)


def _subtract(a: int, b: int) -> int:
    return wrap(a - b)


def _multiply(a: int, b: int) -> int:
    return wrap(a * b)


def _negate(a: int) -> int:
    return wrap(-a)


def _absolute(a: int) -> int:
    return wrap(abs(a))


def _floor_divide(a: int, b: int) -> int:
    return wrap(a // b) if b else 0


def _modulo(a: int, b: int) -> int:
    return a % b if b else 0


def _power(a: int, b: int) -> int:
    return wrap(pow(a, b, _MODULUS)) if b >= 0 else 0


def _shift_left(a: int, b: int) -> int:
    return wrap(a << b) if 0 <= b < _WIDTH else 0


def _shift_right(a: int, b: int) -> int:
    return a >> min(b, _WIDTH) if b >= 0 else 0


def _gcd(a: int, b: int) -> int:
    return wrap(math.gcd(a, b))


def _add_overflows(a: int, b: int) -> bool:
    return _overflows(a + b)


def _subtract_overflows(a: int, b: int) -> bool:
    return _overflows(a - b)


def _multiply_overflows(a: int, b: int) -> bool:
    # Always true where a * b is past int64, and for some products within 4096 of the edge:
    # on floats the test vectorises, with a 128-bit product it does not.
    return abs(float(a) * float(b)) >= MAY_OVERFLOW


def _power_overflows(a: int, b: int) -> bool:
    if abs(a) <= 1 or b < 0:
        return False
    return b >= _WIDTH or _overflows(a**b)


def power_bounds() -> tuple[list[int], list[int]]:
    """Lowest and highest base whose power is an int64, by exponent 0 to 64 (64 means more)."""
    highest = [INT64_MAX, INT64_MAX, *(_whole_root(INT64_MAX, n) for n in range(2, _WIDTH)), 1]
    lowest = [-_whole_root(-INT64_MIN, n) if n % 2 else -highest[n] for n in range(1, _WIDTH)]
    return [INT64_MIN, *lowest, -1], highest


def _whole_root(power: int, exponent: int) -> int:
    """The largest int whose power with that exponent is at most `power`."""
    root = round(power ** (1 / exponent)) + 1
    while root**exponent > power:
        root -= 1
    return root


def _shift_left_overflows(a: int, b: int) -> bool:
    if a == 0 or b < 0:
        return False
    return b >= _WIDTH or _overflows(a << b)


INTEGERS: Final = (
    Op(
        name="iadd",
        params="ii",
        result="i",
        meaning=_add,
        scalar="k.add_i64({0}, {1})",
        array="np.add({0}, {1})",
        c="bp_add_i64({0}, {1})",
        cases=(((2, 3), 5), ((INT64_MAX, 1), INT64_MIN)),
    ),
    Op(
        name="isub",
        params="ii",
        result="i",
        meaning=_subtract,
        scalar="k.subtract_i64({0}, {1})",
        array="np.subtract({0}, {1})",
        c="bp_subtract_i64({0}, {1})",
        cases=(((2, 3), -1), ((INT64_MIN, 1), INT64_MAX)),
    ),
    Op(
        name="imul",
        params="ii",
        result="i",
        meaning=_multiply,
        scalar="k.multiply_i64({0}, {1})",
        array="np.multiply({0}, {1})",
        c="bp_multiply_i64({0}, {1})",
        cases=(((2, 3), 6), ((2**62, 4), 0)),
    ),
    Op(
        name="ineg",
        params="i",
        result="i",
        meaning=_negate,
        scalar="k.negate_i64({0})",
        array="np.negative({0})",
        c="bp_negate_i64({0})",
        cases=(((2,), -2), ((INT64_MIN,), INT64_MIN)),
    ),
    Op(
        name="iabs",
        params="i",
        result="i",
        meaning=_absolute,
        scalar="k.absolute_i64({0})",
        array="np.absolute({0})",
        c="bp_absolute_i64({0})",
        cases=(((-2,), 2), ((INT64_MIN,), INT64_MIN)),
    ),
    Op(
        name="ifloordiv",
        params="ii",
        result="i",
        meaning=_floor_divide,
        scalar="k.floor_divide_i64({0}, {1})",
        array="np.floor_divide({0}, {1})",
        c="bp_floor_divide_i64({0}, {1})",
        cases=(((-7, 2), -4), ((7, 0), 0), ((INT64_MIN, -1), INT64_MIN)),
    ),
    Op(
        name="imod",
        params="ii",
        result="i",
        meaning=_modulo,
        scalar="k.modulo_i64({0}, {1})",
        array="np.remainder({0}, {1})",
        c="bp_modulo_i64({0}, {1})",
        cases=(((-7, 2), 1), ((7, 0), 0), ((INT64_MIN, -1), 0)),
    ),
    Op(
        name="ipow",
        params="ii",
        result="i",
        meaning=_power,
        scalar="k.power_i64({0}, {1})",
        array="h.power_i64({0}, {1})",
        c="bp_power_i64({0}, {1})",
        cases=(((-3, 3), -27), ((2, -1), 0), ((2, 64), 0)),
    ),
    Op(
        name="ishl",
        params="ii",
        result="i",
        meaning=_shift_left,
        scalar="k.shift_left_i64({0}, {1})",
        array="h.shift_left({0}, {1})",
        c="bp_shift_left_i64({0}, {1})",
        cases=(((3, 2), 12), ((1, 64), 0), ((1, -1), 0)),
    ),
    Op(
        name="ishr",
        params="ii",
        result="i",
        meaning=_shift_right,
        scalar="k.shift_right_i64({0}, {1})",
        array="h.shift_right({0}, {1})",
        c="bp_shift_right_i64({0}, {1})",
        cases=(((-5, 1), -3), ((-5, 100), -1), ((-5, -1), 0)),
    ),
    Op(
        name="iand",
        params="ii",
        result="i",
        meaning=operator.and_,
        scalar="({0} & {1})",
        array="np.bitwise_and({0}, {1})",
        c="({0} & {1})",
        cases=(((6, 3), 2), ((-1, 5), 5)),
    ),
    Op(
        name="ior",
        params="ii",
        result="i",
        meaning=operator.or_,
        scalar="({0} | {1})",
        array="np.bitwise_or({0}, {1})",
        c="({0} | {1})",
        cases=(((6, 3), 7), ((-1, 5), -1)),
    ),
    Op(
        name="ixor",
        params="ii",
        result="i",
        meaning=operator.xor,
        scalar="({0} ^ {1})",
        array="np.bitwise_xor({0}, {1})",
        c="({0} ^ {1})",
        cases=(((6, 3), 5), ((-1, 5), -6)),
    ),
    Op(
        name="inot",
        params="i",
        result="i",
        meaning=operator.invert,
        scalar="(~{0})",
        array="np.invert({0})",
        c="(~{0})",
        cases=(((0,), -1), ((-6,), 5)),
    ),
    Op(
        name="igcd",
        params="ii",
        result="i",
        meaning=_gcd,
        scalar="k.gcd_i64({0}, {1})",
        array="np.gcd({0}, {1})",
        c="bp_gcd_i64({0}, {1})",
        cases=(((-12, 18), 6), ((0, 0), 0), ((INT64_MIN, 0), INT64_MIN)),
    ),
    Op(
        name="iadd_overflows",
        params="ii",
        result="b",
        meaning=_add_overflows,
        scalar="k.add_overflows({0}, {1})",
        array="h.add_overflows({0}, {1})",
        c="bp_add_overflows({0}, {1})",
        cases=(((INT64_MAX, 1), True), ((INT64_MAX, 0), False)),
    ),
    Op(
        name="isub_overflows",
        params="ii",
        result="b",
        meaning=_subtract_overflows,
        scalar="k.subtract_overflows({0}, {1})",
        array="h.subtract_overflows({0}, {1})",
        c="bp_subtract_overflows({0}, {1})",
        cases=(((INT64_MIN, 1), True), ((INT64_MIN, 0), False)),
    ),
    Op(
        name="imul_overflows",
        params="ii",
        result="b",
        meaning=_multiply_overflows,
        scalar="k.multiply_overflows({0}, {1})",
        array="h.multiply_overflows({0}, {1})",
        c="bp_multiply_overflows({0}, {1})",
        cases=(((2**62, 2), True), ((INT64_MAX, 1), True), ((2**61, 2), False)),
    ),
    Op(
        name="ipow_overflows",
        params="ii",
        result="b",
        meaning=_power_overflows,
        scalar="k.power_overflows({0}, {1})",
        array="h.power_overflows({0}, {1})",
        c="bp_power_overflows({0}, {1})",
        cases=(((-2, 63), False), ((2, 63), True), ((1, INT64_MAX), False)),
    ),
    Op(
        name="ishl_overflows",
        params="ii",
        result="b",
        meaning=_shift_left_overflows,
        scalar="k.shift_left_overflows({0}, {1})",
        array="h.shift_left_overflows({0}, {1})",
        c="bp_shift_left_overflows({0}, {1})",
        cases=(((-1, 63), False), ((1, 63), True), ((0, 100), False)),
    ),
    Op(
        name="ilt",
        params="ii",
        result="b",
        meaning=operator.lt,
        scalar="({0} < {1})",
        array="np.less({0}, {1})",
        c="({0} < {1})",
        cases=(((2, 3), True), ((3, 3), False)),
    ),
    Op(
        name="ile",
        params="ii",
        result="b",
        meaning=operator.le,
        scalar="({0} <= {1})",
        array="np.less_equal({0}, {1})",
        c="({0} <= {1})",
        cases=(((3, 3), True), ((4, 3), False)),
    ),
    Op(
        name="igt",
        params="ii",
        result="b",
        meaning=operator.gt,
        scalar="({0} > {1})",
        array="np.greater({0}, {1})",
        c="({0} > {1})",
        cases=(((4, 3), True), ((3, 3), False)),
    ),
    Op(
        name="ige",
        params="ii",
        result="b",
        meaning=operator.ge,
        scalar="({0} >= {1})",
        array="np.greater_equal({0}, {1})",
        c="({0} >= {1})",
        cases=(((3, 3), True), ((2, 3), False)),
    ),
    Op(
        name="ieq",
        params="ii",
        result="b",
        meaning=operator.eq,
        scalar="({0} == {1})",
        array="np.equal({0}, {1})",
        c="({0} == {1})",
        cases=(((3, 3), True), ((2, 3), False)),
    ),
    Op(
        name="ine",
        params="ii",
        result="b",
        meaning=operator.ne,
        scalar="({0} != {1})",
        array="np.not_equal({0}, {1})",
        c="({0} != {1})",
        cases=(((3, 3), False), ((2, 3), True)),
    ),
)
