"""What the statistics of a Parquet row group say about its values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.types as pt

# Some writers cut the bounds of longer strings (at 16, 32 or 64 bytes) and do not say so.
_LONGEST_STRING: Final = 15  # bytes


class Range(NamedTuple):
    """Lowest and highest value of a column in some rows; `nulls` None where not counted.

    NaN takes no part: a column of floats may hold NaN outside of its range.
    """

    low: Any
    high: Any
    nulls: int | None


Skip: TypeAlias = Callable[[Mapping[str, Range]], bool]


class Pruning(NamedTuple):
    """Which row groups are not read: where `skip` says so.

    names      columns whose statistics compare like the values that the scan hands out
    constants  columns that the folders of the file give
    """

    skip: Skip
    names: frozenset[str]
    constants: Mapping[str, Range]


class RowGroupRanges(Mapping[str, Range]):
    """Ranges of a row group's columns, looked up when they are asked for."""

    def __init__(
        self, group: Any, places: Mapping[str, int], constants: Mapping[str, Range]
    ) -> None:
        self._group = group
        self._places = places
        self._constants = constants

    def __getitem__(self, name: str) -> Range:
        if name in self._constants:
            return self._constants[name]
        found = _range_of(self._group.column(self._places[name]).statistics)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return (name for name in (*self._places, *self._constants) if name in self)

    def __contains__(self, name: object) -> bool:
        if name in self._constants:
            return True
        place = self._places.get(name) if isinstance(name, str) else None
        return place is not None and _range_of(self._group.column(place).statistics) is not None

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _range_of(statistics: Any) -> Range | None:
    if statistics is None or not statistics.has_min_max:
        return None
    low, high = statistics.min, statistics.max
    if isinstance(low, bytes) or _may_be_cut(low) or _may_be_cut(high) or low != low:  # noqa: PLR0124
        return None
    return Range(low, high, statistics.null_count if statistics.has_null_count else None)


def _may_be_cut(bound: Any) -> bool:
    return isinstance(bound, str) and len(bound.encode()) > _LONGEST_STRING


def is_ranged(dtype: pa.DataType) -> bool:
    """Whether values of the type have an order that statistics and Python share."""
    return order_of(dtype) is not None


def order_of(dtype: pa.DataType) -> str | None:
    """Types of one order compare alike: a range in one is a range in the other."""
    if pt.is_dictionary(dtype):
        return order_of(dtype.value_type)
    if pt.is_integer(dtype) or (pt.is_floating(dtype) and not pt.is_float16(dtype)):
        return "number"
    if pt.is_boolean(dtype):
        return "bool"
    if pt.is_date32(dtype):
        return "date"
    return "text" if pt.is_string(dtype) or pt.is_large_string(dtype) else None


def places_of(schema: Any, names: frozenset[str]) -> dict[str, int]:
    """Position of each flat column among the leaves of a Parquet schema."""
    paths = [schema.column(i).path for i in range(len(schema))]
    return {p: i for i, p in enumerate(paths) if p in names and paths.count(p) == 1}
