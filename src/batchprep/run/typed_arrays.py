"""Python values to an Arrow array of a given type. The values are known to fit it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from batchprep.batch.joining import concatenated
from batchprep.run.arrow_calls import encoded, nulls, run_ends, take, union_array
from batchprep.run.misfits import struct_items, union_place
from batchprep.run.originals import Original, Originals


def typed_array(
    values: Sequence[Any], dtype: pa.DataType, originals: Originals | None = None
) -> pa.Array[Any]:
    """The values in that type, None as null. Each passed `check_fits` or a `Fitting` before.

    >>> typed_array([1, None, 2.5], pa.float64()).to_pylist()
    [1.0, None, 2.5]
    """
    if originals is not None and any(type(value) is Original for value in values):
        return _with_originals(values, dtype, originals)
    if all(value is None for value in values):  # of any type, those that Python cannot fill too
        return nulls(len(values), dtype)
    if pt.is_union(dtype):
        return _union_array(values, cast("pa.UnionType", dtype))
    if pt.is_struct(dtype):
        return _struct_array(values, dtype, originals)
    if pt.is_list(dtype):
        return _list_array(values, dtype)
    if pt.is_floating(dtype):
        floats = [None if value is None else float(value) for value in values]
        return pa.array(np.array(floats, np.float64), mask=null_mask(values)).cast(dtype)
    if isinstance(dtype, pa.DictionaryType):
        return encoded(typed_array(values, dtype.value_type), dtype)
    if isinstance(dtype, pa.RunEndEncodedType):
        return run_ends(typed_array(values, dtype.value_type), dtype)
    return pa.array(values, dtype)


def _with_originals(
    values: Sequence[Any], dtype: pa.DataType, originals: Originals
) -> pa.Array[Any]:
    """The values, some of which stand in columns of that type."""
    rows: dict[str, dict[int, int]] = {}  # of each column: place among the values -> row
    for place, value in enumerate(values):
        if type(value) is Original:
            rows.setdefault(value.column, {})[place] = value.row
    own = [None if type(value) is Original else value for value in values]
    parts = [typed_array(own, dtype, originals)]
    places = np.arange(len(values))
    for column, found in rows.items():
        places[list(found)] = sum(map(len, parts)) + np.arange(len(found))
        parts.append(originals.take(column, list(found.values())))
    return take(concatenated(parts), places)


def null_mask(values: Sequence[Any]) -> Any:
    """Which values are None."""
    return np.fromiter((value is None for value in values), np.bool_, len(values))


def _union_array(values: Sequence[Any], dtype: pa.UnionType) -> pa.Array[Any]:
    places = [union_place(value, dtype) for value in values]
    fields = list(dtype)
    children = [
        typed_array(
            [v if p == place else None for v, p in zip(values, places, strict=True)], f.type
        )
        for place, f in enumerate(fields)
    ]
    return union_array(np.array(places, np.int8), children, dtype)


def _struct_array(
    values: Sequence[Any], dtype: pa.StructType, originals: Originals | None
) -> pa.Array[Any]:
    items = [{} if value is None else struct_items(value, dtype) for value in values]
    return struct_array(
        {
            field.name: typed_array([i.get(field.name) for i in items], field.type, originals)
            for field in dtype
        },
        dtype,
        null_mask(values),
    )


def struct_array(
    children: Mapping[str, pa.Array[Any]], dtype: pa.StructType, nulls: Any
) -> pa.Array[Any]:
    """Struct array of the type's fields; `nulls` is a mask of its rows without a struct."""
    if not children:
        return pa.array([None if null else {} for null in nulls.tolist()], dtype)
    mask = pa.array(nulls) if nulls.any() else None
    return pa.StructArray.from_arrays(list(children.values()), fields=list(dtype), mask=mask)


def _list_array(values: Sequence[Any], dtype: pa.ListType[Any]) -> pa.Array[Any]:
    sizes = [0 if value is None else len(value) for value in values]
    items = list(chain.from_iterable(value for value in values if value is not None))
    return list_array(typed_array(items, dtype.value_type), sizes, dtype, null_mask(values))


def list_array(
    items: pa.Array[Any], sizes: Any, dtype: pa.ListType[Any], nulls: Any
) -> pa.Array[Any]:
    """List array that has so many of the items in each row; `nulls` as in struct_array."""
    offsets = pa.array(np.concatenate(([0], np.cumsum(sizes))), pa.int32())
    make: Callable[..., pa.Array[Any]] = pa.ListArray.from_arrays
    return make(offsets, items, type=dtype, mask=pa.array(nulls))
