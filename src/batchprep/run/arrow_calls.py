"""PyArrow calls on NumPy arrays, typed: the stubs take an array of indices for one of booleans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Mask = npt.NDArray[np.bool_]

_nulls: Final = cast("Any", pa.nulls)
_union: Final = cast("Any", pa.UnionArray)


def nulls(length: int, dtype: pa.DataType) -> pa.Array[Any]:
    """An array of nulls, of a union too."""
    return _nulls(length, dtype)


def take(array: pa.Array[Any], places: npt.NDArray[Any], missing: Mask | None = None) -> Any:
    """The values at these places, null at the missing ones."""
    indices: Any = pa.array(places, mask=missing)
    try:
        return array.take(indices)
    except pa.ArrowNotImplementedError:  # string_view, run-end encoded, and what holds them
        return _take_runs(array, places, missing)


def choose(condition: Mask, yes: pa.Array[Any], no: pa.Array[Any]) -> pa.Array[Any]:
    """`yes` where the condition holds, else `no`."""
    try:
        return pc.if_else(pa.array(condition), yes, no)
    except pa.ArrowNotImplementedError:
        places = np.arange(len(yes)) + np.where(condition, 0, len(yes))
        return take(pa.concat_arrays([yes, no]), places)


def _take_runs(array: pa.Array[Any], places: npt.NDArray[Any], missing: Mask | None) -> Any:
    """The same by slices: every type has them."""
    if missing is not None:
        places = np.where(missing, len(array), places)
        array = pa.concat_arrays([array, nulls(1, array.type)])
    starts = [0, *(np.flatnonzero(np.diff(places) != 1) + 1).tolist()]
    ends = [*starts[1:], len(places)]
    runs = [array.slice(places[s], e - s) for s, e in zip(starts, ends, strict=True) if e > s]
    return pa.concat_arrays(runs) if runs else array.slice(0, 0)


def struct_columns(array: pa.StructArray) -> list[pa.Array[Any]]:
    """The fields of a struct array, null where the struct is.

    StructArray.flatten gives the same, but ends the process where a field is a union.
    """
    fields = [array.field(place) for place in range(array.type.num_fields)]
    if not array.null_count:
        return fields
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    return [choose(valid, field, nulls(len(field), field.type)) for field in fields]


def union_array(
    places: npt.NDArray[Any], children: Sequence[pa.Array[Any]], dtype: pa.UnionType
) -> pa.Array[Any]:
    """A sparse union: `places` tells which member each row takes its value from."""
    names = [field.name for field in dtype]
    return _union.from_sparse(pa.array(places, pa.int8()), list(children), names)
