"""Rows that a column expression refuses: these functions raise, and are never compiled.

The functions of a column call them only where the types of a batch do not decide the question
beforehand, so that a compiled kernel holds no trace of them.
"""

from __future__ import annotations

from typing import Any, NoReturn

from batchprep.columns import messages


def beyond_int64(expression: str, value: int) -> NoReturn:
    """OverflowError: the int does not fit its column."""
    raise OverflowError(messages.beyond_int64_text(expression, value))


def too_large_power(expression: str) -> NoReturn:
    """OverflowError: the power does not fit its column, and is too large to compute."""
    raise OverflowError(messages.too_large_power_text(expression))


def not_numbers(expression: str, *values: Any) -> NoReturn:
    """TypeError: the operation is one of numbers."""
    raise TypeError(messages.not_numbers_text(expression, values))


def text_as_bool(expression: str, value: Any) -> NoReturn:
    """TypeError: bool("no") is True in Python, which nobody means."""
    raise TypeError(messages.text_as_bool_text(expression, value))
