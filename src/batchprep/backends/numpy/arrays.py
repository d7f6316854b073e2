"""Array spellings that are more than one NumPy call: `h` in the op table's texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from batchprep.backends.elementwise import evaluate
from batchprep.backends.kernel import Array
from batchprep.ops.calendar import FIRST, LAST
from batchprep.ops.integers import MAY_OVERFLOW, power_bounds

__all__ = ["evaluate"]

_TWO_TO_63 = 2.0**63
_LOWEST_BASE, _HIGHEST_BASE = (np.array(bounds, np.int64) for bounds in power_bounds())


def fits_int64(x: Array) -> Any:
    """Whether each float truncates to an int64."""
    return (x >= -_TWO_TO_63) & (x < _TWO_TO_63)


def truncate(x: Array) -> Any:
    """Each float towards zero as int64: 0 where it does not fit."""
    return np.where(fits_int64(x), x, 0.0).astype(np.int64)


def power_i64(a: Array, b: Array) -> Any:
    """a ** b, wrapped: 0 for a negative exponent."""
    return np.where(b < 0, 0, np.power(a, np.maximum(b, 0)))


def shift_left(a: Array, b: Array) -> Any:
    """a << b, wrapped: 0 outside 0..63."""
    return np.where((b < 0) | (b > 63), 0, np.left_shift(a, b & 63))


def shift_right(a: Array, b: Array) -> Any:
    """a >> b: only the sign is left past 63, 0 for a negative shift."""
    return np.where(b < 0, 0, np.right_shift(a, np.clip(b, 0, 63)))


def add_overflows(a: Array, b: Array) -> Any:
    """Whether a + b is past int64."""
    total = np.add(a, b)
    return ((a ^ total) & (b ^ total)) < 0


def subtract_overflows(a: Array, b: Array) -> Any:
    """Whether a - b is past int64."""
    return ((a ^ b) & (a ^ np.subtract(a, b))) < 0


def multiply_overflows(a: Array, b: Array) -> Any:
    """Whether a * b may be past int64."""
    return np.absolute(np.multiply(a, b, dtype=np.float64)) >= MAY_OVERFLOW


def power_overflows(a: Array, b: Array) -> Any:
    """Whether a ** b is past int64: never for a negative exponent."""
    exponent = np.clip(b, 0, 64)
    return (a < _LOWEST_BASE[exponent]) | (a > _HIGHEST_BASE[exponent])


def shift_left_overflows(a: Array, b: Array) -> Any:
    """Whether a << b is past int64: never for a negative shift."""
    amount = np.clip(b, 0, 63)
    lost = np.right_shift(np.left_shift(a, amount), amount) != a
    return lost | ((b > 63) & (a != 0))


def floor_divide_f64(a: Array, b: Array) -> Any:
    """a // b as CPython computes it: nan by zero, where NumPy has an infinity."""
    return np.where(b == 0.0, np.nan, np.floor_divide(a, b))


def modulo_f64(a: Array, b: Array) -> Any:
    """a % b as CPython computes it: nan by zero."""
    return np.remainder(a, b)


def remainder_f64(a: Array, b: Array) -> Any:
    """a minus the nearest multiple of b, as math.remainder."""
    size, divisor = np.absolute(a), np.absolute(b)
    over = np.fmod(size, divisor)
    under = divisor - over
    tie = over - 2.0 * np.fmod(0.5 * (size - over), divisor)
    result = np.where(over < under, over, np.where(over > under, -under, tie))
    whole = np.isinf(b) & np.isfinite(a)
    return np.where(whole, a, np.copysign(1.0, a) * result)


def find(keys: Array, x: Array) -> Any:
    """1 + the position of each x among sorted keys, 0 where it is not there."""
    place = np.searchsorted(keys, x)
    found = keys[np.minimum(place, len(keys) - 1)] == x
    return np.where(found, place + 1, 0)


def year_of_day(day: Array) -> Any:
    """The year of each day since 1970."""
    return _months(day) // 12 + 1970


def month_of_day(day: Array) -> Any:
    """The month of each day since 1970."""
    return _months(day) % 12 + 1


def day_of_month(day: Array) -> Any:
    """The day of its month of each day since 1970."""
    first = np.asarray(_months(day)).view("M8[M]").astype("M8[D]").view(np.int64)
    return np.clip(day, FIRST, LAST) - first + 1


def day_of_civil(year: Array, month: Array, day: Array) -> Any:
    """Days since 1970; a month that is too short gives a day of the next."""
    months = (np.clip(year, 1, 9999) - 1970) * 12 + (np.clip(month, 1, 12) - 1)
    first = np.asarray(months, np.int64).view("M8[M]").astype("M8[D]").view(np.int64)
    return first + (np.clip(day, 1, 31) - 1)


def _months(day: Array) -> Array:
    """Months since 1970."""
    days = np.asarray(np.clip(day, FIRST, LAST), np.int64).view("M8[D]")
    return days.astype("M8[M]").view(np.int64)


def mark(deviation: Array, byte: int, guard: Array) -> None:
    """Write the byte where the guard holds."""
    np.copyto(deviation, np.uint8(byte), where=guard)
