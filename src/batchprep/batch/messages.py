"""Every text about data that is no batch, or that does not become Arrow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

_LONGEST_VALUE: Final = 60  # characters of a value's repr


def not_data_text(data: Any) -> str:
    """Something was handed over that holds no rows."""
    return (
        f"{type(data).__name__} is not data: pass an iterable of dicts, dataclass instances or "
        "named tuples, an Arrow table, a pandas or polars DataFrame, or one record"
    )


def not_record_text(record: Any, row: int | None = None) -> str:
    """A row is no record."""
    place = "" if row is None else f"row {row:,}: "
    return (
        f"{place}{_short(record)} is not a record; pass dicts, dataclass instances or named tuples"
    )


def not_arrow_text(data: Any) -> str:
    """Something was handed over that does not speak Arrow."""
    return (
        f"{type(data).__name__} is not Arrow data: it has neither __arrow_c_stream__ nor "
        "__arrow_c_array__; for dicts and the like use from_records"
    )


def no_columns_text(dtype: Any) -> str:
    """An Arrow array that is not a struct has no field names."""
    return (
        f"an Arrow array of {dtype} has no named columns; "
        'pass pa.table({"value": array}) and read r["value"]'
    )


def not_frame_text(data: Any) -> str:
    """A polars object other than a DataFrame."""
    return (
        f"a polars {type(data).__name__} has no rows to run over; "
        "call .collect() on a LazyFrame, .to_frame() on a Series"
    )


def not_pandas_frame_text(data: Any) -> str:
    """A pandas object other than a DataFrame."""
    return (
        f"a pandas {type(data).__name__} has no rows to run over; pass the frame itself or a part "
        "of its rows (frame.iloc[:1]), series.to_frame(), or one row as series.to_dict()"
    )


def repeated_names_text(names: Iterable[Any]) -> str:
    """Columns share a name."""
    return (
        f"the column names {', '.join(map(str, names))} occur more than once; rename them, "
        "since a record holds each key once"
    )


def misfit_text(row: int, path: str, value: Any, why: str) -> str:
    """A value has no place in its Arrow column."""
    return (
        f"row {row:,}, column {path!r}: {_short(value)} {why}; "
        "change the value, or pass schema= with a type that holds it"
    )


def changed_text(row: int, number: int) -> str:
    """An int of a result would change in a column of doubles."""
    return (
        f"row {row:,}: {number} would change as a double, which the column is because it holds "
        "ints and floats; return float(...) or str(...) there"
    )


def no_type_text(kind: str) -> str:
    """A kind alone does not fix an Arrow type."""
    return f"the Arrow type of {kind} values depends on what they hold"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def shrunk_text(before: int, after: int) -> str:
    """A list of records that lost some while they were read."""
    return (
        f"the list of records changed its size during the call: {after:,} of {before:,} are left\n"
        "  Hand over a copy: f(list(records)), or let no other thread write into it"
    )
