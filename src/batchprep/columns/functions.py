"""Functions of numbers and casts in column expressions, for the value of one row.

Plain functions of the row language, as in arithmetic.py: null gives null, and floats that Python
refuses give what IEEE 754 says (the root of -1 is nan, the logarithm of 0 is -inf).
"""

from __future__ import annotations

import math
from typing import Any, Final

from batchprep.columns.arithmetic import INF, NAN, in_int64
from batchprep.columns.refused import text_as_bool

LARGEST_EXPONENT: Final = 709.782712893384  # math.exp of the next float is out of range


def round_to(x: Any, digits: int, expression: str) -> Any:
    """x rounded to decimal digits, half to even; a float stays a float."""
    return None if x is None else in_int64(round(x, digits), expression)


def floor(x: Any) -> Any:
    """The largest whole number up to x; a float stays a float."""
    if x is None:
        return None
    if isinstance(x, float):
        return x if math.isinf(x) else x // 1.0
    return x if isinstance(x, int) else math.floor(x)


def ceil(x: Any) -> Any:
    """The smallest whole number from x on; a float stays a float."""
    if x is None:
        return None
    if isinstance(x, float):
        return x if math.isinf(x) else -(-x // 1.0)
    return x if isinstance(x, int) else math.ceil(x)


def sqrt(x: Any) -> Any:
    """The square root; nan below 0."""
    return None if x is None else ieee_sqrt(x * 1.0)


def ieee_sqrt(x: float) -> float:
    """The square root as IEEE 754 has it."""
    return math.sqrt(x) if x >= 0 else NAN


def log(x: Any) -> Any:
    """The natural logarithm; -inf of 0, nan below."""
    if x is None:
        return None
    if x > 0:
        return math.log(x)
    return -INF if x == 0 else NAN


def log1p(x: Any) -> Any:
    """The natural logarithm of 1 + x; -inf of -1, nan below."""
    if x is None:
        return None
    if x > -1:
        return math.log1p(x)
    return -INF if x == -1 else NAN


def exp(x: Any) -> Any:
    """e ** x; inf where it is too large for a float."""
    return None if x is None else ieee_exp(x * 1.0)


def ieee_exp(x: float) -> float:
    """e ** x as IEEE 754 has it."""
    return INF if x > LARGEST_EXPONENT else math.exp(x)


def to_float(x: Any) -> Any:
    """float(x), of a text too."""
    return None if x is None else float(x)


def to_int(x: Any, expression: str) -> Any:
    """int(x): a float loses its fraction, a text must be a whole number."""
    return None if x is None else in_int64(int(x), expression)


def to_bool(x: Any, expression: str) -> Any:
    """Whether the number is not 0; NaN is not."""
    if x is None:
        return None
    return text_as_bool(expression, x) if isinstance(x, str) else bool(x)


def to_str(x: Any) -> Any:
    """str(x), as Python writes it."""
    return None if x is None else str(x)
