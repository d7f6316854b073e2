"""The article's task in three variants, as the row functions that a user would write."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

THRESHOLD: Final = 50_000


def sqrt_value(r: dict[str, Any]) -> float | None:
    value = r["price"] * r["volume"]
    if value > THRESHOLD:
        return math.sqrt(value)
    return None


def power_value(r: dict[str, Any]) -> float | None:
    value = r["price"] * r["volume"]
    if value > THRESHOLD:
        return value**0.5  # pow: not sqrt's last bit in 0.08% of values
    return None


def guarded_value(r: dict[str, Any]) -> float | None:
    if r["price"] is not None and r["volume"] is not None:
        value = r["price"] * r["volume"]
        if value > THRESHOLD:
            return math.sqrt(value)
    return None


@dataclass(frozen=True)
class Task:
    """One variant: what runs, and over which records."""

    name: str
    title: str
    function: Callable[[dict[str, Any]], float | None]
    root: Literal["sqrt", "power"]
    null_share: float  # of the prices, and of the volumes


TASKS: Final = (
    Task("sqrt", "math.sqrt(value)", sqrt_value, "sqrt", 0.0),
    Task("power", "value ** 0.5", power_value, "power", 0.0),
    Task("nulls", "math.sqrt(value), 5% None", guarded_value, "sqrt", 0.05),
)
