"""The type that every text of a CSV column parses as.

A text is a number only where nothing is lost by reading it as one: "007", "+47" and integers
beyond int64 stay text, and so does a column of floats in which an integer beyond 2**53 occurs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from batchprep.batch.arrow_buffers import array_of_texts

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

_BOOL_WORDS: Final = array_of_texts([*TRUE_WORDS, *FALSE_WORDS]).cast(pa.string())
_FLOAT_WORDS: Final = array_of_texts(
    [s + w for w in ("nan", "inf", "infinity") for s in ("", "-")]
).cast(pa.string())
_EXACT: Final = 2**53  # integers up to here are doubles
_YEAR_1: Final = -719_162  # days from 1970 to the first day that Python knows
_MICROSECONDS: Final = 86_400_000_000  # of a day
_DAY: Final = len("2024-01-01")

_FLOAT_CHARACTERS: Final = "0123456789.eE+-"
_ZERO, _NINE, _MINUS, _PLUS = b"09-+"
# A cast that fails takes 1 us for each text that is none of the type: a few texts tell it first.
_PROBES: Final = (64, 4_096)

_Texts: TypeAlias = "pa.Array[Any]"
_Spelling = Literal["plain", "minus zero", "padded"]


def type_of(candidates: frozenset[CsvType]) -> pa.DataType:
    """The narrowest of the types that all values parse as; string where there is none.

    >>> type_of(frozenset({"float", "int"}))
    DataType(int64)
    """
    return next((dtype for name, dtype in TYPES.items() if name in candidates), pa.string())


def narrowed(candidates: frozenset[CsvType], texts: _Texts) -> frozenset[CsvType]:
    """The candidates as which these texts parse too; a null parses as anything."""
    given = texts.drop_null() if texts.null_count else texts
    if not len(given):
        return candidates
    candidates -= {"null"}
    for probe in _PROBES:
        if len(given) > probe:
            candidates = _narrowed(candidates, given.slice(0, probe))
    return _narrowed(candidates, given)


def _narrowed(candidates: frozenset[CsvType], texts: _Texts) -> frozenset[CsvType]:
    kept = candidates & _NUMBERS and candidates & _numbers(texts, candidates)
    return kept or frozenset(n for n in candidates - _NUMBERS if _CHECKS[n](texts))


def values_of(texts: _Texts, name: CsvType) -> _Texts | None:
    """The values where the type is among those that `narrowed` leaves of these texts, else None."""
    if name == "null":
        return pa.nulls(len(texts)) if texts.null_count == len(texts) else None
    if name == "int":
        return _ints(texts)
    if name == "float":
        return _floats(texts)
    given = texts.drop_null() if texts.null_count else texts
    if len(given) and not _CHECKS[name](given):
        return None
    return _bools(texts) if name == "bool" else texts.cast(TYPES[name])


def _numbers(texts: _Texts, wanted: frozenset[CsvType]) -> frozenset[CsvType]:
    """Which of int and float every text parses as, with nothing lost."""
    ints = _cast(texts, pa.int64()) if "int" in wanted else None
    if ints is None:
        return _FLOAT if "float" in wanted and _floats(texts) is not None else frozenset()
    spelling = _spelling(texts, hexadecimal=True)
    if spelling == "padded":
        return frozenset()
    values = np.asarray(ints)
    exact = bool(values.min() >= -_EXACT and values.max() <= _EXACT)
    found = _NUMBERS if exact else frozenset[CsvType]({"int"})
    return found if spelling == "plain" else found & _FLOAT  # an int has no -0, a float has


def _ints(texts: _Texts) -> _Texts | None:
    ints = _cast(texts, pa.int64())
    return ints if ints is not None and _spelling(texts, hexadecimal=True) == "plain" else None


def _floats(texts: _Texts) -> _Texts | None:
    floats = _cast(texts, pa.float64())
    if floats is None or _spelling(texts, hexadecimal=False) == "padded":
        return None
    values = np.asarray(floats.fill_null(0.0) if floats.null_count else floats)
    # Integers beyond 2**53, words, and numbers that are too large; only nan is not equal to itself.
    odd = np.flatnonzero(~(np.abs(values) < _EXACT))
    if len(odd) and not _are_odd_floats(texts.take(pa.array(odd, pa.int64()))):
        return None
    return floats


def _are_odd_floats(texts: _Texts) -> bool:
    """Whether these are spelled as floats are; no integers among them that a double cuts."""
    are_words = pc.is_in(pc.utf8_lower(texts), _FLOAT_WORDS)
    others: list[Any] = texts.filter(pc.invert(are_words)).to_pylist()
    return all(
        not text.strip(_FLOAT_CHARACTERS)
        and (not text.lstrip("-").isdigit() or abs(int(text)) <= _EXACT)
        for text in others
    )


def _cast(texts: _Texts, dtype: pa.DataType) -> _Texts | None:
    try:
        return texts.cast(dtype)
    except pa.ArrowInvalid:
        return None


def _spelling(texts: _Texts, *, hexadecimal: bool) -> _Spelling:
    """How numbers are spelled: "padded" where one begins with "+", or with a zero before a digit.

    `hexadecimal`: also where a zero is ahead of anything else, as in 0x1F.
    """
    data, starts, lengths = _bytes_of(texts)
    if not len(data):
        return "plain"
    first = data.take(starts, mode="clip")
    rows = np.flatnonzero(first <= _ZERO)  # signs and zero: they sort ahead of the other digits
    first, starts, lengths = first[rows], starts[rows], lengths[rows]
    after_sign = first == _MINUS
    zero = data.take(starts + after_sign, mode="clip") == _ZERO
    following = data.take(starts + after_sign + 1, mode="clip")
    longer = lengths - after_sign > 1
    if not hexadecimal:
        longer &= (following >= _ZERO) & (following <= _NINE)
    if ((zero & longer) | ((first == _PLUS) & (lengths > 0))).any():
        return "padded"
    return "minus zero" if (after_sign & zero & (lengths == 2)).any() else "plain"


def _bytes_of(
    texts: _Texts,
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[Any], npt.NDArray[Any]]:
    """The bytes of all texts; where in them each begins, and how many are its own."""
    _, offsets, data = texts.buffers()
    assert offsets is not None  # noqa: S101  an array of strings that is not empty has offsets
    ends = np.frombuffer(memoryview(offsets), np.int32)[texts.offset :][: len(texts) + 1]
    held = b"" if data is None else memoryview(data)
    return np.frombuffer(held, np.uint8), ends[:-1], np.diff(ends)


def _bools(texts: _Texts) -> _Texts:
    return pc.if_else(pc.is_valid(texts), pc.is_in(texts, pa.array(TRUE_WORDS)), None)


def _are_bools(texts: pa.Array[Any]) -> bool:
    return bool(pc.all(pc.is_in(texts, _BOOL_WORDS)).as_py())


def _are_dates(texts: pa.Array[Any]) -> bool:
    return bool((_bytes_of(texts)[2] == _DAY).all()) and _cast_from(
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
