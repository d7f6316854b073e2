"""Comparisons, logic, nulls and membership in column expressions, for the values of one row.

Plain functions of the row language, as in arithmetic.py. A comparison with null is null; `&` and
`|` are Kleene's: False decides `&` and True decides `|`, whatever the other one is.
"""

from __future__ import annotations

import math
from typing import Any


def equal(x: Any, y: Any) -> Any:
    """x == y."""
    return None if x is None or y is None else x == y


def not_equal(x: Any, y: Any) -> Any:
    """x != y."""
    return None if x is None or y is None else x != y


def less(x: Any, y: Any) -> Any:
    """x < y."""
    return None if x is None or y is None else x < y


def less_equal(x: Any, y: Any) -> Any:
    """x <= y."""
    return None if x is None or y is None else x <= y


def greater(x: Any, y: Any) -> Any:
    """x > y."""
    return None if x is None or y is None else x > y


def greater_equal(x: Any, y: Any) -> Any:
    """x >= y."""
    return None if x is None or y is None else x >= y


def both(x: Any, y: Any) -> Any:
    """x & y: False where one is False, else null where one is null."""
    if x is None:
        return False if y is False else None
    if y is None:
        return False if x is False else None
    return x & y


def either(x: Any, y: Any) -> Any:
    """x | y: True where one is True, else null where one is null."""
    if x is None:
        return True if y is True else None
    if y is None:
        return True if x is True else None
    return x | y


def differ(x: Any, y: Any) -> Any:
    """x ^ y."""
    return None if x is None or y is None else x ^ y


def invert(x: Any) -> Any:
    """~x: of bools the other one, of ints every bit."""
    if x is None:
        return None
    return not x if isinstance(x, bool) else ~x


def is_null(x: Any) -> bool:
    """Whether x is null; NaN is a number."""
    return x is None


def is_not_null(x: Any) -> bool:
    """Whether x is anything but null."""
    return x is not None


def is_nan(x: Any) -> Any:
    """Whether x is NaN; null of null."""
    return None if x is None else math.isnan(x)


def fill_null(x: Any, value: Any) -> Any:
    """The value where x is null."""
    return value if x is None else x


def fill_nan(x: Any, value: Any) -> Any:
    """The value where x is NaN; a null stays."""
    return value if isinstance(x, float) and math.isnan(x) else x


def is_in(x: Any, values: tuple[Any, ...]) -> Any:
    """Whether x equals one of the values, none of them null or NaN."""
    return None if x is None else x in values


def is_in_or_nan(x: Any, values: tuple[Any, ...]) -> Any:
    """Whether x is NaN or equals one of the values."""
    if x is None:
        return None
    return (isinstance(x, float) and math.isnan(x)) or x in values


def is_between(x: Any, low: Any, high: Any) -> Any:
    """low <= x <= high."""
    return both(greater_equal(x, low), less_equal(x, high))


def clip(x: Any, low: Any, high: Any) -> Any:
    """x, or the bound that it passes; a null bound is none, and NaN passes neither."""
    if x is None:
        return None
    if low is not None and x < low:
        return low
    if high is not None and x > high:
        return high
    return x
