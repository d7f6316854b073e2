"""Whether two answers are the same rows: null where null, and how far apart in the last bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

# Roots that are correct to a rounding of their own are 1 apart; more is a wrong answer.
MOST_ULP: Final = 2
FAR: Final = np.int64(2**62)


class WrongAnswerError(AssertionError):
    """An answer that is not the row loop's."""

    def __init__(self, who: str, what: str) -> None:
        super().__init__(f"{who}: {what}")


@dataclass(frozen=True)
class Rounding:
    """Rows whose value differs in its last bits, and by how many units at most."""

    rows: int = 0
    largest_ulp: int = 0


def answer_of(result: Any) -> pa.Array:
    """The result as one float64 array: null, or NaN where a container knows no null, is None."""
    if isinstance(result, list):
        _check_python_types(result)
        return pa.array(result, pa.float64())
    if isinstance(result, pa.Table):
        result = result.column(0)
    if isinstance(result, pa.ChunkedArray):
        return _float64(result.combine_chunks())
    if isinstance(result, pa.Array):
        return _float64(result)
    if hasattr(result, "to_arrow"):  # polars
        return _float64(result.to_arrow())
    return _float64(pa.array(result, from_pandas=True))


def rounding(expected: pa.Array, got: pa.Array, name: str, most_ulp: int = MOST_ULP) -> Rounding:
    """How far the values are apart.

    Errors:  WrongAnswerError if rows or nulls differ, or a value by more than a rounding
    """
    if len(expected) != len(got):
        raise WrongAnswerError(name, f"{len(got):,} rows instead of {len(expected):,}")
    nulls_differ = np.not_equal(*(_booleans(array.is_null()) for array in (expected, got)))
    _check_rows(nulls_differ, expected, got, name)
    apart = _ulps(_filled(expected), _filled(got))
    _check_rows(apart > most_ulp, expected, got, name)
    return Rounding(int(np.count_nonzero(apart)), int(apart.max(initial=0)))


def table_of(answer: Any, schema: pa.Schema | None = None) -> pa.Table:
    """Columns in any container as an Arrow table; NaN of a container without null is null."""
    if isinstance(answer, pa.Table):
        return answer
    if isinstance(answer, list):
        return pa.Table.from_pylist(answer, schema)
    if isinstance(answer, dict):
        return pa.table({key: _column(found) for key, found in answer.items()})
    if hasattr(answer, "to_arrow"):  # polars
        return answer.to_arrow()
    return pa.Table.from_pandas(answer, preserve_index=False)


def _column(found: Any) -> pa.Array:
    return pa.array(found, from_pandas=True) if isinstance(found, np.ndarray) else pa.array(found)


def compared(
    name: str,
    answer: Any,
    expected: pa.Table,
    *,
    same_types: bool = False,
    most_ulp: int = MOST_ULP,
) -> Rounding:
    """The largest rounding of any column.

    Errors:  WrongAnswerError if columns, rows or values differ, or with same_types the types; else
             another type of whole number or of text is no error
    """
    got = table_of(answer)
    if got.column_names != expected.column_names or got.num_rows != expected.num_rows:
        raise WrongAnswerError(name, f"columns {got.column_names} of {got.num_rows:,} rows")
    found = []
    for key in expected.column_names:
        column, wanted = got[key], expected[key]
        if same_types and column.type != wanted.type:
            raise WrongAnswerError(name, f"{key} is {column.type} instead of {wanted.type}")
        found.append(_column_rounding(f"{name}: {key}", column, wanted, most_ulp))
    return max(found, key=lambda rounding: (rounding.largest_ulp, rounding.rows))


def _column_rounding(
    name: str, column: pa.ChunkedArray, wanted: pa.ChunkedArray, most_ulp: int
) -> Rounding:
    if pa.types.is_floating(wanted.type):
        return rounding(answer_of(wanted), answer_of(column), name, most_ulp)
    if column.cast(wanted.type).combine_chunks() != wanted.combine_chunks():
        raise WrongAnswerError(name, "differs from the row loop's")
    return Rounding()


def _check_python_types(result: list[Any]) -> None:
    strangers = set(map(type, result)) - {float, type(None)}
    if strangers:
        names = ", ".join(sorted(kind.__name__ for kind in strangers))
        raise WrongAnswerError(names, "among the types of the results")


def _float64(array: pa.Array) -> pa.Array:
    if not pa.types.is_null(array.type) and array.type != pa.float64():
        raise WrongAnswerError(f"{array.type}", "the results' type, instead of double")
    return array.cast(pa.float64())


def _booleans(array: pa.Array) -> np.ndarray:
    return array.to_numpy(zero_copy_only=False)


def _filled(array: pa.Array) -> np.ndarray:
    return array.fill_null(0.0).to_numpy(zero_copy_only=False)


def _check_rows(wrong: np.ndarray, expected: pa.Array, got: pa.Array, name: str) -> None:
    if not wrong.any():
        return
    row = int(wrong.argmax())
    wanted, given = expected[row].as_py(), got[row].as_py()
    count = int(np.count_nonzero(wrong))
    what = f"{count:,} rows differ, first row {row:,}: {given!r} instead of {wanted!r}"
    raise WrongAnswerError(name, what)


def _ulps(expected: np.ndarray, got: np.ndarray) -> np.ndarray:
    """How many floats on the one is from the other: 0 for equal bits only, FAR across zero."""
    bits = expected.view(np.int64), got.view(np.int64)
    # Of one sign, the order of floats is the order of their bits, and differences cannot overflow.
    one_sign = (bits[0] < 0) == (bits[1] < 0)
    return np.abs(np.subtract(*bits, where=one_sign, out=np.full(len(expected), FAR)))
