"""Every text about transforms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from batchprep.errors.messages import short_repr

_LONGEST_VALUE: Final = 60  # characters of a value's repr
_MOST_VALUES: Final = 5


def not_fitted_text(transform: str) -> str:
    """A transform is used before it has seen data."""
    return f"{transform} is not fitted: run pipe = pipe.fit(source) first, which gives a fitted one"


def bad_columns_text(name: str, columns: Any) -> str:
    """The columns of a transform are no list of names."""
    return f'{name} takes a list of column names, not {_short(columns)}: write {name}(["price"])'


def repeated_column_text(name: str, column: str) -> str:
    """A transform names a column twice."""
    return f"{name} names the column {column!r} twice; name each once"


def missing_column_text(
    name: str, column: str, nearest: Sequence[str], known: Iterable[str]
) -> str:
    """The data of a fit lacks a column."""
    hint = f"nearest names: {', '.join(nearest)}" if nearest else f"columns: {', '.join(known)}"
    return f"{name}: the data has no column {column!r}; {hint}"


def no_rows_text(name: str, columns: Sequence[str]) -> str:
    """A fit saw no row."""
    return (
        f"{name} cannot be fitted to the column {columns[0]!r}: the source gave no rows; check the "
        "filters before it"
    )


def not_numeric_text(column: str, dtype: Any) -> str:
    """StandardScaler was given a column that holds no numbers."""
    return (
        f"StandardScaler: the column {column!r} is {dtype}, not numbers; convert it with "
        f'.with_columns({column}=bp.col("{column}").cast(float)), or leave it out'
    )


def not_categories_text(column: str, dtype: Any) -> str:
    """OrdinalEncoder was given a column of another type than it knows."""
    return (
        f"OrdinalEncoder: the column {column!r} is {dtype}; it encodes texts, ints, floats and "
        "bools: convert the column before"
    )


def mixed_categories_text(column: str, kinds: Iterable[str]) -> str:
    """A column holds values that have no common order."""
    return (
        f"OrdinalEncoder: the column {column!r} holds {' and '.join(kinds)} values, which have no "
        f'common order; make them texts with bp.col("{column}").cast(str)'
    )


def infinite_text(column: str, value: float, place: str) -> str:
    """A column to scale holds infinity."""
    return (
        f"StandardScaler: the column {column!r} holds {value} in {place}, of which there is no "
        "mean; filter such rows out, or clip them"
    )


def place_text(row: int, file: str | None) -> str:
    """A row of the source."""
    return f"row {row:,}" + (f" of {file}" if file else "")


def other_parameters_text(left: str, right: str) -> str:
    """Two transforms cannot be merged."""
    return f"{left} and {right} differ: only transforms with the same parameters can be merged"


def bad_option_text(name: str, option: str, value: Any, wanted: str) -> str:
    """A parameter has a value that it cannot have."""
    return f"{name}: {option}={_short(value)} is not {wanted}"


def unused_unknown_value_text(value: Any) -> str:
    """unknown_value without its handle_unknown."""
    return (
        f"OrdinalEncoder: unknown_value={_short(value)} needs "
        'handle_unknown="use_encoded_value"; add it, or leave unknown_value out'
    )


def used_code_text(option: str, value: Any, column: str, count: int) -> str:
    """A code for unknown or missing values is that of a category."""
    return (
        f"OrdinalEncoder: {option}={_short(value)} is the code of a category of the column "
        f"{column!r}, whose codes go from 0 to {count - 1}; take a negative number or nan"
    )


def category_count_text(lists: int, columns: int) -> str:
    """The lists of categories do not match the columns."""
    return f"OrdinalEncoder: {lists} lists of categories for {columns} columns; give one a column"


def unsorted_text(column: str) -> str:
    """Given categories of numbers are not in order."""
    return f"OrdinalEncoder: the categories of {column!r} are numbers out of order; sort them"


def unknown_categories_text(column: str, values: Sequence[Any]) -> str:
    """The data of a fit has values that are not among the given categories."""
    shown = ", ".join(_short(value) for value in values[:_MOST_VALUES])
    more = f" and {len(values) - _MOST_VALUES:,} more" if len(values) > _MOST_VALUES else ""
    return (
        f"OrdinalEncoder: the column {column!r} holds {shown}{more}, not among its categories; add "
        'them, or write handle_unknown="use_encoded_value", unknown_value=-1'
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def unknown_category_text(column: str, value: object) -> str:
    """A value was not among those of the fit."""
    return (
        f"{short_repr(value)} in column {column!r} was not among the values of the fit\n"
        '  Take it as unknown: OrdinalEncoder(..., handle_unknown="use_encoded_value", '
        "unknown_value=-1)"
    )
