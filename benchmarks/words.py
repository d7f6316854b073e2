"""Times and ratios as a reader takes them in."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """Two or three digits and the unit that suits them: 24 us, 6.4 ms, 5.2 s."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{_digits(seconds / size)} {unit}"
    return f"{_digits(seconds / 1e-6)} us"


def ratio(value: float) -> str:
    """How many times as long: 0.54, 3.2, 68, 1,200."""
    return f"{value:.2f}" if value < 1 else _digits(value)


def _digits(value: float) -> str:
    return f"{value:,.1f}" if value < 10 else f"{value:,.0f}"
