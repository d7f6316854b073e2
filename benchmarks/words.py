"""Times and ratios as a reader takes them in."""

from __future__ import annotations

import textwrap
from typing import Any


def duration(seconds: float) -> str:
    """Two or three digits and the unit that suits them: 24 us, 6.4 ms, 5.2 s."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{_digits(seconds / size)} {unit}"
    return f"{_digits(seconds / 1e-6)} us"


def ratio(value: float) -> str:
    """How many times as long: 0.54, 3.2, 68, 1,200."""
    return f"{value:.2f}" if value < 1 else _digits(value)


def bandwidth(bytes_per_second: float) -> str:
    """Gigabytes per second: 13.2 GB/s."""
    return f"{bytes_per_second / 1e9:.1f} GB/s"


def heading(key: str) -> str:
    """A note's name above its column: read_seconds is read."""
    return key.removesuffix("_seconds").replace("_", " ")


def note(key: str, value: Any) -> str:
    """A note's value: seconds with their unit, whole numbers with commas, others to 3 digits."""
    if value is None:
        return ""
    if isinstance(value, float):
        return duration(value) if key.endswith("_seconds") else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def paragraph(text: str) -> list[str]:
    """Lines of prose as the documents have them."""
    return textwrap.wrap(text, 110, break_long_words=False, break_on_hyphens=False)


def _digits(value: float) -> str:
    return f"{value:,.1f}" if value < 10 else f"{value:,.0f}"
