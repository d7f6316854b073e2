"""Python values to Arrow arrays: exact, or an error that names row, column and value."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn, cast

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from batchprep.batch.arrow_types import kind_of_type, members_of_union
from batchprep.batch.column import Column
from batchprep.batch.kinds import ABSENT, MISFIT, is_int64, kind_of
from batchprep.batch.messages import misfit_text
from batchprep.dtypes import EMPTY, KIND_CODE, Kind

# Types of kind "other" whose values Arrow holds as they are.
_PASSED_ON: Final = (bytes, decimal.Decimal, dt.time)
# A declared type takes these as well, where they do not change.
_ALSO_FITS: Final[dict[Kind, Kind]] = {"float": "int", "list": "tuple"}
# Types whose values Arrow holds as they are, or refuses.
_AT_ONCE: Final[dict[type, pa.DataType]] = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    str: pa.string(),
    dt.date: pa.date32(),
}
_NUMBERS: Final[dict[Kind, pa.DataType]] = {
    "bool": pa.bool_(),
    "int": pa.int64(),
    "float": pa.float64(),
}
_buffer_of: Final = cast("Any", pa.py_buffer)
_ARROW_ERRORS: Final = (pa.ArrowException, OverflowError, TypeError, UnicodeEncodeError, ValueError)


@dataclass(frozen=True)
class _Values:
    """Values at one place of the records: `rows` numbers the row of each, `path` is its column."""

    items: list[Any]
    rows: Sequence[int]
    path: str

    def only(self, kind: Kind) -> _Values:
        """The same rows with None where the value is of another kind."""
        kept = [item if kind_of(item) == kind else None for item in self.items]
        return _Values(kept, self.rows, self.path)


def array_of_values(values: list[Any], name: str, dtype: pa.DataType | None) -> pa.Array[Any]:
    """Arrow array of a column's values; its type follows from the kinds where none is given.

    Nulls:   None and absent keys become null
    Errors:  ValueError that names the first value that the type cannot hold
    """
    at_once = _at_once(values) if dtype is None else None
    if at_once is not None:
        return at_once
    return _build(_Values(values, range(len(values)), str(name)), dtype)


def array_of_numbers(column: Column, kind: Kind) -> pa.Array[Any] | None:
    """The same of a column of one kind of bools, ints or floats; None where a value is no such.

    The array stands on the memory of the column.
    """
    if column.irregular is not None:
        return None
    values, codes, length = column.buffers[kind], column.kind, len(column)
    is_there = None if codes is None else codes[:] == KIND_CODE[kind]
    nulls = 0 if is_there is None else length - int(np.count_nonzero(is_there))
    bits = _buffer_of(_bits(is_there)) if nulls else None
    data = _buffer_of(_bits(values) if kind == "bool" else values)
    return pa.Array.from_buffers(_NUMBERS[kind], length, [bits, data], nulls)


def _bits(mask: Any) -> np.ndarray[Any, Any]:
    return np.packbits(mask, bitorder="little")


def _at_once(values: list[Any]) -> pa.Array[Any] | None:
    """Arrow's own array of values of one type and None; None where each has to be looked at."""
    types = set(map(type, values)) - {type(None)}
    dtype = _AT_ONCE.get(types.pop()) if len(types) == 1 else None
    if dtype is None:
        return None
    try:
        array: Any = pa.array(values, dtype)
    except _ARROW_ERRORS:  # the value that does not fit is named below
        return None
    return None if isinstance(array, pa.ChunkedArray) else array


def _build(values: _Values, dtype: pa.DataType | None) -> pa.Array[Any]:
    if dtype is not None:
        return _typed(values, dtype)
    members = members_of_union(map(kind_of, values.items))
    if len(members) == 1:
        return _BUILDERS[members[0]](values)
    return _union(values, members)


def _union(values: _Values, members: tuple[Kind, ...]) -> pa.Array[Any]:
    position = {kind: i for i, kind in enumerate(members)}
    none = position.get("none", 0)
    types = [position.get(kind_of(item), none) for item in values.items]
    children = [_BUILDERS[kind](values.only(kind)) for kind in members]
    return pa.UnionArray.from_sparse(pa.array(types, pa.int8()), children, list(members))


def _nulls(values: _Values) -> pa.Array[Any]:
    return pa.nulls(len(values.items))


def _leaves(dtype: pa.DataType) -> Callable[[_Values], pa.Array[Any]]:
    return lambda values: _converted(values, dtype)


def _converted(values: _Values, dtype: pa.DataType | None) -> pa.Array[Any]:
    """What Arrow itself makes of values whose kinds have been checked."""
    items = _nulled(values.items)
    try:
        array = pa.array(items, dtype)
    except _ARROW_ERRORS:
        for row, item in enumerate(items):
            _convert_alone(values, row, item, dtype)
        raise
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _convert_alone(values: _Values, position: int, item: Any, dtype: pa.DataType | None) -> None:
    try:
        pa.array([item], dtype)
    except _ARROW_ERRORS:
        _refuse(values, position, f"does not fit the Arrow type {dtype}")


def _nulled(items: list[Any]) -> list[Any]:
    return [None if item is ABSENT else item for item in items]


def _ints(values: _Values) -> pa.Array[Any]:
    for position, item in enumerate(values.items):
        if type(item) is int and not is_int64(item):
            _refuse(values, position, "does not fit int64")
    return _converted(values, pa.int64())


def _floats(values: _Values) -> pa.Array[Any]:
    return _converted(_as_floats(values), pa.float64())


def _as_floats(values: _Values) -> _Values:
    floats = list(values.items)
    for position, item in enumerate(floats):
        if type(item) is int:
            floats[position] = _exact_float(item)
            if floats[position] is None:
                _refuse(values, position, "would change as a double")
    return _Values(floats, values.rows, values.path)


def _exact_float(number: int) -> float | None:
    try:
        return float(number) if int(float(number)) == number else None
    except OverflowError:
        return None


def _datetimes(values: _Values) -> pa.Array[Any]:
    zones: dict[dt.tzinfo | None, str | None] = {}
    for position, item in enumerate(values.items):
        if type(item) is dt.datetime and item.tzinfo not in zones:
            zones[item.tzinfo] = _zone_name(values, position)
            if len(set(zones.values())) > 1:
                _refuse(values, position, "has another time zone than the rows before it")
    zone: Any = next(iter(zones.values()), None)
    return _converted(values, pa.timestamp("us", zone))


def _zone_name(values: _Values, position: int) -> str | None:
    if values.items[position].tzinfo is None:
        return None
    try:
        return pa.array([values.items[position]]).type.tz  # pyright: ignore[reportAttributeAccessIssue]
    except _ARROW_ERRORS:
        _refuse(values, position, "has a time zone without a name that Arrow knows")


def _lists(values: _Values, dtype: pa.DataType | None = None) -> pa.Array[Any]:
    sizes = [0 if kind_of(item) in EMPTY else len(item) for item in values.items]
    lists = [item for item, size in zip(values.items, sizes, strict=True) if size]
    elements = [element for item in lists for element in item]
    rows = np.repeat(np.asarray(values.rows), sizes).tolist()
    child = _build(_Values(elements, rows, f"{values.path}[]"), dtype)
    missing = np.fromiter((kind_of(item) in EMPTY for item in values.items), np.bool_)
    offsets = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
    return _list_array(offsets, child, missing)


def _list_array(offsets: Any, child: pa.Array[Any], missing: Any) -> pa.Array[Any]:
    mask = pa.array(missing, pa.bool_())
    if offsets[-1] < 2**31:
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), child, mask=mask)
    return pa.LargeListArray.from_arrays(pa.array(offsets), child, mask=mask)


def _structs(values: _Values) -> pa.Array[Any]:
    keys = dict.fromkeys(key for item in values.items if type(item) is dict for key in item)
    return _struct_array(values, dict.fromkeys(keys))


def _struct_array(values: _Values, types: dict[Any, pa.DataType | None]) -> pa.Array[Any]:
    _check_keys(values, types)
    missing = pa.array([kind_of(item) in EMPTY for item in values.items], pa.bool_())
    children = [_build(_child(values, key), dtype) for key, dtype in types.items()]
    if not children:
        return pa.array([None if m else {} for m in missing.to_pylist()], pa.struct([]))
    return pa.StructArray.from_arrays(children, names=list(types), mask=missing)


def _child(values: _Values, key: str) -> _Values:
    items = [item.get(key, ABSENT) if type(item) is dict else ABSENT for item in values.items]
    return _Values(items, values.rows, f"{values.path}.{key}")


def _check_keys(values: _Values, types: dict[Any, pa.DataType | None]) -> None:
    for position, item in enumerate(values.items):
        for key in item if type(item) is dict else ():
            if type(key) is not str:
                _refuse(values, position, f"has the key {key!r}, which is not a string")
            if key not in types:
                _refuse(values, position, f"has the key {key!r}, which the schema lacks")


def _others(values: _Values) -> pa.Array[Any]:
    first = next((type(item) for item in values.items if kind_of(item) == "other"), None)
    for position, item in enumerate(values.items):
        if kind_of(item) == "other" and (type(item) not in _PASSED_ON or type(item) is not first):
            _refuse(values, position, "has no Arrow type of its own")
    return _converted(values, None)


def _typed(values: _Values, dtype: Any) -> pa.Array[Any]:
    kind = kind_of_type(dtype)
    _check_kinds(values, dtype, kind)
    match kind:
        case "list":
            return _cast(values, _lists(values, dtype.value_type), dtype)
        case "struct":
            types = {field.name: field.type for field in dtype}
            return _cast(values, _struct_array(values, types), dtype)
        case "float":
            return _converted(_as_floats(values), dtype)
        case "datetime" | "timedelta":
            return _converted_ticks(values, dtype)
        case "other" if pt.is_time(dtype):
            return _cast(values, _converted(values, pa.time64("us")), dtype)
        case _:
            return _converted(values, dtype)


def _check_kinds(values: _Values, dtype: pa.DataType, kind: Kind) -> None:
    if pt.is_map(dtype) or pt.is_union(dtype):
        return
    fits = {"absent", "none", kind, _ALSO_FITS.get(kind, kind)}
    for position, item in enumerate(values.items):
        if item is MISFIT or kind_of(item) not in fits:
            _refuse(values, position, f"does not fit the Arrow type {dtype}")


def _converted_ticks(values: _Values, dtype: Any) -> pa.Array[Any]:
    """Instants and durations by way of microseconds: a coarser type must not cut them."""
    if pt.is_duration(dtype):
        return _cast(values, _converted(values, pa.duration("us")), dtype)
    for position, item in enumerate(values.items):
        if type(item) is dt.datetime and (item.tzinfo is None) != (dtype.tz is None):
            _refuse(values, position, f"does not fit the Arrow type {dtype}")
    return _cast(values, _converted(values, pa.timestamp("us", dtype.tz)), dtype)


def _cast(values: _Values, array: pa.Array[Any], dtype: pa.DataType) -> pa.Array[Any]:
    try:
        return array.cast(dtype)
    except pa.ArrowException:
        for position in range(len(array)):
            _cast_alone(values, array, position, dtype)
        raise


def _cast_alone(values: _Values, array: pa.Array[Any], position: int, dtype: pa.DataType) -> None:
    try:
        array.slice(position, 1).cast(dtype)
    except pa.ArrowException:
        _refuse(values, position, f"does not fit the Arrow type {dtype}")


def _refuse(values: _Values, position: int, why: str) -> NoReturn:
    raise ValueError(misfit_text(values.rows[position], values.path, values.items[position], why))


_BUILDERS: Final[dict[Kind, Callable[[_Values], pa.Array[Any]]]] = {
    "none": _nulls,
    "bool": _leaves(pa.bool_()),
    "int": _ints,
    "float": _floats,
    "str": _leaves(pa.string()),
    "date": _leaves(pa.date32()),
    "datetime": _datetimes,
    "timedelta": _leaves(pa.duration("us")),
    "list": _lists,
    "tuple": _lists,
    "struct": _structs,
    "other": _others,
}
