"""What of the layout that machine code reads is the layout of this interpreter's objects.

Each part is looked at on objects of its own, whose contents are known, before anything relies on
it. A part that is not as expected is not used: the C API is asked instead.
"""

from __future__ import annotations

import ctypes
import datetime as dt
import sys
from typing import Any, Final

# The versions of which the places below are known to be within the objects, so that they may be
# looked at.
_FIRST: Final = (3, 11)
_LAST: Final = (3, 13)

_ONE_DIGIT: Final = (0, 1, -1, 5, -5, 256, -6, 257, 2**30 - 1, -(2**30) + 1)
_FEW_DIGITS: Final = (2**30, -(2**30), 3**37, -(3**37), 2**60 - 1, 2**60, 2**63 - 1, -(2**63) + 1)
_MANY_DIGITS: Final = (2**63, -(2**63), 2**64, -(10**40), 10**40)
_FLOATS: Final = (0.0, -0.0, 1.5, -2.5e300, 5e-324, float("inf"))
_TEXTS: Final = (
    "",
    "a",
    "\x7f\0",
    "seven b",
    "eight by",
    "a" * 17,
    "\x80",
    "é",
    "\u20ac",
    "\U0001f600",
)
_DATES: Final = (dt.date.min, dt.date(1969, 12, 31), dt.date(2024, 2, 29), dt.date.max)
_TIME: Final = dt.time(23, 59, 58, 123_456)


def layout_of(kernel: Any) -> int:
    """The parts of kernels/cpu/objects.py that hold, as the sum of their numbers."""
    if not _FIRST <= sys.version_info[:2] <= _LAST:
        return 0
    parts = {
        kernel.DICTS: _has_dicts(kernel),
        kernel.FLOATS: all(_has_float(kernel, one) for one in _FLOATS),
        kernel.SIZED_INTS: _has_ints(kernel, kernel.SIZED_INTS),
        kernel.TAGGED_INTS: _has_ints(kernel, kernel.TAGGED_INTS),
        kernel.TIMES: all(_has_times(kernel, date) for date in _DATES),
        kernel.WIDE_TEXTS: all(_has_text(kernel, one, kernel.WIDE_TEXT) for one in _TEXTS),
        kernel.TEXTS: all(_has_text(kernel, one, kernel.TEXT) for one in _TEXTS),
        kernel.LISTS: all(_has_items(kernel, [object() for _ in range(n)]) for n in (1, 2, 300)),
    }
    return sum(part for part, holds in parts.items() if holds)


def _has_dicts(kernel: Any) -> bool:
    many = {str(number): number / 2 for number in range(300)}
    fewer = {"a": object(), "b": object(), "c": object()}
    del fewer["b"]
    mixed: dict[Any, Any] = {1: object(), "a": object()}
    return (
        all(_shows(kernel, one) for one in ({"a": object()}, {"a": 1.5, "b": "x"}, many))
        and all(_shows(kernel, dict.fromkeys(one).copy()) for one in ("a", "abcdef", many))
        and _shows(kernel, fewer, deleted=1)
        and not _is_of_strings(kernel, mixed)
        and _int8(_int64(id(mixed) + kernel.DICT_KEYS) + kernel.KEYS_KIND) == kernel.OF_ANY_TYPE
        and not _is_of_strings(kernel, _Shared().__dict__)
    )


class _Shared:
    """Its dict shares its keys with those of others of the class."""

    def __init__(self) -> None:
        self.a = object()


def _is_of_strings(kernel: Any, record: dict[Any, Any]) -> bool:
    keys = _int64(id(record) + kernel.DICT_KEYS)
    values = _int64(id(record) + kernel.DICT_VALUES)
    return values == 0 and _int8(keys + kernel.KEYS_KIND) == kernel.STRINGS


def _shows(kernel: Any, record: dict[Any, Any], deleted: int = 0) -> bool:
    """Whether the entries are those of the dict, between which `deleted` ones have no key."""
    keys = _int64(id(record) + kernel.DICT_KEYS)
    count = _int64(keys + kernel.KEYS_COUNT)
    if not _is_of_strings(kernel, record) or count != len(record) + deleted:
        return False
    entries = keys + kernel.KEYS_INDEX + (1 << _int8(keys + kernel.KEYS_INDEX_LOG2))
    places = range(entries, entries + kernel.ENTRY * count, kernel.ENTRY)
    found = [(_int64(place), _int64(place + kernel.ENTRY_VALUE)) for place in places]
    there = [(id(key), id(value)) for key, value in record.items()]
    hashes = {_int64(id(key) + kernel.STRING_HASH) == hash(key) for key in record}
    return [pair for pair in found if pair[0]] == there and hashes == {True}


def _has_float(kernel: Any, value: float) -> bool:
    return _bytes(id(value) + kernel.FLOAT_VALUE, 8) == list(bytes(ctypes.c_double(value)))


def _has_ints(kernel: Any, kind: int) -> bool:
    one_digit = all(_int(kernel, one, kind) == (1, one) for one in _ONE_DIGIT)
    few = all(_int(kernel, one, kind)[1] == one for one in _FEW_DIGITS)
    return one_digit and few and all(_int(kernel, one, kind)[1] is None for one in _MANY_DIGITS)


def _int(kernel: Any, value: int, kind: int) -> tuple[int, int | None]:
    """How many digits the machine code sees, at least one, and the int; None beyond int64."""
    size = _int64(id(value) + kernel.INT_SIZE)
    if kind == kernel.SIZED_INTS:
        count, is_negative = abs(size), size < 0
    else:
        count, is_negative = (
            size >> kernel.TAG_DIGITS,
            size & kernel.TAG_SIGN == kernel.NEGATIVE_TAG,
        )
    seen = range(min(max(count, 1), kernel.FEW_DIGITS))
    digits = [_int32(id(value) + kernel.INT_DIGIT + 4 * place) for place in seen]
    if count > kernel.FEW_DIGITS or digits[kernel.FEW_DIGITS - 1 :] >= [kernel.HIGHEST_DIGIT]:
        return count, None
    number = sum(digit << kernel.DIGIT_BITS * place for place, digit in enumerate(digits))
    return len(digits), -number if is_negative else number


def _has_text(kernel: Any, text: str, start: int) -> bool:
    fresh = (text + "+")[:-1]  # of its own, where it has more than one character
    is_ascii = _int32(id(fresh) + kernel.STRING_STATE) & kernel.STATE == kernel.ASCII
    if is_ascii != text.isascii() or _int64(id(fresh) + kernel.STRING_LENGTH) != len(text):
        return False
    # No byte beyond the object is looked at.
    if not is_ascii or start + len(text) >= fresh.__sizeof__():
        return not is_ascii
    return bytes(_bytes(id(fresh) + start, len(text) + 1)) == text.encode() + b"\0"


def _has_items(kernel: Any, listed: list[Any]) -> bool:
    start = _int64(id(listed) + kernel.LIST_ITEMS)
    return [_int64(start + 8 * place) for place in range(len(listed))] == list(map(id, listed))


def _has_times(kernel: Any, date: dt.date) -> bool:
    plain = dt.datetime.combine(date, _TIME)
    folded, zoned = plain.replace(fold=1), plain.replace(tzinfo=dt.UTC)
    of_date = [*divmod(date.year, 256), date.month, date.day]
    of_time = [_TIME.hour, _TIME.minute, _TIME.second, *_TIME.microsecond.to_bytes(3)]
    moments = (plain, folded, zoned)
    return (
        _bytes(id(date) + kernel.DATE, 4) == of_date
        and all(_bytes(id(one) + kernel.DATE, 10) == [*of_date, *of_time] for one in moments)
        and [_int8(id(one) + kernel.FOLD) for one in moments] == [0, 1, 0]
        and [_int8(id(one) + kernel.HAS_ZONE) for one in moments] == [0, 0, 1]
    )


def _int64(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _int32(address: int) -> int:
    return ctypes.c_int32.from_address(address).value


def _int8(address: int) -> int:
    return ctypes.c_int8.from_address(address).value


def _bytes(address: int, count: int) -> list[int]:
    return list((ctypes.c_uint8 * count).from_address(address))
