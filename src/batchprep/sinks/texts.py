"""Values of a column as text that reads back as the same value, whole columns at a time.

Numbers are read back exactly by int() and float(); moments are as Python's isoformat().
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from batchprep.batch.arrow_buffers import decoded
from batchprep.sinks import messages

compute: Any = pc  # its type stubs lack kernels and refuse plain scalars
TEXT: Final = pa.large_string()  # so that no batch is too long for the offsets
DIGITS: Final = {"s": 0, "ms": 3, "us": 6, "ns": 9}
OUT_OF_RANGE: Final = "<value out of range"  # Arrow's text of a moment that its calendar lacks


def plain(array: Any) -> Any:
    """The values without dictionary, run-end or extension types around them."""
    while True:
        if isinstance(array, pa.ExtensionArray):
            array = array.storage
        elif isinstance(array, (pa.DictionaryArray, pa.RunEndEncodedArray)):
            array = decoded(array)
        else:
            return array


def is_text(dtype: pa.DataType) -> bool:
    """Whether the values are strings."""
    return pt.is_string(dtype) or pt.is_large_string(dtype) or pt.is_string_view(dtype)


def is_moment(dtype: pa.DataType) -> bool:
    """Whether the values are dates, times or timestamps."""
    return pt.is_date(dtype) or pt.is_time(dtype) or pt.is_timestamp(dtype)


def texts(array: Any) -> Any:
    """Text of each value of a plain scalar type; a null stays null.

    Errors:  ValueError for a moment beyond the calendar
    """
    dtype = array.type
    if pt.is_floating(dtype):
        return _floats(array)
    if pt.is_timestamp(dtype):
        return _timestamps(array)
    if is_moment(dtype):
        return _in_calendar(_python_digits(array.cast(TEXT)))
    if pt.is_duration(dtype):
        return seconds(array).cast(TEXT)
    return array.cast(TEXT)


def seconds(array: Any) -> Any:
    """Durations as decimal seconds, exact."""
    digits = DIGITS[array.type.unit]
    unit = Decimal(1).scaleb(-digits) if digits else Decimal("1.0")  # so that JSON has a float
    ticks = array.cast(pa.int64()).cast(pa.decimal128(19, 0))
    return compute.multiply(ticks, pa.scalar(unit))


def joined(pieces: list[Any], separator: str = "") -> Any:
    """The texts of each row one after the other; a null is empty."""
    return compute.binary_join_element_wise(
        *[word(piece) if isinstance(piece, str) else piece for piece in pieces],
        word(separator),
        null_handling="replace",
        null_replacement="",
    )


def word(text: str) -> Any:
    """A text as the scalar that joins with columns of text."""
    return pa.scalar(text, TEXT)


def _floats(array: Any) -> Any:
    # As doubles: the value of a float32 is a double in Python, and has more digits.
    found = array.cast(pa.float64()).cast(TEXT)
    whole = compute.match_substring_regex(found, "^-?[0-9]+$")
    if not compute.any(whole).as_py():
        return found
    return compute.if_else(whole, joined([found, ".0"]), found)  # 3.0 reads back as a float


def _timestamps(array: Any) -> Any:
    moments = _in_microseconds(array)
    if moments.type.tz is None:
        return _naive(moments)
    local = compute.local_timestamp(moments)
    return compute.if_else(
        moments.is_valid(), joined([_naive(local), _offsets(local, moments)]), pa.scalar(None, TEXT)
    )


def _in_microseconds(array: Any) -> Any:
    """Seconds and milliseconds as microseconds, whose text is Python's."""
    if array.type.unit not in {"s", "ms"}:
        return array
    try:
        return array.cast(pa.timestamp("us", array.type.tz))
    except pa.ArrowInvalid:  # beyond 300,000 years
        return array


def _naive(array: Any) -> Any:
    found = _in_calendar(array.cast(TEXT))
    return _python_digits(compute.replace_substring(found, " ", "T", max_replacements=1))


def _python_digits(found: Any) -> Any:
    """Digits of the second as isoformat() has them: none, six, or nine where they are needed."""
    found = compute.replace_substring_regex(found, r"\.0+$", "")
    found = compute.replace_substring_regex(found, r"(\.\d{6})000$", r"\1")
    return compute.replace_substring_regex(found, r"(\.\d{3})$", r"\1000")


def _offsets(local: Any, moments: Any) -> Any:
    """Text of the distance from UTC. Arrow's own lacks the seconds of old local times."""
    size = 10 ** DIGITS[moments.type.unit]
    distance = compute.subtract(local.cast(pa.int64()), moments.cast(pa.int64()))
    distinct = compute.divide(distance, size).dictionary_encode()
    found = [_offset(value) for value in distinct.dictionary.to_pylist()]
    return pa.array(found, TEXT).take(distinct.indices)


def _offset(distance: int) -> str:
    minutes, second = divmod(abs(distance), 60)
    hour, minute = divmod(minutes, 60)
    sign = "-" if distance < 0 else "+"
    return f"{sign}{hour:02}:{minute:02}" + (f":{second:02}" if second else "")


def _in_calendar(found: Any) -> Any:
    beyond = compute.starts_with(found, OUT_OF_RANGE)
    if compute.any(beyond).as_py():
        raise ValueError(messages.beyond_calendar_text(found.filter(beyond)[0].as_py()))
    return found
