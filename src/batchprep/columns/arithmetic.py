"""Arithmetic of column expressions, for the values of one row.

These are plain functions of the row language: the front end compiles them, and the interpreter
runs the same ones. A null operand gives null. Floats follow IEEE 754 and never raise; an int that
leaves 64 bits, and `//` and `%` of ints by zero, fail the row.
"""

from __future__ import annotations

import math
from typing import Any, Final

from batchprep.columns.refused import beyond_int64, not_numbers, too_large_power
from batchprep.dtypes import INT64_MAX, INT64_MIN

INF: Final = math.inf
NAN: Final = math.nan
NUMBER: Final = (int, float)
REPEATED: Final = (str, list, tuple, dict)  # what Python repeats or formats with * and %
# abs(x) ** y with y * log2(abs(x)) below the first is finite, above the second infinite.
SURELY_FINITE: Final = 1023.9
SURELY_INFINITE: Final = 1025.0


def in_int64(result: Any, expression: str) -> Any:
    """The result, if a column of 64-bit integers holds it."""
    if isinstance(result, int) and (result > INT64_MAX or result < INT64_MIN):
        return beyond_int64(expression, result)
    return result


def add(x: Any, y: Any, expression: str) -> Any:
    """x + y."""
    if x is None or y is None:
        return None
    if isinstance(x, int) and isinstance(y, int):
        return in_int64(x + y, expression)
    return x + y


def subtract(x: Any, y: Any, expression: str) -> Any:
    """x - y."""
    if x is None or y is None:
        return None
    if isinstance(x, int) and isinstance(y, int):
        return in_int64(x - y, expression)
    return x - y


def multiply(x: Any, y: Any, expression: str) -> Any:
    """x * y, of numbers only: a text is not repeated."""
    if x is None or y is None:
        return None
    if isinstance(x, REPEATED) or isinstance(y, REPEATED):
        return not_numbers(expression, x, y)
    if isinstance(x, int) and isinstance(y, int):
        return in_int64(x * y, expression)
    return x * y


def divide(x: Any, y: Any) -> Any:
    """x / y in floats: by zero inf, -inf or nan."""
    if x is None or y is None:
        return None
    if isinstance(x, NUMBER) and isinstance(y, NUMBER):
        return ieee_quotient(x * 1.0, y * 1.0)
    return x / y


def ieee_quotient(x: float, y: float) -> float:
    """x / y as IEEE 754 has it; the front end folds this to one division."""
    return x * math.copysign(INF, y) if y == 0 else x / y


def floor_divide(x: Any, y: Any, expression: str) -> Any:
    """x // y as in Python, but of floats by zero as x / y."""
    if x is None or y is None:
        return None
    if isinstance(x, int) and isinstance(y, int):
        return in_int64(x // y, expression)
    if isinstance(x, NUMBER) and isinstance(y, NUMBER):
        return ieee_floor_quotient(x * 1.0, y * 1.0)
    return x // y


def ieee_floor_quotient(x: float, y: float) -> float:
    """x // y, of 0.0 inf, -inf or nan."""
    return x * math.copysign(INF, y) if y == 0 else x // y


def modulo(x: Any, y: Any, expression: str) -> Any:
    """x % y as in Python, but of floats by zero nan."""
    if x is None or y is None:
        return None
    if isinstance(x, REPEATED):
        return not_numbers(expression, x, y)
    if isinstance(x, int) and isinstance(y, int):
        return x % y
    if isinstance(x, NUMBER) and isinstance(y, NUMBER):
        return ieee_modulo(x * 1.0, y * 1.0)
    return x % y


def ieee_modulo(x: float, y: float) -> float:
    """x % y, of 0.0 nan."""
    return NAN if y == 0 else x % y


def negate(x: Any, expression: str) -> Any:
    """-x."""
    return None if x is None else in_int64(-x, expression)


def absolute(x: Any, expression: str) -> Any:
    """abs(x)."""
    return None if x is None else in_int64(abs(x), expression)


def power(x: Any, y: Any, expression: str) -> Any:
    """x ** y: of ints an int where y >= 0, else a float as IEEE 754 has it."""
    if x is None or y is None:
        return None
    if isinstance(x, int) and isinstance(y, int) and y >= 0:
        # Beyond 64 only the powers of -1, 0 and 1 fit: nobody waits for the digits of others.
        whole = y + 0  # of a bool too
        return power_in_int64(x ** (whole if whole < 64 else 64 + whole % 2), expression)
    if isinstance(x, NUMBER) and isinstance(y, NUMBER):
        return float_power(x * 1.0, y * 1.0)
    return x**y


def power_in_int64(result: Any, expression: str) -> Any:
    """The result, if a column of 64-bit integers holds it; else it may not be the power itself."""
    if isinstance(result, int) and (result > INT64_MAX or result < INT64_MIN):
        return too_large_power(expression)
    return result


def float_power(x: float, y: float) -> float:
    """x ** y: nan where it would be complex, infinite where it is too large or 0 has y < 0."""
    if y == 2:
        return x * x
    if x < 0 and y % 1 != 0 and math.isfinite(x) and math.isfinite(y):
        return NAN
    if 0 <= y <= 1 or not math.isfinite(x) or not math.isfinite(y):  # Python's is in range
        return x**y
    if x == 0:
        return pole(x, y) if y < 0 else x**y
    return large_power(x, y)


def pole(x: float, y: float) -> float:
    """A zero raised to a negative power: its sign lasts where the power is odd."""
    return math.copysign(INF, x) if y % 2 == 1 else INF


def large_power(x: float, y: float) -> float:
    """x ** y of finite numbers other than zero, where Python may find it out of range.

    Within 2**1.1 of the largest float it is the square of a root, within 2 units of the last place.
    """
    doublings = y * math.log2(abs(x))
    if doublings < SURELY_FINITE:
        return x**y
    if doublings > SURELY_INFINITE:
        size = INF
    else:
        root = abs(x) ** (y / 2)
        size = root * root
    return -size if x < 0 and y % 2 == 1 else size
