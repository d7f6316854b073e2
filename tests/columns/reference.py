"""What each operation of a column expression gives, spelled slowly and apart from the package."""

from __future__ import annotations

import math
import operator
from typing import Any

FAILED = "failed"
WHOLE = (bool, int)


def in_64_bits(value: Any) -> Any:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise OverflowError
    return value


def nulls(function: Any) -> Any:
    return lambda *values: None if None in [*map(none_of, values)] else function(*values)


def none_of(value: Any) -> Any:
    return None if value is None else 0


def numbers(function: Any) -> Any:
    def checked(*values: Any) -> Any:
        if not all(isinstance(value, (bool, int, float)) for value in values):
            raise TypeError
        return in_64_bits(function(*values))

    return nulls(checked)


def quotient(x: float, y: float) -> float:
    x, y = float(x), float(y)
    if y != 0:
        return x / y
    if x == 0 or math.isnan(x):
        return math.nan
    return math.inf if math.copysign(1, x) == math.copysign(1, y) else -math.inf


def floor_quotient(x: float, y: float) -> float:
    whole = isinstance(x, WHOLE) and isinstance(y, WHOLE)
    return quotient(x, y) if y == 0 and not whole else x // y


def remainder(x: float, y: float) -> float:
    whole = isinstance(x, WHOLE) and isinstance(y, WHOLE)
    return math.nan if y == 0 and not whole else x % y


def power(x: float, y: float) -> float:
    if isinstance(x, WHOLE) and isinstance(y, WHOLE) and y >= 0:
        if abs(x) > 1 and y > 64:
            raise OverflowError
        return int(x) ** int(y)
    x, y = float(x), float(y)
    if y == 2:
        return x * x
    odd = math.isfinite(y) and y % 2 == 1
    try:
        result = x**y
    except ZeroDivisionError:
        return math.copysign(math.inf, x) if odd else math.inf
    except OverflowError:
        if x < 0 and y % 1 != 0:  # complex, too large
            return math.nan
        return -math.inf if x < 0 and odd else math.inf
    return math.nan if isinstance(result, complex) else result


def kleene(decisive: bool, function: Any) -> Any:
    def combined(x: Any, y: Any) -> Any:
        if x is None or y is None:
            return decisive if decisive in [v for v in (x, y) if isinstance(v, bool)] else None
        if isinstance(x, bool) and isinstance(y, bool):
            return function(x, y)
        if isinstance(x, WHOLE) and isinstance(y, WHOLE):
            return function(int(x), int(y))
        raise TypeError

    return combined


def inverted(x: Any) -> Any:
    if isinstance(x, bool):
        return not x
    return operator.invert(x)


def to_whole(rounded: Any) -> Any:
    def function(x: float) -> float:
        if isinstance(x, WHOLE):
            return x
        if not math.isfinite(x):
            return x
        return math.copysign(float(rounded(x)), x)

    return function


def domain(function: Any, pole: float) -> Any:
    def checked(x: float) -> float:
        if math.isnan(x) or x < pole:
            return math.nan
        return -math.inf if x == pole else function(x)

    return checked


def root(x: float) -> float:
    return math.nan if x < 0 else math.sqrt(x)


def exponential(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def clipped(x: Any, low: Any, high: Any) -> Any:
    if x is None:
        return None
    if low is not None and x < low:
        return low
    return high if high is not None and x > high else x


def as_bool(x: Any) -> Any:
    if isinstance(x, str):
        raise TypeError
    return bool(x)


def between(x: Any, low: Any, high: Any) -> Any:
    compare = nulls(operator.le)
    return kleene(False, operator.and_)(compare(low, x), compare(x, high))


def nan_test(x: Any) -> bool:
    if isinstance(x, str):
        raise TypeError
    return x != x


UNARY: dict[str, tuple[Any, Any]] = {
    "negate": (lambda x: -x, numbers(operator.neg)),
    "invert": (lambda x: ~x, nulls(inverted)),
    "is_null": (lambda x: x.is_null(), lambda x: x is None),
    "is_not_null": (lambda x: x.is_not_null(), lambda x: x is not None),
    "is_nan": (lambda x: x.is_nan(), nulls(nan_test)),
    "fill_null": (lambda x: x.fill_null(7), lambda x: 7 if x is None else x),
    "fill_nan": (
        lambda x: x.fill_nan(-1.5),
        lambda x: -1.5 if isinstance(x, float) and math.isnan(x) else x,
    ),
    "nan to null": (
        lambda x: x.fill_nan(None),
        lambda x: None if isinstance(x, float) and math.isnan(x) else x,
    ),
    "is_in": (lambda x: x.is_in([1, 2.5, "a", None]), nulls(lambda x: x in (1, 2.5, "a"))),
    "is_in nan": (
        lambda x: x.is_in([math.nan, 3]),
        nulls(lambda x: x == 3 or (isinstance(x, float) and math.isnan(x))),
    ),
    "is_between": (
        lambda x: x.is_between(-1, 2.5),
        nulls(lambda x: -1 <= x <= 2.5),
    ),
    "clip": (lambda x: x.clip(-1, 2), lambda x: clipped(x, -1, 2)),
    "clip low": (lambda x: x.clip(0.5), lambda x: clipped(x, 0.5, None)),
    "abs": (lambda x: x.abs(), numbers(abs)),
    "round": (lambda x: x.round(), numbers(lambda x: round(x, 0))),
    "round 2": (lambda x: x.round(2), numbers(lambda x: round(x, 2))),
    "floor": (lambda x: x.floor(), numbers(to_whole(math.floor))),
    "ceil": (lambda x: x.ceil(), numbers(to_whole(math.ceil))),
    "sqrt": (lambda x: x.sqrt(), numbers(root)),
    "log": (lambda x: x.log(), numbers(domain(math.log, 0.0))),
    "log1p": (lambda x: x.log1p(), numbers(domain(math.log1p, -1.0))),
    "exp": (lambda x: x.exp(), numbers(exponential)),
    "to float": (lambda x: x.cast(float), nulls(float)),
    "to int": (lambda x: x.cast(int), nulls(lambda x: in_64_bits(int(x)))),
    "to bool": (lambda x: x.cast(bool), nulls(as_bool)),
    "power 2": (lambda x: x**2, numbers(lambda x: power(x, 2))),
    "power 3": (lambda x: x**3, numbers(lambda x: power(x, 3))),
    "power -1": (lambda x: x**-1, numbers(lambda x: power(x, -1))),
    "power 0.5": (lambda x: x**0.5, numbers(lambda x: power(x, 0.5))),
    "2 to the power": (lambda x: 2.0**x, numbers(lambda x: power(2.0, x))),
    "by zero": (lambda x: x / 0.0, numbers(lambda x: quotient(x, 0.0))),
    "reciprocal": (lambda x: 1 / x, numbers(lambda x: quotient(1, x))),
    "plus": (lambda x: 1 + x, nulls(lambda x: in_64_bits(1 + x))),
    "minus": (lambda x: 0.5 - x, numbers(lambda x: 0.5 - x)),
}

BINARY: dict[str, tuple[Any, Any]] = {
    "+": (lambda x, y: x + y, nulls(lambda x, y: in_64_bits(x + y))),
    "-": (lambda x, y: x - y, numbers(operator.sub)),
    "*": (lambda x, y: x * y, numbers(operator.mul)),
    "/": (lambda x, y: x / y, numbers(quotient)),
    "//": (lambda x, y: x // y, numbers(floor_quotient)),
    "%": (lambda x, y: x % y, numbers(remainder)),
    "**": (lambda x, y: x**y, numbers(power)),
    "==": (lambda x, y: x == y, nulls(operator.eq)),
    "!=": (lambda x, y: x != y, nulls(operator.ne)),
    "<": (lambda x, y: x < y, nulls(operator.lt)),
    "<=": (lambda x, y: x <= y, nulls(operator.le)),
    ">": (lambda x, y: x > y, nulls(operator.gt)),
    ">=": (lambda x, y: x >= y, nulls(operator.ge)),
    "&": (lambda x, y: x & y, kleene(False, operator.and_)),
    "|": (lambda x, y: x | y, kleene(True, operator.or_)),
    "^": (lambda x, y: x ^ y, nulls(kleene(False, operator.xor))),
    "fill_null": (lambda x, y: x.fill_null(y), lambda x, y: y if x is None else x),
    "is_between": (lambda x, y: x.is_between(y, 3), lambda x, y: between(x, y, 3)),
    "clip": (lambda x, y: x.clip(None, y), lambda x, y: clipped(x, None, y)),
}


def expected(function: Any, values: tuple[Any, ...]) -> Any:
    try:
        return function(*values)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        return FAILED, type(error).__name__
