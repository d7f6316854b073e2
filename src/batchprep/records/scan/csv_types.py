"""The type that every text of a CSV column parses as.

A text is a number only where nothing is lost by reading it as one: "007", "+47" and integers
beyond int64 stay text, and so does a column of floats in which an integer beyond 2**53 occurs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

CsvType = Literal["null", "bool", "int", "float", "date", "timestamp", "timestamp_utc"]

TYPES: Final[dict[CsvType, pa.DataType]] = {
    "null": pa.null(),
    "bool": pa.bool_(),
    "int": pa.int64(),
    "float": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamp_utc": pa.timestamp("us", "UTC"),
}
ALL: Final[frozenset[CsvType]] = frozenset(TYPES)
_NUMBERS: Final[frozenset[CsvType]] = frozenset({"int", "float"})
_FLOAT: Final[frozenset[CsvType]] = frozenset({"float"})
TRUE_WORDS: Final = ("true", "True", "TRUE")
FALSE_WORDS: Final = ("false", "False", "FALSE")

_BOOL_WORDS: Final = pa.array([*TRUE_WORDS, *FALSE_WORDS])
_FLOAT_WORDS: Final = pa.array([s + w for w in ("nan", "inf", "infinity") for s in ("", "-")])
_EXACT: Final = 2**53  # integers up to here are doubles
_YEAR_1: Final = -719_162  # days from 1970 to the first day that Python knows
_MICROSECONDS: Final = 86_400_000_000  # of a day
_DAY: Final = len("2024-01-01")

_INT_BYTES: Final = b"0123456789-"
_FLOAT_BYTES: Final = b"+.eE"
_ZERO, _NINE, _MINUS, _PLUS = b"09-+"


def type_of(candidates: frozenset[CsvType]) -> pa.DataType:
    """The narrowest of the types that all values parse as; string where there is none.

    >>> type_of(frozenset({"float", "int"}))
    DataType(int64)
    """
    return next((dtype for name, dtype in TYPES.items() if name in candidates), pa.string())


def narrowed(candidates: frozenset[CsvType], texts: pa.Array[Any]) -> frozenset[CsvType]:
    """The candidates as which these texts parse too; a null parses as anything."""
    given = texts.drop_null() if texts.null_count else texts
    if not len(given) or not candidates:
        return candidates
    remaining = candidates - {"null"}
    kept = remaining & _NUMBERS and remaining & _numbers(given)
    return kept or frozenset(n for n in remaining - _NUMBERS if _CHECKS[n](given))


class _Bytes(NamedTuple):
    """The bytes of all texts, and where in them each begins."""

    data: bytes
    starts: npt.NDArray[Any]
    lengths: npt.NDArray[Any]

    def at(self, places: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
        """The bytes at these places; the last one at places behind it."""
        data = np.frombuffer(self.data, np.uint8)
        return data[np.minimum(places, len(data) - 1)]


def _bytes_of(texts: pa.Array[Any]) -> _Bytes:
    _, offsets, data = texts.buffers()
    assert offsets is not None  # noqa: S101  an array of strings that is not empty has offsets
    ends = np.frombuffer(memoryview(offsets), np.int32)[texts.offset :][: len(texts) + 1]
    first, last = int(ends[0]), int(ends[-1])
    held = b"" if data is None else memoryview(data)[first:last].tobytes()
    return _Bytes(held, ends[:-1] - first, np.diff(ends))


def _numbers(texts: pa.Array[Any]) -> frozenset[CsvType]:
    """Which of int and float every text parses as, with nothing lost."""
    found = _bytes_of(texts)
    if not found.lengths.all():
        return frozenset()
    beside_digits = found.data.translate(None, _INT_BYTES)
    if beside_digits.translate(None, _FLOAT_BYTES):
        return _words(texts)
    if _is_padded(found):
        return frozenset()
    if not beside_digits:
        return _ints(texts, found)
    floats = _floats(texts)
    return _FLOAT if floats is not None and _holds(texts, floats) else frozenset()


def _words(texts: pa.Array[Any]) -> frozenset[CsvType]:
    """Numbers among which "nan" and "inf" occur are floats."""
    are_words = pc.is_in(pc.utf8_lower(texts), _FLOAT_WORDS)
    others = texts.filter(pc.invert(are_words))
    if len(others) == len(texts):
        return frozenset()
    return _FLOAT & _numbers(others) if len(others) else _FLOAT


def _ints(texts: pa.Array[Any], found: _Bytes) -> frozenset[CsvType]:
    try:
        ints = np.asarray(texts.cast(pa.int64()))
    except pa.ArrowInvalid:
        return frozenset()
    minus_zero = (found.lengths == 2) & (found.at(found.starts) == _MINUS)
    if (minus_zero & (ints == 0)).any():  # an int has no sign there, a float has
        return _FLOAT
    exact = bool(ints.min() >= -_EXACT and ints.max() <= _EXACT)
    return _NUMBERS if exact else frozenset({"int"})


def _floats(texts: pa.Array[Any]) -> npt.NDArray[Any] | None:
    try:
        return np.asarray(texts.cast(pa.float64()))
    except pa.ArrowInvalid:
        return None


def _holds(texts: pa.Array[Any], floats: npt.NDArray[Any]) -> bool:
    """Whether no integer among the texts is beyond those that a double holds."""
    large = np.flatnonzero(np.abs(floats) >= _EXACT)
    if not len(large):
        return True
    spelled: list[Any] = texts.take(pa.array(large, pa.int64())).to_pylist()
    return all(not t.lstrip("-").isdigit() or abs(int(t)) <= _EXACT for t in spelled)


def _is_padded(found: _Bytes) -> bool:
    """Whether a text begins with "+", or with a zero ahead of another digit."""
    first = found.at(found.starts)
    rows = np.flatnonzero(first <= _ZERO)  # signs and zero: they sort ahead of the other digits
    first, starts, lengths = first[rows], found.starts[rows], found.lengths[rows]
    after_sign = first == _MINUS
    zero = found.at(starts + after_sign) == _ZERO
    following = found.at(starts + after_sign + 1)
    longer = lengths - after_sign > 1
    padded = zero & longer & (following >= _ZERO) & (following <= _NINE)
    return bool((padded | (first == _PLUS)).any())


def _are_bools(texts: pa.Array[Any]) -> bool:
    return bool(pc.all(pc.is_in(texts, _BOOL_WORDS)).as_py())


def _are_dates(texts: pa.Array[Any]) -> bool:
    return bool((_bytes_of(texts).lengths == _DAY).all()) and _cast_from(
        texts, pa.date32(), pa.int32(), _YEAR_1
    )


def _are_timestamps(texts: pa.Array[Any]) -> bool:
    return _cast_from(texts, pa.timestamp("us"), pa.int64(), _YEAR_1 * _MICROSECONDS)


def _are_utc(texts: pa.Array[Any]) -> bool:
    in_utc = pc.or_(pc.ends_with(texts, "Z"), pc.ends_with(texts, "+00:00"))
    return bool(pc.all(in_utc).as_py()) and _cast_from(
        texts, pa.timestamp("us", "UTC"), pa.int64(), _YEAR_1 * _MICROSECONDS
    )


def _cast_from(texts: pa.Array[Any], dtype: pa.DataType, bare: pa.DataType, low: int) -> bool:
    try:
        values = texts.cast(dtype).cast(bare)
    except (pa.ArrowInvalid, OverflowError):
        return False
    return int(np.asarray(values).min()) >= low


_CHECKS: Final[dict[CsvType, Callable[[pa.Array[Any]], bool]]] = {
    "bool": _are_bools,
    "date": _are_dates,
    "timestamp": _are_timestamps,
    "timestamp_utc": _are_utc,
}
