"""Distinct values of a column: a state that streams and merges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from batchprep.batch import Batch
from batchprep.transforms import messages
from batchprep.transforms.transform import column_of

NAME: Final = "OrdinalEncoder"
SeenKind = Literal["null", "text", "bool", "int", "float"]


@dataclass(frozen=True)
class Seen:
    """Values of one kind, and whether some were missing: null or NaN."""

    kind: SeenKind = "null"
    values: frozenset[Any] = frozenset()
    missing: bool = False

    def merge(self, other: Seen, column: str) -> Seen:
        """What either has seen.

        Errors:  TypeError where their values have no common order
        """
        # In the long run nothing is new: then the large set is not copied.
        values = self.values if other.values <= self.values else self.values | other.values
        missing = self.missing or other.missing
        return Seen(_common(self.kind, other.kind, column), values, missing)

    def in_order(self) -> list[Any]:
        """The values as scikit-learn sorts them."""
        ordered = sorted(self.values)
        return [float(value) for value in ordered] if self.kind == "float" else ordered


def seen_in(batch: Batch | pa.Table, column: str) -> Seen:
    """The distinct values of a column.

    Errors:  TypeError for a column that is not texts, numbers or bools
    """
    array = column_of(NAME, batch, column)
    kind = _kind(column, array.type)
    if kind == "text":
        array = pc.cast(array, pa.large_string())
    values = pc.unique(array).to_pylist()
    known = frozenset(value for value in values if not is_missing(value))
    return Seen(kind, known, any(is_missing(value) for value in values))


def seen_among(categories: Sequence[Any], column: str) -> Seen:
    """Given categories as if they had been seen.

    Errors:  TypeError where they are of two kinds
    """
    seen = Seen()
    for value in categories:
        one = Seen("null", missing=True) if is_missing(value) else _of_value(value, column)
        seen = seen.merge(one, column)
    return seen


def is_missing(value: Any) -> bool:
    """Whether the value is null or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def categories_array(kind: SeenKind, values: Sequence[Any], *, missing: bool) -> Any:
    """The categories as scikit-learn has them: NaN last, where a value was missing."""
    if kind in {"text", "bool"} and (missing or kind == "text"):
        return np.array([*values, *([math.nan] if missing else [])], dtype=object)
    if missing or not values:
        return np.array([*map(float, values), *([math.nan] if missing else [])])
    return np.array(values)


def _of_value(value: Any, column: str) -> Seen:
    kinds: dict[type, SeenKind] = {str: "text", bool: "bool", int: "int", float: "float"}
    kind = kinds.get(type(value))
    if kind is None:
        raise TypeError(messages.not_categories_text(column, type(value).__name__))
    return Seen(kind, frozenset({value}))


def _kind(column: str, dtype: Any) -> SeenKind:
    types = pa.types
    if types.is_string(dtype) or types.is_large_string(dtype) or types.is_string_view(dtype):
        return "text"
    if types.is_boolean(dtype):
        return "bool"
    if types.is_integer(dtype):
        return "int"
    if types.is_floating(dtype):
        return "float"
    if types.is_null(dtype):
        return "null"
    if types.is_union(dtype):
        fields = (dtype.field(place).type for place in range(dtype.num_fields))
        raise TypeError(messages.mixed_categories_text(column, map(str, fields)))
    raise TypeError(messages.not_categories_text(column, dtype))


def _common(left: SeenKind, right: SeenKind, column: str) -> SeenKind:
    if right in {left, "null"}:
        return left
    if left == "null":
        return right
    if {left, right} == {"int", "float"}:
        return "float"
    raise TypeError(messages.mixed_categories_text(column, (left, right)))
