"""Arrow arrays to Python values, exact and without pandas: what a record holds.

Not `to_pylist`: that turns nanoseconds into pandas objects and cuts times below a microsecond.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from batchprep.batch.arrow_buffers import data_view, decoded, valid_rows
from batchprep.batch.arrow_columns import day_numbers
from batchprep.batch.arrow_types import kind_of_type, numpy_type
from batchprep.batch.calendar import dates, datetimes, timedeltas, zone_named
from batchprep.dtypes import Kind


def python_values(array: pa.Array[Any]) -> list[Any]:
    """The Python value of each row; a null is None."""
    array = decoded(array)
    converter = _CONVERTERS.get(kind_of_type(array.type), _other_values)
    return _nulled(converter(array), array)


def _nulled(values: list[Any], array: pa.Array[Any]) -> list[Any]:
    valid = valid_rows(array)
    if valid is not None:
        for row in np.flatnonzero(~valid).tolist():
            values[row] = None
    return values


def _as_listed(array: pa.Array[Any]) -> list[Any]:
    return array.to_pylist()


def _numbers(array: pa.Array[Any]) -> list[Any]:
    return data_view(array, numpy_type(array.type)).tolist()


def _dates(array: pa.Array[Any]) -> list[Any]:
    return dates(day_numbers(array))


def _datetimes(array: pa.Array[Any]) -> list[Any]:
    dtype: Any = array.type
    return datetimes(_ticks(array), dtype.unit, zone_named(dtype.tz))


def _timedeltas(array: pa.Array[Any]) -> list[Any]:
    dtype: Any = array.type
    return timedeltas(_ticks(array), dtype.unit)


def _ticks(array: pa.Array[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
    ticks = data_view(array, np.int64)
    valid = valid_rows(array)
    return ticks if valid is None else np.where(valid, ticks, 0)


def _lists(array: Any) -> list[Any]:
    if pt.is_fixed_size_list(array.type):
        size = array.type.list_size
        starts = range(array.offset * size, (array.offset + len(array)) * size, size)
        bounds = [(start, start + size) for start in starts]
    elif pt.is_list_view(array.type) or pt.is_large_list_view(array.type):
        pairs = zip(array.offsets.to_pylist(), array.sizes.to_pylist(), strict=True)
        bounds = [(start, start + size) for start, size in pairs]
    else:
        offsets = array.offsets.to_pylist()
        bounds = list(pairwise(offsets))
    return _slices(array.values, bounds, shared=_may_share(array.type))


def _may_share(dtype: pa.DataType) -> bool:
    return pt.is_list_view(dtype) or pt.is_large_list_view(dtype)


def _slices(values: pa.Array[Any], bounds: list[tuple[int, int]], *, shared: bool) -> list[Any]:
    if shared:  # two views of one element must not be the same mutable object
        return [python_values(values.slice(start, end - start)) for start, end in bounds]
    if not bounds:
        return []
    first = bounds[0][0]
    elements = python_values(values.slice(first, bounds[-1][1] - first))
    return [elements[start - first : end - first] for start, end in bounds]


def _structs(array: Any) -> list[Any]:
    names = [field.name for field in array.type]
    if not names:
        return [{} for _ in range(len(array))]
    children = [python_values(array.field(i)) for i in range(len(names))]
    return [dict(zip(names, row, strict=True)) for row in zip(*children, strict=True)]


def _other_values(array: Any) -> list[Any]:
    if pt.is_map(array.type):
        return _maps(array)
    if pt.is_time64(array.type) and array.type.unit == "ns":
        return _times(array)
    return array.to_pylist()


def _maps(array: Any) -> list[Any]:
    offsets = array.offsets.to_pylist()
    first, count = offsets[0], offsets[-1] - offsets[0]
    keys = python_values(array.keys.slice(first, count))
    items = python_values(array.items.slice(first, count))
    pairs = list(zip(keys, items, strict=True))
    return [pairs[start - first : end - first] for start, end in pairwise(offsets)]


def _times(array: pa.Array[Any]) -> list[Any]:
    """A time, or numpy.timedelta64 since midnight where it has digits below a microsecond."""
    ticks = _ticks(array)
    times: list[Any] = array.to_pylist()
    for row in np.flatnonzero(ticks % 1000).tolist():
        times[row] = np.timedelta64(int(ticks[row]), "ns")
    return times


_CONVERTERS: Final[dict[Kind, Callable[[Any], list[Any]]]] = {
    "none": _as_listed,
    "bool": _as_listed,
    "int": _numbers,
    "float": _numbers,
    "str": _as_listed,
    "date": _dates,
    "datetime": _datetimes,
    "timedelta": _timedeltas,
    "list": _lists,
    "struct": _structs,
}
