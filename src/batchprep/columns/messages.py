"""Every text about column expressions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

_LONGEST_VALUE: Final = 60  # characters of a value's repr


def no_truth_text(expression: str) -> str:
    """An expression stands where Python wants one yes or no."""
    return (
        f"{expression} has no truth value of its own: it has one in each row; write & for and, "
        "| for or, ~ for not, .is_between(low, high) for a chained comparison, .is_in([...]) "
        "for in, when(...).then(...).otherwise(...) for if"
    )


def bad_name_text(where: str, value: Any) -> str:
    """A column name that is no text."""
    return f"{where} takes the name of a column, a text, not {_short(value)}"


def bad_constant_text(value: Any) -> str:
    """A value that no expression can hold."""
    return (
        f"{_short(value)} is a {type(value).__name__}, which a column expression cannot hold: it "
        "takes None, bools, numbers, texts, dates and times; for a list of values write "
        ".is_in([...]), for anything else a row function: with_columns(name=lambda r: ...)"
    )


def wide_constant_text(value: int) -> str:
    """An int constant beyond int64."""
    return f"{_short(value)} is beyond a 64-bit integer; write it as a float: {float(value)!r}"


def bad_list_text(value: Any) -> str:
    """is_in was not given a list of values."""
    return f"is_in takes a list, tuple or set of values, not {_short(value)}: write .is_in([...])"


def bad_digits_text(value: Any) -> str:
    """round was not given a number of digits."""
    return f"round takes a number of decimal digits, an int, not {_short(value)}"


def bad_type_text(value: Any) -> str:
    """cast was not given a type."""
    return f"cast takes float, int, bool or str, not {_short(value)}"


def crossed_bounds_text(low: Any, high: Any) -> str:
    """clip was given a lower bound above the upper one."""
    return f"clip({low!r}, {high!r}): the lower bound is above the upper one; swap them"


def beyond_int64_text(expression: str, value: int) -> str:
    """A row's int leaves the 64 bits of its column."""
    size = _short(value) if value.bit_length() < 512 else f"an int of {value.bit_length():,} bits"
    return (
        f"{expression} is {size}, beyond a 64-bit integer; compute with floats: .cast(float) on "
        "one of its columns"
    )


def too_large_power_text(expression: str) -> str:
    """A power of ints that leaves 64 bits and was not computed."""
    return (
        f"{expression} is beyond a 64-bit integer; compute with floats: .cast(float) on one of "
        "its columns"
    )


def not_numbers_text(expression: str, values: Iterable[Any]) -> str:
    """A row's values have no such operation."""
    held = " and ".join(f"{type(value).__name__} {_short(value)}" for value in values)
    return f"{expression} needs numbers, not {held}; convert with .cast(float) or .cast(int)"


def text_as_bool_text(expression: str, value: Any) -> str:
    """A text is not taken for true or false."""
    return f'{expression} of the text {_short(value)}: compare instead, as in col("paid") == "yes"'


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
