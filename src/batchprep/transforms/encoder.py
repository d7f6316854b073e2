"""`OrdinalEncoder`: each distinct value of a column as a number."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import numpy as np
import pyarrow as pa

from batchprep.batch import Batch
from batchprep.transforms import codes, messages
from batchprep.transforms.seen import (
    NAME,
    Seen,
    categories_array,
    is_missing,
    seen_among,
    seen_in,
)
from batchprep.transforms.transform import NotFittedError, RowFunction, checked_columns

HandleUnknown = Literal["error", "use_encoded_value"]
Categories = Literal["auto"] | Sequence[Sequence[Any]]
DEFAULTS: Final[dict[str, Any]] = {
    "categories": "auto",
    "handle_unknown": "error",
    "unknown_value": None,
    "encoded_missing_value": math.nan,
}


@dataclass(frozen=True, repr=False)
class OrdinalEncoder:
    """Columns of texts, ints, floats or bools as the number of each value: 0.0, 1.0, ...

    As scikit-learn's OrdinalEncoder, with its parameters and attributes: values are numbered in
    order, or as `categories` lists them, one list a column. The columns keep their names and
    become float64.

    Nulls:   null and NaN count as missing: where the fit saw one, it becomes
             encoded_missing_value; where it saw none, it is unknown
    Unknown: a value that the fit did not see fails its row with KeyError, or becomes
             unknown_value under handle_unknown="use_encoded_value"
    Errors:  TypeError for a column of other values, ValueError for no rows, or for categories
             that the data goes beyond; NotFittedError for an attribute before the fit

    >>> encoder = OrdinalEncoder(["size"]).fit_batch(pa.table({"size": ["S", "L", "S"]}))
    >>> encoder.categories_
    [array(['L', 'S'], dtype=object)]
    >>> encoder.expressions()["size"]({"size": "S"})
    1.0
    """

    columns: Sequence[str]
    categories: Any = field(default="auto", kw_only=True)
    handle_unknown: HandleUnknown = field(default="error", kw_only=True)
    unknown_value: float | None = field(default=None, kw_only=True)
    encoded_missing_value: float = field(default=math.nan, kw_only=True)
    seen: tuple[Seen, ...] = field(default=(), kw_only=True)
    rows: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "columns", checked_columns(NAME, self.columns))
        object.__setattr__(self, "categories", _checked_categories(self.categories, self.columns))
        _check_unknown(self.handle_unknown, self.unknown_value)
        if not _is_number(self.encoded_missing_value):
            value = self.encoded_missing_value
            text = messages.bad_option_text(NAME, "encoded_missing_value", value, "a number")
            raise TypeError(text)

    def __repr__(self) -> str:
        given = [(name, getattr(self, name)) for name in DEFAULTS]
        options = [
            f", {name}={_listed(value)!r}"
            for name, value in given
            if repr(value) != repr(DEFAULTS[name])
        ]
        return f"{NAME}({list(self.columns)}{''.join(options)})"

    # ---- fitting

    @property
    def fitted(self) -> bool:
        """Whether it has seen a row."""
        return self.rows > 0

    def fresh(self) -> OrdinalEncoder:
        """The same parameters, and no data seen."""
        return replace(self, seen=(), rows=0)

    def fit_batch(self, batch: Batch | pa.Table) -> OrdinalEncoder:
        """What was seen so far and the rows of the batch."""
        found = tuple(seen_in(batch, column) for column in self.columns)
        rows = batch.num_rows if isinstance(batch, pa.Table) else len(batch)
        return self._with(found, rows)

    def merge(self, other: OrdinalEncoder) -> OrdinalEncoder:
        """What either has seen: fitted on parts of the data, it is as if fitted on all of it."""
        if repr(self) != repr(other):  # nan is not equal to itself
            raise ValueError(messages.other_parameters_text(repr(self), repr(other)))
        return self._with(other.seen, other.rows) if other.seen else self

    def _with(self, seen: tuple[Seen, ...], rows: int) -> OrdinalEncoder:
        if self.seen:
            triples = zip(self.seen, seen, self.columns, strict=True)
            seen = tuple(known.merge(new, column) for known, new, column in triples)
        return replace(self, seen=seen, rows=self.rows + rows)

    def finish(self) -> OrdinalEncoder:
        """The fitted encoder.

        Errors:  ValueError if it has seen no rows, or values beyond given categories, or if a code
                 for unknown or missing values is that of a category
        """
        if not self.fitted:
            raise ValueError(messages.no_rows_text(NAME, self.columns))
        for place, column in enumerate(self.columns):
            values, missing = self._values(place)
            self._check_seen(place, values, missing=missing)
            codes_free = {"unknown_value": self.unknown_value}
            if missing:
                codes_free["encoded_missing_value"] = self.encoded_missing_value
            for option, value in codes_free.items():
                if value is not None and 0 <= value < len(values):
                    text = messages.used_code_text(option, value, column, len(values))
                    raise ValueError(text)
        return self

    def _check_seen(self, place: int, values: Sequence[Any], *, missing: bool) -> None:
        if self.categories == "auto" or self.handle_unknown != "error":
            return
        seen = self.seen[place]
        unknown: list[Any] = sorted(seen.values - set(values))
        unknown += [None] if seen.missing and not missing else []
        if unknown:
            raise ValueError(messages.unknown_categories_text(self.columns[place], unknown))

    # ---- scikit-learn's attributes

    @property
    def categories_(self) -> list[np.ndarray[Any, Any]]:
        """The values of each column by their number, nan last where one was missing."""
        state = self._state()
        arrays: list[np.ndarray[Any, Any]] = []
        for place, (column, seen) in enumerate(zip(self.columns, state, strict=True)):
            values, missing = self._values(place)
            kind = seen.kind if self.categories == "auto" else seen_among(values, column).kind
            arrays.append(categories_array(kind, values, missing=missing))
        return arrays

    @property
    def n_features_in_(self) -> int:
        """How many columns it was fitted to."""
        return len(self._state())

    @property
    def feature_names_in_(self) -> np.ndarray[Any, np.dtype[np.object_]]:
        """Their names."""
        self._state()
        return np.array(self.columns, dtype=object)

    def _state(self) -> tuple[Seen, ...]:
        if not self.fitted:
            raise NotFittedError(messages.not_fitted_text(repr(self)))
        return self.seen

    def _values(self, place: int) -> tuple[list[Any], bool]:
        """(the values of a column by their number, whether missing ones have a code)."""
        if self.categories == "auto":
            return self.seen[place].in_order(), self.seen[place].missing
        given = self.categories[place]
        return [v for v in given if not is_missing(v)], any(map(is_missing, given))

    # ---- the transform

    def expressions(self) -> dict[str, RowFunction]:
        """The row function that gives each column's codes."""
        self._state()
        return {column: self._codes(place) for place, column in enumerate(self.columns)}

    def _codes(self, place: int) -> RowFunction:
        values, missing = self._values(place)
        table = {value: float(number) for number, value in enumerate(values)}
        unknown = None if self.unknown_value is None else float(self.unknown_value)
        others = [float(self.encoded_missing_value)] if missing else []
        others += [unknown] if unknown is not None else []
        function: Callable[..., float] = _ROW_FUNCTIONS[missing, unknown is not None]
        return functools.partial(function, self.columns[place], table, *others)


_ROW_FUNCTIONS: Final = {
    (False, False): codes.code,
    (True, False): codes.code_or_missing,
    (False, True): codes.code_or_unknown,
    (True, True): codes.code_missing_or_unknown,
}


def _checked_categories(categories: Any, columns: Sequence[str]) -> Any:
    if isinstance(categories, str) and categories == "auto":
        return categories
    if not isinstance(categories, (list, tuple)) or any(isinstance(c, str) for c in categories):
        wanted = '"auto" or a list of lists, one a column'
        raise TypeError(messages.bad_option_text(NAME, "categories", categories, wanted))
    if len(categories) != len(columns):
        raise ValueError(messages.category_count_text(len(categories), len(columns)))
    pairs = zip(columns, categories, strict=True)
    return tuple(_checked_list(column, given) for column, given in pairs)


def _checked_list(column: str, given: Any) -> tuple[Any, ...]:
    """The categories of one column, as Python values.

    Errors:  TypeError for values of two kinds, ValueError for numbers out of order, for values
             that occur twice and for a missing value that is not the last
    """
    values = tuple(value.item() if isinstance(value, np.generic) else value for value in given)
    seen = seen_among(values, column)
    known = [value for value in values if not is_missing(value)]
    if len(known) != len(seen.values) or any(map(is_missing, values[:-1])):
        wanted = "a list of distinct values, None or nan last"
        text = messages.bad_option_text(NAME, f"categories of {column!r}", list(values), wanted)
        raise ValueError(text)
    if seen.kind in {"int", "float"} and known != sorted(known):
        raise ValueError(messages.unsorted_text(column))
    return values


def _check_unknown(handle: Any, value: Any) -> None:
    if handle not in {"error", "use_encoded_value"}:
        wanted = '"error" or "use_encoded_value"'
        raise ValueError(messages.bad_option_text(NAME, "handle_unknown", handle, wanted))
    if handle == "error" and value is not None:
        raise TypeError(messages.unused_unknown_value_text(value))
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if handle != "error" and not whole and not (isinstance(value, float) and math.isnan(value)):
        wanted = 'an int or nan, which handle_unknown="use_encoded_value" needs'
        raise TypeError(messages.bad_option_text(NAME, "unknown_value", value, wanted))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _listed(value: Any) -> Any:
    """Lists as they were written, though they are kept as tuples."""
    return [list(one) for one in value] if isinstance(value, tuple) else value
